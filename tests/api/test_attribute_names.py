"""Names that no attribute can have: empty, or of more than 65,535 bytes, wherever they are sent."""

import pytest

from tests.api.indexes import attributes, projected, schema
from tests.api.items import INVALID, stored, values
from tests.api.refusals import VALIDATION, refusal, table_request, violated

LONGEST = "n" * 65_535
TOO_LONG = LONGEST + "n"
TOO_LARGE = "Attribute name is too large, must be less than 65536 bytes"
EMPTY = "Empty attribute name"
NAMES = "ExpressionAttributeNames contains invalid value: "
KEY = {"pk": {"S": "k"}}
ONE = {"S": "x"}


@pytest.fixture(scope="module")
def table(new_table):
    """A table with a partition key."""
    return new_table()


def told_twice(call, **request):
    """The refusal of a request, which is the same when it is sent again."""
    first = refusal(call, **request)
    assert refusal(call, **request) == first
    return first


UPDATE = {"UpdateExpression": "SET #n = :v", "ExpressionAttributeValues": values(v=ONE)}
CONDITION = {"ConditionExpression": "attribute_not_exists(#n)"}
NESTED = {"UpdateExpression": "SET m.#n = :v", "ExpressionAttributeValues": values(v=ONE)}


# Catalogue 47 and 77: a placeholder for such a name, in every kind of expression.
@pytest.mark.parametrize(
    ("operation", "request_", "enveloped"),
    [
        ("update_item", {"Key": KEY, **UPDATE}, True),
        ("update_item", {"Key": KEY, **NESTED}, True),
        ("update_item", {"Key": KEY, **CONDITION}, True),
        ("put_item", {"Item": KEY, **CONDITION}, True),
        ("delete_item", {"Key": KEY, **CONDITION}, True),
        ("get_item", {"Key": KEY, "ProjectionExpression": "#n"}, False),
        ("scan", {"FilterExpression": "attribute_exists(#n)"}, False),
        (
            "query",
            {
                "KeyConditionExpression": "pk = :v",
                "FilterExpression": "attribute_exists(#n)",
                "ExpressionAttributeValues": values(v=ONE),
            },
            False,
        ),
    ],
)
@pytest.mark.parametrize(
    ("name", "text"),
    [("", EMPTY), (TOO_LONG, TOO_LARGE), ("é" * 32_768, TOO_LARGE), ("n" * 200_000, TOO_LARGE)],
)
def test_placeholders(dynamodb, table, operation, request_, enveloped, name, text):
    told = f"{NAMES}{text} for key #n"
    request = {"TableName": table, "ExpressionAttributeNames": {"#n": name}, **request_}
    expected = violated(told) if enveloped else (VALIDATION, told)
    assert told_twice(getattr(dynamodb, operation), **request) == expected


@pytest.mark.parametrize(("name", "text"), [("", EMPTY), (TOO_LONG, TOO_LARGE)])
@pytest.mark.parametrize(
    "action",
    [
        {"Update": {"Key": KEY, **UPDATE}},
        {"Put": {"Item": KEY, **CONDITION}},
        {"Delete": {"Key": KEY, **CONDITION}},
        {"ConditionCheck": {"Key": KEY, **CONDITION}},
    ],
)
def test_placeholders_in_transactions(dynamodb, table, action, name, text):
    ((kind, sent),) = action.items()
    sent = {**sent, "TableName": table, "ExpressionAttributeNames": {"#n": name}}
    told = told_twice(dynamodb.transact_write_items, TransactItems=[{kind: sent}])
    assert told == (VALIDATION, f"{NAMES}{text} for key #n")


def test_the_longest_name_is_stored_and_read(dynamodb, table):
    key = {"pk": {"S": "longest"}}
    names = {"ExpressionAttributeNames": {"#n": LONGEST}}
    dynamodb.update_item(TableName=table, Key=key, **UPDATE, **names)
    assert stored(dynamodb, table, key) == {**key, LONGEST: ONE}
    read = dynamodb.get_item(TableName=table, Key=key, ProjectionExpression="#n", **names)
    assert read["Item"] == {LONGEST: ONE}
    read = dynamodb.get_item(TableName=table, Key=key, AttributesToGet=[LONGEST])
    assert read["Item"] == {LONGEST: ONE}


# Catalogue 46 and 47: names that are sent as they are.
@pytest.mark.parametrize(
    ("operation", "request_of", "enveloped"),
    [
        ("get_item", lambda name: {"Key": KEY, "AttributesToGet": ["a", name]}, False),
        ("scan", lambda name: {"AttributesToGet": [name]}, False),
        ("scan", lambda name: {"ScanFilter": {name: {"ComparisonOperator": "NULL"}}}, False),
        (
            "query",
            lambda name: {
                "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [ONE]}},
                "QueryFilter": {name: {"ComparisonOperator": "NULL"}},
            },
            False,
        ),
        (
            "query",
            lambda name: {
                "KeyConditions": {name: {"ComparisonOperator": "EQ", "AttributeValueList": [ONE]}}
            },
            False,
        ),
        ("put_item", lambda name: {"Item": KEY, "Expected": {name: {"Exists": False}}}, True),
        ("put_item", lambda name: {"Item": {**KEY, name: ONE}}, True),
        ("put_item", lambda name: {"Item": {**KEY, "m": {"M": {name: ONE}}}}, True),
        ("delete_item", lambda name: {"Key": KEY, "Expected": {name: {"Exists": False}}}, True),
        ("update_item", lambda name: {"Key": KEY, "AttributeUpdates": {name: {}}}, True),
    ],
)
@pytest.mark.parametrize(("name", "text"), [("", EMPTY), (TOO_LONG, INVALID + TOO_LARGE)])
def test_names(dynamodb, table, operation, request_of, enveloped, name, text):
    request = {"TableName": table, **request_of(name)}
    expected = violated(text) if enveloped else (VALIDATION, text)
    assert told_twice(getattr(dynamodb, operation), **request) == expected


def test_names_in_a_batch(dynamodb, table):
    asked = {"Keys": [KEY], "AttributesToGet": [""]}
    told = told_twice(dynamodb.batch_get_item, RequestItems={table: asked})
    assert told == (VALIDATION, EMPTY)


@pytest.mark.parametrize("name", ["", "n" * 256])
def test_names_that_an_index_projects(dynamodb, name):
    index = {"IndexName": "index", "KeySchema": schema("g"), **projected("INCLUDE", "a", name)}
    request = table_request(
        AttributeDefinitions=attributes(pk="S", g="S"), GlobalSecondaryIndexes=[index]
    )
    text = (
        "Names of key attributes and attributes projected into an index must be between "
        "1 and 255 characters"
    )
    assert told_twice(dynamodb.create_table, **request) == (VALIDATION, text)


# Catalogue 75 and 76. Source of both texts: measured in us-east-1.
def test_placeholders_have_at_most_255_bytes(dynamodb, table):
    most = "a" * 254
    request = {
        "TableName": table,
        "FilterExpression": f"#{most} = :{most}",
        "ExpressionAttributeNames": {f"#{most}": "a"},
        "ExpressionAttributeValues": {f":{most}": ONE},
    }
    for _ in range(2):
        assert dynamodb.scan(**request)["Count"] >= 0
    told = "The expression attribute map contains a key that is too long;"
    for more in ("a", "-x", "é"):
        key = f"#{most}{more}"
        refused = told_twice(dynamodb.scan, **{**request, "ExpressionAttributeNames": {key: "a"}})
        size = len(key.encode())
        assert refused == (
            VALIDATION,
            f"ExpressionAttributeNames contains invalid key: {told} size of key: {size}",
        )
        key = f":{most}{more}"
        refused = told_twice(dynamodb.scan, **{**request, "ExpressionAttributeValues": {key: ONE}})
        assert refused == (VALIDATION, f"ExpressionAttributeValues contains invalid key: {told}")
