"""Texts of SerializationException, about ARNs in the place of names, and about broken constraints.

SerializationException is for bodies that are JSON with a member of a wrong type. DynamoDB names
neither the member nor its value: the text depends on the kind of JSON token, on the Java type that
was expected, and on whether the value is a member of a structure or an element of a list or map.

Source of the texts about constraints: the layers of validation as captured from the service.
Numbers: docs/internals/messages.md.
"""

from collections.abc import Sequence
from typing import Final

from hashrange.messages.text import Text


def envelope(violations: Sequence[str]) -> str:
    """Several violations as one text, with their count."""
    noun = "validation error" if len(violations) == 1 else "validation errors"
    return f"{len(violations)} {noun} detected: {'; '.join(violations)}"


def enveloped(text: str) -> str:
    """A text that is not a violation, in the envelope that some operations put around it.

    Source: the table of layers, verified.
    """
    return envelope([text])


# A member is absent. Verified.
value_null = Text("Value null at '{path}' failed to satisfy constraint: {constraint}", 1, 8)
# A value, as Java prints it, breaks a constraint. Verified.
value_echoed = Text("Value '{value}' at '{path}' failed to satisfy constraint: {constraint}", 3, 4, 7, 9, 11, 12, 16, 18, 20, 21, 140)
# A member's value breaks a constraint, current layer. Verified.
value_unechoed = Text("Value at '{path}' failed to satisfy constraint: {constraint}", 2, 10, 14, 19, 20, 21)
# A value is not in its enum, current layer. Verified.
failed = Text("Failed to satisfy constraint: {constraint}", 23, 25)
# The member is required. Verified.
not_null = Text("Member must not be null", 1)
# Characters of a text, elements of a list, entries of a map. Verified.
length_at_least = Text("Member must have length greater than or equal to {least}", 2, 7, 9, 14, 19)
# Characters of a text, elements of a list, entries of a map. Verified.
length_at_most = Text("Member must have length less than or equal to {most}", 3, 14, 20, 21, 140)
# A number is too small. Verified.
value_at_least = Text("Member must have value greater than or equal to {least}", 10, 11)
# A number is too large. Verified.
value_at_most = Text("Member must have value less than or equal to {most}", 12)
# The values of an enum. Verified.
enum_value_set = Text("Member must satisfy enum value set: [{values}]", 23, 25)
# Text does not match. Verified.
pattern = Text("Member must satisfy regular expression pattern: {expression}", 4)
# A key of a map breaks one of the constraints. Verified.
map_keys = Text("Map keys must satisfy constraint: [{constraints}]", 18)
# A value of a map breaks one of the constraints. Verified.
map_value = Text("Map value must satisfy constraint: [{constraints}]", 16)
# An element of a list breaks one of the constraints. Source: the model, not verified.
list_member = Text("Member must satisfy constraint: [{constraints}]")


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
    constraint = value_echoed(arn, "tableName", "Invalid AWS region")
    return envelope([constraint])


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
