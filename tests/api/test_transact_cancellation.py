"""Why a transaction is cancelled: a reason for each of its actions, in their order.

Source of all, where nothing else is said: J.3, and captures of the service by users, 2026.
"""

import pytest

from tests.api.items import INVALID, NOT_VALID, SCHEMA, padding, stored, values
from tests.api.refusals import VALIDATION, refusal
from tests.api.transactions import FAILED, NONE, check, delete, invalid, put, reasons, update

MISSING = "attribute_not_exists(pk)"
V = values(v={"S": "x"})


@pytest.fixture
def cancelled(dynamodb):
    """The reasons for which a transaction of some actions is cancelled."""

    def told(*actions):
        return reasons(dynamodb.transact_write_items, *actions)

    return told


@pytest.fixture
def keys(dynamodb, simple, pk):
    """Three keys of the table `simple`, with an item each."""
    made = [{"pk": {"S": f"{pk}-{number}"}} for number in range(3)]
    for key in made:
        dynamodb.put_item(TableName=simple, Item={**key, "a": {"S": "old"}})
    return made


# Every condition that fails is told, with the item only where it is asked for. Catalogue 200.
def test_every_condition_that_fails(cancelled, simple, keys):
    old = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    told = cancelled(
        put(simple, keys[0], ConditionExpression=MISSING, **old),
        update(simple, keys[1], "SET a = pk", ConditionExpression=MISSING),
        delete(simple, {"pk": {"S": "nobody"}}, ConditionExpression="attribute_exists(pk)", **old),
        check(simple, keys[2], MISSING, **old),
    )
    assert told == [
        {**FAILED, "Item": {**keys[0], "a": {"S": "old"}}},
        FAILED,
        FAILED,
        {**FAILED, "Item": {**keys[2], "a": {"S": "old"}}},
    ]


# Where all is well there is no message, and no item.
def test_actions_that_were_not_the_reason(cancelled, simple, keys):
    old = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    told = cancelled(
        check(simple, keys[0], "attribute_exists(pk)", **old),
        delete(simple, keys[1], ConditionExpression=MISSING),
        put(simple, keys[2]),
    )
    assert told == [NONE, FAILED, NONE]


# A key of another type, or with other attributes, is its action's reason.
@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda t: put(t, {"pk": {"N": "5"}}), "Type mismatch for key pk expected: S actual: N"),
        (
            lambda t: put(t, {"pk": {"L": [{"S": "x"}]}}),
            "Type mismatch for key pk expected: S actual: L",
        ),
        (lambda t: put(t, {"a": {"S": "x"}}), "Missing the key pk in the item"),
    ],
)
def test_keys_of_puts(cancelled, simple, keys, dynamodb, action, text):
    assert cancelled(delete(simple, keys[0]), action(simple)) == [NONE, invalid(INVALID + text)]
    assert stored(dynamodb, simple, keys[0]) is not None


@pytest.mark.parametrize(
    "key", [{"pk": {"N": "5"}}, {"pk": {"L": [{"S": "x"}]}}, {}, {"a": {"S": "x"}}]
)
@pytest.mark.parametrize(
    "action",
    [
        delete,
        lambda t, k: check(t, k, MISSING),
        lambda t, k: update(t, k, "SET a = :v", ExpressionAttributeValues=V),
    ],
)
def test_keys_of_others(cancelled, simple, keys, action, key):
    told = cancelled(action(simple, key), put(simple, keys[0]))
    assert told == [invalid(SCHEMA), NONE]


# Of the actions that are not valid the first is told, and no condition is.
def test_first_key_alone(cancelled, simple, keys):
    told = cancelled(check(simple, keys[0], MISSING), delete(simple, {}), put(simple, {}))
    assert told == [NONE, invalid(SCHEMA), NONE]


# What an update cannot do with the item that there is: catalogue 105 to 108, 41, 45, 62.
@pytest.mark.parametrize(
    ("expression", "operand", "text"),
    [
        (
            "SET m.x = :v",
            {"S": "x"},
            "The document path provided in the update expression is invalid for update",
        ),
        (
            "SET b = gone + :v",
            {"N": "1"},
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        (
            "SET b = a + :v",
            {"N": "1"},
            "An operand in the update expression has an incorrect data type",
        ),
        (
            "ADD s :v",
            {"NS": ["1"]},
            "An operand in the update expression has an incorrect data type",
        ),
        (
            "ADD n :v",
            {"N": "9E125"},
            (
                "Number overflow. "
                "Attempting to store a number with magnitude larger than supported range"
            ),
        ),
        (
            "SET b = :v",
            padding(400 * 1024),
            "Item size to update has exceeded the maximum allowed size",
        ),
    ],
)
def test_updates_that_do_not_fit(cancelled, dynamodb, simple, keys, expression, operand, text):
    item = {**keys[0], "a": {"S": "x"}, "n": {"N": "9.9E125"}, "s": {"SS": ["a"]}}
    dynamodb.put_item(TableName=simple, Item=item)
    told = cancelled(
        put(simple, keys[1]),
        update(simple, keys[0], expression, ExpressionAttributeValues=values(v=operand)),
    )
    assert told == [NONE, invalid(text)]
    assert stored(dynamodb, simple, keys[0]) == {**item, "n": {"N": "99" + "0" * 124}}


# A key cannot be changed. Catalogue 62; that it is a reason is assumed.
def test_update_of_a_key(cancelled, simple, keys):
    told = cancelled(update(simple, keys[0], "SET pk = :v", ExpressionAttributeValues=V))
    text = "Cannot update attribute pk. This attribute is part of the key"
    assert told == [invalid(INVALID + text)]


# Conditions that fail are told beside an update that does not fit, of which the first is told.
def test_conditions_beside_updates(cancelled, simple, keys):
    one = values(v={"N": "1"})
    told = cancelled(
        update(simple, keys[0], "SET b = gone + :v", ExpressionAttributeValues=one),
        update(simple, keys[1], "SET b = a + :v", ExpressionAttributeValues=one),
        check(simple, keys[2], MISSING),
    )
    text = "The provided expression refers to an attribute that does not exist in the item"
    assert told == [invalid(text), NONE, FAILED]


# An update is not tried if its condition fails.
def test_condition_before_update(cancelled, simple, keys):
    one = values(v={"N": "1"})
    action = update(
        simple,
        keys[0],
        "SET b = a + :v",
        ConditionExpression=MISSING,
        ExpressionAttributeValues=one,
    )
    assert cancelled(action) == [FAILED]


@pytest.fixture(scope="module")
def indexed(new_table):
    """A table with an index on `g` (S), and `b` (B)."""
    schema = [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]
    return new_table(
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in (("pk", "S"), ("g", "S"), ("b", "B"))
        ],
        GlobalSecondaryIndexes=[
            {"IndexName": "by-g", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
        ],
    )


# Another type in the key of an index cancels, of a put and of an update alike.
@pytest.mark.parametrize(("value", "actual"), [({"N": "5"}, "N"), ({"L": [{"S": "x"}]}, "L")])
def test_types_of_index_keys(cancelled, indexed, pk, value, actual):
    text = f"Type mismatch for Index Key g Expected: S Actual: {actual} IndexName: by-g"
    key = {"pk": {"S": pk}}
    assert cancelled(put(indexed, {**key, "g": value})) == [invalid(INVALID + text)]
    changed = update(indexed, key, "SET g = :v", ExpressionAttributeValues=values(v=value))
    assert cancelled(changed) == [invalid(INVALID + text)]


# An empty one refuses the request.
@pytest.mark.parametrize(
    ("name", "value", "kind"), [("g", {"S": ""}, "string"), ("b", {"B": b""}, "binary")]
)
def test_empty_index_keys(dynamodb, indexed, pk, name, value, kind):
    empty = f"The AttributeValue for a key attribute cannot contain an empty {kind} value."
    key = {"pk": {"S": pk}}
    told = refusal(
        dynamodb.transact_write_items, TransactItems=[put(indexed, {**key, name: value})]
    )
    text = "A value specified for a secondary index key is not supported. "
    assert told == (VALIDATION, f"{NOT_VALID}{text}{empty} IndexName: by-g, IndexKey: {name}")
    changed = update(indexed, key, f"SET {name} = :v", ExpressionAttributeValues=values(v=value))
    # Told before the condition of another action that fails.
    failing = check(indexed, {"pk": {"S": pk + "-"}}, "attribute_exists(pk)")
    told = refusal(dynamodb.transact_write_items, TransactItems=[failing, changed])
    text = (
        "The update expression attempted to update a secondary index key "
        "to a value that is not supported. "
    )
    assert told == (VALIDATION, NOT_VALID + text + empty)


# Catalogue 55 and 61: keys that are too long. That they are reasons is assumed.
def test_long_keys(cancelled, simple, indexed, keys, pk):
    text = "Size of hashkey has exceeded the maximum size limit of2048 bytes"
    assert cancelled(delete(simple, {"pk": padding(2049)})) == [invalid(INVALID + text)]
    long = values(v=padding(2049))
    changed = update(indexed, {"pk": {"S": pk}}, "SET g = :v", ExpressionAttributeValues=long)
    text = (
        "The update expression attempted to update the secondary index key "
        "beyond allowed size limits"
    )
    assert cancelled(changed) == [invalid(text)]
