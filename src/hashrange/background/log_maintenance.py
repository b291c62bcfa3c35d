"""Rolls the shards of change logs and trims records that are older than the retention.

The shards are in the catalog, so work that a stop or a crash interrupts goes on at the next start.
"""

import asyncio
import contextlib
import logging
from functools import partial
from typing import Final

import msgspec

from hashrange.background.tasks import Pacer
from hashrange.errors import DynamoError
from hashrange.model.table import Index
from hashrange.regions.replication.positions import needed_by_replicas
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.keys import system_keys
from hashrange.tables.keys.keyspace import index_range
from hashrange.tables.log.shards import is_to_roll, rolled
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.streams.byte_bounds import ShardSizes
from hashrange.tables.streams.trimming import (
    Change,
    LoggedTable,
    clear_page,
    forget_shards,
    horizons,
    set_horizons,
    stream_ms_of,
)
from hashrange.tables.vectors.trimming import trim_page
from hashrange.tables.writing.store import Store

LOOK_SECONDS_MAX: Final = 60.0
LOOK_SECONDS_MIN: Final = 1.0
LOOKS_A_PERIOD: Final = 24
"""Sweeps in the shorter of the two periods: records and shards stay longer by one interval."""
_MS: Final = 1000

_log: Final = logging.getLogger(__name__)


class StreamRules(msgspec.Struct, frozen=True, kw_only=True):
    """How long a shard stays open, and how long records are retained, in milliseconds."""

    shard_ms: int
    retention_ms: int


class LogMaintenance:
    """A background task that rolls and trims the change logs of all tables, also dropped tables.

    Args:
        store: holds the logs, and the clock.
        catalog: holds the shards.
        rules: the periods.
        pacer: gives turns, one for each page.
    """

    def __init__(self, store: Store, catalog: Catalog, rules: StreamRules, *, pacer: Pacer) -> None:
        self._engine, self._vectors = store.engine, store.vectors
        self._now_ms, self._kept_ms = store.clock.now_ms, store.kept_ms
        self._catalog = catalog
        self._pacer = pacer
        self._rules = rules
        self._sizes = ShardSizes(store.engine, pacer.turn)

    async def run(self) -> None:
        """Sweep in intervals until it is cancelled."""
        period_seconds = min(self._rules.shard_ms, self._rules.retention_ms) / _MS
        seconds = min(max(period_seconds / LOOKS_A_PERIOD, LOOK_SECONDS_MIN), LOOK_SECONDS_MAX)
        failures = Failures(_log, "rolling or trimming a change log")
        while True:
            with failures.suppressed(StorageError):
                await self.sweep()
            await asyncio.sleep(seconds)

    async def drain(self) -> None:
        """Roll and trim everything that is due by now. Raises StorageError."""
        # The second sweep deletes the records that the first has marked.
        await self.sweep()
        await self.sweep()

    async def sweep(self) -> None:
        """Maintain the change log of each table once."""
        searched: list[bytes] = []
        async for tables in pages_of_tables(self._engine):
            for name, opened in tables.items():
                number = opened.table.number
                searched += (index_range(number, each.number)[0] for each in opened.table.vectors)
                await self._maintain(name, opened)
        self._vectors.discard_files(searched)
        for table in await self._catalog.dropped.tables():
            if table.log.shards:
                change = partial(self._catalog.dropped.change, table.number)
                await self._trim(LoggedTable(table, system_keys.dropped_key(table.number)), change)

    async def _maintain(self, name: str, opened: OpenTable) -> None:
        for index in opened.table.vectors:
            await self._trim_vectors(opened, index)
        if not opened.table.log.shards:
            return
        table, now_ms, shard_ms = opened.table, self._now_ms(), self._rules.shard_ms
        change = partial(self._catalog.change, name)
        try:
            if is_to_roll(table, now_ms, shard_ms):
                table = await change(partial(rolled, now_ms=now_ms, shard_ms_max=shard_ms))
            await self._trim(LoggedTable(table, opened.catalog_key), change)
        except DynamoError:
            return  # the table was dropped, and is on the list of dropped tables now

    async def _trim_vectors(self, opened: OpenTable, index: Index) -> None:
        """Trim the log of a vector index; of a table that changes meanwhile in the next sweep."""
        more = True
        while more:
            async with self._pacer.turn():
                with contextlib.suppress(StaleFenceError):
                    more = await trim_page(self._engine, opened, index)
                    continue
            return

    async def _trim(self, logged: LoggedTable, change: Change) -> None:
        # Delete the records that an earlier sweep has marked, then mark others for the next sweep.
        more = True
        while more:
            async with self._pacer.turn():
                more = await clear_page(self._engine, logged)
        await forget_shards(change, logged)
        now_ms = self._kept_ms()
        found = await horizons(
            self._engine,
            logged.table,
            now_ms=now_ms,
            stream_ms=stream_ms_of(logged.table, self._rules.retention_ms),
            needed=await needed_by_replicas(self._engine, self._catalog, logged.table),
            over=await self._sizes.over(logged.table, now_ms - self._rules.retention_ms),
        )
        await set_horizons(change, found)
