"""Reads shards: their records by pages, their ends, and the first record of a time."""

from typing import Final

import msgspec

from hashrange.limits.tables import STREAM_PAGE_BYTES_MAX
from hashrange.model.log import Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.log_keys import record_key, record_number
from hashrange.tables.log.change_log import ChangeRecord, is_change, record_from, time_ms_of
from hashrange.tables.streams.finding import TableStream

RECORDS_END: Final = 2**64 - 1
"""A number above those of all records."""


class NumberedRecord(msgspec.Struct, frozen=True):
    """A change record and its number within its shard."""

    number: int
    record: ChangeRecord


class Page(msgspec.Struct, frozen=True):
    """Records of a shard, in the order of their numbers."""

    records: list[NumberedRecord]
    more: bool
    """The page is full, so there may be more records."""


async def read_records(
    engine: Engine, stream: TableStream, shard: Shard, start: int, *, limit: int
) -> Page:
    """A page of records with numbers from `start` on, of at most `limit` records.

    Raises StaleFenceError: the table has changed, so records of the page may have been trimmed.
    """
    first, end = _range(stream.table, shard, max(start, shard.trimmed_to))
    pairs = await engine.scan(
        first, end, limit=limit, bytes_max=STREAM_PAGE_BYTES_MAX, fences=stream.fences
    )
    read = [NumberedRecord(record_number(key), record_from(value)) for key, value in pairs]
    # Other replicas must know of a write that does not change its item, but it is no change.
    records = [each for each in read if is_change(each.record.before, each.record.after)]
    stored = sum(len(value) for _, value in pairs)
    return Page(records, len(pairs) == limit or stored >= STREAM_PAGE_BYTES_MAX)


async def next_record(engine: Engine, table: Table, shard: Shard) -> int:
    """A number above those of all present records, and not above those of later ones."""
    first, end = _range(table, shard, shard.cleared_to)
    pairs = await engine.scan(first, end, limit=1, bytes_max=1, reverse=True)
    return max(record_number(pairs[0][0]) + 1 if pairs else 1, shard.trimmed_to)


async def first_at(
    engine: Engine, table: Table, shard: Shard, time_ms: int, *, start: int | None = None
) -> int:
    """The number of the first record with a stamp of `time_ms` or later; else `next_record`.

    A binary search, since the stamps of a shard never decrease. It begins with the record `start`,
    by default with the first that streams show.
    """
    low = shard.trimmed_to if start is None else start
    high = max(low, await next_record(engine, table, shard))
    while low < high:
        middle = (low + high) // 2
        first, end = _range(table, shard, middle)
        pairs = await engine.scan(first, end, limit=1, bytes_max=1)
        if pairs and time_ms_of(pairs[0][1]) < time_ms:
            low = record_number(pairs[0][0]) + 1
        else:
            high = middle
    return low


def _range(table: Table, shard: Shard, start: int) -> key_ranges.Range:
    log = keyspace.log_key(table.number, shard.number)
    return record_key(log, start), record_key(log, RECORDS_END)
