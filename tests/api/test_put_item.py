"""PutItem."""

import pytest

from tests.api.items import INVALID, NOT_VALID, answer, stored
from tests.api.refusals import VALIDATION, refusal


# The answer has no member that was not asked for: SDKs compare it with an empty one. Source: A.3.
def test_answer_is_empty(dynamodb, simple, pk):
    item = {"pk": {"S": pk}, "a": {"N": "1"}}
    assert answer(dynamodb.put_item, TableName=simple, Item=item) == {}
    assert stored(dynamodb, simple, {"pk": {"S": pk}}) == item


# A put is no update: attributes that the new item does not have are gone. Source: A.3.
def test_item_is_replaced_as_a_whole(dynamodb, simple, pk):
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, "a": {"N": "1"}, "b": {"N": "2"}})
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}, "b": {"S": "3"}})
    assert stored(dynamodb, simple, {"pk": {"S": pk}}) == {"pk": {"S": pk}, "b": {"S": "3"}}


# Both keys make an item's identity.
def test_item_of_another_sort_key_is_another(dynamodb, composite, pk):
    items = [{"pk": {"S": pk}, "sk": {"S": sort}, "a": {"S": sort}} for sort in ("x", "y")]
    for item in items:
        dynamodb.put_item(TableName=composite, Item=item)
    for item in items:
        key = {"pk": item["pk"], "sk": item["sk"]}
        assert stored(dynamodb, composite, key) == item


# The old item as it was stored: numbers in their canonical form. Source: A.3, D.2.
def test_all_old_answers_the_item_before(dynamodb, simple, pk):
    old = {"pk": {"S": pk}, "a": {"N": "-0015.789e6"}, "m": {"M": {"b": {"L": []}}}}
    dynamodb.put_item(TableName=simple, Item=old)
    told = answer(
        dynamodb.put_item, TableName=simple, Item={"pk": {"S": pk}}, ReturnValues="ALL_OLD"
    )
    assert told == {"Attributes": {**old, "a": {"N": "-15789000"}}}


# There is no empty Attributes: the member is absent. Source: A.3.
def test_all_old_of_a_new_item_answers_nothing(dynamodb, simple, pk):
    request = {"TableName": simple, "Item": {"pk": {"S": pk}}, "ReturnValues": "ALL_OLD"}
    assert answer(dynamodb.put_item, **request) == {}


# NONE is the default, and says so.
def test_none_answers_nothing_of_the_item_before(dynamodb, simple, pk):
    request = {"TableName": simple, "Item": {"pk": {"S": pk}}, "ReturnValues": "NONE"}
    dynamodb.put_item(**request)
    assert answer(dynamodb.put_item, **request) == {}


# A table without local indexes has no item collections to tell the size of. Source: A.3.
@pytest.mark.parametrize("wanted", ["SIZE", "NONE"])
def test_no_metrics_without_local_indexes(dynamodb, simple, pk, wanted):
    request = {"TableName": simple, "Item": {"pk": {"S": pk}}}
    assert answer(dynamodb.put_item, **request, ReturnItemCollectionMetrics=wanted) == {}


# Keys are strings, numbers or binary; a key of each finds its item. Source: D.1.
@pytest.mark.parametrize(("kind", "value"), [("S", "ключ"), ("N", "-12.5"), ("B", b"\x00\xff\x00")])
def test_keys_of_each_type(dynamodb, new_table, kind, value):
    table = new_table(pk=kind, sk=kind)
    item = {"pk": {kind: value}, "sk": {kind: value}, "a": {"BOOL": True}}
    dynamodb.put_item(TableName=table, Item=item)
    assert stored(dynamodb, table, {"pk": item["pk"], "sk": item["sk"]}) == item


# `1`, `1.0` and `1e0` are one key, and the item has its canonical form. Source: D.2.
def test_number_keys_are_equal_by_value(dynamodb, numbered, pk):
    for spelt in ("1", "1.0", "1e0", "+01"):
        item = {"pk": {"S": pk}, "sk": {"N": spelt}, "a": {"S": spelt}}
        dynamodb.put_item(TableName=numbered, Item=item)
    query = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": pk}}}
    listed = dynamodb.query(TableName=numbered, **query)["Items"]
    assert listed == [{"pk": {"S": pk}, "sk": {"N": "1"}, "a": {"S": "+01"}}]


# Catalogue 52.
@pytest.mark.parametrize(
    "value",
    [
        {"N": "1"},
        {"B": b"abc"},
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["a"]},
        {"NS": ["1"]},
        {"BS": [b"a"]},
        {"L": []},
        {"M": {}},
    ],
)
def test_key_attribute_is_of_another_type(dynamodb, composite, pk, value):
    text = "Type mismatch for key {} expected: S actual: " + next(iter(value))
    for item, name in (
        ({"pk": value, "sk": {"S": "a"}}, "pk"),
        ({"pk": {"S": pk}, "sk": value}, "sk"),
    ):
        told = refusal(dynamodb.put_item, TableName=composite, Item=item)
        assert told == (VALIDATION, INVALID + text.format(name))


# Catalogue 54: empty strings are fine everywhere but in keys.
@pytest.mark.parametrize(
    ("kind", "empty", "noun"), [("S", "", "string value"), ("B", b"", "binary value")]
)
def test_key_attribute_is_empty(dynamodb, new_table, kind, empty, noun):
    table = new_table(pk=kind, sk=kind)
    full = {"pk": {kind: b"a" if kind == "B" else "a"}, "sk": {kind: b"a" if kind == "B" else "a"}}
    for name in ("pk", "sk"):
        told = refusal(dynamodb.put_item, TableName=table, Item={**full, name: {kind: empty}})
        text = f"The AttributeValue for a key attribute cannot contain an empty {noun}."
        assert told == (VALIDATION, f"{NOT_VALID}{text} Key: {name}")
