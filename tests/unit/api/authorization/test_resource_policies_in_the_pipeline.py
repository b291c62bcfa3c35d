"""Resource policies in the pipeline: of tables, indexes and streams, also of other accounts."""

import json

import pytest

from tests.unit.access.policies.subjects import statement
from tests.unit.api.authorization.guarded import (
    ACCOUNT,
    ARN,
    OTHER_ACCOUNT,
    GuardedServer,
    T,
    policy,
    root,
    user,
)
from tests.unit.api.dynamodb.still_server import TABLE

KEY = {"pk": {"S": "ann"}}
GET = {"TableName": T, "Key": KEY}
ANN = f"arn:aws:iam::{ACCOUNT}:user/ann"
EVE = f"arn:aws:iam::{OTHER_ACCOUNT}:user/eve"
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
ROOT = root()


def made(**settings):
    server = GuardedServer(**settings)
    table = {**TABLE, "BillingMode": "PAY_PER_REQUEST", "StreamSpecification": STREAM}
    described = server.ask(ROOT, "CreateTable", **table)["TableDescription"]
    server.stream = described["LatestStreamArn"]
    server.ask(ROOT, "PutItem", TableName=T, Item=KEY)
    return server


@pytest.fixture
def server():
    one = made()
    yield one
    one.end()


@pytest.fixture
def separate():
    one = made(separate=True)
    yield one
    one.end()


def put(server, *statements, arn=ARN, caller=ROOT, **more):
    return server.ask(
        caller, "PutResourcePolicy", ResourceArn=arn, Policy=policy(*statements), **more
    )


def allow(principal, action="dynamodb:GetItem", **elements):
    return statement(Principal={"AWS": principal}, Action=action, **elements)


# Each change counts for the next request, whatever was decided before.
def test_what_a_resource_policy_allows_and_denies(server):
    ann, bob = user("ann"), user("bob", statement())
    assert "no identity-based policy" in server.denied(ann, "GetItem", **GET)
    put(server, allow(ANN))
    assert server.ask(ann, "GetItem", **GET)["Item"] == KEY
    assert server.denied(ann, "Query", TableName=T, **QUERY)
    put(server, statement("Deny", Principal="*", Action="dynamodb:GetItem"))
    for caller in (ann, bob, ROOT):
        text = server.denied(caller, "GetItem", **GET)
        assert text.endswith("with an explicit deny in a resource-based policy")
    server.ask(ROOT, "DeleteResourcePolicy", ResourceArn=ARN)
    assert server.ask(bob, "GetItem", **GET)
    assert server.denied(ann, "GetItem", **GET)


QUERY = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": KEY["pk"]}}


def test_conditions_of_resource_policies(server):
    own = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["ann"]}}
    put(server, allow(ANN, Condition=own))
    ann = user("ann")
    assert server.ask(ann, "GetItem", **GET)
    assert server.denied(ann, "GetItem", TableName=T, Key={"pk": {"S": "bob"}})


def test_policies_of_streams(server):
    ann = user("ann")
    describe = {"StreamArn": server.stream}
    assert server.denied(ann, "DescribeStream", **describe)
    put(server, allow(ANN, "dynamodb:*"))
    assert server.denied(ann, "DescribeStream", **describe)
    put(server, allow(ANN, "dynamodb:*"), arn=server.stream)
    shards = server.ask(ann, "DescribeStream", **describe)["StreamDescription"]["Shards"]
    start = {"ShardId": shards[0]["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = server.ask(ann, "GetShardIterator", **describe, **start)["ShardIterator"]
    assert server.ask(ann, "GetRecords", ShardIterator=iterator)["Records"]
    # The table is gone, its stream is kept for a day, and so is the policy.
    server.ask(ROOT, "DeleteTable", TableName=T)
    assert server.ask(ann, "GetRecords", ShardIterator=iterator)["Records"]
    assert server.denied(user("bob"), "GetRecords", ShardIterator=iterator)


# DDB-TABLE-210: only who says so may lock themselves out; the root user can undo it.
def test_an_author_is_locked_out_only_if_confirmed(server):
    ann = user("ann", statement())
    deny = statement("Deny", Principal="*", Action=["dynamodb:*ResourcePolicy"])
    request = {"ResourceArn": ARN, "Policy": policy(deny)}
    told = server.denied(ann, "PutResourcePolicy", **request)
    assert told == (
        "The new resource policy will not allow you to update the resource policy in the future."
    )
    only_delete = statement("Deny", Principal="*", Action="dynamodb:DeleteResourcePolicy")
    put(server, only_delete, caller=ann)
    put(server, deny, caller=ann, ConfirmRemoveSelfResourceAccess=True)
    for caller in (ann, ROOT):
        assert server.denied(caller, "PutResourcePolicy", **request)
        assert server.denied(caller, "GetResourcePolicy", ResourceArn=ARN)
    assert server.denied(ann, "DeleteResourcePolicy", ResourceArn=ARN)
    assert server.ask(ROOT, "DeleteResourcePolicy", ResourceArn=ARN)
    assert server.ask(ann, "PutResourcePolicy", **request, ConfirmRemoveSelfResourceAccess=True)


def test_a_table_that_is_made_with_a_policy(server):
    table = {**TABLE, "TableName": "another", "BillingMode": "PAY_PER_REQUEST"}
    ann = user("ann", statement(Action="dynamodb:CreateTable"))
    with_policy = {**table, "ResourcePolicy": policy(allow(ANN))}
    assert "dynamodb:PutResourcePolicy" in server.denied(ann, "CreateTable", **with_policy)
    server.ask(ROOT, "CreateTable", **with_policy)
    assert server.ask(ann, "GetItem", TableName="another", Key=KEY) == {}


# Both sides must allow what crosses accounts.
def test_other_accounts(separate):
    get = {"TableName": ARN, "Key": KEY}
    eve = user("eve", statement(), account=OTHER_ACCOUNT)
    nobody = user("mallory", account=OTHER_ACCOUNT)
    text = separate.denied(eve, "GetItem", **get)
    assert text.endswith(
        f"on resource: {ARN} because no resource-based policy allows the dynamodb:GetItem action"
    )
    put(separate, allow([EVE, OTHER_ACCOUNT], ["dynamodb:*"]))
    assert separate.ask(eve, "GetItem", **get)["Item"] == KEY
    assert "no identity-based" in separate.denied(nobody, "GetItem", **get)
    # Their own table of that name is another one.
    code, _ = separate.refusal(eve, "GetItem", TableName=T, Key=KEY)
    assert code == "ResourceNotFoundException"
    items = separate.ask(eve, "BatchGetItem", RequestItems={ARN: {"Keys": [KEY]}})
    assert items["Responses"] == {ARN: [KEY]}
    put_item = {"Put": {"TableName": ARN, "Item": {"pk": {"S": "eve"}}}}
    assert separate.ask(eve, "TransactWriteItems", TransactItems=[put_item]) == {}
    assert separate.ask(ROOT, "Scan", TableName=T)["Count"] == 2
    assert separate.ask(eve, "DescribeTable", TableName=ARN)["Table"]["TableArn"] == ARN
    separate.ask(eve, "TagResource", ResourceArn=ARN, Tags=[{"Key": "a", "Value": "b"}])
    assert separate.ask(ROOT, "ListTagsOfResource", ResourceArn=ARN)["Tags"]
    separate.ask(eve, "UpdateTable", TableName=ARN, DeletionProtectionEnabled=False)
    separate.ask(eve, "DeleteTable", TableName=ARN)
    assert separate.ask(ROOT, "ListTables")["TableNames"] == []


def test_streams_of_other_accounts(separate):
    eve = user("eve", statement(), account=OTHER_ACCOUNT)
    describe = {"StreamArn": separate.stream}
    assert separate.denied(eve, "DescribeStream", **describe)
    put(separate, allow(EVE, "dynamodb:*"), arn=separate.stream)
    shards = separate.ask(eve, "DescribeStream", **describe)["StreamDescription"]["Shards"]
    start = {"ShardId": shards[0]["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = separate.ask(eve, "GetShardIterator", **describe, **start)["ShardIterator"]
    assert separate.ask(eve, "GetRecords", ShardIterator=iterator)["Records"]


# What AWS lets nobody share is not shared, whatever the policy says.
@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("ExecuteStatement", {"Statement": f"SELECT * FROM \"{ARN}\" WHERE pk = 'ann'"}),
        ("DescribeTimeToLive", {"TableName": ARN}),
        ("DescribeContinuousBackups", {"TableName": ARN}),
        ("GetResourcePolicy", {"ResourceArn": ARN}),
        ("DeleteResourcePolicy", {"ResourceArn": ARN}),
        ("PutResourcePolicy", {"ResourceArn": ARN, "Policy": policy(allow(EVE))}),
        ("CreateTable", {**TABLE, "TableName": ARN, "BillingMode": "PAY_PER_REQUEST"}),
    ],
)
def test_what_cannot_be_shared(separate, operation, request_):
    eve = user("eve", statement(), account=OTHER_ACCOUNT)
    put(separate, allow(EVE, "dynamodb:*"))
    assert "no resource-based policy" in separate.denied(eve, operation, **request_)


def test_other_regions_are_out_of_reach(separate):
    arn = ARN.replace("us-east-1", "eu-west-1")
    ann, nobody = user("ann", statement()), user("mallory")
    for operation, request in (
        ("GetItem", {"TableName": arn, "Key": KEY}),
        ("UpdateTable", {"TableName": arn, "DeletionProtectionEnabled": True}),
        ("ListTagsOfResource", {"ResourceArn": arn}),
    ):
        code, _ = separate.refusal(ann, operation, **request)
        assert code == "ValidationException"
        assert separate.denied(nobody, operation, **request)


# They read from other regions, as far as policies allow it of the source, by its own ARN.
def test_restores_from_other_regions_ask_policies(separate):
    arn = ARN.replace("us-east-1", "eu-west-1")
    backup = f"{arn}/backup/01489602797149-73d8d5bc"
    target = {"TargetTableName": "target", "SSESpecificationOverride": {"Enabled": False}}
    to_time = {"SourceTableArn": arn, "UseLatestRestorableTime": True, **target}
    everywhere = user("ann", statement())
    here_only = user("bob", statement(Resource="arn:aws:dynamodb:us-east-1:*"))
    for operation, request, told in (
        ("RestoreTableToPointInTime", to_time, "TableNotFoundException"),
        ("RestoreTableFromBackup", {"BackupArn": backup, **target}, "BackupNotFoundException"),
    ):
        assert separate.refusal(everywhere, operation, **request)[0] == told
        assert separate.denied(here_only, operation, **request)


# As on a server beside the one that made the change: its cache has the table as it was.
@pytest.mark.parametrize("conditions", [{}, {"Bool": {"aws:SecureTransport": "true"}}])
def test_changes_by_another_process_count(server, conditions):
    ann, put_item = user("ann"), {"TableName": T, "Item": KEY}
    before = server.catalog.cached(T)
    put(server, allow(ANN, "dynamodb:*", Condition=conditions))
    after = remember(server, before)
    assert server.ask(ann, "PutItem", **put_item) == {}
    server.ask(ROOT, "DeleteResourcePolicy", ResourceArn=ARN)
    for operation, request in (("GetItem", GET), ("PutItem", put_item), ("Scan", {"TableName": T})):
        remember(server, after)
        assert server.denied(ann, operation, **request)
    remember(server, after)
    select = {"Statements": [{"Statement": f"SELECT * FROM \"{T}\" WHERE pk = 'ann'"}]}
    (response,) = server.ask(ann, "BatchExecuteStatement", **select)["Responses"]
    assert response["Error"]["Code"] == "AccessDenied"
    put(server, allow(ANN, "dynamodb:*", Condition=conditions))
    remember(server, before)
    (response,) = server.ask(ann, "BatchExecuteStatement", **select)["Responses"]
    assert response["Item"] == KEY


def remember(server, table):
    """Have a table in the cache; gives the one that is current."""
    current = server.run(server.catalog.open(T))
    server.catalog._open[T] = table  # noqa: SLF001 - another process is as far away as can be
    return current


def test_policies_are_shown_as_they_were_set(server):
    put(server, allow(ANN))
    shown = json.loads(server.ask(ROOT, "GetResourcePolicy", ResourceArn=ARN)["Policy"])
    assert shown["Statement"][0]["Principal"] == {"AWS": ANN}
