"""How an item lies in the engine: a short header, then the JSON that goes on the wire.

`format (1 byte) | size in DynamoDB's accounting (u32 big-endian) | JSON of the canonical item`.
GetItem, Query and Scan splice the JSON into their answers without parsing it.
"""

from typing import Final

import msgspec

from hashrange.model.values import AttributeValue, Item

_FORMAT: Final = b"\x01"
_HEADER_BYTES: Final = 5

_decode_item: Final = msgspec.json.Decoder(dict[str, AttributeValue]).decode
_encode: Final = msgspec.json.Encoder().encode


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
