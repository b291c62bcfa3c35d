"""Numbers: decimal texts of up to 38 digits.

A *canonical* number is the plain decimal text that DynamoDB returns: no plus sign, no exponent, no
leading or trailing zeros, `0` for every zero. Equal numbers have equal canonical texts.
Arithmetic uses Python's integers, so it is exact and never rounds.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN
from hashrange.messages.items import values as messages
from hashrange.model.wording import Wording

is_canonical: Final = re.compile(
    r"0|-?(?:[1-9][0-9]{0,37}|(?:0|[1-9][0-9]{0,18})\.[0-9]{0,18}[1-9])"
).fullmatch
"""Matches canonical numbers with few leading or trailing zeros.

None: the text is not canonical, or it is a canonical number with many zeros.
"""

# Possessive quantifiers (`*+`): a text of a million digits is matched or refused in one pass.
_parsed: Final = re.compile(
    r"([+-]?)(?=\.?[0-9])([0-9]*+)(?:\.([0-9]*+))?(?:[eE]([+-]?(?=[0-9]))0*+([0-9]*+))?"
).fullmatch

_INT32_MAX: Final = 2**31 - 1
_INT32_MIN: Final = -(2**31)
_INT64_MAX: Final = 2**63 - 1
_INT64_MIN: Final = -(2**63)
_INT64_DIGITS: Final = 19


def canonical_number(text: str, wording: Wording) -> str:
    """The canonical text of a number as sent.

    Costs one pass over the text, however long it is and however large its exponent.

    Raises:
        DynamoError: not a number, more than 38 significant digits, or out of range.
    """
    if is_canonical(text):
        return text
    match = _parsed(text)
    if match is None:
        raise _not_numeric(text, wording)
    sign, whole, fraction, exponent_sign, exponent_digits = match.groups("")
    exponent = _exponent(exponent_sign, exponent_digits)
    digits = (whole + fraction).lstrip("0")
    # The number is digits * 10**place. Zero counts as one digit: the service checks its range by
    # the exponent in the text (`0e126` overflows).
    place = exponent - len(fraction)
    leading = place + max(len(digits), 1) - 1
    if wording is Wording.OLDER:
        # Java's BigDecimal: exponent and scale have 32 bits, and precision - scale wraps.
        if not (_INT32_MIN <= exponent <= _INT32_MAX and _INT32_MIN <= -place <= _INT32_MAX):
            raise _not_numeric(text, wording)
        leading = (leading + 1 + 2**31) % 2**32 - 2**31 - 1
    elif not _INT64_MIN <= exponent <= _INT64_MAX:
        raise _not_numeric(text, wording)
    if leading > NUMBER_EXPONENT_MAX:
        raise invalid(messages.number_overflow())
    if leading < NUMBER_EXPONENT_MIN:
        raise invalid(messages.number_underflow())
    significant = digits.rstrip("0")
    if len(significant) > NUMBER_DIGITS_MAX:
        raise invalid(messages.number_too_many_digits())
    return _plain(sign, significant, place + len(digits) - len(significant))


def _exponent(sign: str, digits: str) -> int:
    """The exponent; digits beyond those of 64 bits are cut off, and it is still out of range."""
    return int(f"{sign}{digits[: _INT64_DIGITS + 1] or '0'}")


def _not_numeric(text: str, wording: Wording) -> DynamoError:
    if not text and wording is Wording.OLDER:
        return invalid(messages.number_empty_older())
    return invalid(messages.number_not_numeric(text))


def _plain(sign: str, significant: str, place: int) -> str:
    """Plain text of significant * 10**place; `significant` has no zeros at its ends."""
    if not significant:
        return "0"
    minus = "-" if sign == "-" else ""
    if place >= 0:
        return f"{minus}{significant}{'0' * place}"
    point = len(significant) + place
    if point > 0:
        return f"{minus}{significant[:point]}.{significant[point:]}"
    return f"{minus}0.{'0' * -point}{significant}"


def _computed_bytes(canonical: str) -> int:
    # A number below one has no digits before the point then, and no leading zeros.
    whole, _, fraction = canonical.strip("-0.").partition(".")
    return 1 + (canonical[0] == "-") + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2


class _NumberBytes(dict[str | None, int]):
    """Holds the bytes of the numbers that are met most, and computes those of the others."""

    def __missing__(self, canonical: str) -> int:
        return _computed_bytes(canonical)


SMALL_NUMBERS: Final[Mapping[str | None, int]] = _NumberBytes(
    {text: _computed_bytes(text) for text in map(str, range(1000))}
)
"""The bytes of the numbers that are met most; all are canonical. Others are not kept in it."""

number_bytes: Final[Callable[[str], int]] = SMALL_NUMBERS.__getitem__
"""Bytes that a canonical number counts for in an item's size.

One, one for each two significant digits before the point, the same after it, and one for a minus
sign. Source: Developer Guide, "DynamoDB item sizes and formats"; halves measured by users.
"""


def bytes_if_canonical(text: str) -> int | None:
    """`number_bytes` of a number as sent; None if it does not match `is_canonical`."""
    # Integers are checked without the regular expression, which takes three times as long.
    if text.isdigit() and text.isascii() and text[0] != "0" and len(text) <= NUMBER_DIGITS_MAX:
        return 1 + (len(text.rstrip("0")) + 1) // 2
    return number_bytes(text) if is_canonical(text) else None


def canonical_numbers(texts: list[str], wording: Wording) -> tuple[list[str], int]:
    """The canonical texts of numbers as sent, and the sum of their `number_bytes`.

    Raises DynamoError: as `canonical_number`, of the first fault.
    """
    numbers = [text if is_canonical(text) else canonical_number(text, wording) for text in texts]
    return numbers, sum(map(_computed_bytes, numbers))


def add(left: str, right: str) -> str:
    """The exact sum of two canonical numbers, canonical.

    Raises:
        DynamoError: overflow, also if the sum underflows or needs more than 38 digits, since sums
            are never rounded.
    """
    return _sum(left, right, 1)


def subtract(left: str, right: str) -> str:
    """The exact difference left - right of two canonical numbers, canonical; errors as `add`."""
    return _sum(left, right, -1)


def _sum(left: str, right: str, right_sign: int) -> str:
    if "." not in left and "." not in right:
        total = str(int(left) + right_sign * int(right))
        if len(total) <= NUMBER_DIGITS_MAX:  # nearly always
            return total
    left_whole, _, left_fraction = left.partition(".")
    right_whole, _, right_fraction = right.partition(".")
    places = max(len(left_fraction), len(right_fraction))
    left_units = int(left_whole + left_fraction) * 10 ** (places - len(left_fraction))
    right_units = int(right_whole + right_fraction) * 10 ** (places - len(right_fraction))
    units = left_units + right_sign * right_units
    digits = str(abs(units))
    significant = digits.rstrip("0")
    leading = len(digits) - 1 - places
    if units and (
        len(significant) > NUMBER_DIGITS_MAX
        or not NUMBER_EXPONENT_MIN <= leading <= NUMBER_EXPONENT_MAX
    ):
        raise invalid(messages.number_overflow())
    sign = "-" if units < 0 else ""
    return _plain(sign, significant, len(digits) - len(significant) - places)


def sort_key(canonical: str) -> int | Decimal:
    """A key that sorts canonical numbers by value; ints and Decimals are compared exactly."""
    return Decimal(canonical) if "." in canonical else int(canonical)
