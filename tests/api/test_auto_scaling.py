"""Application Auto Scaling through boto3's client: targets, policies, actions, and what they do."""

import uuid
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.exceptions import ClientError

import hashrange
from tests.api.conftest import CONFIG, REGION, client_of
from tests.api.indexes import attributes, index_of, schema, units

READ, WRITE = "dynamodb:table:ReadCapacityUnits", "dynamodb:table:WriteCapacityUnits"


def scaling_client(endpoint):
    return boto3.client(
        "application-autoscaling",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=CONFIG,
    )


def place(name, dimension=WRITE, index=None):
    resource = f"table/{name}" if index is None else f"table/{name}/index/{index}"
    return {
        "ServiceNamespace": "dynamodb",
        "ResourceId": resource,
        "ScalableDimension": dimension,
    }


def bounds(least, most):
    return {"MinCapacity": least, "MaxCapacity": most}


def tracking(percent=70.0, metric="DynamoDBWriteCapacityUtilization", **more):
    configuration = {
        "TargetValue": percent,
        "PredefinedMetricSpecification": {"PredefinedMetricType": metric},
        **more,
    }
    return {
        "PolicyName": "p",
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": configuration,
    }


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    answer = error.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    return answer["Error"]["Code"], answer["Error"]["Message"]


@pytest.fixture(scope="module")
def scaling(endpoint):
    client = scaling_client(endpoint)
    yield client
    client.close()


@pytest.fixture
def table(dynamodb):
    name = f"t-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S", g="S"),
        KeySchema=schema("pk"),
        GlobalSecondaryIndexes=[index_of("by_g", "g", **units(3, 3))],
        **units(5, 5),
    )
    yield name
    dynamodb.delete_table(TableName=name)


# What a template makes, describes and removes again.
def test_a_target_with_its_policy_and_action(scaling, table):
    at = place(table)
    arn = scaling.register_scalable_target(**at, **bounds(2, 20), Tags={"a": "b"})[
        "ScalableTargetARN"
    ]
    assert arn.startswith("arn:aws:application-autoscaling:us-east-1:000000000000:scalable-target/")
    (target,) = scaling.describe_scalable_targets(
        ServiceNamespace="dynamodb", ResourceIds=[at["ResourceId"]]
    )["ScalableTargets"]
    assert target["CreationTime"].tzinfo is not None
    assert {key: target[key] for key in (*at, "MinCapacity", "MaxCapacity")} == at | bounds(2, 20)
    assert target["RoleARN"].endswith("AWSServiceRoleForApplicationAutoScaling_DynamoDBTable")
    assert target["SuspendedState"] == {
        "DynamicScalingInSuspended": False,
        "DynamicScalingOutSuspended": False,
        "ScheduledScalingSuspended": False,
    }
    # Registered again, only what is given changes.
    suspended = {"ScheduledScalingSuspended": True}
    again = scaling.register_scalable_target(**at, MaxCapacity=30, SuspendedState=suspended)
    assert again["ScalableTargetARN"] == arn
    (target,) = scaling.describe_scalable_targets(
        ServiceNamespace="dynamodb", ResourceIds=[at["ResourceId"]]
    )["ScalableTargets"]
    assert (target["MinCapacity"], target["MaxCapacity"]) == (2, 30)
    assert target["SuspendedState"]["ScheduledScalingSuspended"]

    put = scaling.put_scaling_policy(**at, **tracking(ScaleInCooldown=60, DisableScaleIn=True))
    assert f"resource/dynamodb/table/{table}:policyName/p" in put["PolicyARN"]
    assert len(put["Alarms"]) == 4
    (policy,) = scaling.describe_scaling_policies(**at)["ScalingPolicies"]
    assert policy["PolicyARN"] == put["PolicyARN"]
    configuration = policy["TargetTrackingScalingPolicyConfiguration"]
    assert (
        configuration
        == tracking(ScaleInCooldown=60, DisableScaleIn=True)[
            "TargetTrackingScalingPolicyConfiguration"
        ]
    )

    start = datetime(2040, 1, 1, tzinfo=UTC)
    scaling.put_scheduled_action(
        **at,
        ScheduledActionName="morning",
        Schedule="cron(0 8 ? * MON-FRI *)",
        Timezone="Europe/Berlin",
        StartTime=start,
        ScalableTargetAction=bounds(5, 10),
    )
    (action,) = scaling.describe_scheduled_actions(**at)["ScheduledActions"]
    assert (action["Schedule"], action["Timezone"]) == ("cron(0 8 ? * MON-FRI *)", "Europe/Berlin")
    assert action["StartTime"] == start
    assert action["ScalableTargetAction"] == bounds(5, 10)
    # Changed without times, it has none.
    scaling.put_scheduled_action(
        **at, ScheduledActionName="morning", ScalableTargetAction={"MinCapacity": 6}
    )
    (action,) = scaling.describe_scheduled_actions(**at)["ScheduledActions"]
    assert "StartTime" not in action
    assert action["ScalableTargetAction"] == {"MinCapacity": 6}

    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"a": "b"}
    scaling.tag_resource(ResourceARN=arn, Tags={"c": ""})
    scaling.untag_resource(ResourceARN=arn, TagKeys=["a", "x"])
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"c": ""}

    scaling.delete_scheduled_action(**at, ScheduledActionName="morning")
    scaling.delete_scaling_policy(**at, PolicyName="p")
    assert scaling.describe_scaling_policies(**at)["ScalingPolicies"] == []
    scaling.deregister_scalable_target(**at)
    assert refused(scaling.deregister_scalable_target, **at)[0] == "ObjectNotFoundException"


# Messages 287.
def test_what_is_not_there(scaling, table):
    at = place(table, READ)
    named = f"service namespace: dynamodb, resource ID: table/{table}, scalable dimension: {READ}"
    code = "ObjectNotFoundException"
    found = f"No scalable target found for {named}"
    assert refused(scaling.deregister_scalable_target, **at) == (code, found)
    policy = tracking(metric="DynamoDBReadCapacityUtilization")
    registered = f"No scalable target registered for {named}"
    assert refused(scaling.put_scaling_policy, **at, **policy) == (code, registered)
    text = f"No scaling policy found for {named}, policy name: p"
    assert refused(scaling.delete_scaling_policy, **at, PolicyName="p") == (code, text)
    code, _ = refused(scaling.delete_scheduled_action, **at, ScheduledActionName="a")
    assert code == "ObjectNotFoundException"
    arn = "arn:aws:application-autoscaling:us-east-1:000000000000:scalable-target/none"
    assert refused(scaling.list_tags_for_resource, ResourceARN=arn)[0] == (
        "ResourceNotFoundException"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"ServiceNamespace": "ecs"},
        {"ScalableDimension": "ecs:service:DesiredCount"},
        {"ScalableDimension": "dynamodb:index:ReadCapacityUnits"},
        {"ResourceId": "dynamo/x"},
        {"ResourceId": "table/"},
        {"ResourceId": "table/a/stream/b"},
        {"ResourceId": "table/a/index/b"},
    ],
)
def test_what_is_not_of_dynamodb(scaling, changes):
    request = {**place("a", READ), **bounds(1, 2), **changes}
    text = "Unsupported service namespace, resource type or scalable dimension"
    assert refused(scaling.register_scalable_target, **request) == ("ValidationException", text)


def test_targets_that_cannot_be(scaling, dynamodb, new_table, table):
    register = scaling.register_scalable_target

    def text(**request):
        code, message = refused(register, **request)
        assert code == "ValidationException"
        return message

    assert text(**place("absent"), **bounds(1, 2)) == "DynamoDB table does not exist: table/absent"
    index = place(table, "dynamodb:index:ReadCapacityUnits", "none")
    assert "index does not exist" in text(**index, **bounds(1, 2))
    assert "provisioned" in text(**place(new_table()), **bounds(1, 2))
    assert "required" in text(**place(table), MinCapacity=1)
    below = "Maximum capacity cannot be less than minimum capacity"
    assert text(**place(table), **bounds(5, 4)) == below
    assert "less than 1" in text(**place(table), **bounds(0, 4))
    assert "'serviceNamespace' failed to satisfy constraint: Member must not be null" in text()
    assert (
        scaling.describe_scalable_targets(
            ServiceNamespace="dynamodb", ResourceIds=[f"table/{table}"]
        )["ScalableTargets"]
        == []
    )


@pytest.mark.parametrize(
    "policy",
    [
        tracking(19.0),
        tracking(91.0),
        tracking(metric="DynamoDBReadCapacityUtilization"),
        tracking(ScaleOutCooldown=-1),
        {"PolicyName": "p", "PolicyType": "StepScaling"},
        {"PolicyName": "p", "PolicyType": "TargetTrackingScaling"},
        {"PolicyName": "", "PolicyType": "TargetTrackingScaling"},
    ],
)
def test_policies_that_cannot_be(scaling, table, policy):
    scaling.register_scalable_target(**place(table), **bounds(1, 9))
    code, _ = refused(scaling.put_scaling_policy, **place(table), **policy)
    assert code == "ValidationException"
    assert scaling.describe_scaling_policies(**place(table))["ScalingPolicies"] == []


@pytest.mark.parametrize(
    "changes",
    [
        {"Schedule": "cron(0 8 * *)"},
        {"Schedule": "every day"},
        {"Schedule": "rate(0 minutes)"},
        {"Timezone": "Mars/Olympus"},
        {"ScalableTargetAction": {}},
        {"ScalableTargetAction": bounds(3, 2)},
        {
            "StartTime": datetime(2040, 1, 2, tzinfo=UTC),
            "EndTime": datetime(2040, 1, 1, tzinfo=UTC),
        },
        {"ScheduledActionName": "a:b"},
    ],
)
def test_actions_that_cannot_be(scaling, table, changes):
    scaling.register_scalable_target(**place(table), **bounds(1, 9))
    request = {
        "ScheduledActionName": "a",
        "Schedule": "rate(5 minutes)",
        "ScalableTargetAction": bounds(1, 2),
        **changes,
    }
    assert refused(scaling.put_scheduled_action, **place(table), **request)[0] == (
        "ValidationException"
    )


def test_pages(scaling, table):
    for dimension in (READ, WRITE):
        scaling.register_scalable_target(**place(table, dimension), **bounds(1, 9))
    request = {"ServiceNamespace": "dynamodb", "ResourceIds": [f"table/{table}"]}
    first = scaling.describe_scalable_targets(**request, MaxResults=1)
    second = scaling.describe_scalable_targets(
        **request, MaxResults=1, NextToken=first["NextToken"]
    )
    assert "NextToken" not in second
    assert [
        target["ScalableDimension"]
        for target in (*first["ScalableTargets"], *second["ScalableTargets"])
    ] == [READ, WRITE]
    code, _ = refused(scaling.describe_scalable_targets, **request, NextToken="x")
    assert code == "InvalidNextTokenException"


def test_requests_that_are_none(scaling, endpoint):
    code, _ = refused(
        scaling.get_predictive_scaling_forecast,
        **place("a"),
        PolicyName="p",
        StartTime=datetime.now(UTC),
        EndTime=datetime.now(UTC),
    )
    assert code == "UnknownOperationException"


@pytest.fixture(scope="module", params=["one process", "workers"])
def server(request, tmp_path_factory):
    more = {}
    if request.param == "workers":
        more = {"memory": False, "data": tmp_path_factory.mktemp("scaling") / "d", "workers": 2}
    with hashrange.start(testing=True, **more) as server:
        yield server


@pytest.fixture
def clock(server):
    yield server.clock
    server.clock.reset()


def provisioned(client, name, units_a_second=5):
    client.create_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S"),
        KeySchema=schema("pk"),
        **units(units_a_second, units_a_second),
    )


def write_units(client, name):
    table = client.describe_table(TableName=name)["Table"]
    return table["ProvisionedThroughput"]["WriteCapacityUnits"]


def activities(scaling, name, **more):
    return scaling.describe_scaling_activities(**place(name), **more)["ScalingActivities"]


# The table is moved into its bounds; a scheduled action moves the bounds.
def test_bounds_and_scheduled_actions_change_the_table(server, clock):
    client, scaling = client_of(server.endpoint), scaling_client(server.endpoint)
    name = f"t-{uuid.uuid4()}"
    provisioned(client, name)
    scaling.register_scalable_target(**place(name), **bounds(8, 20))
    clock.advance(seconds=61)
    assert write_units(client, name) == 8
    (activity,) = activities(scaling, name)
    assert activity["Description"] == "Setting write capacity units to 8."
    assert activity["Cause"] == "minimum capacity was set to 8"
    assert activity["StatusCode"] == "Successful"
    tomorrow = clock.now() + timedelta(days=1)
    scaling.put_scheduled_action(
        **place(name),
        ScheduledActionName="once",
        Schedule=f"at({tomorrow:%Y-%m-%dT%H:%M:%S})",
        ScalableTargetAction=bounds(12, 12),
    )
    clock.advance(hours=23)
    assert write_units(client, name) == 8
    clock.advance(hours=2)
    assert write_units(client, name) == 12
    assert scaling.describe_scheduled_actions(**place(name))["ScheduledActions"] == []
    causes = [activity["Cause"] for activity in activities(scaling, name)]
    assert "scheduled action name once was triggered" in causes


# Two minutes above the target, then fifteen far below it. With workers each process adds what it
# has counted every five seconds of real time, for which this test does not wait.
@pytest.mark.parametrize("server", ["one process"], indirect=True)
def test_target_tracking_follows_what_is_consumed(server, clock):
    client, scaling = client_of(server.endpoint), scaling_client(server.endpoint)
    name = f"t-{uuid.uuid4()}"
    provisioned(client, name, 1)
    scaling.register_scalable_target(**place(name), **bounds(1, 4))
    scaling.put_scaling_policy(**place(name), **tracking(50.0))

    def minute(writes):
        for number in range(writes):
            client.put_item(TableName=name, Item={"pk": {"S": str(number)}})
        clock.advance(seconds=60)

    for _ in range(3):
        minute(60)
    assert write_units(client, name) == 2
    (activity,) = activities(scaling, name)
    assert "AlarmHigh" in activity["Cause"]
    assert activity["Cause"].endswith("in state ALARM triggered policy p")
    for _ in range(17):
        minute(1)
    assert write_units(client, name) == 1
    assert "AlarmLow" in activities(scaling, name)[0]["Cause"]
    for _ in range(2):
        minute(1)
    assert len(activities(scaling, name)) == 2
    told = activities(scaling, name, IncludeNotScaledActivities=True)
    assert told[0]["NotScaledReasons"][0]["Code"] == "AlreadyAtMinCapacity"
