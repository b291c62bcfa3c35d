"""Members of a wrong kind, in the service's words."""

from typing import Any

import pytest

from hashrange.errors import DynamoError
from hashrange.wire.member_types import Scalar
from hashrange.wire.reading import read
from tests.rows import rows
from tests.unit.wire.model import refusal

CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')"
)
OBJECT = "Start of structure or map found where not expected"
FIELD = "Unexpected field type"
VALUE = "Unexpected value type in payload"
BASE64 = "only base-64-encoded strings are convertible to bytes"
PACKAGE = "com.amazonaws.dynamodb.v20120810."
MAP = "Unrecognized collection type java.util.Map<java.lang.String, {}>"
CLASS = "Unrecognized collection type class {}"


# Wrong kinds, place by place: what is said depends on the kind of token, on the Java type, and on
# whether the place is a member or an element. All rows were captured from the service by users.
STRING = [
    (True, "TRUE_VALUE cannot be converted to String"),
    (False, "FALSE_VALUE cannot be converted to String"),
    (23, "NUMBER_VALUE cannot be converted to String"),
    (-2147483648, "NUMBER_VALUE cannot be converted to String"),
    (34.56, "DECIMAL_VALUE cannot be converted to String"),
    ([], CLASS.format("java.lang.String")),
    ({}, OBJECT),
]
BOOLEAN = [
    ("23", "Unexpected token received from parser"),
    (23, "NUMBER_VALUE cannot be converted to Boolean"),
    (34.56, "DECIMAL_VALUE cannot be converted to Boolean"),
    ([], CLASS.format("java.lang.Boolean")),
    ({}, OBJECT),
]


def number(java, package="lang"):
    return [
        ("many", f"STRING_VALUE cannot be converted to {java}"),
        (True, f"TRUE_VALUE cannot be converted to {java}"),
        (False, f"FALSE_VALUE cannot be converted to {java}"),
        ([], CLASS.format(f"java.{package}.{java}")),
        ({}, OBJECT),
    ]


BLOB = [
    (True, BASE64),
    (23, BASE64),
    (34.56, BASE64),
    ([], CLASS.format("java.nio.ByteBuffer")),
    ({}, OBJECT),
]


def scalars(text):
    return [("23", text), (True, text), (23, text), (-2147483648, text), (34.56, text)]


LIST = [*scalars(FIELD), ({}, OBJECT)]
LIST_ELEMENT = [*scalars(CAST), ({}, OBJECT)]


def map_of(value, text=FIELD):
    return [*scalars(text), ([], MAP.format(value))]


def member(name):
    return [*scalars(FIELD), ([], CLASS.format(PACKAGE + name))]


def element(name):
    return [*scalars(VALUE), ([], CLASS.format(PACKAGE + name))]


TARGET_VALUE = (
    "ProvisionedWriteCapacityAutoScalingUpdate.ScalingPolicyUpdate"
    ".TargetTrackingScalingPolicyConfiguration.TargetValue"
)
ATTRIBUTE_VALUE = [
    ("{}.S", STRING),
    ("{}.N", STRING),
    ("{}.B", BLOB),
    ("{}.BOOL", BOOLEAN),
    ("{}.NULL", BOOLEAN),
    ("{}.SS", LIST),
    ("{}.SS.0", STRING),
    ("{}.NS", LIST),
    ("{}.NS.0", STRING),
    ("{}.BS", LIST),
    ("{}.BS.0", BLOB),
    ("{}.L", LIST),
    ("{}.L.0", element("AttributeValue")),
    ("{}.L.0.BS", LIST),
    ("{}.L.0.BS.0", BLOB),
    ("{}.M", map_of(PACKAGE + "AttributeValue")),
    ("{}.M.a", element("AttributeValue")),
    ("{}.M.a.BS.0", BLOB),
]


def values_at(path):
    return [(template.format(path), rows) for template, rows in ATTRIBUTE_VALUE]


KINDS = {
    "PutItem": [
        ("TableName", STRING),
        ("Item", map_of(PACKAGE + "AttributeValue")),
        ("Item.a", element("AttributeValue")),
        *values_at("Item.a"),
        ("Expected", map_of(PACKAGE + "ExpectedAttributeValue")),
        ("Expected.a", element("ExpectedAttributeValue")),
        ("Expected.a.Exists", BOOLEAN),
        ("Expected.a.Value", member("AttributeValue")),
        *values_at("Expected.a.Value"),
        ("Expected.a.AttributeValueList", LIST),
        ("Expected.a.AttributeValueList.0", element("AttributeValue")),
        ("ExpressionAttributeNames", map_of("java.lang.String")),
        ("ExpressionAttributeNames.a", STRING),
    ],
    "Query": [
        ("Limit", number("Integer")),
        ("ConsistentRead", BOOLEAN),
        ("AttributesToGet", LIST),
        ("AttributesToGet.0", STRING),
    ],
    "CreateTable": [
        ("ProvisionedThroughput", member("ProvisionedThroughput")),
        ("ProvisionedThroughput.WriteCapacityUnits", number("Long")),
        ("KeySchema", LIST),
        ("KeySchema.0", element("KeySchemaElement")),
        ("KeySchema.0.KeyType", STRING),
        ("LocalSecondaryIndexes.0.Projection", member("Projection")),
        ("LocalSecondaryIndexes.0.Projection.NonKeyAttributes.0", STRING),
    ],
    "BatchWriteItem": [
        ("RequestItems", map_of(f"java.util.List<{PACKAGE}WriteRequest>")),
        ("RequestItems.a", LIST_ELEMENT),
        ("RequestItems.a.0", element("WriteRequest")),
        ("RequestItems.a.0.DeleteRequest", member("DeleteRequest")),
        ("RequestItems.a.0.DeleteRequest.Key", map_of(PACKAGE + "AttributeValue")),
        *values_at("RequestItems.a.0.PutRequest.Item.b"),
    ],
    "BatchGetItem": [
        ("RequestItems", map_of(PACKAGE + "KeysAndAttributes")),
        ("RequestItems.a.Keys.0", map_of(PACKAGE + "AttributeValue", CAST)),
    ],
    "ListBackups": [("TimeRangeLowerBound", number("Date", "util"))],
    "UpdateTableReplicaAutoScaling": [(TARGET_VALUE, number("Double"))],
}
WRONG = [
    (operation, path, wrong, text)
    for operation, places in KINDS.items()
    for path, rows in places
    for wrong, text in rows
]


def nested(path, innermost):
    """A body that holds a value at a path; `0` is the only element of a list."""
    data: Any = innermost
    for step in reversed(path.split(".")):
        data = [data] if step == "0" else {step: data}
    return data


@rows(("operation", "path", "wrong", "text"), WRONG)
def test_a_wrong_kind_is_refused(operation, path, wrong, text):
    assert refusal(operation, nested(path, wrong)) == text


# A GUI that people use sends capacity units as the text of its form; all else is refused.
@pytest.mark.parametrize(
    ("text", "read_as"), [("23", 23), ("007", 7), ("9" * 19, 2**63 - 1), ("0", 0)]
)
def test_units_as_text(text, read_as):
    assert read(text, Scalar.LONG) == read_as


@rows("text", ["", "-1", "+1", " 1", "1.0", "1e3", "٣", "9" * 20])
def test_what_is_no_units(text):
    with pytest.raises(DynamoError, match="STRING_VALUE cannot be converted to Long"):
        read(text, Scalar.LONG)
    with pytest.raises(DynamoError, match="STRING_VALUE cannot be converted to Integer"):
        read("23", Scalar.INTEGER)
