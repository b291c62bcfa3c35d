"""Texts of writes that depend on what is stored, or on more than one member, by catalogue number.

What an update expression is refused for without looking at an item stands with the other
expressions; here the item decides, or the item as a whole is what is wrong.
"""

import uuid

import pytest

from tests.api.items import FAILED, INVALID, NO_TABLE, padding, values
from tests.api.refusals import VALIDATION, brief, refusal, violated

CALLS = {"PutItem": "put_item", "UpdateItem": "update_item", "DeleteItem": "delete_item"}
MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
NO_PATH = "The document path provided in the update expression is invalid for update"
OLD_ONLY = "ReturnValues can only be ALL_OLD or NONE"
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
VALUES = "ExpressionAttributeValues"
ONE = {"N": "1"}


def nested(levels):
    """A value of so many levels."""
    return {"L": [nested(levels - 1)]} if levels > 1 else ONE


DEEP = nested(33)


def update(expression, **used):
    more = {VALUES: values(**used)} if used else {}
    return {"UpdateExpression": expression, **more}


@pytest.fixture(scope="module")
def key(dynamodb, composite):
    """The key of an item that has a number, a string, a list, a map and a set."""
    made = {"pk": {"S": str(uuid.uuid4())}, "sk": {"S": "k"}}
    more = {"n": ONE, "s": {"S": "1"}, "l": {"L": [ONE]}, "m": {"M": {}}, "ss": {"SS": ["a"]}}
    dynamodb.put_item(TableName=composite, Item={**made, **more})
    return made


@pytest.fixture
def told(dynamodb, composite, key):
    """Code and text of what a write to that item is refused for."""

    def refused(operation, members):
        base = {"Item" if operation == "PutItem" else "Key": key}
        request = {"TableName": composite, **base, **members}
        return refusal(getattr(dynamodb, CALLS[operation]), **request)

    return refused


@pytest.mark.parametrize(
    ("number", "operation", "members", "expected"),
    [
        (24, "PutItem", {"ReturnValues": "UPDATED_NEW"}, violated(OLD_ONLY)),
        (24, "DeleteItem", {"ReturnValues": "ALL_NEW"}, violated(OLD_ONLY)),
        # In the envelope, wherever the value stands. Source: captures of the service, 2026.
        (43, "UpdateItem", update("SET a = :v", v=DEEP), violated(TOO_DEEP)),
        (
            43,
            "DeleteItem",
            {"ConditionExpression": "a = :v", VALUES: values(v=DEEP)},
            violated(TOO_DEEP),
        ),
        # Of an item that comes to be too deep only by the update: told while it is carried out.
        (43, "UpdateItem", update("SET m.x = :v", v=nested(32)), (VALIDATION, TOO_DEEP)),
        (
            45,
            "UpdateItem",
            update("SET a = :v, b = :v", v=padding(205_000)),
            (VALIDATION, "Item size to update has exceeded the maximum allowed size"),
        ),
        (
            62,
            "UpdateItem",
            update("SET pk = :v", v=ONE),
            (VALIDATION, f"{INVALID}Cannot update attribute pk. This attribute is part of the key"),
        ),
        (105, "UpdateItem", update("SET gone.x = :v", v=ONE), (VALIDATION, NO_PATH)),
        (105, "UpdateItem", update("SET l.x = :v", v=ONE), (VALIDATION, NO_PATH)),
        (105, "UpdateItem", update("REMOVE m[0] SET a = :v", v=ONE), (VALIDATION, NO_PATH)),
        (106, "UpdateItem", update("SET a = gone"), (VALIDATION, MISSING)),
        (106, "UpdateItem", update("SET a = gone + :v", v=ONE), (VALIDATION, MISSING)),
        (107, "UpdateItem", update("SET a = s + :v", v=ONE), (VALIDATION, WRONG_TYPE)),
        (107, "UpdateItem", update("ADD s :v", v=ONE), (VALIDATION, WRONG_TYPE)),
        (107, "UpdateItem", update("DELETE n :v", v={"SS": ["a"]}), (VALIDATION, WRONG_TYPE)),
        (
            107,
            "UpdateItem",
            update("SET a = list_append(s, :v)", v={"L": []}),
            (VALIDATION, WRONG_TYPE),
        ),
        (
            108,
            "UpdateItem",
            {"AttributeUpdates": {"s": {"Action": "ADD", "Value": ONE}}},
            (VALIDATION, "Type mismatch for attribute to update"),
        ),
        *(
            (109, operation, {"ConditionExpression": "attribute_exists(gone)"}, FAILED)
            for operation in CALLS
        ),
        *((154, operation, {"TableName": "never-made"}, NO_TABLE) for operation in CALLS),
    ],
    ids=brief,
)
def test_writes_to_an_item(told, number, operation, members, expected):
    assert told(operation, members) == expected


# Of the item that is put as a whole.
@pytest.mark.parametrize(
    ("number", "item", "expected"),
    [
        (43, {"a": DEEP}, violated(TOO_DEEP)),
        (46, {"": ONE}, violated("Empty attribute name")),
        (46, {"a": {"M": {"": ONE}}}, violated("Empty attribute name")),
        (
            47,
            {"n" * 65_536: ONE},
            violated(f"{INVALID}Attribute name is too large, must be less than 65536 bytes"),
        ),
    ],
    ids=brief,
)
def test_items_that_are_put(told, key, number, item, expected):
    assert told("PutItem", {"Item": {**key, **item}}) == expected


# The partition key is looked at first, whatever else is missing or wrong. Never enveloped.
@pytest.mark.parametrize(
    ("number", "item", "text"),
    [
        (51, {"pk": {"S": "k"}}, "Missing the key sk in the item"),
        (51, {"sk": {"S": "k"}}, "Missing the key pk in the item"),
        (51, {}, "Missing the key pk in the item"),
        (52, {"pk": ONE, "sk": {"S": "k"}}, "Type mismatch for key pk expected: S actual: N"),
        (52, {"pk": {"M": {}}, "sk": {"S": ""}}, "Type mismatch for key pk expected: S actual: M"),
    ],
    ids=brief,
)
def test_keys_of_items_that_are_put(told, number, item, text):
    assert told("PutItem", {"Item": item}) == (VALIDATION, f"{INVALID}{text}")


# A fault of a value of expressions stands in words of its own on the layer of Scan.
@pytest.mark.parametrize(
    ("number", "value", "text"),
    [
        (78, {"N": "x"}, "The parameter cannot be converted to a numeric value: x"),
        (78, {"NULL": False}, f"{INVALID}Null attribute value types must have the value of true"),
    ],
    ids=["78-N", "78-NULL"],
)
def test_values_of_scan(dynamodb, simple, number, value, text):
    request = {"FilterExpression": "a = :v", "ExpressionAttributeValues": values(v=value)}
    wrapped = f"ExpressionAttributeValues contains invalid value: {text} for key :v"
    assert refusal(dynamodb.scan, TableName=simple, **request) == (VALIDATION, wrapped)
