"""Conditional writes: what a client is told if a condition fails, and that nothing has changed."""

import pytest

from tests.api.items import FAILED, answer, error_of, names, stored, values
from tests.api.refusals import refusal

OPERATIONS = ["PutItem", "UpdateItem", "DeleteItem"]
NEVER = "attribute_exists(#no)"
"""Fails for every item of these tests."""
NO_NAME = {"#no": "never-there"}
OF_ALL_TYPES = {
    "s": {"S": "né😀"},
    "n": {"N": "10"},
    "b": {"B": b"\x01\xff"},
    "yes": {"BOOL": True},
    "nil": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": [b"\x01", b"\x02"]},
    "l": {"L": [{"M": {"k": {"N": "7"}}}]},
    "m": {"M": {"k": {"L": []}}},
}


def _writes(dynamodb, table, key):
    """The three writes of one key, as functions of a condition's members."""
    return {
        "PutItem": lambda **more: dynamodb.put_item(
            TableName=table, Item={**key, "new": {"BOOL": True}}, **more
        ),
        "UpdateItem": lambda **more: dynamodb.update_item(
            TableName=table, Key=key, UpdateExpression="REMOVE a SET c = pk", **more
        ),
        "DeleteItem": lambda **more: dynamodb.delete_item(TableName=table, Key=key, **more),
    }


# Catalogue 109: nothing is changed, and nothing told of the item that was not asked for.
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("wanted", [{}, {"ReturnValuesOnConditionCheckFailure": "NONE"}])
def test_failed_condition_changes_nothing(dynamodb, simple, pk, operation, wanted):
    key = {"pk": {"S": pk}}
    item = {**key, "a": {"N": "1"}}
    dynamodb.put_item(TableName=simple, Item=item)
    write = _writes(dynamodb, simple, key)[operation]
    error = error_of(write, ConditionExpression=NEVER, ExpressionAttributeNames=NO_NAME, **wanted)
    assert (error["Error"]["Code"], error["Error"]["Message"]) == FAILED
    assert error["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert "Item" not in error
    assert stored(dynamodb, simple, key) == item


# The item stands in the error's body, whole and as it was. Source: A.3, A.6.
@pytest.mark.parametrize("operation", OPERATIONS)
def test_failed_condition_answers_the_item(dynamodb, simple, pk, operation):
    key = {"pk": {"S": pk}}
    item = {**key, **OF_ALL_TYPES}
    dynamodb.put_item(TableName=simple, Item=item)
    write = _writes(dynamodb, simple, key)[operation]
    error = error_of(
        write,
        ConditionExpression=NEVER,
        ExpressionAttributeNames=NO_NAME,
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert (error["Error"]["Code"], error["Error"]["Message"]) == FAILED
    assert error["Item"] == item


# There is none to answer; the condition fails all the same, and nothing comes into being.
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("wanted", ["NONE", "ALL_OLD"])
def test_failed_condition_on_a_missing_item(dynamodb, simple, pk, operation, wanted):
    key = {"pk": {"S": pk}}
    write = _writes(dynamodb, simple, key)[operation]
    error = error_of(
        write,
        ConditionExpression="attribute_exists(pk)",
        ReturnValuesOnConditionCheckFailure=wanted,
    )
    assert (error["Error"]["Code"], error["Error"]["Message"]) == FAILED
    assert "Item" not in error
    assert stored(dynamodb, simple, key) is None


# What is wanted of a failure is not answered where there is none.
@pytest.mark.parametrize("operation", OPERATIONS)
def test_condition_that_holds_answers_nothing_more(dynamodb, simple, pk, operation):
    key = {"pk": {"S": pk}}
    dynamodb.put_item(TableName=simple, Item=key)
    write = _writes(dynamodb, simple, key)[operation]
    told = answer(
        write,
        ConditionExpression="pk = :p",
        ExpressionAttributeValues=values(p={"S": pk}),
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert told == {}


# It is the item before the write that is tested, not what is put.
def test_put_is_tested_on_the_item_before(dynamodb, simple, pk):
    item = {"pk": {"S": pk}, "a": {"N": "1"}}
    request = {"TableName": simple, "Item": item, "ConditionExpression": "attribute_exists(a)"}
    assert refusal(dynamodb.put_item, **request) == FAILED
    dynamodb.put_item(TableName=simple, Item=item)
    assert answer(dynamodb.put_item, **request) == {}


# A condition alone, without an update, still decides whether a key-only item is created.
def test_condition_without_an_update(dynamodb, simple, pk):
    request = {"TableName": simple, "Key": {"pk": {"S": pk}}}
    refused = {**request, "ConditionExpression": "attribute_exists(pk)"}
    assert refusal(dynamodb.update_item, **refused) == FAILED
    assert stored(dynamodb, simple, request["Key"]) is None
    dynamodb.update_item(**request, ConditionExpression="attribute_not_exists(pk)")
    assert stored(dynamodb, simple, request["Key"]) == request["Key"]


# The classic lock: of two who want to be first, one is.
def test_second_of_two_loses(dynamodb, composite, pk):
    request = {
        "TableName": composite,
        "Item": {"pk": {"S": pk}, "sk": {"S": "lock"}},
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    assert answer(dynamodb.put_item, **request) == {}
    assert refusal(dynamodb.put_item, **request) == FAILED


# Condition and update share the placeholders; each may use what the other does not.
def test_condition_and_update_share_placeholders(dynamodb, simple, pk):
    key = {"pk": {"S": pk}}
    dynamodb.put_item(TableName=simple, Item={**key, "size": {"N": "3"}})
    dynamodb.update_item(
        TableName=simple,
        Key=key,
        ConditionExpression="#size < :most AND #size > :zero",
        UpdateExpression="SET #size = #size + :one, #next = :zero",
        ExpressionAttributeNames=names("size", "next"),
        ExpressionAttributeValues=values(most={"N": "4"}, one={"N": "1"}, zero={"N": "0"}),
    )
    assert stored(dynamodb, simple, key) == {**key, "size": {"N": "4"}, "next": {"N": "0"}}
