"""How large items, keys and names may be, to the byte."""

import pytest

from hashrange.limits.requests import ITEM_BYTES_MAX
from tests.api.items import INVALID, NOT_VALID, padding, stored
from tests.api.refusals import VALIDATION, refusal, violated

TOO_LARGE = (VALIDATION, "Item size has exceeded the maximum allowed size")
HASH_TOO_LONG = f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_TOO_LONG = (
    f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
)


# Catalogue 44, not enveloped. Names and values count: text its UTF-8 bytes, binary its bytes, a
# number half a byte a digit, a container 3 and 1 for each member. The rest is filled up with a
# string, so each row tells the size of one value. Source: D.3, verified.
@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "abc"}, 3),
        ({"S": "é"}, 2),
        ({"S": "😀"}, 4),
        ({"B": b""}, 0),
        ({"B": b"\x00" * 5}, 5),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"N": "0"}, 1),
        ({"N": "1"}, 2),
        ({"N": "12"}, 2),
        ({"N": "123"}, 3),
        ({"N": "100"}, 2),
        ({"N": "0.001"}, 2),
        ({"N": "1.5"}, 3),
        ({"N": "3.14159"}, 5),
        ({"N": "123456"}, 4),
        ({"N": "-42"}, 3),
        ({"N": "1e125"}, 2),
        ({"N": "1" * 38}, 20),
        ({"N": "-" + "1" * 38}, 21),
        ({"SS": ["a", "bcd", ""]}, 4),
        ({"NS": ["1", "1.5", "-42"]}, 2 + 3 + 3),
        ({"BS": [b"ab", b"c"]}, 3),
        ({"L": []}, 3),
        ({"L": [{"S": "a"}, {"N": "1"}]}, 3 + (1 + 1) + (1 + 2)),
        ({"M": {}}, 3),
        ({"M": {"key": {"S": "a"}, "é": {"BOOL": True}}}, 3 + (1 + 3 + 1) + (1 + 2 + 1)),
        ({"L": [{"M": {"a": {"L": [{"NULL": True}]}}}]}, 3 + 1 + 3 + (1 + 1 + 3 + (1 + 1))),
    ],
)
def test_item_may_have_400_kb(dynamodb, simple, pk, value, size):
    item = {"pk": {"S": pk}, "v": value}
    rest = ITEM_BYTES_MAX - (2 + len(pk)) - (1 + size) - len("fill")
    over = {**item, "fill": padding(rest + 1)}
    assert refusal(dynamodb.put_item, TableName=simple, Item=over) == TOO_LARGE
    assert stored(dynamodb, simple, {"pk": {"S": pk}}) is None
    dynamodb.put_item(TableName=simple, Item={**item, "fill": padding(rest)})
    assert stored(dynamodb, simple, {"pk": {"S": pk}})["fill"] == padding(rest)


# The name counts too: one that is a byte longer leaves a byte less.
@pytest.mark.parametrize("name", ["a", "longer", "é", "x" * 1000])
def test_name_counts(dynamodb, simple, pk, name):
    rest = ITEM_BYTES_MAX - (2 + len(pk)) - len(name.encode())
    over = {"pk": {"S": pk}, name: padding(rest + 1)}
    assert refusal(dynamodb.put_item, TableName=simple, Item=over) == TOO_LARGE
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, name: padding(rest)})


# Many small attributes are as large as one: nothing is added for each.
def test_many_attributes(dynamodb, simple, pk):
    item = {f"{number:05}": {"S": ""} for number in range(20_000)}
    rest = ITEM_BYTES_MAX - (2 + len(pk)) - 5 * len(item) - 1
    over = {"pk": {"S": pk}, **item, "f": padding(rest + 1)}
    assert refusal(dynamodb.put_item, TableName=simple, Item=over) == TOO_LARGE
    dynamodb.put_item(TableName=simple, Item={**over, "f": padding(rest)})


# Catalogue 55 and 56: UTF-8 bytes for strings, bytes for binary; not enveloped. The largest fits.
@pytest.mark.parametrize(
    ("kind", "unit", "bytes_each"),
    [("S", "x", 1), ("S", "é", 2), ("S", "😀", 4), ("B", b"\x00", 1)],
)
def test_longest_keys(dynamodb, new_table, kind, unit, bytes_each):
    table = new_table(pk=kind, sk=kind)
    hash_key, range_key = unit * (2048 // bytes_each), unit * (1024 // bytes_each)
    one = b"x" if kind == "B" else "x"
    item = {"pk": {kind: hash_key}, "sk": {kind: range_key}, "a": {"N": "1"}}
    dynamodb.put_item(TableName=table, Item=item)
    assert stored(dynamodb, table, {"pk": item["pk"], "sk": item["sk"]}) == item
    for name, text in (("pk", HASH_TOO_LONG), ("sk", RANGE_TOO_LONG)):
        longer = {**item, name: {kind: item[name][kind] + one}}
        assert refusal(dynamodb.put_item, TableName=table, Item=longer) == (VALIDATION, text)
        longer.pop("a")
        for operation in (dynamodb.get_item, dynamodb.delete_item, dynamodb.update_item):
            assert refusal(operation, TableName=table, Key=longer) == (VALIDATION, text)


# Keys of one byte, and numbers of every size: no number comes near the limits.
@pytest.mark.parametrize("number", ["0", "1" * 38, "-1e-130", "9.9e125"])
def test_smallest_and_largest_key_values(dynamodb, numbered, pk, number):
    item = {"pk": {"S": pk}, "sk": {"N": number}}
    dynamodb.put_item(TableName=numbered, Item=item)
    assert stored(dynamodb, numbered, item) is not None


# Catalogue 54: a byte is the least.
def test_key_of_no_byte(dynamodb, composite, pk):
    text = "The AttributeValue for a key attribute cannot contain an empty string value. Key: sk"
    for call in (dynamodb.get_item, dynamodb.delete_item, dynamodb.update_item):
        told = refusal(call, TableName=composite, Key={"pk": {"S": pk}, "sk": {"S": ""}})
        assert told == (VALIDATION, NOT_VALID + text)


# Catalogue 47, enveloped as faults of values are; the longest name fits.
def test_longest_name(dynamodb, simple, pk):
    longest = {"pk": {"S": pk}, "n" * 65_535: {"S": ""}}
    dynamodb.put_item(TableName=simple, Item=longest)
    assert stored(dynamodb, simple, {"pk": {"S": pk}}) == longest
    text = "Attribute name is too large, must be less than 65536 bytes"
    over = {"pk": {"S": pk}, "n" * 65_536: {"S": ""}}
    assert refusal(dynamodb.put_item, TableName=simple, Item=over) == violated(INVALID + text)
