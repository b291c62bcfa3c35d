"""Texts of the item operations, by their numbers in the catalogue: text, code, operation, envelope.

What an expression is refused for in all its forms stands in the unit tests of expressions; here
each number is met once, on the way through each operation.
"""

import pytest

from tests.api.items import INVALID, NOT_VALID, SCHEMA
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, breaks, brief, refusal, violated

KEY = {"pk": {"S": "k"}, "sk": {"S": "k"}}
BASE = {
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": KEY},
    "UpdateItem": {"Key": KEY},
    "DeleteItem": {"Key": KEY},
}
WRITES = ["PutItem", "UpdateItem", "DeleteItem"]
ALL = ["GetItem", *WRITES]
OF_A_KEY = ["GetItem", "UpdateItem", "DeleteItem"]
CALLS = {
    "GetItem": "get_item",
    "PutItem": "put_item",
    "UpdateItem": "update_item",
    "DeleteItem": "delete_item",
}
ENUM = "Failed to satisfy constraint: Member must satisfy enum value set: "
CAPACITIES, METRICS, OLD_OR_NONE = (
    f"satisfy enum value set: [{values}]"
    for values in ("INDEXES, TOTAL, NONE", "SIZE, NONE", "ALL_OLD, NONE")
)
UPDATE_VALUES = f"{ENUM}[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


@pytest.fixture
def told(dynamodb, composite):
    """Code and text of what an operation is refused for, with these members changed."""

    def refused(operation, /, **members):
        request = {"TableName": composite, **BASE[operation], **members}
        sent = {name: value for name, value in request.items() if value is not None}
        return refusal(getattr(dynamodb, CALLS[operation]), **sent)

    return refused


# The model's constraints: in the envelope for every operation (A.4). Of the enums only ReturnValues
# is not shown. Source: captures of the service, September 2026.
@pytest.mark.parametrize("operation", ALL)
@pytest.mark.parametrize(
    ("number", "members", "text"),
    [
        (1, {"TableName": None}, absent("tableName")),
        (
            2,
            {"TableName": ""},
            (
                "Value at 'TableName' failed to satisfy constraint: "
                "Member must have length greater than or equal to 1"
            ),
        ),
        (
            3,
            {"TableName": "a" * 256},
            breaks("a" * 256, "tableName", "have length less than or equal to 255"),
        ),
        (4, {"TableName": "bad;name"}, breaks("bad;name", "tableName", PATTERN)),
        (
            23,
            {"ReturnConsumedCapacity": "ALL"},
            breaks("ALL", "returnConsumedCapacity", CAPACITIES),
        ),
    ],
    ids=brief,
)
def test_constraints(told, operation, number, members, text):
    assert told(operation, **members) == violated(text)


# The same, of members that not all operations have.
@pytest.mark.parametrize(
    ("number", "operations", "members", "text"),
    [
        (8, OF_A_KEY, {"Key": None}, absent("key")),
        (8, ["PutItem"], {"Item": None}, absent("item")),
        (23, WRITES, {"ReturnValues": "all_old"}, UPDATE_VALUES),
        (
            23,
            WRITES,
            {"ReturnItemCollectionMetrics": "TOTAL"},
            breaks("TOTAL", "returnItemCollectionMetrics", METRICS),
        ),
        (
            23,
            WRITES,
            {"ReturnValuesOnConditionCheckFailure": "ALL_NEW"},
            breaks("ALL_NEW", "returnValuesOnConditionCheckFailure", OLD_OR_NONE),
        ),
    ],
    ids=brief,
)
def test_constraints_of_some(told, number, operations, members, text):
    for operation in operations:
        expected = violated(text)
        assert told(operation, **members) == expected


def _semantic(operation, text):
    """A text that writes put into the envelope, and reads do not."""
    return (VALIDATION, text) if operation == "GetItem" else violated(text)


OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
NUMERIC = "The parameter cannot be converted to a numeric value: "


# Faults of values, of a key or an item: in the envelope for writes (A.4).
@pytest.mark.parametrize("operation", ALL)
@pytest.mark.parametrize(
    ("number", "value", "text"),
    [
        (
            30,
            {},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (32, {"SS": []}, INVALID + "An string set  may not be empty"),
        (33, {"NS": []}, INVALID + "An number set  may not be empty"),
        (34, {"BS": []}, INVALID + "Binary sets should not be empty"),
        (35, {"SS": ["a", "a"]}, INVALID + 'Input collection ["a", "a"] contains duplicates.'),
        (
            36,
            {"BS": [b"a", b"a"]},
            INVALID + 'Input collection ["YQ==","YQ=="]of type BS contains duplicates.',
        ),
        (37, {"NS": ["1", "1.0"]}, INVALID + "Input collection contains duplicates."),
        (38, {"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
        (39, {"N": "x"}, NUMERIC + "x"),
        (40, {"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
        (41, {"N": "1e126"}, OVERFLOW),
        (42, {"N": "1e-131"}, UNDERFLOW),
    ],
    ids=brief,
)
def test_values(told, operation, number, value, text):
    member = "Item" if operation == "PutItem" else "Key"
    assert told(operation, **{member: {**KEY, "sk": value}}) == _semantic(operation, text)


MANY = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
LONG = {"S": "x" * 2049}
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
EMPTY_KEY = (
    f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. "
    "Key: sk"
)
HASH_TOO_LONG = f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_TOO_LONG = (
    f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
)


# Never in the envelope: what keys are refused for, several types, and sizes (A.4).
@pytest.mark.parametrize(
    ("number", "operations", "attributes", "text"),
    [
        (31, ALL, {"sk": {"S": "a", "N": "1"}}, MANY),
        (44, ["PutItem"], {"a": {"S": "x" * 409_600}}, ITEM_TOO_LARGE),
        (50, OF_A_KEY, {"a": {"S": "x"}}, SCHEMA),
        (50, OF_A_KEY, {"sk": {"N": "1"}}, SCHEMA),
        (
            52,
            ["PutItem"],
            {"sk": {"N": "1"}},
            f"{INVALID}Type mismatch for key sk expected: S actual: N",
        ),
        (54, ALL, {"sk": {"S": ""}}, EMPTY_KEY),
        (55, ALL, {"pk": LONG}, HASH_TOO_LONG),
        (56, ALL, {"sk": LONG}, RANGE_TOO_LONG),
    ],
    ids=brief,
)
def test_bare_texts(told, number, operations, attributes, text):
    for operation in operations:
        member = "Item" if operation == "PutItem" else "Key"
        assert told(operation, **{member: {**KEY, **attributes}}) == (VALIDATION, text)


# Catalogue 51.
def test_key_is_missing_in_the_item(told):
    expected = (VALIDATION, f"{INVALID}Missing the key sk in the item")
    assert told("PutItem", Item={"pk": {"S": "a"}}) == expected


MIXED = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {%s} Expression parameters: {%s}"
)
EXPECTED = {"Expected": {"a": {"Exists": False}}}
CONDITION = {"ConditionExpression": "attribute_exists(a)"}


# Catalogue 70, with all parameters of either style, in the envelope for writes.
@pytest.mark.parametrize(
    ("operation", "members", "old", "new"),
    [
        ("PutItem", {**EXPECTED, **CONDITION}, "Expected", "ConditionExpression"),
        ("DeleteItem", {**EXPECTED, **CONDITION}, "Expected", "ConditionExpression"),
        ("UpdateItem", {**EXPECTED, **CONDITION}, "Expected", "ConditionExpression"),
        (
            "UpdateItem",
            {**EXPECTED, "AttributeUpdates": {}, "UpdateExpression": "", **CONDITION},
            "AttributeUpdates, Expected",
            "UpdateExpression, ConditionExpression",
        ),
        (
            "GetItem",
            {"AttributesToGet": ["a"], "ProjectionExpression": "a"},
            "AttributesToGet",
            "ProjectionExpression",
        ),
    ],
    ids=brief,
)
def test_styles_are_mixed(told, operation, members, old, new):
    assert told(operation, **members) == _semantic(operation, MIXED % (old, new))


ALONE = "can only be specified when using expressions"
NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"
EXPRESSION = {
    "GetItem": {"ProjectionExpression": "a"},
    "PutItem": CONDITION,
    "UpdateItem": {"UpdateExpression": "REMOVE a"},
    "DeleteItem": CONDITION,
}


# Placeholders, in the envelope for writes.
@pytest.mark.parametrize(
    ("number", "operations", "with_expression", "members", "text"),
    [
        (71, ALL, False, {NAMES: {"#a": "a"}}, f"{NAMES} {ALONE}"),
        (72, WRITES, False, {VALUES: {":a": LONG}}, f"{VALUES} {ALONE}"),
        (73, ALL, True, {NAMES: {}}, f"{NAMES} must not be empty"),
        (74, WRITES, True, {VALUES: {}}, f"{VALUES} must not be empty"),
        (
            75,
            ALL,
            True,
            {NAMES: {"a": "a"}},
            f'{NAMES} contains invalid key: Syntax error; key: "a"',
        ),
        (
            75,
            ALL,
            True,
            {NAMES: {"#": "a"}},
            f'{NAMES} contains invalid key: Syntax error; key: "#"',
        ),
        (
            76,
            WRITES,
            True,
            {VALUES: {"a": LONG}},
            f'{VALUES} contains invalid key: Syntax error; key: "a"',
        ),
        (
            77,
            ALL,
            True,
            {NAMES: {"#a": ""}},
            f"{NAMES} contains invalid value: Empty attribute name for key #a",
        ),
        (
            79,
            ALL,
            True,
            {NAMES: {"#a": "a", "#b": "b"}},
            f"Value provided in {NAMES} unused in expressions: keys: {{#a, #b}}",
        ),
        (
            80,
            WRITES,
            True,
            {VALUES: {":a": LONG, ":b": LONG}},
            f"Value provided in {VALUES} unused in expressions: keys: {{:a, :b}}",
        ),
    ],
    ids=brief,
)
def test_placeholders(told, number, operations, with_expression, members, text):
    for operation in operations:
        more = EXPRESSION[operation] if with_expression else {}
        expected = _semantic(operation, text)
        assert told(operation, **more, **members) == expected


# Catalogue 154: no operation on items names the table, and none envelopes it.
@pytest.mark.parametrize("operation", ALL)
def test_table_is_not_there(told, operation):
    expected = (NOT_FOUND, "Requested resource not found")
    assert told(operation, TableName="never-made") == expected
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/never-made"
    assert told(operation, TableName=arn) == expected


# Catalogue 62, not in the envelope.
def test_key_attribute_is_updated(told):
    text = "Cannot update attribute sk. This attribute is part of the key"
    assert told("UpdateItem", UpdateExpression="REMOVE sk") == (VALIDATION, INVALID + text)


# Catalogue 122, not in the envelope.
@pytest.mark.parametrize("operation", ALL)
def test_path_leads_below_a_key(told, operation):
    expression = {
        "GetItem": {"ProjectionExpression": "sk.a"},
        "UpdateItem": {"UpdateExpression": "SET a = sk[0]"},
    }.get(operation, {"ConditionExpression": "attribute_exists(sk.a)"})
    text = "list random access '[]' and map lookup '.' are not allowed: Key: sk"
    expected = (VALIDATION, f"Key attributes must be scalars; {text}")
    assert told(operation, **expression) == expected
