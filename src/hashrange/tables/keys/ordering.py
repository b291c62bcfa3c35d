"""Encodes values as bytes in an order-preserving way.

An encoding begins with the type and is never a prefix of another, so a key may continue after it:

    N  0x01  numeric order
         0x02                                  zero
         0x03, exponent, digits                positive
         0x01, ~exponent, ~digits              negative, bits complemented
       exponent: one byte, that of the leading digit + 130
       digits: without zeros at the end, two to a byte, each as digit + 1, then a 0 or two
    S  0x02  order of the UTF-8 bytes
    B  0x03  order of the bytes
       groups of 8 bytes, the last one padded with zeros; after each group a marker: the number of
       its bytes that belong to the value, or 9 if another group follows

Groups add an eighth to any value; escaping zeros would double the length of a key of zeros.
"""

from binascii import unhexlify
from collections.abc import Callable
from functools import lru_cache
from struct import Struct
from typing import Final

from hashrange.limits.requests import (
    NUMBER_EXPONENT_MAX,
    NUMBER_EXPONENT_MIN,
    SORT_KEY_BYTES_MAX,
)
from hashrange.model.binary import decoded
from hashrange.model.values import AttributeValue

NUMBER: Final = b"\x01"
STRING: Final = b"\x02"
BINARY: Final = b"\x03"

_NEGATIVE: Final = b"\x01"
_ZERO: Final = b"\x02"
_POSITIVE: Final = b"\x03"

_TEXT: Final = STRING[0]
GROUP_BYTES: Final = 8
_short: Final = Struct(f"B{GROUP_BYTES}sB").pack
"""A type and one group, padded with zeros."""
_CONTINUED: Final = b"\x09"
_MARKERS: Final = tuple(bytes([count]) for count in range(GROUP_BYTES + 1))

_BYTE_MAX: Final = 255
_EXPONENTS: Final = NUMBER_EXPONENT_MAX - NUMBER_EXPONENT_MIN
assert _EXPONENTS == _BYTE_MAX, "an exponent fills one byte"
_DIGITS: Final = bytes.maketrans(b"0123456789", b"123456789a")
_DIGITS_COMPLEMENTED: Final = bytes.maketrans(b"0123456789", b"edcba98765")


def ordered(value: AttributeValue) -> bytes:
    """The encoding of a canonical string, number or binary value."""
    text = value.get("S")
    if text is not None:
        data = text.encode()
        count = len(data)
        return _short(_TEXT, data, count) if count <= GROUP_BYTES else grouped(STRING, data)
    number = value.get("N")
    if number is not None:
        return _number(number)
    return grouped(BINARY, decoded(value["B"]))


def type_of(value: AttributeValue) -> bytes:
    """The first byte of the encoding, which depends on the type only."""
    if "S" in value:
        return STRING
    return NUMBER if "N" in value else BINARY


def grouped(kind: bytes, data: bytes) -> bytes:
    """The encoding of bytes, of type `STRING` or `BINARY`."""
    count = len(data)
    if count <= GROUP_BYTES:
        return kind + data.ljust(GROUP_BYTES, b"\0") + _MARKERS[count]  # also when empty
    split, padding, end = _splitter(count)
    return kind + _CONTINUED.join(split(data + padding)) + end


def grouped_bytes(encoding: bytes) -> int:
    """How many bytes the string or the binary value of a whole encoding has."""
    return (len(encoding) // (GROUP_BYTES + 1) - 1) * GROUP_BYTES + encoding[-1]


@lru_cache(maxsize=SORT_KEY_BYTES_MAX)  # longer operands are rare
def _splitter(count: int) -> tuple[Callable[[bytes], tuple[bytes, ...]], bytes, bytes]:
    """For `count` bytes: a function that cuts them into groups, their padding, the last marker.

    To cut takes a third of the time of slicing.
    """
    groups = -(-count // GROUP_BYTES)
    padding = groups * GROUP_BYTES - count
    return Struct("8s" * groups).unpack, bytes(padding), _MARKERS[GROUP_BYTES - padding]


def _number(canonical: str) -> bytes:
    if canonical == "0":
        return NUMBER + _ZERO
    if canonical.isdecimal():  # most are counts and times: as below, without a sign and a point
        nibbles = canonical.rstrip("0").encode().translate(_DIGITS)
        exponent = len(canonical) - 1 - NUMBER_EXPONENT_MIN
        nibbles += b"0" if len(nibbles) % 2 else b"00"
        return NUMBER + _POSITIVE + bytes((exponent,)) + unhexlify(nibbles)
    negative = canonical[0] == "-"
    whole, _, fraction = (canonical[1:] if negative else canonical).partition(".")
    if whole != "0":
        digits = whole + fraction if fraction else whole.rstrip("0")
        exponent = len(whole) - 1
    else:
        digits = fraction.lstrip("0")
        exponent = len(digits) - len(fraction) - 1
    exponent -= NUMBER_EXPONENT_MIN
    odd = len(digits) % 2
    if negative:
        nibbles = digits.encode().translate(_DIGITS_COMPLEMENTED) + (b"f" if odd else b"ff")
        return NUMBER + _NEGATIVE + bytes((_EXPONENTS - exponent,)) + unhexlify(nibbles)
    nibbles = digits.encode().translate(_DIGITS) + (b"0" if odd else b"00")
    return NUMBER + _POSITIVE + bytes((exponent,)) + unhexlify(nibbles)
