"""Reads CBOR (RFC 8949).

Everything that is valid is accepted: definite and indefinite lengths, heads that are longer than
needed, floats of all sizes, big integers, maps in any order, of whose equal keys the last counts.
Nothing is allocated before its bytes are there.
"""

from struct import Struct
from typing import Any, Final

import msgspec

from hashrange.limits.dax import DAX_LEVELS_MAX

INTEGER, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE = range(8)
"""The major types."""
INDEFINITE: Final = -1
"""The argument of a head whose string or container ends with a break."""
BREAK: Final = 0xFF
POSITIVE_BIGNUM: Final = 2
NEGATIVE_BIGNUM: Final = 3

_KEY_BITS_MAX: Final = 64
_DIRECT: Final = 24
_BYTES_OF: Final = {24: 1, 25: 2, 26: 4, 27: 8}
_INDEFINITE_INFO: Final = 31
_HAS_NO_LENGTH: Final = frozenset((INTEGER, NEGATIVE, TAG))
_SIMPLE_VALUES: Final = {20: False, 21: True, 22: None, 23: None}
_FLOATS: Final = {25: Struct(">e"), 26: Struct(">f"), 27: Struct(">d")}


class IncompleteError(Exception):
    """The item goes on behind the bytes that are there; at least `needed` bytes are."""

    def __init__(self, needed: int) -> None:
        super().__init__("the item is not complete")
        self.needed = needed


class MalformedError(Exception):
    """The bytes are not an item of the protocol."""


class Tagged(msgspec.Struct, frozen=True):
    """An item behind a tag that has no meaning to this module."""

    number: int
    item: Any


def read_head(data: bytes | bytearray, at: int) -> tuple[int, int, int]:
    """The major type and the argument of the head at a position, and the position behind it.

    Raises IncompleteError, MalformedError.
    """
    if at >= len(data):
        raise IncompleteError(at + 1)
    initial = data[at]
    major, info = initial >> 5, initial & 31
    if info < _DIRECT:
        return major, info, at + 1
    size = _BYTES_OF.get(info)
    if size is None:
        if info != _INDEFINITE_INFO or major in _HAS_NO_LENGTH:
            raise MalformedError("a head is reserved")
        return major, INDEFINITE, at + 1
    end = at + 1 + size
    if end > len(data):
        raise IncompleteError(end)
    return major, int.from_bytes(data[at + 1 : end], "big"), end


def read_item(data: bytes, at: int, levels: int = DAX_LEVELS_MAX) -> tuple[Any, int]:
    """The item at a position, and the position behind it.

    Args:
        data: the bytes.
        at: where it begins.
        levels: how deep containers and tags may be nested.

    Returns:
        An int, bytes, str, list, dict, bool, float, None or `Tagged`.
    """
    major, argument, after = read_head(data, at)
    if major == SIMPLE:
        return _simple(data, at, after)
    return _READERS[major](data, argument, after, levels)


def _integer(_data: bytes, argument: int, after: int, _levels: int) -> tuple[int, int]:
    return argument, after


def _negative(_data: bytes, argument: int, after: int, _levels: int) -> tuple[int, int]:
    return -1 - argument, after


def _tagged(data: bytes, number: int, at: int, levels: int) -> tuple[Any, int]:
    if not levels:
        raise _too_deep()
    item, after = read_item(data, at, levels - 1)
    if number in {POSITIVE_BIGNUM, NEGATIVE_BIGNUM}:
        return bignum(number, item), after
    return Tagged(number, item), after


def _too_deep() -> MalformedError:
    return MalformedError("an item is nested too deeply")


def is_break(data: bytes, at: int) -> bool:
    """Whether an indefinite container ends here. Raises IncompleteError."""
    if at >= len(data):
        raise IncompleteError(at + 1)
    return data[at] == BREAK


def read_bytes(data: bytes, length: int, at: int, _levels: int = 0) -> tuple[bytes, int]:
    """A byte string whose head was read."""
    if length == INDEFINITE:
        return _chunks(data, at, BYTES)
    end = at + length
    if end > len(data):
        raise IncompleteError(end)
    return data[at:end], end


def read_text(data: bytes, length: int, at: int, _levels: int = 0) -> tuple[str, int]:
    """A text whose head was read."""
    if length == INDEFINITE:
        found, end = _chunks(data, at, TEXT)
    else:
        end = at + length
        if end > len(data):
            raise IncompleteError(end)
        found = data[at:end]
    try:
        return found.decode(), end
    except UnicodeDecodeError as error:
        raise MalformedError("a text is not UTF-8") from error


def bignum(tag: int, content: object) -> int:
    """The integer of a bignum's tag and content."""
    if not isinstance(content, bytes):
        raise MalformedError("a big number has no bytes")
    number = int.from_bytes(content, "big")
    return number if tag == POSITIVE_BIGNUM else -1 - number


def read_float(data: bytes, at: int, after: int) -> float | None:
    """The float at a position, whose head ends at `after`; None if it is no float."""
    kind = _FLOATS.get(data[at] & 31)
    if kind is None:
        return None
    value: float = kind.unpack_from(data, after - kind.size)[0]
    return value


def _simple(data: bytes, at: int, after: int) -> tuple[Any, int]:
    number = read_float(data, at, after)
    if number is not None:
        return number, after
    try:
        return _SIMPLE_VALUES[data[at] & 31], after
    except KeyError:
        raise MalformedError("a simple value has no meaning") from None


def _chunks(data: bytes, at: int, kind: int) -> tuple[bytes, int]:
    chunks = []
    while not is_break(data, at):
        major, length, at = read_head(data, at)
        if major != kind or length == INDEFINITE:
            raise MalformedError("a chunk is of another kind")
        if at + length > len(data):
            raise IncompleteError(at + length)
        chunks.append(data[at : at + length])
        at += length
    return b"".join(chunks), at + 1


def _array(data: bytes, count: int, at: int, levels: int) -> tuple[list[Any], int]:
    if not levels:
        raise _too_deep()
    found = []
    levels -= 1
    if count == INDEFINITE:
        while not is_break(data, at):
            item, at = read_item(data, at, levels)
            found.append(item)
        return found, at + 1
    for _ in range(count):
        item, at = read_item(data, at, levels)
        found.append(item)
    return found, at


def _map(data: bytes, count: int, at: int, levels: int) -> tuple[dict[Any, Any], int]:
    if not levels:
        raise _too_deep()
    levels -= 1
    found: dict[Any, Any] = {}
    left = count
    while left and not (count == INDEFINITE and is_break(data, at)):
        key, at = read_item(data, at, levels)
        if not isinstance(key, int | str | bytes):
            raise MalformedError("a key of a map is a container")
        # Many big numbers can have the same hash.
        if isinstance(key, int) and key.bit_length() > _KEY_BITS_MAX:
            raise MalformedError("a key of a map is too large")
        found[key], at = read_item(data, at, levels)
        left -= 1
    return found, at + (count == INDEFINITE)


_READERS: Final = (_integer, _negative, read_bytes, read_text, _array, _map, _tagged)
"""By major type."""
