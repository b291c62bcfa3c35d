"""Attribute values: the API's JSON form to CBOR and back.

What is read is not canonical, and checked by the operations as if it came in JSON.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from hashrange.dax.protocol.numbers import encode_number, read_number
from hashrange.errors import invalid
from hashrange.limits.dax import DAX_LEVELS_MAX
from hashrange.messages.items import values as messages
from hashrange.model.data_types import DATA_TYPES, MEMBER_OF_SET, of_sets
from hashrange.wire.cbor.encoding import NULL, head, text
from hashrange.wire.cbor.reader import (
    ARRAY,
    BYTES,
    INDEFINITE,
    INTEGER,
    MAP,
    NEGATIVE,
    TAG,
    TEXT,
    MalformedError,
    is_break,
    read_bytes,
    read_head,
    read_text,
)

_SETS: Final = {DATA_TYPES[code].tag: code for code in MEMBER_OF_SET}
_SIMPLE: Final[dict[int, tuple[str, bool]]] = {
    0xF4: ("BOOL", False),
    0xF5: ("BOOL", True),
    0xF6: ("NULL", True),
}


def encode_value(value: Mapping[str, Any]) -> bytes:
    """A canonical attribute value."""
    ((kind, content),) = value.items()
    return _ENCODERS[kind](content)


def _encode_list(elements: list[Any]) -> bytes:
    return head(ARRAY, len(elements)) + b"".join(map(encode_value, elements))


def _encode_map(members: dict[str, Any]) -> bytes:
    pairs = [text(name) + encode_value(member) for name, member in members.items()]
    return head(MAP, len(pairs)) + b"".join(pairs)


def _encode_set(kind: str, encode: Callable[[str], bytes]) -> Callable[[list[str]], bytes]:
    start = head(TAG, DATA_TYPES[kind].tag)

    def encoded(members: list[str]) -> bytes:
        return start + head(ARRAY, len(members)) + b"".join(map(encode, members))

    return encoded


def _binary(base64: str) -> bytes:
    content = a2b_base64(base64)
    return head(BYTES, len(content)) + content


_SCALARS: Final = {"S": text, "N": encode_number, "B": _binary}
_ENCODERS: Final[Mapping[str, Callable[[Any], bytes]]] = {
    **_SCALARS,
    **of_sets(_SCALARS, _encode_set),
    "BOOL": lambda is_true: b"\xf5" if is_true else b"\xf4",
    "NULL": lambda _: NULL,
    "L": _encode_list,
    "M": _encode_map,
}


def read_value(data: bytes, at: int, levels: int = DAX_LEVELS_MAX) -> tuple[dict[str, Any], int]:
    """The attribute value at a position, and the position behind it.

    Raises IncompleteError, MalformedError; DynamoError for a value that is nested too deeply.
    """
    major, argument, after = read_head(data, at)
    reader = _READERS.get(major)
    if reader is not None:
        return reader(data, argument, after, levels)
    if data[at] in _SIMPLE:
        kind, is_true = _SIMPLE[data[at]]
        return {kind: is_true}, after
    if major == TAG and argument in _SETS:
        return _set(_SETS[argument], data, after)
    number, after = read_number(data, at)
    if number is None:
        raise MalformedError("an item is no attribute value")
    return {"N": number}, after


def _text(data: bytes, length: int, at: int, _levels: int) -> tuple[dict[str, Any], int]:
    content, after = read_text(data, length, at)
    return {"S": content}, after


def _bytes(data: bytes, length: int, at: int, _levels: int) -> tuple[dict[str, Any], int]:
    content, after = read_bytes(data, length, at)
    return {"B": b2a_base64(content, newline=False).decode()}, after


def _integer(_data: bytes, argument: int, after: int, _levels: int) -> tuple[dict[str, Any], int]:
    return {"N": str(argument)}, after


def _negative(_data: bytes, argument: int, after: int, _levels: int) -> tuple[dict[str, Any], int]:
    return {"N": str(-1 - argument)}, after


def _list(data: bytes, count: int, at: int, levels: int) -> tuple[dict[str, Any], int]:
    found: list[dict[str, Any]] = []
    if not levels:
        raise invalid(messages.nesting_too_deep())
    while len(found) != count and not (count == INDEFINITE and is_break(data, at)):
        value, at = read_value(data, at, levels - 1)
        found.append(value)
    return {"L": found}, at + (count == INDEFINITE)


def _map(data: bytes, count: int, at: int, levels: int) -> tuple[dict[str, Any], int]:
    if not levels:
        raise invalid(messages.nesting_too_deep())
    members, at = read_members(data, count, at, levels - 1)
    return {"M": members}, at


def read_members(
    data: bytes, count: int, at: int, levels: int = DAX_LEVELS_MAX
) -> tuple[dict[str, Any], int]:
    """The members of a map from texts to attribute values, whose head was read."""
    found: dict[str, Any] = {}
    left = count
    while left and not (count == INDEFINITE and is_break(data, at)):
        major, argument, at = read_head(data, at)
        if major != TEXT:
            raise MalformedError("a name is no text")
        name, at = read_text(data, argument, at)
        found[name], at = read_value(data, at, levels)
        left -= 1
    return found, at + (count == INDEFINITE)


def _set(kind: str, data: bytes, at: int) -> tuple[dict[str, Any], int]:
    major, _count, _ = read_head(data, at)
    if major != ARRAY:
        raise MalformedError("a set is no array")
    members, at = read_value(data, at)
    found: list[str] = []
    for member in members["L"]:
        content = member.get(MEMBER_OF_SET[kind])
        if content is None:
            raise MalformedError("a member of a set is of another type")
        found.append(content)
    return {kind: found}, at


_READERS: Final[Mapping[int, Callable[[bytes, int, int, int], tuple[dict[str, Any], int]]]] = {
    INTEGER: _integer,
    NEGATIVE: _negative,
    TEXT: _text,
    BYTES: _bytes,
    ARRAY: _list,
    MAP: _map,
}
"""By major type."""
