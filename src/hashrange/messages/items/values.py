"""Texts about attribute values, and the two family prefixes that other texts share.

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
