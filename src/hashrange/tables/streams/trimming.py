"""Removes records that no reader needs any more, in steps that may be interrupted anywhere.

First the catalog entry is changed to say up to which record a shard is trimmed, so that no reader
reads before it. Then the records are deleted, page by page. Then shards that were trimmed as a
whole are removed from the catalog entry.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Final, TypeAlias

import msgspec

from hashrange.model.log import ALL_RECORDS, Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import record_key
from hashrange.tables.log.change_log import time_ms_of
from hashrange.tables.log.shards import (
    Horizon,
    empty_shards_kept_from,
    is_gone,
    is_over,
    trimmed,
    without_shards,
)
from hashrange.tables.streams.records import first_at

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""About a millisecond of work; requests are served between two pages."""
RETENTION_TAG: Final = "hashrange:stream-retention-seconds"
"""The tag of a table that asks for a longer retention of the records of its streams."""
RETENTION_SECONDS_MAX: Final = 365 * 24 * 60 * 60
_MS: Final = 1000


Change: TypeAlias = Callable[[Callable[[Table], Table]], Awaitable[object]]
"""Applies a pure function to the catalog entry of one table."""


class LoggedTable(msgspec.Struct, frozen=True):
    """A table with a change log."""

    table: Table
    owner: bytes
    """The key of the table's catalog entry, or of its entry among dropped tables."""


def stream_ms_of(table: Table, least_ms: int) -> int:
    """For how long streams of a table show a record: as its tag asks, and at least `least_ms`."""
    asked = table.tags.get(RETENTION_TAG, "")
    if not (asked.isascii() and asked.isdecimal()):
        return least_ms
    return max(least_ms, min(int(asked), RETENTION_SECONDS_MAX) * _MS)


async def horizons(
    engine: Engine,
    table: Table,
    *,
    now_ms: int,
    stream_ms: int,
    needed: Mapping[int, int] | None = None,
    over: Collection[int] = (),
) -> dict[int, Horizon]:
    """The horizons of shards, by the shard's number, that differ from the catalog entry.

    Args:
        engine: holds the records.
        table: the table of the log.
        now_ms: milliseconds since the epoch.
        stream_ms: for how long streams show a record.
        needed: by the number of a shard, the first record that replicas do not have yet.
        over: numbers of shards that streams no longer show, whatever the time of their records.
    """
    changed: dict[int, Horizon] = {}
    oldest_ms, empty_kept_from = now_ms - stream_ms, empty_shards_kept_from(table)
    for shard in table.log.shards:
        trimmed_to = shard.trimmed_to
        if trimmed_to != ALL_RECORDS:
            kept = await _first_kept(engine, table, shard, oldest_ms, start=trimmed_to)
            if shard.number in over:
                trimmed_to = ALL_RECORDS
            elif kept is not None:
                trimmed_to = kept
            elif shard.number < empty_kept_from:
                trimmed_to = ALL_RECORDS
        kept_from = await _needed_from(engine, table, shard, now_ms)
        first = None if needed is None else needed.get(shard.number)
        if first is not None and first < trimmed_to:
            kept_from = first if kept_from is None else min(first, kept_from)
        if (trimmed_to, kept_from) != (shard.trimmed_to, shard.kept_from):
            changed[shard.number] = Horizon(trimmed_to, kept_from)
    return changed


async def _needed_from(engine: Engine, table: Table, shard: Shard, now_ms: int) -> int | None:
    """The first record that a reader needs; None if no reader needs any."""
    needed: int | None = None
    for reader in table.log.readers:
        if shard.number < reader.first_shard:
            continue
        first = shard.cleared_to
        if reader.retention_ms is not None:
            oldest_ms = now_ms - reader.retention_ms
            kept = await _first_kept(engine, table, shard, oldest_ms, start=first)
            first = ALL_RECORDS if kept is None else kept
        if first != ALL_RECORDS:
            needed = first if needed is None else min(needed, first)
    return needed


async def _first_kept(
    engine: Engine, table: Table, shard: Shard, oldest_ms: int, *, start: int
) -> int | None:
    """The number of the first record, from `start` on, with a stamp of `oldest_ms` or later.

    None if the shard is closed and has no record from `start` on, nor ever will.
    """
    if is_over(shard, oldest_ms):
        return ALL_RECORDS
    log = keyspace.log_key(table.number, shard.number)
    oldest = await engine.scan(
        record_key(log, start), record_key(log, ALL_RECORDS), limit=1, bytes_max=1
    )
    if not oldest:
        return start if shard.closed_ms is None else None
    if time_ms_of(oldest[0][1]) >= oldest_ms:
        return start
    return await first_at(engine, table, shard, oldest_ms, start=start)


async def set_horizons(change: Change, changed: Mapping[int, Horizon]) -> None:
    """Write horizons to the catalog entry; readers refuse the records before them from then on."""
    if changed:
        await change(partial(trimmed, horizons=changed))


async def clear_page(engine: Engine, logged: LoggedTable, page_rows: int = PAGE_ROWS) -> bool:
    """Delete one page of trimmed records; whether there may be more."""
    for shard in logged.table.log.shards:
        if shard.cleared_to > 1:
            log = keyspace.log_key(logged.table.number, shard.number)
            pairs = await engine.scan(
                record_key(log, 0),
                record_key(log, shard.cleared_to),
                limit=page_rows,
                bytes_max=PAGE_BYTES,
            )
            if pairs:
                rows = [key for key, _ in pairs]
                await engine.write([logged.owner], lambda _: Changes(answer=None, deletes=rows))  # noqa: B023
                return True
    return False


async def forget_shards(change: Change, logged: LoggedTable) -> None:
    """Remove shards that were trimmed as a whole; all their records must have been deleted."""
    gone = {shard.number for shard in logged.table.log.shards if is_gone(shard)}
    if gone:
        await change(partial(without_shards, numbers=gone))
