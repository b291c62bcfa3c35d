"""The stored form of items, and the rows of one write of the engine that has such items.

An item is a header of fixed length, then the JSON of the API.

All integers are big-endian:

    format (1)      0x04; 0x03 where the checksum does not have the key; 0x02 where, besides, the
                    JSON is not packed
    size (4)        of the item, in DynamoDB's accounting
    version (8)     microseconds since the epoch; grows with each change of the item
    region (2)      of the server that made the change; 0 is the table's own
    checksum (4)    CRC-32 of the key in the engine and the JSON as it is stored, whose initial
                    value is the exclusive or of the size, the region, and both halves of the
                    version
    JSON            of the canonical item, packed, up to the end

Packed JSON has one byte in place of the texts between the name and the value of most attributes,
and between two of them. JSON has no such bytes, so JSON that is not packed is unpacked to itself.
GetItem, Query and Scan splice the JSON into their responses without parsing it. Index entries have
the same header with version 0, since versions are of items.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from operator import itemgetter
from struct import Struct
from struct import error as StructError  # noqa: N812 - the module's own name says nothing
from typing import Final, Protocol, TypeVar
from zlib import crc32

import msgspec

from hashrange.model.values import AttributeValue, Item
from hashrange.storage.engine import Changes, DamagedError

FORMAT: Final = 4
FORMAT_WITHOUT_KEY: Final = 3
FORMAT_UNPACKED: Final = 2
_FORMATS: Final = frozenset((FORMAT, FORMAT_WITHOUT_KEY, FORMAT_UNPACKED))
OWN_REGION: Final = 0
_HEADER: Final = Struct(">BIQHI")
_HEADER_BYTES: Final = _HEADER.size
_header: Final = _HEADER.pack
_read_header: Final = _HEADER.unpack_from
_read_words: Final = Struct(">BIIIHI").unpack_from
"""The header with both halves of the version."""
_U32: Final = 0xFFFF_FFFF

T = TypeVar("T")

decode_item: Final = msgspec.json.Decoder(dict[str, AttributeValue]).decode
"""The attributes in the JSON of an item."""
_encode: Final = msgspec.json.Encoder().encode
_size: Final = Struct(">xI").unpack_from
_joined: Final = chain.from_iterable
packed_json: Final = itemgetter(slice(_HEADER_BYTES, None))
"""The JSON in a stored value, as it is stored."""
_STRING, _STRING_BYTE = b'":{"S":"', b"\x01"
_NUMBER, _NUMBER_BYTE = b'":{"N":"', b"\x02"
_NEXT, _NEXT_BYTE = b'"},"', b"\x03"


class Image(msgspec.Struct, frozen=True):
    """An item at one time: its size as DynamoDB counts it, and its JSON.

    The version is not part of it, so that images of equal items are equal.
    """

    size: int
    json: bytes

    def item(self) -> Item:
        """The attributes; the JSON is parsed at each call."""
        return decode_item(self.json)


def packed(json: bytes) -> bytes:
    """JSON as it is stored."""
    shorter = json.replace(_STRING, _STRING_BYTE).replace(_NUMBER, _NUMBER_BYTE)
    return shorter.replace(_NEXT, _NEXT_BYTE)


def unpacked(data: bytes) -> bytes:
    """The JSON in bytes that were stored, packed or not."""
    longer = data.replace(_STRING_BYTE, _STRING).replace(_NUMBER_BYTE, _NUMBER)
    return longer.replace(_NEXT_BYTE, _NEXT)


def image_of(item: Item, item_bytes: int) -> Image:
    """The image of a canonical item whose size is known."""
    return Image(item_bytes, _encode(item))


def stored(image: Image, key: bytes, version: int = 0, region: int = OWN_REGION) -> bytes:
    """The stored form of an image, at a key of the engine."""
    size, json = image.size, packed(image.json)
    checksum = crc32(json, crc32(key, (size ^ version ^ version >> 32 ^ region) & _U32))
    return _header(FORMAT, size, version, region, checksum) + json


def stored_entry(value: bytes, size: int, key: bytes) -> bytes:
    """The image in the stored value of an item as an index entry has it, at the key of that."""
    json: bytes = packed_json(value)
    header: bytes = _header(FORMAT, size, 0, OWN_REGION, crc32(json, crc32(key, size)))
    return header + json


def stored_unpacked(image: Image) -> bytes:
    """The stored form of an image as builds before format 3 know it, without a version."""
    size, json = image.size, image.json
    return _header(FORMAT_UNPACKED, size, 0, OWN_REGION, crc32(json, size)) + json


def image_from(data: bytes) -> Image:
    """The image in a stored value; the checksum is not compared."""
    return Image(size_of(data), unpacked(data[_HEADER_BYTES:]))


def check(key: bytes, data: bytes) -> None:
    """Compare the checksum of a stored value, and of the key at which it was found.

    Raises AssertionError: it is truncated, of an unknown format, altered, or of another key.
    """
    try:
        number, size, upper, lower, region, checksum = _read_words(data)
    except StructError as error:
        raise AssertionError("an item that is cut off") from error
    assert number in _FORMATS, "an item of an unknown format"
    initial = size ^ upper ^ lower ^ region
    actual = crc32(packed_json(data), crc32(key, initial) if number == FORMAT else initial)
    assert actual == checksum, "the checksum does not match"


def copied(data: bytes, key: bytes, target: bytes) -> bytes:
    """A stored value at a key as it is stored at another. Raises DamagedError: it was altered."""
    try:
        check(key, data)
    except AssertionError as error:
        raise DamagedError(f"an item is damaged, at {key.hex()}: {error}") from error
    return stored(image_from(data), target, *version_and_region_of(data))


def image_and_version(data: bytes) -> tuple[Image, int]:
    """The image and the version in a stored value; the checksum is not compared."""
    try:
        number, size, version, _, _ = _read_header(data)
    except StructError as error:
        raise AssertionError("an item that is cut off") from error
    assert number in _FORMATS, "an item of an unknown format"
    return Image(size, unpacked(data[_HEADER_BYTES:])), version


def size_and_version_of(data: bytes) -> tuple[int, int]:
    """The size and the version of a stored item."""
    try:
        number, size, version, _, _ = _read_header(data)
    except StructError as error:
        raise AssertionError("an item that is cut off") from error
    assert number in _FORMATS, "an item of an unknown format"
    return size, version


def version_and_region_of(data: bytes) -> tuple[int, int]:
    """The version, and the number of the region of the last change, of a stored item."""
    _, _, version, region, _ = _read_header(data)
    return version, region


# Reads use stored values directly, without an `Image` for each item.


def size_of(data: bytes) -> int:
    """The size of a stored item."""
    try:
        size: int = _size(data)[0]
    except StructError as error:
        raise AssertionError("an item that is cut off") from error
    assert data[0] in _FORMATS, "an item of an unknown format"
    return size


def sizes_of(values: Iterable[bytes]) -> int:
    """The sum of the sizes of stored items."""
    return sum(_joined(map(_size, values)))


def item_of(data: bytes) -> Item:
    """The attributes of a stored item."""
    return decode_item(unpacked(packed_json(data)))


def json_of(data: bytes) -> msgspec.Raw:
    """The JSON of a stored item, to be spliced into a response."""
    return msgspec.Raw(unpacked(packed_json(data)))


def json_list_of(values: Iterable[bytes]) -> msgspec.Raw:
    """The JSON of a list of stored items, to be spliced into a response."""
    return msgspec.Raw(unpacked(b"[%b]" % b",".join(map(packed_json, values))))


def json_lines_of(values: Iterable[bytes], before: bytes, after: bytes) -> bytes:
    """The JSON of stored items, each between two texts; values must not be empty."""
    return unpacked(before + (after + before).join(map(packed_json, values)) + after)


class Counters(Protocol):
    """The counters of a table, or of an index."""

    @property
    def item_count_key(self) -> bytes:
        """The key of the counter of its items, or entries."""

    @property
    def bytes_key(self) -> bytes:
        """The key of the counter of their bytes."""


class ItemChanges(msgspec.Struct):
    """The changes of one write of the engine, of one item or of several, while they are made."""

    puts: dict[bytes, bytes] = {}
    deletes: list[bytes] = []
    adds: dict[bytes, int] = {}
    appends: list[tuple[bytes, bytes]] = []

    def replace(
        self,
        counters: Counters,
        key: bytes,
        old_size: int | None,
        after: Image | None,
        *,
        version: int,
        region: int = OWN_REGION,
    ) -> int:
        """Put or delete one item, and count it; returns the bytes of the larger image.

        Args:
            counters: of its table.
            key: of the item in the engine.
            old_size: its bytes before; None if there was no item.
            after: the item; None to delete it.
            version: of the item from then on.
            region: the number of the region of the change.
        """
        if after is None:
            if old_size is None:
                return 0
            self.deletes.append(key)
            self.count(counters, -1, -old_size)
            return old_size
        self.puts[key] = stored(after, key, version, region)
        size = after.size
        if size == old_size:
            return size
        adds, bytes_key = self.adds, counters.bytes_key
        if old_size is None:
            adds[counters.item_count_key] = adds.get(counters.item_count_key, 0) + 1
            old_size = 0
        adds[bytes_key] = adds.get(bytes_key, 0) + size - old_size
        return max(old_size, size)

    def count(self, counters: Counters, items: int, size_bytes: int) -> None:
        """Add to the counters of a table, or of an index."""
        adds = self.adds
        if items:
            key = counters.item_count_key
            adds[key] = adds.get(key, 0) + items
        if size_bytes:
            key = counters.bytes_key
            adds[key] = adds.get(key, 0) + size_bytes

    def add(self, key: bytes, amount: int) -> None:
        """Add to one counter."""
        if amount:
            self.adds[key] = self.adds.get(key, 0) + amount

    def changes(self, answer: T, more: Mapping[bytes, bytes] | None = None) -> Changes[T]:
        """All of it, with an answer; `more` are further puts, of rows that are no items."""
        puts = {**self.puts, **more} if more else self.puts
        return Changes(
            answer=answer, puts=puts, deletes=self.deletes, adds=self.adds, appends=self.appends
        )
