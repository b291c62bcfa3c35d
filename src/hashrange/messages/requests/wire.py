"""Texts of SerializationException, and about ARNs in the place of names.

SerializationException is for bodies that are JSON with a member of a wrong type. DynamoDB names
neither the member nor its value: the text depends on the kind of JSON token, on the Java type that
was expected, and on whether the value is a member of a structure or an element of a list or map.
"""

from typing import Final

from hashrange.messages.requests import constraints
from hashrange.messages.text import Text

_PACKAGE: Final = "com.amazonaws.dynamodb.v20120810."

# A scalar of another kind, e.g. A number where text is expected. `token`: NUMBER_VALUE,
# DECIMAL_VALUE, STRING_VALUE, TRUE_VALUE or FALSE_VALUE. `java_type`: simple name, e.g. `String`,
# `Integer`. Source: captures of the service, replayed by two emulators' suites.
cannot_be_converted = Text("{token} cannot be converted to {java_type}")
# A JSON object where a scalar or a list is expected. Source: captures of the service.
unexpected_object = Text("Start of structure or map found where not expected")
# A scalar where a member is a list, map or structure. Source: captures of the service.
unexpected_field_type = Text("Unexpected field type")
# A scalar where an element is a structure. Source: captures of the service.
unexpected_value_type = Text("Unexpected value type in payload")
# A text other than `true` and `false` where a boolean is expected. Source: captures.
unexpected_token = Text("Unexpected token received from parser")
# A JSON array where a scalar, map or structure is expected. `java_type`: with its package, as Java
# prints it. Source: captures of the service.
unrecognized_collection = Text("Unrecognized collection type {java_type}")


def qualified(name: str) -> str:
    """The name of a structure of the API with its Java package."""
    return _PACKAGE + name


# Binary data as Java prints it. Source: the documentation of `java.nio.Buffer`.
byte_buffer = Text("java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]")
# A scalar where an element is itself a list or a map. Source: captures of the service.
parameterized_type_cast = Text("class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')")
# A boolean or number where a blob is expected. Source: captures of the service.
blob_is_no_text = Text("only base-64-encoded strings are convertible to bytes")
# A null among the members of a string set. Source: by analogy, not verified.
null_in_string_set = Text("One or more parameter values were invalid: An string set may not have a null string as a member")
# A null among the members of a binary set. Source: captures of the older service.
null_in_binary_set = Text("One or more parameter values were invalid: Binary sets may not contain null or empty values")
# An ARN as TableName with another region. Source: measured by users, October 2026.
arn_region = Text("1 validation error detected: Invalid AWS region in '{arn}'")


def arn_region_of_items(arn: str) -> str:
    """As `arn_region`, of operations on items. Source: captures of the service, September 2026."""
    constraint = constraints.value_echoed(arn, "tableName", "Invalid AWS region")
    return constraints.envelope([constraint])


# An ARN as TableName with an unknown partition. Source: measured by users, October 2026.
arn_partition = Text("1 validation error detected: Invalid AWS partition in '{arn}'")
# An ARN as TableName of another resource. Source: measured by users, October 2026.
arn_resource_type = Text("1 validation error detected: Invalid resource type in '{arn}'")
# An ARN as TableName that is malformed. Source: another emulator, not verified.
arn_format = Text(
    "1 validation error detected: Value '{arn}' at 'tableName' failed to satisfy constraint: Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where Resource name must have length less than or equal to 255, Resource name must have length greater than or equal to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
)
# A ResourceArn that is not an ARN. Source: measured by users, October 2026.
arn_prefix = Text("One or more parameter values were invalid: ARNs must start with 'arn:': {text}")
# A ResourceArn of a table that is malformed. Verified.
invalid_resource_arn = Text("Invalid TableArn: Invalid ResourceArn provided as input {arn}", 162)
# A ResourceArn of a policy with another region. Source: measured by users, October 2026.
elsewhere_resource_arn = Text("One or more parameter values were invalid: Invalid resource Arn: {arn}")
# A ResourceArn that is not of a table. Source: measured by users, October 2026.
foreign_resource_arn = Text("One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: {arn}")
# A ResourceArn of an index. Source: measured by users, October 2026.
index_resource_arn = Text("One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}")
