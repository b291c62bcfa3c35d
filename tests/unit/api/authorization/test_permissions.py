"""The permissions of requests for many items, of tags, and of operations without keys."""

from hashrange.access.policies.actions import ACTIONS
from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.arns import arn_of
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.permissions import Permission
from tests.api.tables import keyed
from tests.rows import rows
from tests.unit.api.authorization.asked import (
    ARN,
    BOB,
    CAT,
    ID,
    KEY,
    OTHER,
    QUERY,
    TABLE,
    T,
    permitted,
    plain,
)


# One request to several tables needs a permission of each, with all keys that it names.
def test_batch_get_item():
    request = {
        "RequestItems": {
            T: {"Keys": [KEY, BOB, {**KEY, "sk": {"N": "3"}}]},
            "other": {"Keys": [ID], "ProjectionExpression": "a.b"},
        },
        "ReturnConsumedCapacity": "INDEXES",
    }
    first, second = permitted("BatchGetItem", request, TABLE, OTHER)
    assert first.access == Access("BatchGetItem", Resource("table", T))
    assert plain(first) == {
        "leadingkeys": ("ann", "bob"),
        "attributes": ("pk", "sk"),
        "select": "ALL_ATTRIBUTES",
        "returnconsumedcapacity": "INDEXES",
    }
    assert second.access == Access("BatchGetItem", Resource("table", "other"))
    assert plain(second)["attributes"] == ("id", "a")
    assert plain(second)["select"] == "SPECIFIC_ATTRIBUTES"


def test_batch_write_item():
    writes = [
        {"PutRequest": {"Item": {**KEY, "title": {"S": "x"}}}},
        {"DeleteRequest": {"Key": BOB}},
    ]
    request = {"RequestItems": {T: writes, "other": [{"DeleteRequest": {"Key": ID}}]}}
    first, second = permitted("BatchWriteItem", request, TABLE, OTHER)
    assert plain(first) == {
        "leadingkeys": ("ann", "bob"),
        "attributes": ("pk", "sk", "title"),
        "returnconsumedcapacity": "NONE",
    }
    assert second.access == Access("BatchWriteItem", Resource("table", "other"))


def test_transact_get_items():
    gets = [
        {"Get": {"TableName": T, "Key": KEY}},
        {"Get": {"TableName": "other", "Key": ID}},
        {"Get": {"TableName": T, "Key": BOB, "ProjectionExpression": "title"}},
    ]
    found = permitted("TransactGetItems", {"TransactItems": gets}, TABLE, OTHER)
    assert [permission.access for permission in found] == [
        Access("GetItem", Resource("table", name)) for name in (T, "other", T)
    ]
    whole, _, cut = map(plain, found)
    assert (whole["leadingkeys"], whole["select"]) == (("ann",), "ALL_ATTRIBUTES")
    assert (cut["leadingkeys"], cut["select"]) == (("bob",), "SPECIFIC_ATTRIBUTES")
    assert cut["enclosingoperation"] == "TransactGetItems"


def test_transact_write_items():
    checked = {"Key": KEY, "ConditionExpression": "attribute_exists(a)"}
    old = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    sent = [
        {"Put": {"TableName": T, "Item": BOB}},
        {"ConditionCheck": {"TableName": T, **checked, **old}},
        {"Put": {"TableName": T, "Item": {**BOB, "sk": {"N": "3"}, "b": {"S": "x"}}}},
        {"Delete": {"TableName": "other", "Key": ID}},
        {"Update": {"TableName": T, "Key": CAT, "UpdateExpression": "SET c = d"}},
    ]
    found = permitted("TransactWriteItems", {"TransactItems": sent}, TABLE, OTHER)
    assert [(each.access.action, each.access.resource.name) for each in found] == [
        ("PutItem", T),
        ("ConditionCheckItem", T),
        ("DeleteItem", "other"),
        ("UpdateItem", T),
    ]
    put, check, delete, update = map(plain, found)
    assert put == {
        "leadingkeys": ("bob",),
        "attributes": ("pk", "sk", "b"),
        "returnvalues": "NONE",
        "returnconsumedcapacity": "NONE",
        "enclosingoperation": "TransactWriteItems",
    }
    assert (check["attributes"], check["returnvalues"]) == (("pk", "sk", "a"), "ALL_OLD")
    assert delete["leadingkeys"] == ("7",)
    assert update["attributes"] == ("pk", "sk", "c", "d")


TAGS = [{"Key": "Team", "Value": "green"}, {"Key": "cost", "Value": ""}]
TAGGING = {
    "aws:requesttag/team": ("green",),
    "aws:requesttag/cost": ("",),
    "aws:tagkeys": ("Team", "cost"),
}
NEW_TABLE = {"TableName": T, **keyed(pk="S")}


# A table that is created with tags needs what TagResource needs.
def test_tags():
    table = Resource("table", T)
    assert permitted("CreateTable", NEW_TABLE) == [Permission(Access("CreateTable", table), {})]
    assert permitted("CreateTable", {**NEW_TABLE, "Tags": TAGS}) == [
        Permission(Access(action, table), TAGGING) for action in ("CreateTable", "TagResource")
    ]
    table = Resource("table", ARN)
    assert permitted("TagResource", {"ResourceArn": ARN, "Tags": TAGS}) == [
        Permission(Access("TagResource", table), TAGGING)
    ]
    assert permitted("UntagResource", {"ResourceArn": ARN, "TagKeys": ["a", "b", "a"]}) == [
        Permission(Access("UntagResource", table), {"aws:tagkeys": ("a", "b")})
    ]


def test_operations_without_keys():
    assert permitted("DescribeTable", {"TableName": T}) == [
        Permission(Access("DescribeTable", Resource("table", T)), {})
    ]


# Each operation whose action has keys gives some, and only those.
def test_keys_are_those_of_the_actions():
    requests = [
        ("GetItem", {"TableName": T, "Key": KEY}),
        ("PutItem", {"TableName": T, "Item": KEY}),
        ("UpdateItem", {"TableName": T, "Key": KEY}),
        ("DeleteItem", {"TableName": T, "Key": KEY}),
        ("Query", {"TableName": T, **QUERY}),
        ("Scan", {"TableName": T}),
        ("BatchGetItem", {"RequestItems": {T: {"Keys": [KEY]}}}),
        ("BatchWriteItem", {"RequestItems": {T: [{"DeleteRequest": {"Key": KEY}}]}}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": T, "Key": KEY}}]}),
        ("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": T, "Key": KEY}}]}),
        ("CreateTable", {**NEW_TABLE, "Tags": TAGS}),
        ("TagResource", {"ResourceArn": ARN, "Tags": TAGS}),
        ("UntagResource", {"ResourceArn": ARN, "TagKeys": ["a"]}),
    ]
    for name, request in requests:
        for permission in permitted(name, request):
            row = ACTIONS[f"dynamodb:{permission.access.action}"]
            used = {key.partition("/")[0] for key in permission.context}
            assert used
            assert used <= row.keys
    with_keys = {
        name for name in OPERATIONS if (row := ACTIONS.get(f"dynamodb:{name}")) and row.keys
    }
    transactions = {"TransactGetItems", "TransactWriteItems"}
    assert {name for name, _ in requests} == with_keys | transactions


@rows(
    ("access", "arn"),
    [
        (Access("GetItem", Resource("table", T)), ARN),
        (Access("GetItem", Resource("table", ARN)), ARN),
        (Access("Query", Resource("index", T, "by-town")), f"{ARN}/index/by-town"),
        (Access("GetRecords", Resource("stream", f"{ARN}/stream/x")), f"{ARN}/stream/x"),
        (Access("ListTables", Resource("*")), f"{ARN[:-7]}*"),
        (Access("DescribeLimits", Resource("*")), "*"),
        (Access("ListStreams", Resource("stream", f"{ARN}/stream/x")), "*"),
        (Access("DescribeBackup", Resource("backup", f"{ARN}/backup/x")), f"{ARN}/backup/x"),
    ],
)
def test_arns(access, arn):
    caller = Caller("000000000000", "us-east-1", "localhost")
    assert arn_of(access, caller, separate=True) == arn
    assert arn_of(access, caller, separate=False) == arn


# In one namespace all tables are the caller's, whatever an ARN says.
def test_arns_of_other_accounts():
    caller = Caller("111111111111", "eu-west-1", "localhost")
    access = Access("GetItem", Resource("table", ARN))
    assert arn_of(access, caller, separate=True) == ARN
    own = "arn:aws:dynamodb:eu-west-1:111111111111:table/a-table"
    assert arn_of(access, caller, separate=False) == own
