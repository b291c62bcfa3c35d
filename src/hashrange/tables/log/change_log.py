"""Records of the change log, each written in the same write as the item that it is of.

A record has both images of the item if the table has a stream, a destination or replicas. Snapshots
and exports, the only readers of all other logs, need those before changes: the image after a change
is the one before the next change of the item, or the item. So the record of a change of an item
that was there and is there has the old image only. Its key is the log of its shard and the number
that the engine assigns. The stored format, with big-endian integers, is:

    time (8)        the engine's stamp: milliseconds since the epoch
    format (1)      0x02; 0x03 if the image after is not kept
    flags (1)       0x01: there was an item before, 0x02: there is one after, 0x04: it was deleted
                    by the service because its time to live was over
    version (8)     of the item after the change, or of its deletion, as in `tables.items.images`
    region (2)      of the server where the change was made, as there
    checksum (4)    CRC-32 of the bytes before it, but for the time, and of those behind it
    before, if any  size in DynamoDB's accounting (4), length of the JSON (4), JSON of the item
    after, if any   size in DynamoDB's accounting (4), JSON of the item, up to the end; in format
                    0x03 only the size

JSON is packed as in `tables.items.images`; in records of older builds it is not.
"""

from bisect import bisect_right
from struct import Struct
from typing import Final
from zlib import crc32

import msgspec

from hashrange.model.log import Actor
from hashrange.model.table import Table
from hashrange.storage.engine import STAMP_BYTES
from hashrange.tables.items.images import (
    OWN_REGION,
    Image,
    decode_item,
    packed,
    packed_json,
    unpacked,
)
from hashrange.tables.items.item_changes import ItemChange
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import PARTITION_HASH

_FORMAT: Final = 2
_FORMAT_UNKEPT: Final = 3
_FORMATS: Final = frozenset((_FORMAT, _FORMAT_UNKEPT))
_BEFORE: Final = 1
_AFTER: Final = 2
_EXPIRED: Final = 4

_TIME: Final = Struct(">Q")
_HEAD: Final = Struct(">BBQH")
_CHECKSUM: Final = Struct(">I")
_BODY: Final = STAMP_BYTES + _HEAD.size + _CHECKSUM.size
_IMAGE_BEFORE: Final = Struct(">II")
_SIZE: Final = Struct(">I")
_HEAD_END: Final = STAMP_BYTES + _HEAD.size

_head: Final = _HEAD.pack
_checksum: Final = _CHECKSUM.pack
_image_before: Final = _IMAGE_BEFORE.pack
_after_size: Final = _SIZE.pack
_read_body: Final = Struct(">QBBQHI").unpack_from
"""All before the images: time, format, flags, version, region, checksum."""
_read_image_before: Final = _IMAGE_BEFORE.unpack_from
_read_after_size: Final = _SIZE.unpack_from


class ChangeRecord(msgspec.Struct, frozen=True):
    """One change of one item; at least one of the images is not None.

    `time_ms` is the engine's stamp; it is 0 before the record is stored. `unkept` is the size of
    the image after the change if the record does not have that image, and `after` is None.
    """

    who: Actor
    before: Image | None
    after: Image | None
    version: int = 0
    region: int = OWN_REGION
    time_ms: int = 0
    unkept: int | None = None


class LogRouter:
    """Appends the record of a change to the open shard of the item's partition hash.

    Args:
        table: has a log with open shards.
    """

    __slots__ = ("_is_replicated", "_keeps_new", "_logs", "_starts")

    def __init__(self, table: Table) -> None:
        shards = table.log.open_shards
        self._starts = [shard.start for shard in shards]
        self._logs = [keyspace.log_key(table.number, shard.number) for shard in shards]
        # When a table gets a stream, a destination or its first replica, its shards are rolled: all
        # records that those read have the images after changes.
        self._keeps_new = (
            table.stream is not None
            or table.replication is not None
            or table.destination is not None
        )
        self._is_replicated = table.is_replicated

    def contribute(self, change: ItemChange) -> None:
        """Append the record of a change, if the items differ; replicas get all changes."""
        if not (self._is_replicated or change.is_change()):
            return
        before, after, puts = change.before, change.after, change.changes.puts
        # In stored items the JSON is packed already.
        old = packed_json(change.value or b"")
        if self._keeps_new or before is None or after is None:
            record = _stored_images(change, old, packed_json(puts.get(change.key, b"")))
        else:
            record = _stored_before(change, before.size, old, after.size)
        change.changes.appends.append((self.log_of(change.key), record))

    def log_of(self, item_key: bytes) -> bytes:
        """The log of an item, from its key in the engine."""
        return self._logs[bisect_right(self._starts, item_key[PARTITION_HASH]) - 1]


def is_change(before: Image | None, after: Image | None) -> bool:
    """Whether two images differ, apart from the order of attributes."""
    if before is None or after is None:
        return before is not after
    if before.size != after.size or len(before.json) != len(after.json):
        return True
    return before.json != after.json and decode_item(before.json) != decode_item(after.json)


def stored(record: ChangeRecord) -> bytes:
    """The stored form of a record, without the stamp that the engine adds."""
    before, after = record.before, record.after
    old = b"" if before is None else packed(before.json)
    if before is not None and record.unkept is not None:
        return _stored_before(record, before.size, old, record.unkept)
    return _stored_images(record, old, b"" if after is None else packed(after.json))


def _stored_images(record: ChangeRecord | ItemChange, old: bytes, new: bytes) -> bytes:
    """The stored form of a record with all images, whose packed JSON is `old` and `new`."""
    before, after, body = record.before, record.after, b""
    flags = _EXPIRED if record.who is Actor.TIME_TO_LIVE else 0
    if before is not None:
        flags |= _BEFORE
        body = _image_before(before.size, len(old)) + old
    if after is not None:
        flags |= _AFTER
        body = b"%b%b%b" % (body, _after_size(after.size), new)
    head = _head(_FORMAT, flags, record.version, record.region)
    return head + _checksum(crc32(body, crc32(head))) + body


def _stored_before(
    record: ChangeRecord | ItemChange, old_size: int, old: bytes, size: int
) -> bytes:
    """The stored form of a record without the image after the change, of which `size` is kept."""
    body = b"%b%b%b" % (_image_before(old_size, len(old)), old, _after_size(size))
    head = _head(_FORMAT_UNKEPT, _BEFORE | _AFTER, record.version, record.region)
    return head + _checksum(crc32(body, crc32(head))) + body


def record_from(data: bytes) -> ChangeRecord:
    """The record in a stored value with its stamp, for readers that need both images.

    Raises AssertionError: it was altered, or does not have both.
    """
    return _whole(history_from(data))


def newest_from(data: bytes) -> ChangeRecord:
    """As `record_from`, with the newest image alone: the one before only if there is none after."""
    return _whole(_record_from(data, has_before=False))


def history_from(data: bytes) -> ChangeRecord:
    """As `record_from`, for readers that need the images before changes."""
    return _record_from(data, has_before=True)


def _whole(record: ChangeRecord) -> ChangeRecord:
    assert record.unkept is None, "a change record without the image after the change"
    return record


def _record_from(data: bytes, *, has_before: bool) -> ChangeRecord:
    time_ms, number, flags, version, region, expected = _read_body(data)
    assert number in _FORMATS, "a change record of an unknown format"
    head = data[STAMP_BYTES:_HEAD_END]
    assert crc32(data[_BODY:], crc32(head)) == expected, "the checksum does not match"
    place = _BODY
    before = after = unkept = None
    if flags & _BEFORE:
        size, length = _read_image_before(data, place)
        place += _IMAGE_BEFORE.size
        if has_before or not flags & _AFTER:
            before = Image(size, unpacked(data[place : place + length]))
        place += length
    if flags & _AFTER:
        (size,) = _read_after_size(data, place)
        if number == _FORMAT:
            after = Image(size, unpacked(data[place + _SIZE.size :]))
        else:
            unkept = size
    who = Actor.TIME_TO_LIVE if flags & _EXPIRED else Actor.CALLER
    return ChangeRecord(who, before, after, version, region, time_ms, unkept)


def region_of(data: bytes) -> int:
    """The number of the region of a stored record; its checksum is not compared."""
    region: int = _HEAD.unpack_from(data, STAMP_BYTES)[3]
    return region


def time_ms_of(data: bytes) -> int:
    """The stamp of a stored record."""
    time_ms: int = _TIME.unpack_from(data)[0]
    return time_ms
