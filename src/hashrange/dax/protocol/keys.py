"""Keys as the protocol has them: bytes that only a table's schema explains.

A number that is not 0 is ±0.d₁d₂…dₚ · 10^e. A header has the sign and e; then follow codes of 10
bits, one for each three digits, and one that says how many of the last three digits there are.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.dax.protocol.numbers import encode_number
from hashrange.dax.protocol.values import encode_value, read_members, read_value
from hashrange.errors import invalid
from hashrange.messages.items.values import key_schema_mismatch
from hashrange.model.values import Item, KeyType
from hashrange.wire.cbor.encoding import BREAK, START_MAP, text
from hashrange.wire.cbor.reader import (
    MAP,
    IncompleteError,
    MalformedError,
    read_head,
)

_ZERO: Final = 0x80
_NEGATIVE_ZERO: Final = 0x7F
_SHORT_MIN, _SHORT_MAX = -62, 61
"""The exponents of headers of one byte."""
_POSITIVE, _NEGATIVE = 0xC0, 0x3F
_LONG: Final = {0xFE: False, 0x81: False, 0x01: True, 0x7E: True}
"""First bytes of headers of five, and whether the number is negative."""
_SIGN_BIT: Final = 0x8000_0000
_OTHER_BITS: Final = 0x7FFF_FFFF
_HEADER_BYTES: Final = 5
_DIGITS: Final = 3
_CODE_BITS: Final = 10
_CODE_MAX: Final = 1023
_FIRST_GROUP: Final = 12
"""The code of 000; smaller codes end the number."""
_ENDS: Final = 3
_GROUPS: Final = 1000


def encode(canonical: str) -> bytes:
    """The sort key of a canonical number."""
    is_negative = canonical.startswith("-")
    whole, _, fraction = canonical.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return bytes((_ZERO,))
    exponent = len(digits) - len(fraction)
    bits, size = 0, 0
    groups = [digits[at : at + _DIGITS] for at in range(0, len(digits), _DIGITS)]
    codes = [_FIRST_GROUP + int(group.ljust(_DIGITS, "0")) for group in groups]
    codes.append(len(groups[-1]) - 1)
    for code in codes:
        bits = bits << _CODE_BITS | (_CODE_MAX - code if is_negative else code)
        size += _CODE_BITS
    filling = -size % 8
    content = (bits << filling).to_bytes((size + filling) // 8, "big")
    return _header(exponent, is_negative=is_negative) + content


def _header(exponent: int, *, is_negative: bool) -> bytes:
    if _SHORT_MIN <= exponent <= _SHORT_MAX:
        return bytes((_NEGATIVE - exponent if is_negative else _POSITIVE + exponent,))
    unsigned = exponent & 0xFFFF_FFFF
    if is_negative:
        first = 0x01 if exponent > 0 else 0x7E
        return bytes((first,)) + (unsigned ^ _OTHER_BITS).to_bytes(4, "big")
    first = 0xFE if exponent > 0 else 0x81
    return bytes((first,)) + (unsigned ^ _SIGN_BIT).to_bytes(4, "big")


def decode(data: bytes) -> str:
    """The text of a number, not canonical. Raises MalformedError."""
    if data in {bytes((_ZERO,)), bytes((_NEGATIVE_ZERO,))}:
        return "0"
    exponent, is_negative, at = _read_header(data)
    digits: list[str] = []
    bits = int.from_bytes(data[at:], "big")
    left = 8 * (len(data) - at)
    while left >= _CODE_BITS:
        left -= _CODE_BITS
        code = bits >> left & _CODE_MAX
        code = _CODE_MAX - code if is_negative else code
        if code < _ENDS:
            text = "".join(digits)
            text = text[: len(text) - _DIGITS + code + 1]
            if not text or left >= 8:  # noqa: PLR2004 - whole bytes follow
                break
            return f"{'-' if is_negative else ''}{text}E{exponent - len(text)}"
        if not 0 <= code - _FIRST_GROUP < _GROUPS:
            break
        digits.append(f"{code - _FIRST_GROUP:03d}")
    raise MalformedError("a number of a sort key has no end")


def _read_header(data: bytes) -> tuple[int, bool, int]:
    """Exponent, whether the number is negative, and where its digits begin."""
    first = data[0] if data else 0
    if first in _LONG:
        if len(data) < _HEADER_BYTES:
            raise MalformedError("a number of a sort key is too short")
        is_negative = _LONG[first]
        coded = int.from_bytes(data[1:_HEADER_BYTES], "big")
        unsigned = coded ^ (_OTHER_BITS if is_negative else _SIGN_BIT)
        return unsigned - (unsigned >> 31 << 32), is_negative, _HEADER_BYTES
    if _POSITIVE + _SHORT_MIN <= first <= _POSITIVE + _SHORT_MAX:
        return first - _POSITIVE, False, 1
    if _NEGATIVE - _SHORT_MAX <= first <= _NEGATIVE - _SHORT_MIN:
        return _NEGATIVE - first, True, 1
    raise MalformedError("a number of a sort key has no sign")


Key: TypeAlias = dict[str, Any]

_UNREADABLE: Final = (IncompleteError, MalformedError, UnicodeDecodeError)
_NO_KEY: Final[Key] = {"?": {"NULL": True}}


class Schema(msgspec.Struct, frozen=True):
    """The key attributes of a table; `sort` is None if it has none."""

    partition: str
    partition_type: KeyType
    sort: str | None = None
    sort_type: KeyType | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Partition key, then sort key."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


def read_key(schema: Schema | None, data: bytes) -> Key:
    """The attributes of a key, not canonical.

    A table that does not exist has no schema: the key has no meaning, and the request is refused
    for its table. Raises DynamoError for bytes that do not fit the schema.
    """
    if schema is None:
        return dict(_NO_KEY)
    try:
        if schema.sort is None:
            return {schema.partition: _whole(schema.partition_type, data)}
        value, at = read_value(data, 0)
        assert schema.sort_type is not None, "the sort key has a type"
        return {schema.partition: value, schema.sort: _sort_value(schema.sort_type, data[at:])}
    except _UNREADABLE as error:
        raise invalid(key_schema_mismatch()) from error


def _whole(kind: KeyType, data: bytes) -> dict[str, str]:
    """A partition key without a sort key."""
    if kind == "S":
        return {"S": data.decode()}
    if kind == "B":
        return {"B": b2a_base64(data, newline=False).decode()}
    value, at = read_value(data, 0)
    if at != len(data) or "N" not in value:
        raise MalformedError("a key is no number")
    return value


def _sort_value(kind: KeyType, data: bytes) -> dict[str, str]:
    if kind == "N":
        return {"N": decode(data)}
    return _whole(kind, data)


def encode_key(schema: Schema, item: Mapping[str, Any]) -> bytes:
    """The key of a canonical item.

    Raises DynamoError if it has another key: its table was replaced a moment ago.
    """
    try:
        partition = item[schema.partition]
        if schema.sort is None:
            return _whole_bytes(schema.partition_type, partition)
        sort = item[schema.sort]
        if schema.sort_type == "N":
            return encode_value(partition) + encode(sort["N"])
        assert schema.sort_type is not None, "the sort key has a type"
        return encode_value(partition) + _whole_bytes(schema.sort_type, sort)
    except KeyError as error:
        raise invalid(key_schema_mismatch()) from error


def _whole_bytes(kind: KeyType, value: Mapping[str, str]) -> bytes:
    if kind == "S":
        return value["S"].encode()
    if kind == "B":
        return a2b_base64(value["B"])
    return encode_number(value["N"])


def read_compound_key(data: bytes) -> Key:
    """The attributes of a starting key of an index. Raises DynamoError."""
    try:
        major, count, at = read_head(data, 0)
        if major != MAP:
            raise MalformedError("a compound key is no map")
        found, _ = read_members(data, count, at)
    except _UNREADABLE as error:
        raise invalid(key_schema_mismatch()) from error
    return found


def encode_compound_key(key: Item) -> bytes:
    """A starting key of an index; one client wants its map to be of indefinite length."""
    members = b"".join([text(name) + encode_value(value) for name, value in key.items()])
    return START_MAP + members + BREAK
