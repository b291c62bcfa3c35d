"""Policies in the pipeline: the way from a request to a decision, and its moments."""

import pytest

from hashrange.api.authorization.guard import Guard
from hashrange.api.dynamodb.registry import OPERATIONS
from tests.pace import costs_at_most
from tests.unit.access.policies.subjects import statement
from tests.unit.api.authorization.guarded import ACCOUNT, ARN, GuardedServer, T, root, user
from tests.unit.api.dynamodb.still_server import TABLE

OWN = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}
HERE = ["10.0.0.0/8", "203.0.113.0/24"]
ANN_KEY, BOB_KEY = {"pk": {"S": "ann"}}, {"pk": {"S": "bob"}}
ROOT = root()


@pytest.fixture
def server():
    made = GuardedServer()
    made.ask(ROOT, "CreateTable", **TABLE, BillingMode="PAY_PER_REQUEST")
    for item in (ANN_KEY, BOB_KEY):
        made.ask(ROOT, "PutItem", TableName=T, Item=item)
    yield made
    made.end()


# Whoever is denied does not learn whether there is a table.
def test_denials_come_before_what_a_table_would_say(server):
    ann = user("ann", statement(Action="dynamodb:ListTables"))
    elsewhere = user("ann", statement(Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}))
    for caller in (ann, elsewhere):
        for name in (T, "no-such-table"):
            for key in (ANN_KEY, {"other": {"N": "1"}}):
                text = server.denied(caller, "GetItem", TableName=name, Key=key)
                assert text.startswith("User: ")
    allowed = user("ann", statement(Condition=OWN))
    code, _ = server.refusal(allowed, "GetItem", TableName="no-such-table", Key=ANN_KEY)
    assert code == "ResourceNotFoundException"
    code, _ = server.refusal(allowed, "GetItem", TableName=T, Key={"other": {"S": "ann"}})
    assert code == "ValidationException"


def test_statements_of_a_batch_are_denied_before_what_a_table_would_say(server):
    ann = user("ann", statement(Condition=OWN, Resource=[ARN]))
    names = ((T, "ann"), (T, "bob"), ("no-such-table", "ann"))
    selects = [{"Statement": f"SELECT * FROM \"{name}\" WHERE pk = '{pk}'"} for name, pk in names]
    own, *others = server.ask(ann, "BatchExecuteStatement", Statements=selects)["Responses"]
    assert own["Item"] == ANN_KEY
    assert [each["Error"]["Code"] for each in others] == ["AccessDenied"] * 2
    assert "dynamodb:PartiQLSelect" in others[0]["Error"]["Message"]


# Global tables of the earlier version have ARNs without a region; their replicas are asked first.
# Source: captures of the service, September 2026.
def test_global_tables_have_arns(server):
    group = f"arn:aws:dynamodb::111111111111:global-table/{T}"
    replica = f"arn:aws:dynamodb:eu-west-1:111111111111:table/{T}"
    nobody = user("ann", statement(Action="dynamodb:GetItem"))
    text = server.denied(nobody, "ListGlobalTables")
    assert "on resource: arn:aws:dynamodb::111111111111:global-table/* because" in text
    describe = {"GlobalTableName": T}
    assert f"resource: {group} because" in server.denied(nobody, "DescribeGlobalTable", **describe)
    one = user("ann", statement(Action="dynamodb:*", Resource=group))
    told = server.refusal(one, "DescribeGlobalTable", **describe)
    assert told[0] == "GlobalTableNotFoundException"
    delete = {**describe, "ReplicaUpdates": [{"Delete": {"RegionName": "eu-west-1"}}]}
    assert f"resource: {replica} because" in server.denied(one, "UpdateGlobalTable", **delete)
    only = user("ann", statement(Action="dynamodb:*", Resource=replica))
    assert f"resource: {group} because" in server.denied(only, "UpdateGlobalTable", **delete)
    both = user("ann", statement(Action="dynamodb:*", Resource=[group, replica]))
    told = server.refusal(both, "UpdateGlobalTable", **delete)
    assert told[0] == "GlobalTableNotFoundException"


def test_attributes_and_what_writes_return(server):
    names = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "title"]}}
    quiet = {"StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"}}
    ann = user("ann", statement(Condition=names | quiet))
    values = {":t": {"S": "x"}}
    update = {"TableName": T, "Key": ANN_KEY, "ExpressionAttributeValues": values}
    title = {**update, "UpdateExpression": "SET title = :t"}
    server.ask(ann, "UpdateItem", **title)
    assert server.denied(ann, "UpdateItem", **update, UpdateExpression="SET secret = :t")
    assert server.denied(ann, "UpdateItem", **title, ReturnValues="ALL_NEW")
    failing = {
        "ConditionExpression": "title = :t",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert server.denied(ann, "UpdateItem", **title, **failing)


# In one namespace any ARN is resolved by its table name, so each spelling is the same resource.
@pytest.mark.parametrize(
    "name",
    [
        T,
        f"arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/{T}",
        f"arn:aws:dynamodb:us-east-1:999999999999:table/{T}",
        f"arn:aws-cn:dynamodb:us-east-1:{ACCOUNT}:table/{T}",
    ],
)
def test_another_spelling_of_a_table_gets_around_no_policy(server, name):
    ann = user("ann", statement(), statement("Deny", Resource=ARN))
    assert "explicit deny" in server.denied(ann, "GetItem", TableName=name, Key=ANN_KEY)
    assert "explicit deny" in server.denied(ann, "DeleteTable", TableName=name)
    assert "explicit deny" in server.denied(
        ann, "CreateTable", **{**TABLE, "TableName": name}, BillingMode="PAY_PER_REQUEST"
    )


# Tags count as they are when a request takes effect.
def test_tags_of_tables_and_of_requests(server):
    green = {"StringEquals": {"aws:ResourceTag/Team": "${aws:PrincipalTag/team}"}}
    ann = user("ann", statement(Condition=green), tags={"team": "green"})
    get = {"TableName": T, "Key": ANN_KEY}
    assert server.denied(ann, "GetItem", **get)
    tag = {"ResourceArn": ARN, "Tags": [{"Key": "Team", "Value": "green"}]}
    server.ask(ROOT, "TagResource", **tag)
    assert server.ask(ann, "GetItem", **get)
    server.ask(ann, "UntagResource", ResourceArn=ARN, TagKeys=["Team"])
    assert server.denied(ann, "GetItem", **get)
    only = {
        "StringEquals": {"aws:RequestTag/Team": "green"},
        "ForAllValues:StringEquals": {"aws:TagKeys": ["Team"]},
    }
    bob = user("bob", statement(Condition=only))
    server.ask(bob, "TagResource", **tag)
    both = [*tag["Tags"], {"Key": "Cost", "Value": "1"}]
    assert server.denied(bob, "TagResource", ResourceArn=ARN, Tags=both)
    table = {**TABLE, "TableName": "another", "BillingMode": "PAY_PER_REQUEST"}
    assert "dynamodb:CreateTable" in server.denied(bob, "CreateTable", **table)
    assert server.ask(bob, "CreateTable", **table, Tags=tag["Tags"])
    creator = user("cat", statement(Action="dynamodb:CreateTable"))
    third = {**table, "TableName": "third", "Tags": both}
    assert "dynamodb:TagResource" in server.denied(creator, "CreateTable", **third)


# The plan of a read, its condition keys and the decision: 5 microseconds on a quiet machine.
@pytest.mark.parametrize("conditions", [{}, OWN, {**OWN, "IpAddress": {"aws:SourceIp": HERE}}])
def test_cost_of_a_decision(server, conditions):
    ann = user("ann", statement(Condition=conditions))
    guard, row = Guard(server.now_ms, separate=False), OPERATIONS["GetItem"]
    checked = row.check(row.request(table_name=T, key=ANN_KEY))
    opened = server.catalog.cached(T)
    tables = {T: opened}
    times = 50_000

    def planned():
        return guard.allow(ann, row, checked, tables)(checked, opened)

    planned()
    with costs_at_most(times * 10e-6 / 0.03):
        for _ in range(times):
            planned()
