"""How an item lies in the engine: a short header, then the JSON that goes on the wire.

`format (1 byte) | size in DynamoDB's accounting (u32 big-endian) | JSON of the canonical item`.
GetItem, Query and Scan splice the JSON into their answers without parsing it.
"""

from collections.abc import Iterable
from operator import itemgetter
from struct import Struct
from typing import Final

import msgspec

from hashrange.model.values import AttributeValue, Item

_FORMAT: Final = b"\x01"
_HEADER_BYTES: Final = 5

_decode_item: Final = msgspec.json.Decoder(dict[str, AttributeValue]).decode
_encode: Final = msgspec.json.Encoder().encode
_size: Final = Struct(">xI").unpack_from
_json: Final = itemgetter(slice(_HEADER_BYTES, None))


class Image(msgspec.Struct, frozen=True):
    """One item at one time: its size as DynamoDB counts it, and its JSON."""

    size: int
    json: bytes

    def item(self) -> Item:
        """The attributes; parsed anew at each call."""
        return _decode_item(self.json)

    def stored(self) -> bytes:
        """The value to put into the engine."""
        return _FORMAT + self.size.to_bytes(4, "big") + self.json


def image_of(item: Item, item_bytes: int) -> Image:
    """The image of a canonical item whose size is known."""
    return Image(item_bytes, _encode(item))


def image_from(stored: bytes) -> Image:
    """Read back what `Image.stored` made."""
    assert stored[:1] == _FORMAT, "an item of an unknown format"
    return Image(int.from_bytes(stored[1:_HEADER_BYTES], "big"), stored[_HEADER_BYTES:])


# Reads answer what is stored: they look into the bytes, and make no image of each item.


def size_of(stored: bytes) -> int:
    """The size of a stored item."""
    assert stored[:1] == _FORMAT, "an item of an unknown format"
    size: int = _size(stored)[0]
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
