"""Parameters from before expressions on secondary indexes: read by them, and written past them."""

import pytest

from tests.api.items import INVALID, answer, stored
from tests.api.legacy import compared, equal
from tests.api.querying import MISSED
from tests.api.refusals import VALIDATION, refusal

HASH, RANGE = "HASH", "RANGE"


def _index(name, projection, **keys):
    schema = [{"AttributeName": key, "KeyType": role} for key, role in keys.items()]
    return {"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": projection}}


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """Keys `pk` and `sk`; by-g over `g` and `n`, by-n over `pk` and `n`, both with keys only."""
    kinds = {"pk": "S", "sk": "S", "g": "S", "n": "N"}
    name = new_table(
        sk="S",
        AttributeDefinitions=[
            {"AttributeName": key, "AttributeType": kind} for key, kind in kinds.items()
        ],
        GlobalSecondaryIndexes=[_index("by-g", "KEYS_ONLY", g=HASH, n=RANGE)],
        LocalSecondaryIndexes=[_index("by-n", "KEYS_ONLY", pk=HASH, n=RANGE)],
    )
    for number in range(4):
        item = {
            "pk": {"S": "k"},
            "sk": {"S": f"s{number}"},
            "g": {"S": "g"},
            "n": {"N": str(number)},
            "a": {"BOOL": number > 1},
        }
        dynamodb.put_item(TableName=name, Item=item)
    return name


@pytest.fixture
def sort_keys(dynamodb, table):
    """The sort keys of the items that a query of an index finds."""

    def query(index, conditions, **more):
        request = {"TableName": table, "IndexName": index, "KeyConditions": conditions, **more}
        return [item["sk"]["S"] for item in answer(dynamodb.query, **request)["Items"]]

    return query


def test_key_conditions(sort_keys):
    conditions = {**equal(g={"S": "g"}), "n": compared("GE", {"N": "2"})}
    assert sort_keys("by-g", conditions) == ["s2", "s3"]
    conditions = {**equal(pk={"S": "k"}), "n": compared("BETWEEN", {"N": "1"}, {"N": "2"})}
    assert sort_keys("by-n", conditions, ScanIndexForward=False) == ["s2", "s1"]


# The key of the index is the one that a filter must not name; the table's is an attribute.
def test_query_filter(dynamodb, table, sort_keys):
    conditions = equal(g={"S": "g"})
    assert sort_keys("by-g", conditions, QueryFilter={"sk": compared("GT", {"S": "s2"})}) == ["s3"]
    request = {"TableName": table, "IndexName": "by-g", "KeyConditions": conditions}
    told = refusal(dynamodb.query, **request, QueryFilter={"n": compared("NOT_NULL")})
    text = "QueryFilter can only contain non-primary key attributes: Primary key attribute: n"
    assert told == (VALIDATION, text)


# A local index reads from the table what it lacks, a global one refuses. Catalogue 129.
def test_attributes_to_get(dynamodb, table):
    request = {"TableName": table, "AttributesToGet": ["a"], "Limit": 1}
    told = answer(dynamodb.query, IndexName="by-n", KeyConditions=equal(pk={"S": "k"}), **request)
    assert told["Items"] == [{"a": {"BOOL": False}}]
    text = f"{INVALID}Global secondary index by-g does not project [a]"
    told = refusal(dynamodb.scan, IndexName="by-g", **request)
    assert told == (VALIDATION, text)


def test_conditions_are_on_the_key_of_the_index(dynamodb, table):
    request = {"TableName": table, "IndexName": "by-g"}
    told = refusal(dynamodb.query, KeyConditions=equal(pk={"S": "k"}), **request)
    assert told == (VALIDATION, f"{MISSED}g")
    conditions = {**equal(g={"S": "g"}), "n": compared("NE", {"N": "1"})}
    told = refusal(dynamodb.query, KeyConditions=conditions, **request)
    assert told == (VALIDATION, "Attempted conditional constraint is not an indexable operation")


# An entry follows its item, and goes when the attribute goes.
def test_attribute_updates(dynamodb, table, sort_keys, pk):
    key = {"pk": {"S": pk}, "sk": {"S": "s"}}
    request = {"TableName": table, "Key": key}
    updates = {"g": {"Value": {"S": pk}}, "n": {"Action": "ADD", "Value": {"N": "5"}}}
    dynamodb.update_item(AttributeUpdates=updates, **request)
    assert sort_keys("by-g", equal(g={"S": pk}, n={"N": "5"})) == ["s"]
    dynamodb.update_item(AttributeUpdates={"g": {"Action": "DELETE"}}, **request)
    assert sort_keys("by-g", equal(g={"S": pk})) == []
    assert sort_keys("by-n", equal(pk={"S": pk})) == ["s"]


# The key of an index has a type for all writes. Catalogue 57.
def test_attribute_updates_of_another_type(dynamodb, table, pk):
    key = {"pk": {"S": pk}, "sk": {"S": "s"}}
    for value in ({"S": "5"}, {"L": []}, {"BOOL": True}):
        updates = {"n": {"Value": value}}
        told = refusal(dynamodb.update_item, TableName=table, Key=key, AttributeUpdates=updates)
        (actual,) = value
        text = f"{INVALID}Type mismatch for Index Key n Expected: N Actual: {actual} IndexName: "
        assert told == (VALIDATION, f"{text}by-g")
    assert stored(dynamodb, table, key) is None
