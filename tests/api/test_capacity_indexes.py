"""ConsumedCapacity of tables with indexes, exact to the unit: each arm by its entries."""

import pytest

from tests.api.indexes import attributes, index_of, projected, schema
from tests.api.items import padding

UNIT = 1024
KEYS, SOME = projected("KEYS_ONLY"), projected("INCLUDE", "a", "set")


@pytest.fixture(scope="module")
def table(new_table):
    """A table of items that have an entry in `all`, `keys` and `some` if they have `g`."""
    return new_table(
        KeySchema=schema("pk", sort=("sk",)),
        AttributeDefinitions=attributes(pk="S", sk="S", g="S", n="N"),
        GlobalSecondaryIndexes=[
            index_of("all", "g"),
            index_of("keys", "g", **KEYS),
            index_of("some", "g", sort=("n",), **SOME),
        ],
        LocalSecondaryIndexes=[index_of("local", "pk", sort=("n",), **KEYS)],
    )


@pytest.fixture
def key(pk):
    return {"pk": {"S": pk}, "sk": {"S": "s"}}


def arms(consumed):
    """What each arm costs; they must add up."""
    told = {"table": consumed["Table"]["CapacityUnits"]}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        told |= {name: arm["CapacityUnits"] for name, arm in consumed.get(member, {}).items()}
    assert consumed["CapacityUnits"] == sum(told.values())
    return told


@pytest.fixture
def put(dynamodb, table, key):
    """Puts the one item of a test; what each arm of that costs."""

    def told(**attributes):
        answered = dynamodb.put_item(
            TableName=table, Item={**key, **attributes}, ReturnConsumedCapacity="INDEXES"
        )
        return arms(answered["ConsumedCapacity"])

    return told


def of_size(size, key, *names):
    """The attribute `a`, so that an entry with the key and these names of one byte has `size`."""
    used = sum(len(name) + len(value["S"]) for name, value in key.items())
    return padding(size - used - len("a") - sum(len(name) + 1 for name in names))


# An entry is as large as what it has: keys of the index and of the table, and what is projected.
@pytest.mark.parametrize(
    ("size", "cost"), [(UNIT, 1.0), (UNIT + 1, 2.0), (2 * UNIT, 2.0), (2 * UNIT + 1, 3.0)]
)
def test_size_of_entries(put, key, size, cost):
    told = put(g={"S": "g"}, a=of_size(size, key, "g"))
    assert told == {"table": cost, "all": cost, "keys": 1.0}


# Without an attribute of the index's key there is no entry, and no arm.
@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, {"table": 1.0}),
        ({"n": {"N": "1"}}, {"table": 1.0, "local": 1.0}),
        ({"g": {"S": "g"}}, {"table": 1.0, "all": 1.0, "keys": 1.0}),
        (
            {"g": {"S": "g"}, "n": {"N": "1"}},
            {"table": 1.0, "all": 1.0, "keys": 1.0, "some": 1.0, "local": 1.0},
        ),
    ],
)
def test_sparse(put, attributes, expected):
    assert put(**attributes) == expected


# A put over an item costs what the update costs: the larger entry, or nothing where it is the same.
@pytest.mark.parametrize(
    ("before", "after", "cost"), [(500, 2500, 3.0), (2500, 500, 3.0), (2500, 2500, 3.0)]
)
def test_put_over_an_item(put, key, before, after, cost):
    put(g={"S": "g"}, a=of_size(before, key, "g"))
    told = put(g={"S": "g"}, a=of_size(after, key, "g"))
    same = before == after
    assert told == {"table": cost} if same else {"table": cost, "all": cost}


# The same values in other words are the same: order in sets, digits of numbers.
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"SS": ["a", "b", "c"]}, {"SS": ["c", "a", "b"]}),
        ({"NS": ["1", "2.50"]}, {"NS": ["2.5", "1.0"]}),
        ({"BS": [b"a", b"b"]}, {"BS": [b"b", b"a"]}),
        ({"N": "100"}, {"N": "1e2"}),
        ({"M": {"x": {"N": "1"}, "y": {"S": "z"}}}, {"M": {"y": {"S": "z"}, "x": {"N": "1.0"}}}),
    ],
)
def test_same_values_in_other_words(put, before, after):
    indexed = {"g": {"S": "g"}, "n": {"N": "1"}}
    put(**indexed, set=before)
    assert put(**{**indexed, "n": {"N": "1.0"}}, set=after) == {"table": 1.0}


# So are those that come in another order.
def test_same_attributes_in_another_order(put):
    attributes = {"g": {"S": "g"}, "n": {"N": "1"}, "a": {"S": "a"}, "b": {"S": "b"}}
    put(**attributes)
    assert put(**dict(reversed(attributes.items()))) == {"table": 1.0}


# Lists have an order, so they differ.
def test_lists_in_another_order(put):
    put(g={"S": "g"}, set={"L": [{"S": "a"}, {"S": "b"}]})
    told = put(g={"S": "g"}, set={"L": [{"S": "b"}, {"S": "a"}]})
    assert told == {"table": 1.0, "all": 1.0}


# A moved entry costs what it was and what it is, each rounded by itself.
@pytest.mark.parametrize(
    ("before", "after", "cost"), [(500, 500, 2.0), (1500, 500, 3.0), (500, 2500, 4.0)]
)
def test_moved_entry(put, key, before, after, cost):
    put(g={"S": "g"}, a=of_size(before, key, "g"))
    told = put(g={"S": "h"}, a=of_size(after, key, "g"))
    table_cost = float(-(-max(before, after) // UNIT))
    assert told == {"table": table_cost, "all": cost, "keys": 2.0}


# TOTAL has the sum of the arms and nothing else; NONE and nothing have nothing.
def test_details(dynamodb, table, key):
    request = {"TableName": table, "Item": {**key, "g": {"S": "g"}, "n": {"N": "1"}}}
    total = dynamodb.put_item(**request, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert total == {"TableName": table, "CapacityUnits": 5.0}
    for detail in ({}, {"ReturnConsumedCapacity": "NONE"}):
        assert "ConsumedCapacity" not in dynamodb.put_item(**request, **detail)


# Reads of the table have no arms of indexes.
@pytest.mark.parametrize(("consistent", "cost"), [(True, 1.0), (False, 0.5)])
def test_reads_of_the_table(dynamodb, table, key, put, consistent, cost):
    put(g={"S": "g"})
    detail = {"ReturnConsumedCapacity": "INDEXES"}
    expected = {"TableName": table, "CapacityUnits": cost, "Table": {"CapacityUnits": cost}}
    told = dynamodb.get_item(TableName=table, Key=key, ConsistentRead=consistent, **detail)
    assert told["ConsumedCapacity"] == expected
    asked = {table: {"Keys": [key], "ConsistentRead": consistent}}
    told = dynamodb.batch_get_item(RequestItems=asked, **detail)
    assert told["ConsumedCapacity"] == [expected]


@pytest.fixture(scope="module")
def filled(dynamodb, table):
    """The table; partitions of its indexes have one, three or ten entries of 1,500 bytes."""
    for name, number in (("one", 1), ("three", 3), ("ten", 10)):
        for each in range(number):
            key = {"pk": {"S": f"{name}{each}"}, "sk": {"S": "s"}}
            used = {**key, "g": {"S": name}}
            item = {**used, "n": {"N": "1"}, "a": of_size(1500, used, "n", "x")}
            dynamodb.put_item(TableName=table, Item=item)
    return table


# The entries of a page are added up before they are rounded; nothing costs as much as a small one.
@pytest.mark.parametrize(
    ("name", "partition", "more", "cost"),
    [
        ("all", "none", {}, 0.5),
        ("all", "one", {}, 0.5),
        ("all", "three", {}, 1.0),
        ("all", "ten", {}, 2.0),
        ("keys", "ten", {}, 0.5),
        ("some", "ten", {}, 2.0),
        ("all", "ten", {"Limit": 2}, 0.5),
        ("all", "ten", {"Limit": 3}, 1.0),
        # What is answered makes no difference.
        ("all", "ten", {"Select": "COUNT"}, 2.0),
        ("all", "ten", {"FilterExpression": "attribute_not_exists(pk)"}, 2.0),
        ("all", "ten", {"ProjectionExpression": "pk"}, 2.0),
        ("all", "ten", {"ScanIndexForward": False}, 2.0),
    ],
    ids=str,
)
def test_queries_of_indexes(dynamodb, filled, name, partition, more, cost):
    told = dynamodb.query(
        TableName=filled,
        IndexName=name,
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": {"S": partition}},
        ReturnConsumedCapacity="INDEXES",
        **more,
    )
    assert told["ConsumedCapacity"] == {
        "TableName": filled,
        "CapacityUnits": cost,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {name: {"CapacityUnits": cost}},
    }
