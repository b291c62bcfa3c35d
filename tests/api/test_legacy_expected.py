"""Expected and ConditionalOperator: the condition of a write, from before expressions.

What each operator means is held against a model in the unit tests; here it is met through each of
the three writes. Texts are those of the message catalogue, in the envelope of these operations.
"""

import pytest

from tests.api.items import FAILED, INVALID, NO_TABLE, error_of, stored
from tests.api.legacy import (
    COUNT,
    ENVELOPE,
    MIXED,
    NO_CONDITIONS,
    ONE_CONDITION,
    OPERATORS_CURRENT,
    OPERATORS_OLDER,
    REVERSED,
    TYPE,
    TYPES_DIFFER,
    compared,
)
from tests.api.refusals import VALIDATION, absent, refusal, violated

OPERATIONS = ["PutItem", "UpdateItem", "DeleteItem"]
A, ONE = {"S": "a"}, {"N": "1"}
ITEM = {
    "s": {"S": "hello"},
    "n": {"N": "10"},
    "b": {"B": b"\x01\xff"},
    "ss": {"SS": ["a", "b"]},
    "l": {"L": [{"N": "7"}, {"S": "x"}]},
    "nil": {"NULL": True},
}
BAD_NUMBER = {"N": "x"}
NOT_NUMERIC = "The parameter cannot be converted to a numeric value: x"


def _write(dynamodb, table, key, operation):
    """A write of one key, as a function of further members."""
    return {
        "PutItem": lambda **more: dynamodb.put_item(
            **{"TableName": table, "Item": {**key, "new": ONE}, **more}
        ),
        "UpdateItem": lambda **more: dynamodb.update_item(
            **{"TableName": table, "Key": key, "AttributeUpdates": {"new": {"Value": ONE}}, **more}
        ),
        "DeleteItem": lambda **more: dynamodb.delete_item(
            **{"TableName": table, "Key": key, **more}
        ),
    }[operation]


def _after(operation, key, item):
    """The item that a write of `_write` leaves."""
    return {"PutItem": {**key, "new": ONE}, "UpdateItem": {**item, "new": ONE}}.get(operation)


HOLD = [
    {"s": {"Value": {"S": "hello"}}},
    {"n": {"Value": {"N": "1e1"}, "Exists": True}},
    {"none": {"Exists": False}},
    {"n": compared("EQ", {"N": "10.0"})},
    {"l": compared("EQ", ITEM["l"])},
    {"nil": compared("EQ", {"NULL": True})},
    {"s": compared("NE", A)},
    {"none": compared("NE", A)},
    {"n": compared("LE", {"N": "10"})},
    {"n": {"ComparisonOperator": "LT", "Value": {"N": "10.5"}}},
    {"n": compared("GE", {"N": "9"})},
    {"b": compared("GT", {"B": b"\x01\x80"})},
    {"nil": {"ComparisonOperator": "NOT_NULL"}},
    {"none": compared("NULL")},
    {"s": compared("CONTAINS", {"S": "ell"})},
    {"ss": compared("CONTAINS", A)},
    {"l": compared("CONTAINS", {"N": "7"})},
    {"ss": compared("NOT_CONTAINS", {"S": "z"})},
    {"b": compared("BEGINS_WITH", {"B": b"\x01"})},
    {"n": compared("IN", ONE, {"N": "10"})},
    {"s": compared("BETWEEN", {"S": "a"}, {"S": "hello"})},
    {"none": {"Exists": False}, "s": {"Value": {"S": "hello"}}},
]
FAIL = [
    {"s": {"Value": A}},
    {"none": {"Value": A}},
    {"nil": {"Exists": False}},
    {"n": compared("EQ", {"S": "10"})},
    {"s": compared("NE", {"S": "hello"})},
    {"n": compared("LT", {"N": "10"})},
    {"n": compared("GT", {"S": "1"})},
    {"none": compared("NOT_NULL")},
    {"nil": compared("NULL")},
    {"s": compared("CONTAINS", ONE)},
    {"ss": compared("NOT_CONTAINS", A)},
    # Unlike NE, it fails where there is no attribute. Source: E.6.
    {"none": compared("NOT_CONTAINS", A)},
    {"n": compared("BEGINS_WITH", {"S": "1"})},
    # Not the members of a set, but the set.
    {"ss": compared("IN", A, {"S": "b"})},
    {"none": compared("BETWEEN", A, {"S": "b"})},
    {"s": {"Value": {"S": "hello"}}, "n": {"Value": ONE}},
]


# A write whose condition holds is done.
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("expected", HOLD, ids=str)
def test_condition_holds(dynamodb, simple, key, operation, expected):
    item = {**key, **ITEM}
    dynamodb.put_item(TableName=simple, Item=item)
    _write(dynamodb, simple, key, operation)(Expected=expected)
    assert stored(dynamodb, simple, key) == _after(operation, key, item)


# One whose condition fails changes nothing. Catalogue 109.
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("expected", FAIL, ids=str)
def test_condition_fails(dynamodb, simple, key, operation, expected):
    item = {**key, **ITEM}
    dynamodb.put_item(TableName=simple, Item=item)
    assert refusal(_write(dynamodb, simple, key, operation), Expected=expected) == FAILED
    assert stored(dynamodb, simple, key) == item


# AND is what is meant where nothing is said. Source: E.6.
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("members", "holds"),
    [({}, False), ({"ConditionalOperator": "AND"}, False), ({"ConditionalOperator": "OR"}, True)],
)
def test_conditional_operator(dynamodb, simple, key, operation, members, holds):
    item = {**key, **ITEM}
    dynamodb.put_item(TableName=simple, Item=item)
    write = _write(dynamodb, simple, key, operation)
    request = {"Expected": {"s": {"Value": A}, "n": compared("GT", ONE)}, **members}
    if holds:
        write(**request)
        assert stored(dynamodb, simple, key) == _after(operation, key, item)
    else:
        assert refusal(write, **request) == FAILED
        assert stored(dynamodb, simple, key) == item


# The classic lock: of two that create an item, one is told that it is there.
@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem"])
def test_create_only(dynamodb, simple, key, operation):
    write = _write(dynamodb, simple, key, operation)
    write(Expected={"pk": {"Exists": False}})
    assert stored(dynamodb, simple, key) == {**key, "new": ONE}
    assert refusal(write, Expected={"pk": {"Exists": False}}) == FAILED


# A condition on an item that is not there sees no attribute at all.
def test_delete_of_a_missing_item(dynamodb, simple, key):
    write = _write(dynamodb, simple, key, "DeleteItem")
    write(Expected={"a": compared("NE", A), "pk": {"Exists": False}})
    assert refusal(write, Expected={"pk": {"Value": key["pk"]}}) == FAILED


# Nothing expected is no condition. Source: E.6.
@pytest.mark.parametrize("operation", OPERATIONS)
def test_empty_expected(dynamodb, simple, key, operation):
    dynamodb.put_item(TableName=simple, Item={**key, **ITEM})
    _write(dynamodb, simple, key, operation)(Expected={})
    assert stored(dynamodb, simple, key) == _after(operation, key, {**key, **ITEM})


# As for a ConditionExpression. Source: A.3.
@pytest.mark.parametrize("operation", OPERATIONS)
def test_failed_condition_answers_the_item(dynamodb, simple, key, operation):
    item = {**key, **ITEM}
    dynamodb.put_item(TableName=simple, Item=item)
    write = _write(dynamodb, simple, key, operation)
    wanted = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    error = error_of(write, Expected={"s": {"Value": A}}, **wanted)
    assert error["Item"] == item
    assert "Item" not in error_of(write, Expected={"s": {"Value": A}})


VALUE_ABSENT = f"{INVALID}Value must be provided when Exists is {{}} for Attribute: x"
NO_ARGUMENTS = (
    f"{INVALID}Value or AttributeValueList must be used with ComparisonOperator: EQ "
    "for Attribute: x"
)
MALFORMED = [
    (
        210,
        {"Value": A, "ComparisonOperator": "EQ", "AttributeValueList": [A]},
        f"{INVALID}Value and AttributeValueList cannot be used together for Attribute: x",
    ),
    (
        211,
        {"Exists": True, **compared("EQ", A)},
        f"{INVALID}Exists and ComparisonOperator cannot be used together for Attribute: x",
    ),
    (212, {"ComparisonOperator": "EQ"}, NO_ARGUMENTS),
    (
        213,
        {"AttributeValueList": [A]},
        f"{INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: x",
    ),
    (214, {}, VALUE_ABSENT.format("null")),
    (214, {"Exists": True}, VALUE_ABSENT.format("true")),
    (
        215,
        {"Exists": False, "Value": A},
        f"{INVALID}Value cannot be used when Exists is false for Attribute: x",
    ),
    (216, compared("BETWEEN", A), COUNT.format("BETWEEN")),
    (216, compared("NULL", A), COUNT.format("NULL")),
    (216, compared("IN"), COUNT.format("IN")),
    (216, compared("IN", *[A] * 101), COUNT.format("IN")),
    (217, compared("IN", A, ONE), TYPES_DIFFER),
    (218, compared("BETWEEN", {"N": "2"}, ONE), REVERSED),
    (219, compared("CONTAINS", {"L": [A]}), TYPE.format("CONTAINS", "L")),
    (219, compared("BEGINS_WITH", ONE), TYPE.format("BEGINS_WITH", "N")),
    (39, {"Value": BAD_NUMBER}, NOT_NUMERIC),
    (32, compared("EQ", {"SS": []}), f"{INVALID}An string set  may not be empty"),
    (
        30,
        {"Value": {}},
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("number", "entry", "text"), MALFORMED, ids=str)
def test_malformed_entries(dynamodb, simple, key, operation, number, entry, text):
    told = refusal(_write(dynamodb, simple, key, operation), Expected={"x": entry})
    assert told == (VALIDATION, ENVELOPE + text)
    assert stored(dynamodb, simple, key) is None


# 25 with the service's own spelling.
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("number", "members", "text"),
    [
        (227, {"ConditionalOperator": "AND"}, NO_CONDITIONS),
        (227, {"ConditionalOperator": "OR", "Expected": {}}, NO_CONDITIONS),
        (226, {"ConditionalOperator": "OR", "Expected": {"a": {"Value": A}}}, ONE_CONDITION),
        (
            25,
            {
                "ConditionalOperator": "XOR",
                "Expected": {"a": {"Exists": False}, "b": {"Value": BAD_NUMBER}},
            },
            OPERATORS_CURRENT,
        ),
    ],
)
def test_conditional_operator_is_refused(dynamodb, simple, key, operation, number, members, text):
    told = refusal(_write(dynamodb, simple, key, operation), **members)
    assert told == (VALIDATION, ENVELOPE + text)


# By analogy with other enums of these operations.
@pytest.mark.parametrize("operation", OPERATIONS)
def test_unknown_comparison_operator(dynamodb, simple, key, operation):
    told = refusal(_write(dynamodb, simple, key, operation), Expected={"x": compared("eq", A)})
    constraint = (
        "Failed to satisfy constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, "
        "NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"
    )
    assert told == violated(constraint)


# Without a key the older layer tells all at once. Source: public tests against the service, 2026.
def test_without_key(dynamodb, simple):
    told = refusal(
        dynamodb.update_item,
        TableName=simple,
        Expected={"a": {"Exists": False}, "b": {"Exists": False}},
        ConditionalOperator="XOR",
    )
    assert told == violated(OPERATORS_OLDER, absent("key"))


# Each legacy parameter excludes all expressions. Catalogue 70; the order is the service's.
@pytest.mark.parametrize(
    ("operation", "members", "legacy", "expressions"),
    [
        (
            operation,
            {"ConditionalOperator": "AND", "ConditionExpression": "a = b"},
            "ConditionalOperator",
            "ConditionExpression",
        )
        for operation in ["PutItem", "DeleteItem"]
    ]
    + [
        (
            operation,
            {"ConditionalOperator": "AND", "Expected": {}, "ConditionExpression": ""},
            "Expected, ConditionalOperator",
            "ConditionExpression",
        )
        for operation in ["PutItem", "DeleteItem"]
    ]
    + [
        (
            "UpdateItem",
            {
                "Expected": {"a": {}},
                "ConditionalOperator": "OR",
                "UpdateExpression": "",
                "ConditionExpression": "",
            },
            "AttributeUpdates, Expected, ConditionalOperator",
            "UpdateExpression, ConditionExpression",
        )
    ],
)
def test_styles_are_not_mixed(dynamodb, simple, key, operation, members, legacy, expressions):
    told = refusal(_write(dynamodb, simple, key, operation), **members)
    assert told == (VALIDATION, ENVELOPE + MIXED.format(legacy, expressions))


# Of two faults, the one that DynamoDB tells. Sources: A.4, public tests against the service.
NAMES = {"ExpressionAttributeNames": {"#a": "a"}}
NAMES_ALONE = "ExpressionAttributeNames can only be specified when using expressions"
VALUE_MISSING = f"{INVALID}Value must be provided when Exists is null for Attribute: a"


@pytest.mark.parametrize(
    ("operation", "members", "text"),
    [
        ("PutItem", {"Expected": {"a": {}}, **NAMES}, NAMES_ALONE),
        ("PutItem", {"ConditionalOperator": "AND", **NAMES}, NAMES_ALONE),
        ("DeleteItem", {"Expected": {"a": {"Exists": False}}, **NAMES}, NAMES_ALONE),
        ("PutItem", {"ConditionalOperator": "AND", "Item": {"pk": BAD_NUMBER}}, NO_CONDITIONS),
        ("PutItem", {"Expected": {"a": {}}, "Item": {"pk": BAD_NUMBER}}, NOT_NUMERIC),
        ("DeleteItem", {"Expected": {"a": {}}, "Key": {"pk": BAD_NUMBER}}, NOT_NUMERIC),
        ("UpdateItem", {"Expected": {"a": {}}, "Key": {"pk": BAD_NUMBER}}, NOT_NUMERIC),
        (
            "PutItem",
            {"Expected": {"a": {}}, "ReturnValues": "ALL_NEW"},
            "ReturnValues can only be ALL_OLD or NONE",
        ),
        (
            "UpdateItem",
            {"Expected": {"a": {}}, "AttributeUpdates": {"b": {}}},
            f"{INVALID}Only DELETE action is allowed when no attribute value is specified",
        ),
        # Before the key is compared with the schema, and before it is known that a table exists.
        ("UpdateItem", {"Expected": {"a": {}}, "Key": {"no": A}}, VALUE_MISSING),
        ("PutItem", {"Expected": {"a": {}}, "TableName": "never-made"}, VALUE_MISSING),
        # The first entry, as sent.
        ("PutItem", {"Expected": {"a": {}, "b": {"Value": BAD_NUMBER}}}, VALUE_MISSING),
        ("PutItem", {"Expected": {"b": {"Value": BAD_NUMBER}, "a": {}}}, NOT_NUMERIC),
    ],
)
def test_order_of_checks(dynamodb, simple, key, operation, members, text):
    told = refusal(_write(dynamodb, simple, key, operation), **members)
    assert told == (VALIDATION, ENVELOPE + text)


# The table comes before the condition is tested.
def test_no_table(dynamodb, key):
    write = _write(dynamodb, "never-made", key, "PutItem")
    assert refusal(write, Expected={"a": {"Value": A}}) == NO_TABLE
