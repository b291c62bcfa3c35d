"""Keeps streams in shape: opens new shards, and takes away what is older than records are kept for.

What is to be done stands in the catalog: what a stop or a crash left undone goes on at the next
start.
"""

import asyncio
import logging
from functools import partial
from typing import Final

import msgspec

from hashrange.background.pacer import Pacer
from hashrange.errors import DynamoError
from hashrange.storage.engine import StorageError
from hashrange.streams.trimming import (
    Change,
    Logged,
    clear_page,
    forget_shards,
    horizons,
    set_horizons,
)
from hashrange.tables import keyspace
from hashrange.tables.catalog import Catalog, pages_of_tables
from hashrange.tables.opened import OpenTable
from hashrange.tables.shards import is_to_roll, rolled, without_dead_readers
from hashrange.tables.store import Store

LOOK_SECONDS_MAX: Final = 60.0
LOOK_SECONDS_MIN: Final = 1.0
LOOKS_A_PERIOD: Final = 24
"""Of the shorter of the two periods: so much longer may a record stay, or a shard."""
_MS: Final = 1000

_log: Final = logging.getLogger(__name__)


class StreamRules(msgspec.Struct, frozen=True, kw_only=True):
    """How long a shard takes records, and how long records are kept."""

    shard_ms: int
    retention_ms: int


class LogMaintenance:
    """One task that looks after the streams of all tables, dropped ones too."""

    def __init__(self, store: Store, catalog: Catalog, rules: StreamRules, *, pacer: Pacer) -> None:
        self._engine = store.engine
        self._clock = store.clock
        self._catalog = catalog
        self._pacer = pacer
        self._rules = rules

    async def run(self) -> None:
        """Look again and again; ends when it is cancelled."""
        period_seconds = min(self._rules.shard_ms, self._rules.retention_ms) / _MS
        seconds = min(max(period_seconds / LOOKS_A_PERIOD, LOOK_SECONDS_MIN), LOOK_SECONDS_MAX)
        while True:
            try:
                await self.sweep()
            except StorageError:
                _log.warning("upkeep of streams failed; will retry", exc_info=True)
            await asyncio.sleep(seconds)

    async def settle(self) -> None:
        """Roll and trim what is due by now. Raises StorageError."""
        # The second look removes what the first has marked.
        await self.sweep()
        await self.sweep()

    async def sweep(self) -> None:
        """Look once at each stream that there is."""
        async for tables in pages_of_tables(self._engine):
            for name, opened in tables.items():
                await self._look_after(name, opened)
        for table in await self._catalog.dropped():
            if table.log.shards:
                change = partial(self._catalog.change_dropped, table.number)
                await self._trim(Logged(table, keyspace.dropped_key(table.number)), change)

    async def _look_after(self, name: str, opened: OpenTable) -> None:
        if not opened.table.log.shards:
            return
        table, now_ms, shard_ms = opened.table, self._clock.now_ms(), self._rules.shard_ms
        change = partial(self._catalog.change, name)
        try:
            if without_dead_readers(table, now_ms) is not table:
                table = await change(partial(without_dead_readers, now_ms=now_ms))
            if is_to_roll(table, now_ms, shard_ms):
                table = await change(partial(rolled, now_ms=now_ms, shard_ms_max=shard_ms))
            await self._trim(Logged(table, opened.catalog_key), change)
        except DynamoError:
            return  # the table is gone; it is among the dropped ones now

    async def _trim(self, logged: Logged, change: Change) -> None:
        # What an earlier look has marked goes first; what this one marks goes at the next.
        more = True
        while more:
            async with self._pacer.taken():
                more = await clear_page(self._engine, logged)
        await forget_shards(change, logged)
        found = await horizons(
            self._engine,
            logged.table,
            now_ms=self._clock.now_ms(),
            stream_ms=self._rules.retention_ms,
        )
        await set_horizons(change, found)
