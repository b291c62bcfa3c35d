"""The records of shards: how they are stored, written and read.

A record is stored under its number in its shard, which ascends with its time:

    time (8)        of its arrival, milliseconds since the epoch, never before that of the record
                    before it
    format (1)      0x01
    checksum (4)    CRC-32 of the bytes behind it
    length (2)      of the partition key in UTF-8
    partition key, data

The end of a shard is the number (8) of its next record, and the time (8) of its last one. It is
read and written with each record, so numbers have no gaps, and no record becomes visible before
one with a smaller number. Integers are big-endian.
"""

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Final
from zlib import crc32

import msgspec

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, StaleFenceError
from hashrange.tables.keys.kinesis_keys import end_key, records_key, records_range
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.kinesis.numbers import ShardAddress

_FORMAT: Final = 1
_HEAD: Final = Struct(">QBIH")
_END: Final = Struct(">QQ")
_LENGTH: Final = Struct(">H")
_TIME_BYTES: Final = 8
_NOTHING: Final[Mapping[bytes, "Replaced"]] = {}
_CHECKED: Final = _HEAD.size - _LENGTH.size
"""Where the bytes of the checksum begin."""


class NewRecord(msgspec.Struct, frozen=True):
    """A record to be written, and the number of its shard."""

    shard: int
    partition_key: str
    data: bytes


class StoredRecord(msgspec.Struct, frozen=True):
    """A record as it is read."""

    number: int
    time_ms: int
    partition_key: str
    data: bytes


class ShardEnd(msgspec.Struct, frozen=True):
    """The end of a shard: the number of its next record, and the time of its last one."""

    following: int = 1
    time_ms: int = 0


class Replaced(msgspec.Struct, frozen=True):
    """The value of a row that is replaced, None if there is none, and the new one."""

    before: bytes | None
    after: bytes


def check_unchanged(rows: Mapping[bytes, Replaced], stored: Sequence[bytes | None]) -> None:
    """Raises StaleFenceError unless all rows are as they were."""
    if [each.before for each in rows.values()] != stored:
        raise StaleFenceError


def stored(record: NewRecord, time_ms: int) -> bytes:
    """The stored form of a record."""
    key = record.partition_key.encode()
    body = b"%b%b%b" % (_LENGTH.pack(len(key)), key, record.data)
    head = _HEAD.pack(time_ms, _FORMAT, crc32(body), 0)
    return head[:_CHECKED] + body


def record_from(key: bytes, value: bytes) -> StoredRecord:
    """The record of a row. Raises AssertionError: it was altered."""
    time_ms, number, expected, length = _HEAD.unpack_from(value)
    assert number == _FORMAT, "a record of an unknown format"
    assert crc32(value[_CHECKED:]) == expected, "the checksum does not match"
    data = _HEAD.size + length
    return StoredRecord(
        record_number(key), time_ms, value[_HEAD.size : data].decode(), value[data:]
    )


def record_time_ms(value: bytes) -> int:
    """The time of a stored record."""
    return int.from_bytes(value[:_TIME_BYTES])


def end_from(value: bytes | None) -> ShardEnd:
    """The end of a shard; one that never had a record has no row."""
    return ShardEnd() if value is None else ShardEnd(*_END.unpack(value))


async def append(
    engine: Engine,
    stream: int,
    records: Sequence[NewRecord],
    now_ms: int,
    *,
    fences: Fences,
    beside: Mapping[bytes, "Replaced"] = _NOTHING,
) -> list[int]:
    """Write records, all or nothing; returns their numbers in their shards.

    Args:
        engine: holds them.
        stream: the number of the stream.
        records: of open shards.
        now_ms: the time of their arrival.
        fences: hold as long as those shards are open.
        beside: rows that are replaced in the same write.

    Raises:
        StaleFenceError: the stream has changed, or one of those rows.
    """
    shards = sorted({each.shard for each in records})
    keys = [end_key(stream, shard) for shard in shards]

    def decide(values: list[bytes | None]) -> Changes[list[int]]:
        check_unchanged(beside, values[len(shards) :])
        ends = [end_from(value) for value in values[: len(shards)]]
        following = {shard: end.following for shard, end in zip(shards, ends, strict=True)}
        times = {shard: max(now_ms, end.time_ms) for shard, end in zip(shards, ends, strict=True)}
        puts = {key: row.after for key, row in beside.items()}
        numbers: list[int] = []
        for each in records:
            number = following[each.shard]
            following[each.shard] = number + 1
            key = record_key(records_key(stream, each.shard), number)
            puts[key] = stored(each, times[each.shard])
            numbers.append(number)
        for shard, key in zip(shards, keys, strict=True):
            puts[key] = _END.pack(following[shard], times[shard])
        return Changes(answer=numbers, puts=puts)

    return await engine.write([*keys, *beside], decide, fences=fences)


async def read_end(engine: Engine, stream: int, shard: int) -> ShardEnd:
    """The end of a shard."""
    (value,) = await engine.read([end_key(stream, shard)])
    return end_from(value)


async def first_at(engine: Engine, address: ShardAddress, time_ms: int) -> int:
    """The number of the first record of `time_ms` or later, else that of the next record.

    A binary search, since the times of a shard never decrease.
    """
    low, high = 1, (await read_end(engine, *address)).following
    while low < high:
        middle = (low + high) // 2
        found = await engine.scan(*records_range(*address, middle), limit=1, bytes_max=1)
        if found and record_time_ms(found[0][1]) < time_ms:
            low = record_number(found[0][0]) + 1
        else:
            high = middle
    return low


async def read_records(
    engine: Engine,
    address: ShardAddress,
    start: int,
    *,
    limit: int,
    bytes_max: int,
    fences: Fences = NO_FENCES,
) -> list[StoredRecord]:
    """Records of a shard with numbers from `start` on; the last may exceed `bytes_max`.

    Args:
        engine: holds them.
        address: the numbers of stream and shard.
        start: the first number.
        limit: the most records.
        bytes_max: the page ends with the record that brings its bytes to so many.
        fences: hold as long as the stream is there.

    Raises:
        StaleFenceError: the stream has changed.
    """
    first, end = records_range(*address, start)
    found = await engine.scan(first, end, limit=limit, bytes_max=bytes_max, fences=fences)
    return [record_from(key, value) for key, value in found]
