"""Reads of a shard: where it begins and ends, and its records page by page."""

from typing import Final

import msgspec

from hashrange.limits import STREAM_PAGE_BYTES_MAX
from hashrange.model.log import Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.streams.finding import TableStream
from hashrange.tables import keyspace
from hashrange.tables.change_log import ChangeRecord, record_from, time_ms_of
from hashrange.tables.log_keys import record_key, record_number

RECORDS_END: Final = 2**64 - 1
"""No record has this number."""


class Numbered(msgspec.Struct, frozen=True):
    """A record and its number within its log."""

    number: int
    record: ChangeRecord


class Page(msgspec.Struct, frozen=True):
    """Records in their order; `more`: it ended before the log was known to be at its end."""

    records: list[Numbered]
    more: bool


async def read_records(
    engine: Engine, found: TableStream, shard: Shard, start: int, *, limit: int
) -> Page:
    """Records with numbers from `start` on: at most `limit`, about a page of bytes.

    Raises StaleFenceError: the table changed, and what is between may have been trimmed.
    """
    first, end = _range(found.table, shard, max(start, shard.trimmed_to))
    pairs = await engine.scan(
        first, end, limit=limit, bytes_max=STREAM_PAGE_BYTES_MAX, fences=found.fences
    )
    records = [Numbered(record_number(key), record_from(value)) for key, value in pairs]
    stored = sum(len(value) for _, value in pairs)
    return Page(records, len(pairs) == limit or stored >= STREAM_PAGE_BYTES_MAX)


async def next_record(engine: Engine, table: Table, shard: Shard) -> int:
    """A number that is higher than that of each record that there is, and of none to come."""
    first, end = _range(table, shard, shard.cleared_to)
    pairs = await engine.scan(first, end, limit=1, bytes_max=1, reverse=True)
    return max(record_number(pairs[0][0]) + 1 if pairs else 1, shard.trimmed_to)


async def first_at(
    engine: Engine, table: Table, shard: Shard, time_ms: int, *, start: int | None = None
) -> int:
    """The number of the first record that was made at a time or later; one behind all if none.

    Looks from `start` on, by default from the first record that streams show. The stamps of a log
    never decrease, so each step halves what is left.
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


def _range(table: Table, shard: Shard, start: int) -> keyspace.Range:
    log = keyspace.log_key(table.number, shard.number)
    return record_key(log, start), record_key(log, RECORDS_END)
