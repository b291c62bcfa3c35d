"""Writes CBOR: heads as short as possible, lengths definite but for two kinds of maps."""

from collections.abc import Iterable
from struct import Struct
from typing import Final

from hashrange.wire.cbor.reader import (
    ARRAY,
    BYTES,
    INTEGER,
    MAP,
    NEGATIVE,
    NEGATIVE_BIGNUM,
    POSITIVE_BIGNUM,
    TAG,
    TEXT,
)

NULL: Final = b"\xf6"
EMPTY_ARRAY: Final = b"\x80"
EMPTY_MAP: Final = b"\xa0"
START_MAP: Final = b"\xbf"
"""Begins a map of indefinite length, which `BREAK` ends."""
BREAK: Final = b"\xff"

_INT64: Final = 1 << 64
_DIRECT: Final = 24
_ONE_BYTE: Final = 1 << 8
_TWO_BYTES: Final = 1 << 16
_FOUR_BYTES: Final = 1 << 32
_two: Final = Struct(">BH").pack
_four: Final = Struct(">BI").pack
_eight: Final = Struct(">BQ").pack
_float: Final = Struct(">Bd").pack


def head(major: int, argument: int) -> bytes:
    """A head, as short as possible."""
    first = major << 5
    if argument < _DIRECT:
        return bytes((first | argument,))
    if argument < _ONE_BYTE:
        return bytes((first | 24, argument))
    if argument < _TWO_BYTES:
        return _two(first | 25, argument)
    if argument < _FOUR_BYTES:
        return _four(first | 26, argument)
    return _eight(first | 27, argument)


def text(value: str) -> bytes:
    """A text."""
    content = value.encode()
    return head(TEXT, len(content)) + content


def byte_string(content: bytes) -> bytes:
    """A byte string."""
    return head(BYTES, len(content)) + content


def encode_integer(number: int) -> bytes:
    """An integer of any size."""
    if number >= 0:
        if number < _INT64:
            return head(INTEGER, number)
        return head(TAG, POSITIVE_BIGNUM) + _magnitude(number)
    if number >= -_INT64:
        return head(NEGATIVE, -1 - number)
    return head(TAG, NEGATIVE_BIGNUM) + _magnitude(-1 - number)


def _magnitude(number: int) -> bytes:
    content = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return byte_string(content)


def double(value: float) -> bytes:
    """A float of 64 bits."""
    return _float(0xFB, value)


def array(encoded: Iterable[bytes]) -> bytes:
    """An array of encoded items."""
    items = list(encoded)
    return head(ARRAY, len(items)) + b"".join(items)


def mapping(encoded: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A map of encoded keys and values."""
    pairs = list(encoded)
    return head(MAP, len(pairs)) + b"".join([key + value for key, value in pairs])


def optional_text(value: str | None) -> bytes:
    """A text, or null."""
    return NULL if value is None else text(value)
