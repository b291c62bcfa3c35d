"""How large an update may be: the item that comes of it, and what its clauses cost."""

import pytest

from hashrange.limits.requests import ITEM_BYTES_MAX
from tests.api.items import padding, stored, values
from tests.api.refusals import VALIDATION, refusal
from tests.api.transactions import invalid, reasons, update

TOO_LARGE = (VALIDATION, "Item size to update has exceeded the maximum allowed size")
KEY = {"pk": {"S": "k"}}
"""3 bytes, so that it is mostly the clauses that weigh more than the item."""


@pytest.fixture(scope="module")
def table(new_table):
    """A table for one small key."""
    return new_table()


@pytest.fixture
def request_of(dynamodb, table):
    """Puts an item, and gives the request of an update of it."""

    def made(before, expression, **used):
        dynamodb.put_item(TableName=table, Item={**KEY, **before})
        request = {"TableName": table, "Key": KEY, "UpdateExpression": expression}
        return {**request, "ExpressionAttributeValues": values(**used)}

    return made


# Catalogue 45: names, values and key of the finished item, to the byte. Source: D.3.
@pytest.mark.parametrize(
    ("before", "expression", "rest"),
    [
        ({"a": padding(200_000)}, "SET b = :v", 3 + 1 + 200_000 + 1),
        ({"a": padding(200_000), "b": padding(200_000)}, "SET b = :v", 3 + 1 + 200_000 + 1),
        ({"l": {"L": [padding(200_000)]}}, "SET l[5] = :v", 3 + 1 + 3 + 1 + 200_000 + 1),
        ({"m": {"M": {"x": padding(200_000)}}}, "SET m.y = :v", 3 + 1 + 3 + 200_002 + 2),
        ({"a": padding(9), "b": padding(200_000)}, "SET c = :v REMOVE a", 3 + 1 + 200_000 + 1),
        ({"n": {"N": "99"}, "b": padding(200_000)}, "SET c = :v ADD n :n", 3 + 4 + 200_001 + 1),
    ],
)
def test_finished_item_may_have_400_kb(dynamodb, table, request_of, before, expression, rest):
    used = {"n": {"N": "2"}} if ":n" in expression else {}
    most = ITEM_BYTES_MAX - rest
    over = request_of(before, expression, v=padding(most + 1), **used)
    assert refusal(dynamodb.update_item, **over) == TOO_LARGE
    assert stored(dynamodb, table, KEY) == {**KEY, **before}
    dynamodb.update_item(**request_of(before, expression, v=padding(most), **used))


# Catalogue 45. In us-east-1 the clauses are held to 400 KB too, whatever comes of them: 3 bytes,
# and for each SET or ADD 19, its target, and its operand; what REMOVE and DELETE take is free.
# Source: D.3.4, verified.
@pytest.mark.parametrize(
    ("before", "expression", "cost"),
    [
        ({}, "SET a = :v", 3 + 19 + 1),
        ({}, "SET longer = :v", 3 + 19 + 6),
        ({"m": {"M": {"x": {"S": ""}}}}, "SET m.x = :v", 3 + 19 + 1 + (4 + 1)),
        ({"l": {"L": []}}, "SET l[10] = :v", 3 + 19 + 1 + (4 + 2)),
        ({"a": {"S": ""}}, "SET a = if_not_exists(a, :v)", 3 + 19 + 1 + 39 + (1 + 15)),
        ({"m": {"M": {}}}, "SET a = if_not_exists(m.x, :v)", 3 + 19 + 1 + 39 + (1 + 15 + 15)),
        ({}, "SET a = :v REMOVE b, m[0].y", 3 + 20 + (1 + 1) + (1 + 1 + 4 + 1 + 4 + 1)),
        ({"s": {"SS": ["x"]}}, "SET a = :v DELETE s :s", 3 + 20 + (1 + 1)),
        ({"b": {"S": ""}}, "SET a = :v, c = b", 3 + 20 + (19 + 1 + 1 + 15)),
        ({"abcdefghij": {"S": ""}}, "SET a = :v, c = abcdefghij", 3 + 20 + (19 + 1 + 1 + 24)),
        ({"m": {"M": {"z": {"S": ""}}}}, "SET a = :v, c = m.z", 3 + 20 + (20 + 1 + 15 + 15)),
        ({"l": {"L": [{"S": ""}] * 11}}, "SET a = :v, c = l[10]", 3 + 20 + (20 + 1 + 15 + 16)),
        ({"n": {"N": "1"}}, "SET a = :v, n = n + :n", 3 + 20 + (19 + 1 + 34 + (1 + 15) + 2)),
        ({"n": {"N": "1"}}, "SET a = :v, n = n - :n", 3 + 20 + (19 + 1 + 37 + (1 + 15) + 2)),
        ({"n": {"N": "1"}}, "SET a = :v, c = n + n", 3 + 20 + (19 + 1 + 34 + 2 * (1 + 15))),
        ({"n": {"N": "1"}}, "SET a = :v ADD n :n", 3 + 20 + (19 + 1 + 2)),
    ],
)
def test_clauses_may_cost_400_kb(dynamodb, table, request_of, before, expression, cost):
    if "m[0]" in expression:
        before = {"m": {"L": [{"M": {}}]}}
    used = {"s": {"SS": ["x" * 1000]}} if ":s" in expression else {}
    used |= {"n": {"N": "2"}} if ":n" in expression else {}
    most = ITEM_BYTES_MAX - cost
    over = request_of(before, expression, v=padding(most + 1), **used)
    assert refusal(dynamodb.update_item, **over) == TOO_LARGE
    assert stored(dynamodb, table, KEY) == {**KEY, **before}
    dynamodb.update_item(**request_of(before, expression, v=padding(most), **used))


# Lists and sets are weighed as values; functions around them cost. Source: D.3.4, verified.
@pytest.mark.parametrize(
    ("before", "expression", "cost", "made"),
    [
        ({}, "ADD s :v", 3 + 19 + 1, lambda size: {"SS": ["x" * size]}),
        (
            {"l": {"L": []}},
            "SET l = list_append(l, :v)",
            3 + 19 + 1 + 37 + (1 + 15),
            lambda size: {"L": [padding(size - 4)]},
        ),
        ({}, "SET a = :v", 3 + 19 + 1, lambda size: {"M": {"x": padding(size - 5)}}),
        ({}, "SET a = :v", 3 + 19 + 1, lambda size: {"B": b"x" * size}),
    ],
)
def test_clauses_weigh_values_as_items_do(
    dynamodb, table, request_of, before, expression, cost, made
):
    most = ITEM_BYTES_MAX - cost
    over = request_of(before, expression, v=made(most + 1))
    assert refusal(dynamodb.update_item, **over) == TOO_LARGE
    dynamodb.update_item(**request_of(before, expression, v=made(most)))


# A placeholder costs as often as it is used. Source: D.3.4, verified.
def test_clauses_weigh_a_value_each_time_it_is_used(dynamodb, request_of):
    expression = "SET a = if_not_exists(a, :v), b = if_not_exists(b, :v)"
    before = {"a": {"S": ""}, "b": {"S": ""}}
    most = (ITEM_BYTES_MAX - 3 - 2 * (19 + 1 + 39 + (1 + 15))) // 2
    over = request_of(before, expression, v=padding(most + 1))
    assert refusal(dynamodb.update_item, **over) == TOO_LARGE
    dynamodb.update_item(**request_of(before, expression, v=padding(most)))


# Source: measured against the service by users, October 2026.
def test_clauses_are_weighed_before_the_condition(dynamodb, request_of):
    request = request_of({}, "SET a = :v", v=padding(ITEM_BYTES_MAX))
    for _ in range(2):
        told = refusal(dynamodb.update_item, **request, ConditionExpression="attribute_exists(b)")
        assert told == TOO_LARGE


# In us-east-1 an update in a transaction is sized as its finished item alone. Source: D.3.3.
@pytest.mark.parametrize("before", [None, {}, {"b": padding(300_000)}])
def test_finished_item_of_a_transaction_may_have_400_kb(dynamodb, table, before):
    dynamodb.delete_item(TableName=table, Key=KEY)
    if before is not None:
        dynamodb.put_item(TableName=table, Item={**KEY, **before})
    most = ITEM_BYTES_MAX - 3 - 1

    def sent(size):
        value = values(v=padding(size))
        return update(table, KEY, "SET b = :v", ExpressionAttributeValues=value)

    told = reasons(dynamodb.transact_write_items, sent(most + 1))
    assert told == [invalid(TOO_LARGE[1])]
    dynamodb.transact_write_items(TransactItems=[sent(most)])
    assert stored(dynamodb, table, KEY) == {**KEY, "b": padding(most)}


# AttributeUpdates are sized as the finished item alone. Source: D.3.4.
def test_finished_item_of_attribute_updates_may_have_400_kb(dynamodb, table):
    dynamodb.put_item(TableName=table, Item={**KEY, "b": padding(300_000)})
    most = ITEM_BYTES_MAX - 3 - 1
    request = {"TableName": table, "Key": KEY}
    over = {"b": {"Value": padding(most + 1)}}
    assert refusal(dynamodb.update_item, **request, AttributeUpdates=over) == TOO_LARGE
    dynamodb.update_item(**request, AttributeUpdates={"b": {"Value": padding(most)}})
    assert stored(dynamodb, table, KEY) == {**KEY, "b": padding(most)}
