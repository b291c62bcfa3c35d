"""DeleteItem."""

import pytest

from tests.api.items import answer, stored


# Source: A.3.
def test_item_is_gone(dynamodb, simple, pk):
    key = {"pk": {"S": pk}}
    dynamodb.put_item(TableName=simple, Item={**key, "a": {"N": "1"}})
    assert answer(dynamodb.delete_item, TableName=simple, Key=key) == {}
    assert stored(dynamodb, simple, key) is None


# Idempotent: a retry of a delete that was done is no error. Source: A.3.
@pytest.mark.parametrize("wanted", [None, "NONE", "ALL_OLD"])
def test_missing_item_is_no_error(dynamodb, simple, pk, wanted):
    request = {"TableName": simple, "Key": {"pk": {"S": pk}}, "ReturnValues": wanted}
    assert answer(dynamodb.delete_item, **request) == {}


# Source: A.3.
def test_all_old_answers_the_item_before(dynamodb, simple, pk):
    item = {"pk": {"S": pk}, "a": {"NS": ["1", "2"]}, "m": {"M": {"b": {"NULL": True}}}}
    dynamodb.put_item(TableName=simple, Item=item)
    request = {"TableName": simple, "Key": {"pk": {"S": pk}}, "ReturnValues": "ALL_OLD"}
    assert answer(dynamodb.delete_item, **request) == {"Attributes": item}


# NONE is the default, and says so.
def test_none_answers_nothing_of_the_item_before(dynamodb, simple, pk):
    dynamodb.put_item(TableName=simple, Item={"pk": {"S": pk}})
    request = {"TableName": simple, "Key": {"pk": {"S": pk}}, "ReturnValues": "NONE"}
    assert answer(dynamodb.delete_item, **request) == {}


# Only the item of exactly this key goes.
def test_items_of_other_sort_keys_stay(dynamodb, composite, pk):
    keys = [{"pk": {"S": pk}, "sk": {"S": sort}} for sort in ("a", "b", "bb")]
    for key in keys:
        dynamodb.put_item(TableName=composite, Item=key)
    dynamodb.delete_item(TableName=composite, Key=keys[1])
    assert [stored(dynamodb, composite, key) for key in keys] == [keys[0], None, keys[2]]


# A table without local indexes has no item collections to tell the size of. Source: A.3.
def test_no_metrics_without_local_indexes(dynamodb, simple, pk):
    request = {"TableName": simple, "Key": {"pk": {"S": pk}}}
    assert answer(dynamodb.delete_item, **request, ReturnItemCollectionMetrics="SIZE") == {}
