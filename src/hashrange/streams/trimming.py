"""Takes away what is older than records are kept for, in steps that may be left at any point.

First the catalog says up to where a shard is trimmed, and no reader goes there any more; then the
records go, page by page; then, if it was the whole shard, the catalog forgets it.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

import msgspec

from hashrange.model.stream import ALL_RECORDS, Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine
from hashrange.streams.reading import first_at
from hashrange.tables import keyspace
from hashrange.tables.change_log import time_ms_of
from hashrange.tables.log_keys import record_key
from hashrange.tables.shards import is_over, trimmed, without_shards

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""About a millisecond of work: requests come between two pages."""


Change: TypeAlias = Callable[[Callable[[Table], Table]], Awaitable[object]]
"""Replaces the catalog entry of one table by what a pure function makes of it."""


class Logged(msgspec.Struct, frozen=True):
    """A table with change logs, and the key of its catalog entry, which owns them."""

    table: Table
    owner: bytes

    @property
    def shards(self) -> list[Shard]:
        """Of all its streams."""
        return [shard for stream in self.table.streams for shard in stream.shards]


async def horizons(engine: Engine, table: Table, oldest_ms: int) -> dict[int, int]:
    """Up to which records shards are to be trimmed, by number, where that is further than now.

    `oldest_ms` is the time from which records are kept.
    """
    found: dict[int, int] = {}
    for shard in Logged(table, b"").shards:
        if shard.trimmed_to == ALL_RECORDS:
            continue
        if is_over(shard, oldest_ms):
            found[shard.number] = ALL_RECORDS
        elif await _has_older(engine, table, shard, oldest_ms):
            horizon = await first_at(engine, table, shard, oldest_ms)
            if horizon > shard.trimmed_to:
                found[shard.number] = horizon
    return found


async def _has_older(engine: Engine, table: Table, shard: Shard, oldest_ms: int) -> bool:
    log = keyspace.log_key(table.number, shard.number)
    start, end = record_key(log, shard.trimmed_to), record_key(log, ALL_RECORDS)
    pairs = await engine.scan(start, end, limit=1, bytes_max=1)
    return bool(pairs) and time_ms_of(pairs[0][1]) < oldest_ms


async def set_horizons(change: Change, found: dict[int, int]) -> None:
    """Tell readers what they cannot read any more."""
    if found:
        await change(partial(trimmed, trimmed_to=found))


async def clear_page(engine: Engine, logged: Logged) -> bool:
    """Remove some records that are trimmed; whether there may be more."""
    for shard in logged.shards:
        if shard.trimmed_to > 1:
            log = keyspace.log_key(logged.table.number, shard.number)
            pairs = await engine.scan(
                record_key(log, 0),
                record_key(log, shard.trimmed_to),
                limit=PAGE_ROWS,
                bytes_max=PAGE_BYTES,
            )
            if pairs:
                rows = [key for key, _ in pairs]
                await engine.write([logged.owner], lambda _: Changes(answer=None, deletes=rows))  # noqa: B023
                return True
    return False


async def forget_shards(change: Change, logged: Logged) -> None:
    """Forget the shards that were trimmed as a whole, once their records are gone."""
    gone = {shard.number for shard in logged.shards if shard.trimmed_to == ALL_RECORDS}
    if gone:
        await change(partial(without_shards, numbers=gone))
