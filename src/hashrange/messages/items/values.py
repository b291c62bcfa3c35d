"""Texts about attribute values, and the two family prefixes that other texts share.

"Catalogue n" is the number in docs/messages.md; *verified* texts were measured against the service
by users or stand in its documentation.
"""

from collections.abc import Sequence
from typing import Final

INVALID: Final = "One or more parameter values were invalid: "
"""The prefix of most texts."""
NOT_VALID: Final = "One or more parameter values are not valid. "
"""The prefix of newer texts."""


def value_empty() -> str:
    """No member that names a type. Source: catalogue 30, verified."""
    return "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"


def value_of_many_types() -> str:
    """Two members or more. Source: catalogue 31, verified; never enveloped."""
    return (
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes"
    )


def string_set_empty() -> str:
    """With two spaces, as the service sends it. Source: catalogue 32, verified."""
    return INVALID + "An string set  may not be empty"


def number_set_empty() -> str:
    """With two spaces, as the service sends it. Source: catalogue 33, verified."""
    return INVALID + "An number set  may not be empty"


def binary_set_empty() -> str:
    """Source: catalogue 34, verified."""
    return INVALID + "Binary sets should not be empty"


def string_set_repeats(members: Sequence[str]) -> str:
    """Current wording; `members` as it lists them. Source: catalogue 35, verified."""
    quoted = ", ".join(f'"{member}"' for member in members)
    return INVALID + f"Input collection [{quoted}] contains duplicates."


def string_set_repeats_older(members: Sequence[str]) -> str:
    """Older wording; `members` as sent. Source: catalogue 35, verified."""
    return INVALID + f"Input collection [{', '.join(members)}] contains duplicates."


def binary_set_repeats(members: Sequence[str]) -> str:
    """Current wording, without spaces; base64 as it lists them. Source: catalogue 36, verified."""
    quoted = ",".join(f'"{member}"' for member in members)
    return INVALID + f"Input collection [{quoted}]of type BS contains duplicates."


def binary_set_repeats_older(members: Sequence[str]) -> str:
    """Older wording; base64 as sent. Source: catalogue 36, verified."""
    return INVALID + f"Input collection [{', '.join(members)}]of type BS contains duplicates."


def number_set_repeats() -> str:
    """Current wording, with a full stop. Source: catalogue 37, verified."""
    return INVALID + "Input collection contains duplicates."


def number_set_repeats_older() -> str:
    """Older wording. Source: catalogue 37, verified."""
    return "Input collection contains duplicates"


def null_not_true() -> str:
    """NULL with false. Source: catalogue 38, verified."""
    return INVALID + "Null attribute value types must have the value of true"


def number_not_numeric(text: str) -> str:
    """Not a number, or an exponent that is too long. Source: catalogue 39, verified."""
    return f"The parameter cannot be converted to a numeric value: {text}"


def number_empty_older() -> str:
    """The empty text in the older wording. Source: catalogue 39, verified."""
    return "The parameter cannot be converted to a numeric value"


def number_too_many_digits() -> str:
    """More than 38 significant digits. Source: catalogue 40, verified."""
    return "Attempting to store more than 38 significant digits in a Number"


def number_overflow() -> str:
    """Also for sums of more than 38 digits. Source: catalogue 41, verified."""
    return (
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    )


def number_underflow() -> str:
    """Nearer to zero than 1E-130. Source: catalogue 42, verified."""
    return (
        "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    )


def nesting_too_deep() -> str:
    """More than 32 levels. Source: catalogue 43, verified."""
    return (
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )


def attribute_name_empty() -> str:
    """In both wordings. Source: catalogue 46, verified in transactions."""
    return "Empty attribute name"


def attribute_name_too_large() -> str:
    """More than 65,535 bytes. Source: catalogue 47, from another implementation."""
    return INVALID + "Attribute name is too large, must be less than 65536 bytes"


def base64_length(characters: int) -> str:
    """A SerializationException. Source: measured against the service by users."""
    return f"Base64 encoded length is expected a multiple of 4 bytes but found: {characters}"


def base64_last_character() -> str:
    """A SerializationException: misplaced padding, or bits beyond the last byte.

    "dectected" is the service's spelling. Source: measured against the service by users.
    """
    return "Invalid last non-pad Base64 character dectected"


def base64_alphabet() -> str:
    """A SerializationException: a character that is not base64. Source: another implementation."""
    return "Unexpected value type in payload"
