"""How an item lies in the engine: a header of fixed length, then the JSON that goes on the wire.

All integers are big-endian:

    format (1)      0x02
    size (4)        of the item, in DynamoDB's accounting
    version (8)     microseconds since the epoch; grows with each change of the item
    region (2)      of the server that made the change; 0 is the table's own
    checksum (4)    CRC-32 of the JSON, whose initial value is the exclusive or of the size, the
                    region, and both halves of the version
    JSON            of the canonical item, up to the end

GetItem, Query and Scan splice the JSON into their answers without parsing it. Index entries have
the same header, with version 0: their items have the versions.
"""

from collections.abc import Iterable
from operator import itemgetter
from struct import Struct
from struct import error as StructError  # noqa: N812 - the module's own name says nothing
from typing import Final
from zlib import crc32

import msgspec

from hashrange.model.values import AttributeValue, Item

FORMAT: Final = 2
OWN_REGION: Final = 0
_HEADER: Final = Struct(">BIQHI")
_HEADER_BYTES: Final = _HEADER.size
_header: Final = _HEADER.pack
_read_header: Final = _HEADER.unpack_from
_U32: Final = 0xFFFF_FFFF

_decode_item: Final = msgspec.json.Decoder(dict[str, AttributeValue]).decode
_encode: Final = msgspec.json.Encoder().encode
_size: Final = Struct(">xI").unpack_from
_json: Final = itemgetter(slice(_HEADER_BYTES, None))


class Image(msgspec.Struct, frozen=True):
    """One item at one time: its size as DynamoDB counts it, and its JSON.

    Two images are equal if they are of the same item: a version is no part of it.
    """

    size: int
    json: bytes

    def item(self) -> Item:
        """The attributes; parsed anew at each call."""
        return _decode_item(self.json)


def image_of(item: Item, item_bytes: int) -> Image:
    """The image of a canonical item whose size is known."""
    return Image(item_bytes, _encode(item))


def stored(image: Image, version: int = 0, region: int = OWN_REGION) -> bytes:
    """The image as it lies in the engine."""
    size, json = image.size, image.json
    checksum = crc32(json, (size ^ version ^ version >> 32 ^ region) & _U32)
    return _header(FORMAT, size, version, region, checksum) + json


def image_from(data: bytes) -> Image:
    """Read back what `stored` made, without a look at its checksum."""
    return Image(size_of(data), data[_HEADER_BYTES:])


def check(data: bytes) -> None:
    """Raises AssertionError: cut off, of an unknown format, or altered since it was stored."""
    size_of(data)
    assert len(data) >= _HEADER_BYTES, "an item that is cut off"
    _, size, version, region, _ = _read_header(data)
    expected = stored(Image(size, _json(data)), version, region)
    assert data == expected, "the checksum does not match"


def image_and_version(data: bytes) -> tuple[Image, int]:
    """As `image_from`, with the version of the item."""
    try:
        number, size, version, _, _ = _read_header(data)
    except StructError as error:
        raise AssertionError("an item that is cut off") from error
    assert number == FORMAT, "an item of an unknown format"
    return Image(size, data[_HEADER_BYTES:]), version


# Reads answer what is stored: they look into the bytes, and make no image of each item.


def size_of(data: bytes) -> int:
    """The size of a stored item."""
    try:
        size: int = _size(data)[0]
    except StructError as error:
        raise AssertionError("an item that is cut off") from error
    assert data[0] == FORMAT, "an item of an unknown format"
    return size


def sizes_of(values: Iterable[bytes]) -> int:
    """The sum of the sizes of stored items."""
    total = 0
    for value in values:
        total += _size(value)[0]
    return total


def item_of(data: bytes) -> Item:
    """The attributes of a stored item."""
    return _decode_item(_json(data))


def json_of(data: bytes) -> msgspec.Raw:
    """A stored item, to be spliced into an answer."""
    return msgspec.Raw(_json(data))


def json_list_of(values: Iterable[bytes]) -> msgspec.Raw:
    """A list of stored items, to be spliced into an answer as a whole."""
    return msgspec.Raw(b"[%b]" % b",".join(map(_json, values)))
