"""The change log: what became of an item, by whom and when, beside the item in the same write.

A record always holds both images, whatever its readers want to see. It lies in the engine under the
log of its shard, at the number that the engine gives it. What stands here is on disks:

    format (1)      0x01
    flags (1)       0x01: there was an item before, 0x02: there is one after, 0x04: it was deleted
                    by the service because its time to live was over
    time (8)        milliseconds since the epoch
    before, if any  size in DynamoDB's accounting (4), length of the JSON (4), JSON of the item
    after, if any   size in DynamoDB's accounting (4), JSON of the item, up to the end

All integers are big-endian.
"""

from bisect import bisect_right
from enum import Enum
from struct import Struct
from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.tables import keyspace
from hashrange.tables.images import Image, image_of_json
from hashrange.tables.log_keys import partition_hash

_FORMAT: Final = 1
_BEFORE: Final = 1
_AFTER: Final = 2
_EXPIRED: Final = 4

_HEAD: Final = Struct(">BBQ")
_IMAGE_BEFORE: Final = Struct(">II")
_SIZE: Final = Struct(">I")


class Who(Enum):
    """Who changes an item."""

    CALLER = 0
    TIME_TO_LIVE = 1


class ChangeRecord(msgspec.Struct, frozen=True):
    """One change of one item: at least one of the images is there."""

    time_ms: int
    who: Who
    before: Image | None
    after: Image | None


class LogPlaces:
    """Which log a change of an item goes to: that of the open shard of its partition hash."""

    __slots__ = ("_logs", "_starts")

    def __init__(self, table: Table) -> None:
        shards = table.open_shards
        self._starts = [shard.start for shard in shards]
        self._logs = [keyspace.log_key(table.number, shard.number) for shard in shards]

    def __bool__(self) -> bool:
        return bool(self._logs)

    def log_of(self, item_key: bytes) -> bytes:
        """The log of an item, from its key in the engine."""
        place = bisect_right(self._starts, partition_hash(item_key)) - 1
        return self._logs[place]


def is_change(before: Image | None, after: Image | None) -> bool:
    """Whether an item is another one now; an order of attributes or of a set is no difference."""
    if before is None or after is None:
        return before is not after
    if before.size != after.size or len(before.stored) != len(after.stored):
        return True
    return before.stored != after.stored and before.item() != after.item()


def stored(record: ChangeRecord) -> bytes:
    """The record as it lies in the engine."""
    before, after = record.before, record.after
    flags = _EXPIRED if record.who is Who.TIME_TO_LIVE else 0
    parts: list[bytes] = [b""]
    if before is not None:
        flags |= _BEFORE
        json = before.json
        parts += (_IMAGE_BEFORE.pack(before.size, len(json)), json)
    if after is not None:
        flags |= _AFTER
        parts += (_SIZE.pack(after.size), after.json)
    parts[0] = _HEAD.pack(_FORMAT, flags, record.time_ms)
    return b"".join(parts)


def record_from(data: bytes) -> ChangeRecord:
    """Read back what `stored` made."""
    version, flags, time_ms = _HEAD.unpack_from(data)
    assert version == _FORMAT, "a change record of an unknown format"
    place = _HEAD.size
    before = after = None
    if flags & _BEFORE:
        size, length = _IMAGE_BEFORE.unpack_from(data, place)
        place += _IMAGE_BEFORE.size
        before = image_of_json(data[place : place + length], size)
        place += length
    if flags & _AFTER:
        (size,) = _SIZE.unpack_from(data, place)
        after = image_of_json(data[place + _SIZE.size :], size)
    who = Who.TIME_TO_LIVE if flags & _EXPIRED else Who.CALLER
    return ChangeRecord(time_ms, who, before, after)


def time_ms_of(data: bytes) -> int:
    """When a change was made, without reading what it was."""
    time_ms: int = _HEAD.unpack_from(data)[2]
    return time_ms
