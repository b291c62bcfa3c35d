"""Texts of items and reads where there are secondary indexes, by their numbers in the catalogue."""

import uuid

import pytest

from tests.api.indexes import attributes, index_of, projected, schema
from tests.api.items import INVALID, NOT_VALID, SCHEMA, padding, values
from tests.api.querying import BELOW_KEY, CONDITION_TYPE, MISSED, NO_INDEX, ON_KEY, OUTSIDE, VALUES
from tests.api.refusals import VALIDATION, brief, refusal
from tests.api.transactions import invalid, reasons

KEYS = projected("KEYS_ONLY")

HASH_TOO_LONG = f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_TOO_LONG = (
    f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
)
EMPTY = "The AttributeValue for a key attribute cannot contain an empty {} value."
UNSUPPORTED = (
    "The update expression attempted to update the secondary index key to unsupported type"
)
BEYOND = (
    "The update expression attempted to update the secondary index key beyond allowed size limits"
)
PUT_EMPTY = f"{NOT_VALID}A value specified for a secondary index key is not supported. {EMPTY}"
UPDATED_EMPTY = (
    f"{NOT_VALID}The update expression attempted to update a secondary index key to a value that "
    f"is not supported. {EMPTY}"
)
BELOW = (
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
    "IndexKey: "
)
CONSISTENT = "Consistent reads are not supported on global secondary indexes"
SELECT_ALL = (
    f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index by-g "
    "because its projection type is not ALL"
)
NOT_FILTERED = f"{INVALID}Secondary index {{}} does not project one or more filter attributes: [x]"


@pytest.fixture(scope="module")
def table(new_table):
    """A table with global and local indexes, none of which has all attributes."""
    return new_table(
        AttributeDefinitions=attributes(pk="S", sk="S", g="S", n="N", b="B", c="S", d="S", s="S"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[
            index_of("by-g", "g", sort=("n",), **KEYS),
            index_of("by-b", "b", **KEYS),
            index_of("by-four", "g", "b", sort=("c", "d"), **KEYS),
        ],
        LocalSecondaryIndexes=[index_of("by-s", "pk", sort=("s",), **KEYS)],
    )


@pytest.fixture
def key():
    return {"pk": {"S": str(uuid.uuid4())}, "sk": {"S": "k"}}


# What is put into the key of an index.
@pytest.mark.parametrize(
    ("number", "attributes", "text"),
    [
        (
            57,
            {"n": {"S": "1"}},
            f"{INVALID}Type mismatch for Index Key n Expected: N Actual: S IndexName: by-g",
        ),
        (
            57,
            {"s": {"N": "1"}},
            f"{INVALID}Type mismatch for Index Key s Expected: S Actual: N IndexName: by-s",
        ),
        (58, {"g": {"S": ""}}, f"{PUT_EMPTY.format('string')} IndexName: by-four, IndexKey: g"),
        (58, {"b": {"B": b""}}, f"{PUT_EMPTY.format('binary')} IndexName: by-b, IndexKey: b"),
        (63, {"g": padding(2049)}, HASH_TOO_LONG),
        (63, {"s": padding(1025)}, RANGE_TOO_LONG),
    ],
    ids=brief,
)
def test_puts(dynamodb, table, key, number, attributes, text):
    item = {**key, **attributes}
    assert refusal(dynamodb.put_item, TableName=table, Item=item) == (VALIDATION, text)
    batch = {table: [{"PutRequest": {"Item": item}}]}
    assert refusal(dynamodb.batch_write_item, RequestItems=batch) == (VALIDATION, text)


# Of several indexes that refuse an item the first in the alphabet is named, whenever it was made.
# Source: public tests that were run against the service, 2026.
def test_name_of_several_indexes(dynamodb, new_table, key):
    table = new_table(
        AttributeDefinitions=attributes(pk="S", sk="S", g="S", h="S"),
        KeySchema=schema("pk", sort=("sk",)),
        GlobalSecondaryIndexes=[index_of("by-z", "h"), index_of("by-c", "g")],
        LocalSecondaryIndexes=[
            index_of("by-y", "pk", sort=("g",)),
            index_of("by-b", "pk", sort=("g",)),
        ],
    )
    text = f"{INVALID}Type mismatch for Index Key g Expected: S Actual: N IndexName: by-b"
    item = {**key, "h": {"N": "1"}, "g": {"N": "1"}}
    assert refusal(dynamodb.put_item, TableName=table, Item=item) == (VALIDATION, text)
    update = {"UpdateExpression": "SET h = :v, g = :v", VALUES: values(v={"N": "1"})}
    assert refusal(dynamodb.update_item, TableName=table, Key=key, **update) == (VALIDATION, text)
    text = f"{PUT_EMPTY.format('string')} IndexName: by-b, IndexKey: g"
    item = {**key, "h": {"S": ""}, "g": {"S": ""}}
    assert refusal(dynamodb.put_item, TableName=table, Item=item) == (VALIDATION, text)


@pytest.mark.parametrize(
    ("number", "expression", "value", "text"),
    [
        (
            57,
            "SET n = :v",
            {"S": "1"},
            f"{INVALID}Type mismatch for Index Key n Expected: N Actual: S IndexName: by-g",
        ),
        (59, "SET g = :v", {"S": ""}, UPDATED_EMPTY.format("string")),
        (59, "SET b = :v", {"B": b""}, UPDATED_EMPTY.format("binary")),
        (61, "SET g = :v", padding(2049), BEYOND),
        (61, "SET s = :v", padding(1025), BEYOND),
        (122, "SET g.a = :v", {"S": ""}, f"{BELOW}g"),
        (122, "SET a = :v, n[0] = :v", {"S": ""}, f"{BELOW}n"),
    ],
    ids=brief,
)
def test_updates(dynamodb, table, key, number, expression, value, text):
    request = {"UpdateExpression": expression, VALUES: values(v=value)}
    told = refusal(dynamodb.update_item, TableName=table, Key=key, **request)
    assert told == (VALIDATION, text)


def _mismatch(name, expected, actual, index_name):
    return (
        f"{INVALID}Type mismatch for Index Key {name} "
        f"Expected: {expected} Actual: {actual} IndexName: {index_name}"
    )


# A type that the request tells is looked at before the item, and its condition. Source: public
# tests that were run against the service.
@pytest.mark.parametrize(
    ("number", "expression", "value", "text"),
    [
        (57, "SET g = :v", {"M": {}}, _mismatch("g", "S", "M", "by-four")),
        (57, "SET g = :v", {"L": []}, _mismatch("g", "S", "L", "by-four")),
        (57, "SET g = :v", {"NULL": True}, _mismatch("g", "S", "NULL", "by-four")),
        (57, "SET g = :v", {"SS": ["a"]}, _mismatch("g", "S", "SS", "by-four")),
        (57, "SET n = :v", {"BOOL": True}, _mismatch("n", "N", "BOOL", "by-g")),
        (57, "SET s = (:v)", {"N": "1"}, _mismatch("s", "S", "N", "by-s")),
        (57, "ADD g :v", {"N": "1"}, _mismatch("g", "S", "N", "by-four")),
        (57, "DELETE g :v", {"SS": ["a"]}, _mismatch("g", "S", "SS", "by-four")),
        (57, "SET g = pk + :v", {"N": "1"}, _mismatch("g", "S", "N", "by-four")),
        (57, "SET g = list_append(a, :v)", {"L": []}, _mismatch("g", "S", "L", "by-four")),
        (57, "SET a = g[1], g = pk + :v", {"N": "1"}, _mismatch("g", "S", "N", "by-four")),
    ],
    ids=brief,
)
def test_types_of_updates(dynamodb, table, key, number, expression, value, text):
    request = {"UpdateExpression": expression, VALUES: values(v=value)}
    for condition in ({}, {"ConditionExpression": "attribute_exists(pk)"}):
        for _ in range(2):
            told = refusal(dynamodb.update_item, TableName=table, Key=key, **request, **condition)
            assert told == (VALIDATION, text)
    sent = {"TableName": table, "Key": key, **request}
    if "[1]" not in expression:
        told = reasons(dynamodb.transact_write_items, {"Update": sent})
        assert told == [invalid(text)]


# A type that only the item tells.
@pytest.mark.parametrize("copied", [{"N": "1"}, {"M": {}}, {"B": b"x"}, {"NULL": True}])
@pytest.mark.parametrize(
    ("number", "expression"), [(60, "SET g = a"), (60, "SET g = if_not_exists(a, pk)")]
)
def test_types_of_copied_values(dynamodb, table, key, number, copied, expression):
    dynamodb.put_item(TableName=table, Item={**key, "a": copied})
    request = {"TableName": table, "Key": key, "UpdateExpression": expression}
    for _ in range(2):
        assert refusal(dynamodb.update_item, **request) == (VALIDATION, UNSUPPORTED)
    told = reasons(dynamodb.transact_write_items, {"Update": request})
    assert told == [invalid(UNSUPPORTED)]


# A scan of an index does not refuse a filter on attributes that its entries lack. Source: unkeyed
# statements of PartiQL, which are scans, run against the service in August 2026.
@pytest.mark.parametrize("name", ["by-g", "by-s"])
def test_scans_filtered_by_what_an_index_lacks(dynamodb, table, key, name):
    dynamodb.put_item(
        TableName=table,
        Item={**key, "g": {"S": "g"}, "n": {"N": "1"}, "s": {"S": "s"}, "x": {"S": "a"}},
    )
    request = {"TableName": table, "IndexName": name}
    every = dynamodb.scan(**request)
    assert every["Count"] > 0
    for _ in range(2):
        for expression in ("x = :v", "attribute_exists(x) OR x = :v"):
            found = dynamodb.scan(
                **request, FilterExpression=expression, ExpressionAttributeValues=values(v=A)
            )
            assert (found["Count"], found["ScannedCount"]) == (0, every["Count"])
        for expression in ("NOT x = :v", "x <> :v"):
            found = dynamodb.scan(
                **request, FilterExpression=expression, ExpressionAttributeValues=values(v=A)
            )
            assert found["Items"] == every["Items"]
    equal = {"x": {"ComparisonOperator": "EQ", "AttributeValueList": [A]}}
    assert dynamodb.scan(**request, ScanFilter=equal)["Count"] == 0


# A path below an attribute of an index's key is refused wherever it stands, also where the table
# itself is read or written; the table's own key goes before. Source: tests of an emulator that were
# run against the service.
@pytest.mark.parametrize(
    ("number", "operation", "members", "text"),
    [
        (122, "get_item", {"ProjectionExpression": "a, g.a"}, f"{BELOW}g"),
        (122, "get_item", {"ProjectionExpression": "g.a, sk.a"}, f"{BELOW_KEY}sk"),
        (122, "delete_item", {"ConditionExpression": "attribute_exists(b[1])"}, f"{BELOW}b"),
        (122, "update_item", {"ConditionExpression": "attribute_exists(s.a)"}, f"{BELOW}s"),
    ],
    ids=brief,
)
def test_paths_below_index_keys(dynamodb, table, key, number, operation, members, text):
    told = refusal(getattr(dynamodb, operation), TableName=table, Key=key, **members)
    assert told == (VALIDATION, text)


def on(name, condition, **used):
    """A query of an index."""
    return {"IndexName": name, "KeyConditionExpression": condition, VALUES: values(**used)}


A = {"S": "a"}
ALL = {**on("by-g", "g = :v", v=A), "Select": "ALL_ATTRIBUTES"}
G, S = on("by-g", "g = :v", v=A), on("by-s", "pk = :v", v=A)
BY_G = {"IndexName": "by-g"}
START = "The provided starting key is invalid"
NO_CONDITION = "Query key condition not supported"
ELSEWHERE = {"g": {"S": "b"}, "n": {"N": "1"}, "pk": A, "sk": A}


@pytest.mark.parametrize(
    ("number", "operation", "members", "text"),
    [
        (111, "query", on("by-s", "n = :v", v={"N": "1"}), f"{MISSED}pk"),
        (111, "query", on("by-g", "n = :v", v={"N": "1"}), f"{MISSED}g"),
        (112, "query", on("by-g", "g > :v", v=A), NO_CONDITION),
        (112, "query", on("by-g", "begins_with(g, :v)", v=A), NO_CONDITION),
        (112, "query", on("by-g", "g BETWEEN :v AND :v", v=A), NO_CONDITION),
        (113, "query", on("by-g", "g = :v", v={"N": "1"}), CONDITION_TYPE),
        (
            120,
            "query",
            on("by-four", "g = :g AND b = :b AND d = :g", g=A, b={"B": b"a"}),
            (
                "RANGE key attributes c must have equality conditions specified in the query "
                "because a condition is present on key attribute d"
            ),
        ),
        (121, "query", {**G, "FilterExpression": "n = :v"}, f"{ON_KEY}n"),
        (122, "query", {**G, "ProjectionExpression": "g.a"}, f"{BELOW}g"),
        (122, "query", {**G, "FilterExpression": "s.a = :v"}, f"{BELOW}s"),
        (122, "query", {**G, "FilterExpression": "pk.a = :v"}, f"{BELOW_KEY}pk"),
        (122, "scan", {**BY_G, "ProjectionExpression": "g.a"}, f"{BELOW}g"),
        (122, "scan", {"FilterExpression": "attribute_exists(n.a)"}, f"{BELOW}n"),
        (123, "query", {**G, "IndexName": "never-made"}, f"{NO_INDEX}never-made"),
        (123, "scan", {"IndexName": "never-made"}, f"{NO_INDEX}never-made"),
        (124, "query", {**G, "ConsistentRead": True}, CONSISTENT),
        (124, "scan", {**BY_G, "ConsistentRead": True}, CONSISTENT),
        (128, "query", ALL, SELECT_ALL),
        (128, "scan", {**BY_G, "Select": "ALL_ATTRIBUTES"}, SELECT_ALL),
        (
            129,
            "query",
            {**G, "ProjectionExpression": "x, y, n"},
            f"{INVALID}Global secondary index by-g does not project [x, y]",
        ),
        (
            129,
            "scan",
            {**BY_G, "ProjectionExpression": "x"},
            f"{INVALID}Global secondary index by-g does not project [x]",
        ),
        (130, "query", {**G, "FilterExpression": "x = :v"}, NOT_FILTERED.format("by-g")),
        (130, "query", {**S, "FilterExpression": "x = :v"}, NOT_FILTERED.format("by-s")),
        (
            130,
            "query",
            {**G, "FilterExpression": "z = :v OR y = :v"},
            NOT_FILTERED.format("by-g").replace("[x]", "[y, z]"),
        ),
        (
            130,
            "scan",
            {
                "IndexName": "by-s",
                "FilterExpression": "attribute_exists(x)",
                "Select": "ALL_ATTRIBUTES",
            },
            NOT_FILTERED.format("by-s"),
        ),
        (131, "query", {**G, "ExclusiveStartKey": {"g": A}}, START),
        (131, "scan", {**BY_G, "ExclusiveStartKey": {}}, START),
        (131, "scan", {**BY_G, "ExclusiveStartKey": {"g": A}}, START),
        (131, "scan", {**BY_G, "ExclusiveStartKey": {"pk": A, "sk": A}}, START),
        (
            131,
            "scan",
            {**BY_G, "ExclusiveStartKey": {**ELSEWHERE, "pk": {"N": "1"}}},
            f"{START}: {SCHEMA}",
        ),
        (131, "scan", {**BY_G, "ExclusiveStartKey": {**ELSEWHERE, "a": A}}, START),
        (132, "query", {**G, "ExclusiveStartKey": ELSEWHERE}, OUTSIDE),
    ],
    ids=brief,
)
def test_reads(dynamodb, table, number, operation, members, text):
    told = refusal(getattr(dynamodb, operation), TableName=table, **members)
    assert told == (VALIDATION, text)
