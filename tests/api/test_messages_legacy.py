"""Texts about parameters from before expressions, by their numbers in the catalogue.

Each number is met once in each operation that can say it; all forms stand in the tests of the
parameters themselves.
"""

import pytest

from tests.api.items import INVALID
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
    equal,
)
from tests.api.querying import TOO_MANY_CONDITIONS, unechoed
from tests.api.refusals import VALIDATION, breaks, refusal, violated

A, ONE = {"S": "a"}, {"N": "1"}
KEY = {"pk": {"S": "k"}, "sk": {"S": "k"}}
IS_K = equal(pk={"S": "k"})
BASE = {
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": KEY},
    "UpdateItem": {"Key": KEY},
    "DeleteItem": {"Key": KEY},
    "Query": {"KeyConditions": IS_K},
    "Scan": {},
}
CALLS = {
    "GetItem": "get_item",
    "PutItem": "put_item",
    "UpdateItem": "update_item",
    "DeleteItem": "delete_item",
    "Query": "query",
    "Scan": "scan",
}
WRITES, READS = ["PutItem", "UpdateItem", "DeleteItem"], ["Query", "Scan"]
NO_VALUE = f"{INVALID}Only DELETE action is allowed when no attribute value is specified"
TO_GET = "AttributesToGet"


def _id(value):
    text = value if isinstance(value, str) else repr(value)
    return text[:40]


@pytest.fixture
def told(dynamodb, composite):
    """Code and text of what an operation is refused for, with these members changed."""

    def refused(operation, **members):
        request = {"TableName": composite, **BASE[operation], **members}
        return refusal(getattr(dynamodb, CALLS[operation]), **request)

    return refused


# Entries of Expected: in the envelope, as all of these operations.
@pytest.mark.parametrize("operation", WRITES)
@pytest.mark.parametrize(
    ("number", "entry", "text"),
    [
        (
            210,
            {"Value": A, **compared("EQ", A)},
            f"{INVALID}Value and AttributeValueList cannot be used together for Attribute: x",
        ),
        (
            211,
            {"Exists": True, **compared("EQ", A)},
            f"{INVALID}Exists and ComparisonOperator cannot be used together for Attribute: x",
        ),
        (
            212,
            {"ComparisonOperator": "EQ"},
            (
                f"{INVALID}Value or AttributeValueList must be used with ComparisonOperator: EQ "
                "for Attribute: x"
            ),
        ),
        (
            213,
            {"AttributeValueList": [A]},
            (
                f"{INVALID}AttributeValueList can only be used with a ComparisonOperator "
                "for Attribute: x"
            ),
        ),
        (
            214,
            {"Exists": True},
            f"{INVALID}Value must be provided when Exists is true for Attribute: x",
        ),
        (214, {}, f"{INVALID}Value must be provided when Exists is null for Attribute: x"),
        (
            215,
            {"Exists": False, "Value": A},
            f"{INVALID}Value cannot be used when Exists is false for Attribute: x",
        ),
        (216, compared("BETWEEN", A), COUNT.format("BETWEEN")),
        (217, compared("IN", A, ONE), TYPES_DIFFER),
        (218, compared("BETWEEN", {"N": "2"}, ONE), REVERSED),
        (219, compared("CONTAINS", {"L": [A]}), TYPE.format("CONTAINS", "L")),
    ],
    ids=_id,
)
def test_expected(told, operation, number, entry, text):
    assert told(operation, Expected={"x": entry}) == violated(text)


# Entries of filters: bare in both layers.
@pytest.mark.parametrize("operation", READS)
@pytest.mark.parametrize(
    ("number", "entry", "text"),
    [
        (216, compared("EQ"), COUNT.format("EQ")),
        (217, compared("IN", A, ONE), TYPES_DIFFER),
        (218, compared("BETWEEN", {"N": "10"}, {"N": "9"}), REVERSED),
        (219, compared("LT", {"BOOL": True}), TYPE.format("LT", "BOOL")),
    ],
    ids=_id,
)
def test_filters(told, operation, number, entry, text):
    assert told(operation, **{f"{operation}Filter": {"x": entry}}) == (VALIDATION, text)


# AttributeUpdates.
@pytest.mark.parametrize(
    ("number", "action", "text"),
    [
        (220, {}, NO_VALUE),
        (220, {"Action": "ADD"}, NO_VALUE),
        (
            221,
            {"Action": "DELETE", "Value": A},
            f"{INVALID}DELETE action with value is not supported for the type S",
        ),
        (
            222,
            {"Action": "ADD", "Value": A},
            f"{INVALID}ADD action is not supported for the type S",
        ),
    ],
    ids=_id,
)
def test_attribute_updates(told, number, action, text):
    assert told("UpdateItem", AttributeUpdates={"x": action}) == violated(text)


# KeyConditions.
@pytest.mark.parametrize(
    ("number", "conditions", "text"),
    [
        (111, {"x": compared("EQ", A)}, "Query condition missed key schema element: pk"),
        (112, {"pk": compared("LT", A)}, "Query key condition not supported"),
        (113, equal(pk=ONE), f"{INVALID}Condition parameter type does not match schema type"),
        (216, {"pk": compared("EQ")}, COUNT.format("EQ")),
        (223, {}, "Conditions can be of length 1 or 2 only"),
        (
            223,
            {**IS_K, "sk": compared("NULL"), "x": compared("NULL")},
            "Conditions can be of length 1 or 2 only",
        ),
        (
            224,
            {**IS_K, "sk": compared("NE", A)},
            "Attempted conditional constraint is not an indexable operation",
        ),
    ],
    ids=_id,
)
def test_key_conditions(told, number, conditions, text):
    assert told("Query", KeyConditions=conditions) == (VALIDATION, text)


# Catalogue 115, of a key with one attribute.
def test_more_conditions_than_key_attributes(dynamodb, simple):
    conditions = {**IS_K, **equal(a=A)}
    told = refusal(dynamodb.query, TableName=simple, KeyConditions=conditions)
    assert told == (VALIDATION, TOO_MANY_CONDITIONS.format(2, 1))


# A query's filter may not name the key.
@pytest.mark.parametrize(("number", "name"), [(121, "pk"), (121, "sk")])
def test_query_filter_on_the_key(told, number, name):
    text = "QueryFilter can only contain non-primary key attributes: Primary key attribute: "
    assert told("Query", QueryFilter=equal(**{name: A})) == (VALIDATION, text + name)


TWO = {"a": {"Exists": False}, "b": {"Value": A}}


# Of ConditionalOperator, in the words of each layer.
@pytest.mark.parametrize("operation", [*WRITES, *READS])
@pytest.mark.parametrize(
    ("number", "operator", "count"), [(25, "XOR", 2), (226, "AND", 1), (227, "OR", 0)]
)
def test_conditional_operator(told, operation, number, operator, count):
    is_write = operation in WRITES
    name = "Expected" if is_write else f"{operation}Filter"
    two = TWO if is_write else equal(a=A, b=A)
    entries = dict(list(two.items())[:count])
    text = {25: OPERATORS_CURRENT, 226: ONE_CONDITION, 227: NO_CONDITIONS}[number]
    if operation == "Scan" and number == 25:
        text = ENVELOPE + OPERATORS_OLDER
    elif is_write:
        text = ENVELOPE + text
    members = {"ConditionalOperator": operator, **({name: entries} if entries else {})}
    assert told(operation, **members) == (VALIDATION, text)


# Of AttributesToGet; the texts of the model in the words of each layer.
@pytest.mark.parametrize(
    ("number", "operation", "members", "expected"),
    [
        *(
            (
                9,
                operation,
                {TO_GET: []},
                violated(unechoed(TO_GET, "have length greater than or equal to 1")),
            )
            for operation in ("GetItem", "Query")
        ),
        (
            9,
            "Scan",
            {TO_GET: []},
            violated(breaks([], "attributesToGet", "have length greater than or equal to 1")),
        ),
        *(
            (
                70,
                operation,
                {TO_GET: ["a"], "ProjectionExpression": "a"},
                (VALIDATION, MIXED.format(TO_GET, "ProjectionExpression")),
            )
            for operation in ("GetItem", "Scan")
        ),
        *(
            (
                225,
                operation,
                {TO_GET: ["a", "b", "a"]},
                (VALIDATION, f"{INVALID}Duplicate value in attribute name: a"),
            )
            for operation in ("GetItem", "Query", "Scan")
        ),
    ],
    ids=_id,
)
def test_attributes_to_get(told, number, operation, members, expected):
    assert told(operation, **members) == expected
