"""Texts of SerializationException, and about ARNs in the place of names.

SerializationException is for bodies that are JSON with a member of a wrong type. DynamoDB names
neither the member nor its value: the text depends on the kind of JSON token, on the Java type that
was expected, and on whether the value is a member of a structure or an element of a list or map.
"""

from typing import Final

from hashrange.messages.requests import constraints

_PACKAGE: Final = "com.amazonaws.dynamodb.v20120810."


def cannot_be_converted(token: str, java_type: str) -> str:
    """A scalar of another kind, e.g. a number where text is expected.

    Args:
        token: NUMBER_VALUE, DECIMAL_VALUE, STRING_VALUE, TRUE_VALUE or FALSE_VALUE.
        java_type: simple name, e.g. `String`, `Integer`.

    Source: captures of the service, replayed by two emulators' suites.
    """
    return f"{token} cannot be converted to {java_type}"


def unexpected_object() -> str:
    """A JSON object where a scalar or a list is expected. Source: captures of the service."""
    return "Start of structure or map found where not expected"


def unexpected_field_type() -> str:
    """A scalar where a member is a list, map or structure. Source: captures of the service."""
    return "Unexpected field type"


def unexpected_value_type() -> str:
    """A scalar where an element is a structure. Source: captures of the service."""
    return "Unexpected value type in payload"


def unexpected_token() -> str:
    """A text other than `true` and `false` where a boolean is expected. Source: captures."""
    return "Unexpected token received from parser"


def unrecognized_collection(java_type: str) -> str:
    """A JSON array where a scalar, map or structure is expected.

    Args:
        java_type: with its package, as Java prints it.

    Source: captures of the service.
    """
    return f"Unrecognized collection type {java_type}"


def qualified(name: str) -> str:
    """The name of a structure of the API with its Java package."""
    return _PACKAGE + name


def byte_buffer(size: int) -> str:
    """Binary data as Java prints it. Source: the documentation of `java.nio.Buffer`."""
    return f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]"


def parameterized_type_cast() -> str:
    """A scalar where an element is itself a list or a map. Source: captures of the service."""
    return (
        "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
        "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
        "java.lang.Class are in module java.base of loader 'bootstrap')"
    )


def blob_is_no_text() -> str:
    """A boolean or number where a blob is expected. Source: captures of the service."""
    return "only base-64-encoded strings are convertible to bytes"


def null_in_string_set() -> str:
    """A null among the members of a string set. Source: by analogy, not verified."""
    return (
        "One or more parameter values were invalid: "
        "An string set may not have a null string as a member"
    )


def null_in_binary_set() -> str:
    """A null among the members of a binary set. Source: captures of the older service."""
    return (
        "One or more parameter values were invalid: "
        "Binary sets may not contain null or empty values"
    )


def arn_region(arn: str) -> str:
    """An ARN as TableName with another region. Source: measured by users, October 2026."""
    return f"1 validation error detected: Invalid AWS region in '{arn}'"


def arn_region_of_items(arn: str) -> str:
    """As `arn_region`, of operations on items. Source: captures of the service, September 2026."""
    constraint = constraints.value_echoed(arn, "tableName", "Invalid AWS region")
    return constraints.envelope([constraint])


def arn_partition(arn: str) -> str:
    """An ARN as TableName with an unknown partition. Source: measured by users, October 2026."""
    return f"1 validation error detected: Invalid AWS partition in '{arn}'"


def arn_resource_type(arn: str) -> str:
    """An ARN as TableName of another resource. Source: measured by users, October 2026."""
    return f"1 validation error detected: Invalid resource type in '{arn}'"


def arn_format(arn: str) -> str:
    """An ARN as TableName that is malformed. Source: another emulator, not verified."""
    return (
        f"1 validation error detected: Value '{arn}' at 'tableName' failed to satisfy constraint: "
        "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:"
        "resourceType/resourceName', where Resource name must have length less than or equal to "
        "255, Resource name must have length greater than or equal to 3, Resource name must "
        "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    )


def arn_prefix(text: str) -> str:
    """A ResourceArn that is not an ARN. Source: measured by users, October 2026."""
    return f"One or more parameter values were invalid: ARNs must start with 'arn:': {text}"


def invalid_resource_arn(arn: str) -> str:
    """A ResourceArn of a table that is malformed. Source: catalogue 162, verified."""
    return f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def elsewhere_resource_arn(arn: str) -> str:
    """A ResourceArn of a policy with another region. Source: measured by users, October 2026."""
    return f"One or more parameter values were invalid: Invalid resource Arn: {arn}"


def foreign_resource_arn(arn: str) -> str:
    """A ResourceArn that is not of a table. Source: measured by users, October 2026."""
    return (
        "One or more parameter values were invalid: "
        f"Provided Arn is not a DynamoDB resource arn: {arn}"
    )


def index_resource_arn(arn: str) -> str:
    """A ResourceArn of an index. Source: measured by users, October 2026."""
    return (
        "One or more parameter values were invalid: Invalid resource arn provided, only table or "
        f"stream is accepted. Provided resource arn: {arn}"
    )
