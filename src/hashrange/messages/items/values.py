"""Texts about attribute values and keys, and the two family prefixes that other texts share.

Numbers are those of docs/internals/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

from collections.abc import Sequence
from typing import Final

from hashrange.messages.text import Text

INVALID: Final = "One or more parameter values were invalid: "
"""The prefix of most texts."""
NOT_VALID: Final = "One or more parameter values are not valid. "
"""The prefix of newer texts."""

# No member that names a type. Verified.
value_empty = Text("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes", 30)
# Two members or more. Verified; never enveloped.
value_of_many_types = Text("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes", 31)
# With two spaces, as the service sends it. Verified.
string_set_empty = Text(INVALID + "An string set  may not be empty", 32)
# With two spaces, as the service sends it. Verified.
number_set_empty = Text(INVALID + "An number set  may not be empty", 33)
# Verified.
binary_set_empty = Text(INVALID + "Binary sets should not be empty", 34)


def string_set_repeats(members: Sequence[str]) -> str:
    """Current wording; `members` as it lists them. Source: catalogue 35, verified."""
    quoted = ", ".join(f'"{member}"' for member in members)
    return INVALID + f"Input collection [{quoted}] contains duplicates."


# Older wording; `members` as sent. Verified.
string_set_repeats_older = Text(INVALID + "Input collection [{members}] contains duplicates.", 35)


def binary_set_repeats(members: Sequence[str]) -> str:
    """Current wording, without spaces; base64 as it lists them. Source: catalogue 36, verified."""
    quoted = ",".join(f'"{member}"' for member in members)
    return INVALID + f"Input collection [{quoted}]of type BS contains duplicates."


# Older wording; base64 as sent. Verified.
binary_set_repeats_older = Text(INVALID + "Input collection [{members}]of type BS contains duplicates.", 36)
# Current wording, with a full stop. Verified.
number_set_repeats = Text(INVALID + "Input collection contains duplicates.", 37)
# Older wording. Verified.
number_set_repeats_older = Text("Input collection contains duplicates", 37)
# NULL with false. Verified.
null_not_true = Text(INVALID + "Null attribute value types must have the value of true", 38)
# Not a number, or an exponent that is too long. Verified.
number_not_numeric = Text("The parameter cannot be converted to a numeric value: {text}", 39)
# The empty text in the older wording. Verified.
number_empty_older = Text("The parameter cannot be converted to a numeric value", 39)
# More than 38 significant digits. Verified.
number_too_many_digits = Text("Attempting to store more than 38 significant digits in a Number", 40)
# Also for sums of more than 38 digits. Verified.
number_overflow = Text("Number overflow. Attempting to store a number with magnitude larger than supported range", 41)
# Nearer to zero than 1E-130. Verified.
number_underflow = Text("Number underflow. Attempting to store a number with magnitude smaller than supported range", 42)
# More than 32 levels. Verified.
nesting_too_deep = Text("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit", 43)
# In both wordings. Verified in transactions.
attribute_name_empty = Text("Empty attribute name", 46)
# More than 65,535 bytes. From another implementation.
attribute_name_too_large = Text(INVALID + "Attribute name is too large, must be less than 65536 bytes", 47)
# A SerializationException. Source: measured against the service by users.
base64_length = Text("Base64 encoded length is expected a multiple of 4 bytes but found: {characters}")
# A SerializationException: misplaced padding, or bits beyond the last byte. "dectected" is the
# service's spelling. Source: measured against the service by users.
base64_last_character = Text("Invalid last non-pad Base64 character dectected")
# A SerializationException: a character that is not base64. Source: another implementation.
base64_alphabet = Text("Unexpected value type in payload")


_EMPTY_STRING: Final = "The AttributeValue for a key attribute cannot contain an empty string value."
_EMPTY_BINARY: Final = "The AttributeValue for a key attribute cannot contain an empty binary value."

# A key with missing, further or wrongly typed attributes. Verified.
key_schema_mismatch = Text("The provided key element does not match the schema", 50)
# An item without a key attribute. Verified.
key_missing = Text(INVALID + "Missing the key {name} in the item", 51)
# An item whose key attribute has another type. Verified.
key_type_mismatch = Text(INVALID + "Type mismatch for key {name} expected: {expected} actual: {actual}", 52)
# Verified.
key_empty_string = Text(NOT_VALID + _EMPTY_STRING + " Key: {name}", 54)
# Verified.
key_empty_binary = Text(NOT_VALID + _EMPTY_BINARY + " Key: {name}", 54)
# Without a space before the figure. Verified.
partition_key_too_large = Text(INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes", 55, 63)
# A sort key of a table or an index. Verified.
sort_key_too_large = Text(INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes", 56, 63)
# A value of a wrong type for an index key, known from the request. Verified.
index_key_type_mismatch = Text(INVALID + "Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}", 57)


def index_key_empty_string(name: str, index: str) -> str:
    """A put. Source: catalogue 58, verified."""
    return NOT_VALID + _index_key_not_supported(_EMPTY_STRING, name, index)


def index_key_empty_binary(name: str, index: str) -> str:
    """A put. Source: catalogue 58, verified."""
    return NOT_VALID + _index_key_not_supported(_EMPTY_BINARY, name, index)


def _index_key_not_supported(why: str, name: str, index: str) -> str:
    return f"A value specified for a secondary index key is not supported. {why} IndexName: {index}, IndexKey: {name}"


def index_key_updated_to_empty_string() -> str:
    """An update. Source: catalogue 59, verified."""
    return NOT_VALID + _index_key_updated(_EMPTY_STRING)


def index_key_updated_to_empty_binary() -> str:
    """An update. Source: catalogue 59, by analogy with the string."""
    return NOT_VALID + _index_key_updated(_EMPTY_BINARY)


def _index_key_updated(why: str) -> str:
    return f"The update expression attempted to update a secondary index key to a value that is not supported. {why}"


# An update to a value whose type depends on the item. Verified.
index_key_updated_to_other_type = Text("The update expression attempted to update the secondary index key to unsupported type", 60)
# An update to more than 2,048 or 1,024 bytes. Documentation.
index_key_updated_beyond_size = Text("The update expression attempted to update the secondary index key beyond allowed size limits", 61, 63)
