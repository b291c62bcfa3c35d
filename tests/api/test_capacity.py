"""ConsumedCapacity of the operations on single items, exact to the unit."""

import pytest

from tests.api.items import answer, names, padding, values


@pytest.fixture
def consumed(dynamodb, simple):
    """The ConsumedCapacity of an operation, whole."""

    def told(operation, detail="TOTAL", table=simple, **request):
        call = getattr(dynamodb, operation)
        answered = answer(call, TableName=table, ReturnConsumedCapacity=detail, **request)
        return answered.get("ConsumedCapacity")

    return told


@pytest.fixture
def units(consumed):
    """The units that an operation costs."""
    return lambda operation, **request: consumed(operation, **request)["CapacityUnits"]


@pytest.fixture
def item_of(pk):
    """An item of the test's key that has so many bytes."""

    def made(size, filler="a"):
        return {"pk": {"S": pk}, filler: padding(size - len("pk") - len(pk) - len(filler))}

    return made


SMALL, LARGE = 1000, 2500
READ = "get_item"
WRITES = ["put_item", "update_item", "delete_item"]


def _request(operation, key):
    return {"Item": key} if operation == "put_item" else {"Key": key}


# TOTAL has the sum, INDEXES the table beside it; both are numbers with a fraction. Source: G.2.
@pytest.mark.parametrize(
    ("operation", "cost"), [(READ, 0.5), *((operation, 1.0) for operation in WRITES)]
)
def test_shapes(consumed, simple, key, operation, cost):
    request = _request(operation, key)
    total = {"TableName": simple, "CapacityUnits": cost}
    assert consumed(operation, "TOTAL", **request) == total
    assert consumed(operation, "INDEXES", **request) == {**total, "Table": {"CapacityUnits": cost}}
    assert consumed(operation, "NONE", **request) is None


# It is not answered unless asked for. Source: G.2.
@pytest.mark.parametrize("operation", [READ, *WRITES])
def test_default_is_none(dynamodb, simple, key, operation):
    request = {"TableName": simple, **_request(operation, key)}
    assert "ConsumedCapacity" not in answer(getattr(dynamodb, operation), **request)


# TableName is what was sent: an ARN comes back as one. Source: 0.6, G.2.
@pytest.mark.parametrize("operation", [READ, *WRITES])
def test_table_name_is_echoed(dynamodb, consumed, simple, key, operation):
    arn = dynamodb.describe_table(TableName=simple)["Table"]["TableArn"]
    request = _request(operation, key)
    assert consumed(operation, table=arn, **request)["TableName"] == arn
    assert consumed(operation, table=simple, **request)["TableName"] == simple


# A unit reads 4 KB, begun ones whole; half of it where the answer may be stale. Source: G.1.
@pytest.mark.parametrize(
    ("size", "cost"), [(100, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3), (409_600, 100)]
)
def test_get(dynamodb, units, simple, key, item_of, size, cost):
    dynamodb.put_item(TableName=simple, Item=item_of(size))
    assert units(READ, Key=key) == cost / 2
    assert units(READ, Key=key, ConsistentRead=False) == cost / 2
    assert units(READ, Key=key, ConsistentRead=True) == cost


# Looking for what is not there costs as much as the smallest item. Source: G.1.
@pytest.mark.parametrize(("consistent", "cost"), [(None, 0.5), (False, 0.5), (True, 1.0)])
def test_get_of_a_missing_item(units, key, consistent, cost):
    assert units(READ, Key=key, ConsistentRead=consistent) == cost


# The item is read as a whole, whatever is shown of it. Source: G.1.
def test_projection_does_not_reduce(dynamodb, units, simple, key, item_of):
    dynamodb.put_item(TableName=simple, Item=item_of(8193))
    assert units(READ, Key=key, ProjectionExpression="pk") == 1.5
    assert units(READ, Key=key, ProjectionExpression="gone", ConsistentRead=True) == 3


# A unit writes 1 KB, begun ones whole. Source: G.1.
@pytest.mark.parametrize(
    ("size", "cost"), [(100, 1), (1024, 1), (1025, 2), (2048, 2), (2049, 3), (409_600, 400)]
)
def test_put_of_a_new_item(units, item_of, size, cost):
    assert units("put_item", Item=item_of(size)) == cost


# The larger of both images counts, whichever that is. Source: G.1; an emulator's tests, run on the
# service.
@pytest.mark.parametrize(
    ("before", "after", "cost"), [(SMALL, LARGE, 3), (LARGE, SMALL, 3), (SMALL, SMALL, 1)]
)
def test_put_costs_the_larger_image(units, item_of, before, after, cost):
    units("put_item", Item=item_of(before))
    assert units("put_item", Item=item_of(after, "b")) == cost
    smaller_now = units("put_item", Item=item_of(after))
    assert smaller_now == -(-after // 1024)


# What is deleted costs what it was; what was not there costs one. Source: G.1.
@pytest.mark.parametrize(
    ("size", "cost"), [(100, 1), (1024, 1), (1025, 2), (409_600, 400), (None, 1)]
)
def test_delete(dynamodb, units, simple, key, item_of, size, cost):
    if size is not None:
        dynamodb.put_item(TableName=simple, Item=item_of(size))
    assert units("delete_item", Key=key) == cost
    assert units("delete_item", Key=key) == 1


# Growing, shrinking and staying: the larger image, of the whole item and not of what changes.
# Source: G.1.
@pytest.mark.parametrize(
    ("before", "expression", "used", "cost"),
    [
        (None, "SET b = :v", padding(100), 1),
        (None, "SET b = :v", padding(3000), 3),
        (1024, "SET b = :v", padding(0), 2),
        (1023, "SET b = :v", padding(0), 1),
        (3000, "SET b = :v", padding(1), 3),
        (3000, "SET a = :v", padding(1), 3),
        (3000, "REMOVE a", None, 3),
        (3000, "REMOVE gone", None, 3),
        (None, "REMOVE gone", None, 1),
        (1020, "ADD n :v", {"N": "12"}, 1),
        (1020, "ADD num :v", {"N": "12"}, 2),
    ],
)
def test_update(dynamodb, units, simple, key, item_of, before, expression, used, cost):
    if before is not None:
        dynamodb.put_item(TableName=simple, Item=item_of(before))
    more = {} if used is None else {"ExpressionAttributeValues": values(v=used)}
    assert units("update_item", Key=key, UpdateExpression=expression, **more) == cost


# An update of nothing is charged as the item is large. Source: E.3.
def test_update_of_nothing(dynamodb, units, simple, key, item_of):
    assert units("update_item", Key=key) == 1
    dynamodb.put_item(TableName=simple, Item=item_of(3000))
    assert units("update_item", Key=key) == 3


# Growth within maps and lists and of sets is counted too: the size is kept up, not measured anew.
def test_updates_keep_up_the_size(dynamodb, units, simple, key, pk):
    whole = len("pk") + len(pk) + len("m") + 3 + (1 + len("l") + 3)
    dynamodb.put_item(TableName=simple, Item={**key, "m": {"M": {"l": {"L": []}}}})
    room = 1024 - whole - 1
    for size, cost in ((room, 1), (room + 1, 2), (room, 2), (room, 1)):
        request = {
            "UpdateExpression": "SET #m.l[0] = :v",
            "ExpressionAttributeNames": names("m"),
            "ExpressionAttributeValues": values(v=padding(size)),
        }
        assert units("update_item", Key=key, **request) == cost


# Answers of another kind cost nothing more.
@pytest.mark.parametrize("wanted", ["ALL_OLD", "ALL_NEW", "UPDATED_NEW"])
def test_return_values_are_free(units, key, item_of, wanted):
    units("put_item", Item=item_of(LARGE))
    request = {"UpdateExpression": "SET b = pk", "ReturnValues": wanted}
    assert units("update_item", Key=key, **request) == 3


# Source: a condition reads the item that a write reads anyway.
def test_condition_is_free(units, key, item_of):
    units("put_item", Item=item_of(LARGE))
    assert units("delete_item", Key=key, ConditionExpression="attribute_exists(a)") == 3
