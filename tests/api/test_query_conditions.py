"""Query: the keys that a key condition selects, for each operator and each type of sort key."""

from decimal import Decimal

import pytest

from tests.api.items import INVALID, NOT_VALID, values
from tests.api.refusals import VALIDATION, refusal
from tests.api.walks import fill

# In the order of each type. Neighbours differ in a last byte or digit, are beginnings of each
# other, or stand at a boundary of the groups of 8 bytes in which keys are stored.
STRINGS = [
    "a",
    "ab",
    "abc",
    "abcdefgh",
    "abcdefgh\x00",
    "abcdefghi",
    "abd",
    "ac",
    "b",
    "é",
    "\uffff",
]
NUMBERS = ["-100", "-2.5", "-2", "-1", "0", "0.5", "1", "1.5", "2", "10", "100"]
BYTES = [b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x7f\x00", b"\xfe\xff", b"\xff", b"\xff\xff"]

EMPTY = (
    f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. Key: "
)

OPERATORS = {
    "=": lambda key, low, high: key == low,
    "<": lambda key, low, high: key < low,
    "<=": lambda key, low, high: key <= low,
    ">": lambda key, low, high: key > low,
    ">=": lambda key, low, high: key >= low,
    "BETWEEN": lambda key, low, high: low <= key <= high,
}


def comparable(kind, key):
    """A sort key as Python compares it."""
    return {"S": str.encode, "N": Decimal, "B": bytes}[kind](key)


@pytest.fixture(scope="module", params=["S", "N", "B"])
def partition(request, dynamodb, new_table):
    """A table with one partition `p`: its name, and the type and the values of its sort key."""
    kind = request.param
    keys = {"S": STRINGS, "N": NUMBERS, "B": BYTES}[kind]
    table = new_table(sk=kind)
    fill(dynamodb, table, [{"pk": {"S": "p"}, "sk": {kind: key}} for key in keys])
    fill(dynamodb, table, [{"pk": {"S": "q"}, "sk": {kind: keys[0]}}])
    return table, kind, keys


@pytest.fixture
def selected(dynamodb, partition):
    """The sort keys that a condition on `sk` selects, in both directions."""
    table, kind, _ = partition

    def query(condition, **operands):
        request = {
            "TableName": table,
            "KeyConditionExpression": f"pk = :pk AND {condition}",
            "ExpressionAttributeValues": values(
                pk={"S": "p"}, **{name: {kind: operand} for name, operand in operands.items()}
            ),
        }
        told = dynamodb.query(**request)["Items"]
        assert dynamodb.query(**request, ScanIndexForward=False)["Items"] == told[::-1]
        return [item["sk"][kind] for item in told]

    return query


# Every operator, at every key and with every second bound. Source: E.5.
@pytest.mark.parametrize("operator", OPERATORS)
def test_operator(selected, partition, operator):
    _, kind, keys = partition
    for low in keys:
        highs = [key for key in keys if comparable(kind, key) >= comparable(kind, low)]
        for high in highs if operator == "BETWEEN" else [low]:
            if operator == "BETWEEN":
                told = selected("sk BETWEEN :low AND :high", low=low, high=high)
            else:
                told = selected(f"sk {operator} :low", low=low)
            bounds = comparable(kind, low), comparable(kind, high)
            holds = OPERATORS[operator]
            assert told == [key for key in keys if holds(comparable(kind, key), *bounds)], low


# The value may stand before the comparator, which then reads the other way round. Source: E.5.
@pytest.mark.parametrize(
    ("written", "meant"), [("=", "="), ("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")]
)
def test_value_on_the_left(selected, partition, written, meant):
    _, _, keys = partition
    for key in keys[::3]:
        assert selected(f":v {written} sk", v=key) == selected(f"sk {meant} :v", v=key)


# Bounds need not be keys of items.
@pytest.mark.parametrize("partition", ["N"], indirect=True)
def test_bounds_between_items(selected, partition):
    assert selected("sk > :v", v="1.7") == ["2", "10", "100"]
    assert selected("sk BETWEEN :v AND :w", v="-1.5", w="0.1") == ["-1", "0"]
    assert selected("sk = :v", v="3") == []


# Numbers are equal by value: 1, 1.0 and 1e0 are one key. Source: D.2.
@pytest.mark.parametrize("partition", ["N"], indirect=True)
@pytest.mark.parametrize("written", ["1", "1.0", "1e0", "+1", "0.1E1", "01"])
def test_number_however_it_is_written(selected, written):
    assert selected("sk = :v", v=written) == ["1"]


# All that begin with a value, the value itself included. Source: E.5.
@pytest.mark.parametrize("partition", ["S", "B"], indirect=True)
def test_begins_with(selected, partition):
    _, _, keys = partition
    prefixes = {key[:length] for key in keys for length in range(1, len(key) + 1)}
    for prefix in sorted(prefixes):
        told = selected("begins_with(sk, :v)", v=prefix)
        assert told == [key for key in keys if key.startswith(prefix)], prefix


# A prefix of a string is one of its bytes; there is no string after the last one.
@pytest.mark.parametrize("partition", ["S"], indirect=True)
def test_begins_with_no_items_prefix(selected):
    assert selected("begins_with(sk, :v)", v="abcdefghij") == []
    assert selected("begins_with(sk, :v)", v="A") == []
    assert selected("begins_with(sk, :v)", v="\U0010ffff") == []


# Catalogue 113: begins_with is not for numbers; a string is no operand of the schema's type.
@pytest.mark.parametrize("partition", ["N"], indirect=True)
def test_begins_with_on_a_number(dynamodb, partition):
    told = refusal(
        dynamodb.query,
        TableName=partition[0],
        KeyConditionExpression="pk = :pk AND begins_with(sk, :v)",
        ExpressionAttributeValues=values(pk={"S": "p"}, v={"S": "1"}),
    )
    text = INVALID + "Condition parameter type does not match schema type"
    assert told == (VALIDATION, text)


# The conditions may stand in either order, and in one pair of parentheses each. Source: E.5.
@pytest.mark.parametrize(
    "condition",
    [
        "pk = :pk AND sk > :sk",
        "sk > :sk AND pk = :pk",
        ":pk = pk and :sk < sk",
        "(pk = :pk) AND (sk > :sk)",
        "(pk = :pk AND sk > :sk)",
        "  pk=:pk\tAND\nsk>:sk ",
    ],
)
def test_ways_to_write_a_condition(dynamodb, composite, pk, condition):
    fill(dynamodb, composite, [{"pk": {"S": pk}, "sk": {"S": letter}} for letter in "abc"])
    told = dynamodb.query(
        TableName=composite,
        KeyConditionExpression=condition,
        ExpressionAttributeValues=values(pk={"S": pk}, sk={"S": "a"}),
    )
    assert [item["sk"]["S"] for item in told["Items"]] == ["b", "c"]


# Catalogue 54 to 56: operands are keys, so they keep the limits of keys.
@pytest.mark.parametrize(
    ("partition_key", "sort_key", "text"),
    [
        ("", "x", EMPTY + "pk"),
        ("x", "", EMPTY + "sk"),
        (
            "x" * 2049,
            "x",
            INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            "x",
            "x" * 1025,
            INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
@pytest.mark.parametrize("condition", ["sk = :sk", "begins_with(sk, :sk)"])
def test_operands_keep_the_limits_of_keys(
    dynamodb, composite, partition_key, sort_key, text, condition
):
    told = refusal(
        dynamodb.query,
        TableName=composite,
        KeyConditionExpression=f"pk = :pk AND {condition}",
        ExpressionAttributeValues=values(pk={"S": partition_key}, sk={"S": sort_key}),
    )
    assert told == (VALIDATION, text)


# The longest keys that there can be are found again; zeros must not double. Source: D.4.
def test_longest_keys(dynamodb, composite, pk):
    longest = {"pk": {"S": pk.ljust(2048, "x")}, "sk": {"S": "\x00" * 1024}}
    dynamodb.put_item(TableName=composite, Item=longest)
    told = dynamodb.query(
        TableName=composite,
        KeyConditionExpression="pk = :pk AND sk = :sk",
        ExpressionAttributeValues=values(pk=longest["pk"], sk=longest["sk"]),
    )
    assert told["Items"] == [longest]
