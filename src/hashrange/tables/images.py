"""How an item lies in the engine: a short header, then the JSON that goes on the wire.

`format (1 byte) | size in DynamoDB's accounting (u32 big-endian) | JSON of the canonical item`.
GetItem, Query and Scan splice the JSON into their answers without parsing it.
"""

import struct
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

import msgspec

from hashrange.model.values import AttributeValue, Item

_FORMAT: Final = 1
_HEADER: Final = struct.Struct(">BI")
_header: Final = _HEADER.pack
_read_header: Final = _HEADER.unpack_from

_decode_item: Final = msgspec.json.Decoder(dict[str, AttributeValue]).decode
_encode: Final = msgspec.json.Encoder().encode
_size: Final = struct.Struct(">xI").unpack_from
_json: Final = itemgetter(slice(_HEADER.size, None))


class Image(msgspec.Struct, frozen=True):
    """One item at one time: its size as DynamoDB counts it, and how it is stored."""

    size: int
    stored: bytes

    @property
    def json(self) -> bytes:
        """The item as it goes on the wire."""
        return self.stored[_HEADER.size :]

    def item(self) -> Item:
        """The attributes; parsed anew at each call."""
        return _decode_item(_json(self.stored))


def image_of(item: Item, item_bytes: int) -> Image:
    """The image of a canonical item whose size is known."""
    return Image(item_bytes, _header(_FORMAT, item_bytes) + _encode(item))


def image_of_json(json: bytes, item_bytes: int) -> Image:
    """The same, of an item that is encoded."""
    return Image(item_bytes, _header(_FORMAT, item_bytes) + json)


def image_from(stored: bytes) -> Image:
    """Read back what was stored."""
    try:
        version, size = _read_header(stored)
    except struct.error as error:
        raise AssertionError("an item that is cut off") from error
    assert version == _FORMAT, "an item of an unknown format"
    return Image(size, stored)


# Reads answer what is stored: they look into the bytes, and make no image of each item.


def size_of(stored: bytes) -> int:
    """The size of a stored item."""
    size: int
    version, size = _read_header(stored)
    assert version == _FORMAT, "an item of an unknown format"
    return size


def sizes_of(stored: Iterable[bytes]) -> int:
    """The sum of the sizes of stored items."""
    total = 0
    for value in stored:
        total += _size(value)[0]
    return total


def item_of(stored: bytes) -> Item:
    """The attributes of a stored item."""
    return _decode_item(_json(stored))


def json_of(stored: bytes) -> msgspec.Raw:
    """A stored item, to be spliced into an answer."""
    return msgspec.Raw(_json(stored))


def json_list_of(stored: Iterable[bytes]) -> msgspec.Raw:
    """A list of stored items, to be spliced into an answer as a whole."""
    return msgspec.Raw(b"[%b]" % b",".join(map(_json, stored)))
