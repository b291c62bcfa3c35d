"""Each condition key is there in each action that has it: an explicit Deny must not be passed over.

A Deny on `Null: {KEY: false}` holds only if the request has the key.
"""

import json
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from hashrange.access.policies.service_keys import CONDITION_KEYS
from tests.api.alarms import put_alarm
from tests.api.conftest import client_of
from tests.api.dax import cluster
from tests.api.indexes import index_of
from tests.api.tables import keyed
from tests.api.test_identities import ACCOUNT, keys_of, made_administrator
from tests.rows import rows
from tests.served import served

TAGS = [{"Key": "env", "Value": "prod"}]
TRUST = {"AWS": f"arn:aws:iam::{ACCOUNT}:root", "Service": "dax.amazonaws.com"}
ROLE = f"arn:aws:iam::{ACCOUNT}:role/target"
BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/boundary"
OTHER = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"
TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/tab"
PLACE = {
    "ServiceNamespace": "dynamodb",
    "ResourceId": "table/tab",
    "ScalableDimension": "dynamodb:table:ReadCapacityUnits",
}
BOUNDS = {"MinCapacity": 1, "MaxCapacity": 2}
KEY = {"pk": {"S": "a"}}
CONDITION = {"ConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}


def document(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


ANYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def in_iam(operation, **parameters):
    return lambda world: getattr(world.client("iam"), operation)(**parameters)


def of_holders(operation, **parameters):
    """The two operations of a name with `{}` for the kind, on the user and the role."""
    return {
        f"iam:{operation.format(kind)}": in_iam(
            "".join(f"_{c.lower()}" if c.isupper() else c for c in operation.format(kind))[1:],
            **{f"{kind}Name": "target", **parameters},
        )
        for kind in ("User", "Role")
    }


def on_target(operation, **parameters):
    return lambda world: getattr(world.client("application-autoscaling"), operation)(
        **PLACE, **parameters
    )


def of_arn(operation, **parameters):
    return lambda world: getattr(world.client("application-autoscaling"), operation)(
        ResourceARN=world.target, **parameters
    )


def in_dax(operation, **parameters):
    return lambda world: getattr(world.client("dax"), operation)(**parameters)


def in_cloudwatch(operation, **parameters):
    return lambda world: getattr(world.client("cloudwatch"), operation)(**parameters)


def in_kinesis(operation, **parameters):
    return lambda world: getattr(world.client("kinesis"), operation)(**parameters)


def in_dynamodb(operation, **parameters):
    return lambda world: getattr(world.client("dynamodb"), operation)(**parameters)


def assumes(world):
    world.client("sts").assume_role(
        RoleArn=ROLE,
        RoleSessionName="session",
        ExternalId="external",
        SourceIdentity="me",
        Tags=TAGS,
        TransitiveTagKeys=["env"],
    )


def written(name, **parameters):
    """A write of its own, which is in a transaction for the key that tells so."""
    action = {"TableName": "tab", **parameters}
    return in_dynamodb("transact_write_items", TransactItems=[{name: action}])


def stated(text):
    return in_dynamodb("execute_transaction", TransactStatements=[{"Statement": text}])


IAM = {
    **of_holders("Attach{}Policy", PolicyArn=OTHER),
    **of_holders("Detach{}Policy", PolicyArn=OTHER),
    **of_holders("Put{}Policy", PolicyName="p", PolicyDocument=document(ANYTHING)),
    **of_holders("Delete{}Policy", PolicyName="p"),
    **of_holders("Put{}PermissionsBoundary", PermissionsBoundary=BOUNDARY),
    **of_holders("Delete{}PermissionsBoundary"),
    **of_holders("Tag{}", Tags=TAGS),
    **of_holders("Untag{}", TagKeys=["env"]),
    "iam:CreateUser": in_iam(
        "create_user", UserName="new", Tags=TAGS, PermissionsBoundary=BOUNDARY
    ),
    "iam:CreateRole": in_iam(
        "create_role",
        RoleName="new",
        AssumeRolePolicyDocument="{}",
        Tags=TAGS,
        PermissionsBoundary=BOUNDARY,
    ),
    "iam:CreatePolicy": in_iam("create_policy", PolicyName="new", PolicyDocument="{}", Tags=TAGS),
    "iam:TagPolicy": in_iam("tag_policy", PolicyArn=BOUNDARY, Tags=TAGS),
    "iam:UntagPolicy": in_iam("untag_policy", PolicyArn=BOUNDARY, TagKeys=["env"]),
    "iam:DeleteRole": in_iam("delete_role", RoleName="target"),
    "iam:GetRole": in_iam("get_role", RoleName="target"),
    "iam:UpdateRole": in_iam("update_role", RoleName="target"),
    "iam:UpdateRoleDescription": in_iam(
        "update_role_description", RoleName="target", Description="d"
    ),
    "iam:UpdateAssumeRolePolicy": in_iam(
        "update_assume_role_policy", RoleName="target", PolicyDocument="{}"
    ),
    "iam:PassRole": in_dax("create_cluster", **cluster("new", IamRoleArn=ROLE)),
}
OTHERS = {
    **dict.fromkeys(("sts:AssumeRole", "sts:TagSession", "sts:SetSourceIdentity"), assumes),
    "sts:GetFederationToken": lambda world: world.client("sts").get_federation_token(
        Name="name", Tags=TAGS
    ),
    "application-autoscaling:RegisterScalableTarget": on_target(
        "register_scalable_target", Tags={"env": "prod"}, **BOUNDS
    ),
    "application-autoscaling:DeregisterScalableTarget": on_target("deregister_scalable_target"),
    "application-autoscaling:PutScalingPolicy": on_target("put_scaling_policy", PolicyName="p"),
    "application-autoscaling:DeleteScalingPolicy": on_target(
        "delete_scaling_policy", PolicyName="p"
    ),
    "application-autoscaling:PutScheduledAction": on_target(
        "put_scheduled_action", ScheduledActionName="a"
    ),
    "application-autoscaling:DeleteScheduledAction": on_target(
        "delete_scheduled_action", ScheduledActionName="a"
    ),
    "application-autoscaling:TagResource": of_arn("tag_resource", Tags={"env": "prod"}),
    "application-autoscaling:UntagResource": of_arn("untag_resource", TagKeys=["env"]),
    "dax:CreateCluster": in_dax("create_cluster", Tags=TAGS, **cluster("new", IamRoleArn=ROLE)),
    "dax:TagResource": in_dax("tag_resource", ResourceName="none", Tags=TAGS),
    "dax:UntagResource": in_dax("untag_resource", ResourceName="none", TagKeys=["env"]),
}
ALARM = {"ResourceARN": f"arn:aws:cloudwatch:us-east-1:{ACCOUNT}:alarm:alarm"}
PAGED = {"AlarmActions": [f"arn:aws:sns:us-east-1:{ACCOUNT}:page"], "Tags": TAGS}
CLOUDWATCH = {
    "cloudwatch:PutMetricAlarm": lambda w: put_alarm(w.client("cloudwatch"), "new", **PAGED),
    "cloudwatch:PutCompositeAlarm": in_cloudwatch(
        "put_composite_alarm", AlarmName="newer", AlarmRule='ALARM("alarm")', **PAGED
    ),
    "cloudwatch:PutDashboard": in_cloudwatch(
        "put_dashboard", DashboardName="new", DashboardBody='{"widgets": []}', Tags=TAGS
    ),
    "cloudwatch:TagResource": in_cloudwatch("tag_resource", **ALARM, Tags=TAGS),
    "cloudwatch:UntagResource": in_cloudwatch("untag_resource", **ALARM, TagKeys=["env"]),
    "cloudwatch:PutMetricData": in_cloudwatch(
        "put_metric_data", Namespace="App", MetricData=[{"MetricName": "m", "Value": 1.0}]
    ),
}
STREAM_ARN = f"arn:aws:kinesis:us-east-1:{ACCOUNT}:stream/stream"
ENV = {"env": "prod"}
KINESIS = {
    "kinesis:CreateStream": in_kinesis("create_stream", StreamName="new", ShardCount=1, Tags=ENV),
    "kinesis:AddTagsToStream": in_kinesis("add_tags_to_stream", StreamName="stream", Tags=ENV),
    "kinesis:RemoveTagsFromStream": in_kinesis(
        "remove_tags_from_stream", StreamName="stream", TagKeys=["env"]
    ),
    "kinesis:RegisterStreamConsumer": in_kinesis(
        "register_stream_consumer", StreamARN=STREAM_ARN, ConsumerName="new", Tags=ENV
    ),
    "kinesis:TagResource": in_kinesis("tag_resource", ResourceARN=STREAM_ARN, Tags=ENV),
    "kinesis:UntagResource": in_kinesis("untag_resource", ResourceARN=STREAM_ARN, TagKeys=["env"]),
}
DYNAMODB = {
    "dynamodb:BatchGetItem": in_dynamodb("batch_get_item", RequestItems={"tab": {"Keys": [KEY]}}),
    "dynamodb:BatchWriteItem": in_dynamodb(
        "batch_write_item", RequestItems={"tab": [{"PutRequest": {"Item": KEY}}]}
    ),
    "dynamodb:ConditionCheckItem": written("ConditionCheck", Key=KEY, **CONDITION),
    "dynamodb:DeleteItem": written("Delete", Key=KEY),
    "dynamodb:PutItem": written("Put", Item=KEY),
    "dynamodb:UpdateItem": written("Update", Key=KEY, UpdateExpression="REMOVE z"),
    "dynamodb:GetItem": in_dynamodb(
        "transact_get_items", TransactItems=[{"Get": {"TableName": "tab", "Key": KEY}}]
    ),
    "dynamodb:Query": in_dynamodb(
        "query",
        TableName="tab",
        KeyConditionExpression="pk = :a",
        ExpressionAttributeValues={":a": {"S": "a"}},
    ),
    "dynamodb:Scan": in_dynamodb("scan", TableName="tab", ProjectionExpression="pk"),
    "dynamodb:PartiQLSelect": stated("SELECT pk FROM tab WHERE pk = 'a'"),
    "dynamodb:PartiQLInsert": stated("INSERT INTO tab VALUE {'pk': 'a'}"),
    "dynamodb:PartiQLUpdate": stated("UPDATE tab SET z = 1 WHERE pk = 'a'"),
    "dynamodb:PartiQLDelete": stated("DELETE FROM tab WHERE pk = 'a'"),
    "dynamodb:CreateTable": in_dynamodb(
        "create_table", TableName="new", **keyed(pk="S"), Tags=TAGS
    ),
    "dynamodb:TagResource": in_dynamodb("tag_resource", ResourceArn=TABLE_ARN, Tags=TAGS),
    "dynamodb:UntagResource": in_dynamodb("untag_resource", ResourceArn=TABLE_ARN, TagKeys=["env"]),
}
CALLS = IAM | OTHERS | CLOUDWATCH | KINESIS | DYNAMODB
NOT_IN_REQUESTS = {
    ("dynamodb:Query", "dynamodb:returnvalues"),
    ("dynamodb:Scan", "dynamodb:returnvalues"),
}
"""Documented for requests that have no such parameter."""
OF_WIDE_KEYS = {f"dynamodb:{each}partitionkeyvalues" for each in ("second", "third", "fourth")}
"""Of indexes with several partition attributes; `tests/api` has such."""
OF_CALLS_TO_DAX = {name for name in CONDITION_KEYS if name.startswith("dax:") and "Item" in name}
"""`tests/api/test_dax_access.py` has them."""
PAIRS = [
    (action, key)
    for action, keys in CONDITION_KEYS.items()
    if action not in OF_CALLS_TO_DAX
    for key in sorted(keys - OF_WIDE_KEYS)
    if (action, key) not in NOT_IN_REQUESTS
]
TAGGED = [
    *(name for name in IAM if name.endswith(("UserPolicy", "RolePolicy", "PassRole", "GetRole"))),
    *(name for name in OTHERS if name.startswith(("application", "sts:AssumeRole"))),
    *(name for name in CLOUDWATCH if name.endswith("agResource")),
    *(name for name in KINESIS if not name.endswith("CreateStream")),
    *(name for name in DYNAMODB if not name.endswith("CreateTable")),
]
"""Actions whose resource here has a tag."""


class World:
    """A server, what its requests name, and a user with a policy of the test."""

    def __init__(self, endpoint, administrator):
        self._endpoint = endpoint
        self._iam = iam = client_of(endpoint, "iam", **administrator)
        db = client_of(endpoint, **administrator)
        scaling = client_of(endpoint, "application-autoscaling", **administrator)
        iam.create_policy(PolicyName="boundary", PolicyDocument=document(ANYTHING))
        iam.create_user(UserName="target", PermissionsBoundary=BOUNDARY, Tags=TAGS)
        trusted = {
            "Effect": "Allow",
            "Principal": TRUST,
            "Action": ["sts:AssumeRole", "sts:TagSession", "sts:SetSourceIdentity"],
        }
        iam.create_role(
            RoleName="target",
            AssumeRolePolicyDocument=document(trusted),
            PermissionsBoundary=BOUNDARY,
            Tags=TAGS,
        )
        db.create_table(
            TableName="tab",
            ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "a", "secret")
            ],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[
                index_of(
                    "index",
                    "a",
                    sort=("secret",),
                    ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                )
            ],
            Tags=TAGS,
        )
        made = scaling.register_scalable_target(**PLACE, **BOUNDS, Tags={"env": "prod"})
        self.target = made["ScalableTargetARN"]
        streams = client_of(endpoint, "kinesis", **administrator)
        streams.create_stream(StreamName="stream", ShardCount=1, Tags=ENV)
        alarms = client_of(endpoint, "cloudwatch", **administrator)
        put_alarm(alarms, "alarm", Tags=TAGS)
        iam.create_user(UserName="probe")
        self._keys = keys_of(iam.create_access_key(UserName="probe")["AccessKey"])
        self._clients = {}

    def client(self, service):
        if service not in self._clients:
            self._clients[service] = client_of(self._endpoint, service, **self._keys)
        return self._clients[service]

    def is_denied(self, action, condition, call):
        """Whether a call is denied by a statement on an action with a condition."""
        deny = {**ANYTHING, "Effect": "Deny", "Action": action, "Condition": condition}
        self._iam.put_user_policy(
            UserName="probe", PolicyName="p", PolicyDocument=document(ANYTHING, deny)
        )
        try:
            call(self)
        except ClientError as error:
            return "with an explicit deny" in error.response["Error"]["Message"]
        return False


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    place = str(tmp_path_factory.mktemp("keys") / "data")
    administrator = made_administrator(place)
    with served(memory=False, data=Path(place), auth="required") as server:
        yield World(server.endpoint, administrator)


def full(key):
    """A key by its whole name."""
    return f"{key}/env" if key == "aws:requesttag" else key


def test_each_action_has_a_call():
    assert {action for action, _ in PAIRS} == CALLS.keys()


@rows("action, key", PAIRS)
def test_the_key_is_there(world, action, key):
    assert world.is_denied(action, {"Null": {full(key): "false"}}, CALLS[action])


@rows("action", TAGGED)
def test_the_tags_of_the_resource_are_there(world, action):
    tagged = {"StringEquals": {"aws:ResourceTag/env": "prod"}}
    assert world.is_denied(action, tagged, CALLS[action])


@pytest.mark.long
@rows("action", sorted(CALLS))
def test_the_global_keys_are_there(world, action):
    for key in ("aws:PrincipalArn", "aws:CurrentTime", "aws:ViaAWSService", "aws:SourceIp"):
        assert world.is_denied(action, {"Null": {key: "false"}}, CALLS[action])


# LastEvaluatedKey and NextToken show the keys of an index and of its table.
@pytest.mark.parametrize("attribute", ["a", "secret", "pk"])
def test_pages_show_the_attributes_of_keys(world, attribute):
    page = {"TableName": "tab", "IndexName": "index", "ProjectionExpression": "z"}
    values = {"ExpressionAttributeValues": {":a": {"S": "a"}}}
    named = {"ForAnyValue:StringEquals": {"dynamodb:Attributes": attribute}}
    select = """SELECT z FROM "tab"."index" WHERE a = 'a'"""
    for action, call in (
        ("Scan", in_dynamodb("scan", **page)),
        ("Query", in_dynamodb("query", KeyConditionExpression="a = :a", **page, **values)),
        ("PartiQLSelect", in_dynamodb("execute_statement", Statement=select)),
    ):
        assert world.is_denied(f"dynamodb:{action}", named, call)


# Not of the boundary that a user of the same name has, who is there already.
def test_the_boundary_of_a_new_user_is_that_of_the_request(world):
    create = in_iam("create_user", UserName="target")
    assert not world.is_denied(
        "iam:CreateUser", {"Null": {"iam:PermissionsBoundary": "false"}}, create
    )


def test_a_role_for_a_target_must_be_passed(world):
    call = on_target("register_scalable_target", RoleARN=ROLE)
    service = {"iam:PassedToService": "application-autoscaling.amazonaws.com"}
    assert world.is_denied("iam:PassRole", {"StringEquals": service}, call)
    foreign = ROLE.replace(ACCOUNT, "123456789012")
    with pytest.raises(ClientError, match="Cross-account pass role is not allowed"):
        on_target("register_scalable_target", RoleARN=foreign)(world)


def test_tags_of_a_federated_session_must_be_allowed(world):
    tagged = {"StringEquals": {"aws:RequestTag/env": "prod"}}
    assert world.is_denied("sts:TagSession", tagged, CALLS["sts:GetFederationToken"])


def test_tags_of_a_new_target_must_be_allowed(world):
    call = CALLS["application-autoscaling:RegisterScalableTarget"]
    tagged = {"StringEquals": {"aws:RequestTag/env": "prod"}}
    assert world.is_denied("application-autoscaling:TagResource", tagged, call)
