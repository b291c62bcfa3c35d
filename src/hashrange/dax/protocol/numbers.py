"""Numbers of attribute values: texts of the API to CBOR and back.

What is sent is what all clients read alike: plain integers, and tag 4 for all others. Integers of
22 to 38 digits are tag 4 with the exponent 0, since one client shows larger big numbers rounded.
"""

from typing import Any, Final

from hashrange.errors import DynamoError, invalid
from hashrange.limits.dax import DAX_BIGNUM_BYTES_MAX
from hashrange.messages.items import values as messages
from hashrange.wire.cbor.encoding import encode_integer, head
from hashrange.wire.cbor.reader import (
    ARRAY,
    INTEGER,
    NEGATIVE,
    NEGATIVE_BIGNUM,
    POSITIVE_BIGNUM,
    SIMPLE,
    TAG,
    MalformedError,
    bignum,
    read_float,
    read_head,
    read_item,
)

DECIMAL: Final = 4
"""The tag of a decimal fraction."""
_INT64: Final = 1 << 64
_BIGNUM_DIGITS_MAX: Final = 21
_DECIMAL_DIGITS_MAX: Final = 38
_BIGNUMS: Final = frozenset((POSITIVE_BIGNUM, NEGATIVE_BIGNUM))


def encode_number(canonical: str) -> bytes:
    """A canonical number."""
    short = _SHORT.get(canonical)
    if short is not None:
        return short
    whole, point, fraction = canonical.partition(".")
    if point:
        return _decimal(-len(fraction), int(whole + fraction))
    digits = len(whole.lstrip("-"))
    if _BIGNUM_DIGITS_MAX < digits <= _DECIMAL_DIGITS_MAX:
        return _decimal(0, int(whole))
    return encode_integer(int(whole))


def _decimal(exponent: int, mantissa: int) -> bytes:
    content = head(ARRAY, 2) + encode_integer(exponent) + encode_integer(mantissa)
    return head(TAG, DECIMAL) + content


_SHORT: Final = {str(number): encode_integer(number) for number in range(-100, 1000)}


def read_number(data: bytes, at: int) -> tuple[str | None, int]:
    """The text of a number, not canonical, and the position behind it; None for anything else.

    Raises IncompleteError, MalformedError; DynamoError for a number with too many digits.
    """
    major, argument, after = read_head(data, at)
    if major == INTEGER:
        return str(argument), after
    if major == NEGATIVE:
        return str(-1 - argument), after
    if major == SIMPLE:
        return _float_text(read_float(data, at, after)), after
    if major != TAG or argument not in {*_BIGNUMS, DECIMAL}:
        return None, after
    content, end = read_item(data, after, 4)
    if argument in _BIGNUMS:
        return _text(_bounded(content, argument)), end
    return _decimal_text(content), end


def _decimal_text(content: Any) -> str:
    match content:
        case [int() as exponent, int() as mantissa]:
            if exponent >= _INT64:
                raise invalid(messages.number_overflow())
            if exponent <= -_INT64:
                raise invalid(messages.number_underflow())
            return f"{_text(mantissa)}E{exponent}"
        case _:
            raise MalformedError("a decimal is not an exponent and a mantissa")


def _bounded(content: Any, tag: int) -> int:
    if isinstance(content, bytes) and len(content) > DAX_BIGNUM_BYTES_MAX:
        raise _overflow()
    return bignum(tag, content)


def _text(number: int) -> str:
    if number.bit_length() > 8 * DAX_BIGNUM_BYTES_MAX:
        raise _overflow()
    return str(number)


def _float_text(number: float | None) -> str | None:
    if number is None:
        return None
    if number != number or number in {float("inf"), float("-inf")}:  # noqa: PLR0124 - is it NaN
        raise invalid(messages.number_not_numeric(str(number)))
    return repr(number)


def _overflow() -> DynamoError:
    return invalid(messages.number_overflow())
