"""How many items and bytes a table had at a time: its counters now, less what the log has since."""

import asyncio
from typing import Final

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.log.change_log import ChangeRecord, history_from
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize, read_size
from hashrange.tables.snapshots.snapshots import PAGE_BYTES, PAGE_ROWS

_TRIES: Final = 3
"""While the table is written, its counters and its log are read again, so often."""


class PastSize(msgspec.Struct, frozen=True, rename="camel"):
    """The size of a table at a time.

    Attributes:
        bytes: of its items; vectors count as lists, since the log does not keep every image.
        is_exact: false if the table was written meanwhile: what was written may be counted.
    """

    items: int
    bytes: int
    is_exact: bool


async def past_size(
    engine: Engine, opened: OpenTable, time_ms: int, records_max: int
) -> PastSize | None:
    """The size at a time from which on the log is kept; None if more records are later than that.

    Raises StorageError.
    """
    size, tries = await read_size(engine, opened.number), 0
    while True:
        added = await _since(engine, opened, time_ms, records_max)
        if added is None:
            return None
        before, size = size, await read_size(engine, opened.number)
        tries += 1
        if size == before or tries == _TRIES:
            return PastSize(size.items - added.items, size.size - added.size, size == before)


async def _since(
    engine: Engine, opened: OpenTable, time_ms: int, records_max: int
) -> TableSize | None:
    """The items and bytes that the changes after a time have added to a table."""
    items = size = records = 0
    for shard in opened.table.log.shards:
        log = keyspace.log_key(opened.number, shard.number)
        start, end = key_ranges.prefix_range(log)
        while page := await engine.scan(
            start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES, reverse=True
        ):
            for end, value in page:  # noqa: B007 - the next page ends at the last key
                record = history_from(value)
                if record.time_ms <= time_ms:
                    break
                records += 1
                more = _added(record)
                items, size = items + more.items, size + more.size
            else:
                if records > records_max:
                    return None
                await asyncio.sleep(0)
                continue
            break
    return TableSize(items, size)


def _added(record: ChangeRecord) -> TableSize:
    """The items and bytes that a change has added."""
    before = None if record.before is None else record.before.size
    after = record.unkept if record.after is None else record.after.size
    items = (after is not None) - (before is not None)
    return TableSize(items, (after or 0) - (before or 0))
