"""Runs one trigger: watches the shards of its table, and starts a consumer for each in turn."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.background.triggers.consumer import ShardConsumer
from hashrange.background.triggers.definitions import TRIM_HORIZON, Definition
from hashrange.background.triggers.positions import Positions, ShardKey, no_fences
from hashrange.background.triggers.sources import (
    Source,
    TriggerCounters,
    due,
    namespace_of,
    sources_of,
)
from hashrange.storage.engine import Fences, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.streams.records import next_record
from hashrange.tables.writing.store import Store

POLL_SECONDS: Final = 0.2

_log: Final = logging.getLogger(__name__)


class TriggerRunner:
    """One task for a trigger, and one for each shard that it reads.

    Attributes:
        is_idle: all shards that existed at the last poll have been read to their ends.

    Args:
        definition: the trigger.
        store: the tables.
        catalog: the catalog with the trigger's table.
        counters: the counters to update.
        fences: as for `Positions`.
    """

    def __init__(
        self,
        definition: Definition,
        store: Store,
        catalog: Catalog,
        counters: TriggerCounters,
        *,
        fences: Callable[[], Fences] = no_fences,
    ) -> None:
        self._definition = definition
        self._counters = counters
        counters.of(definition.name, definition.table)  # shown from the beginning
        self._store = store
        self._catalog, self._table = namespace_of(catalog, definition.table)
        self._positions = Positions(store.engine, definition.name, definition.table, fences)
        self._sources: dict[ShardKey, Source] = {}
        self._gone: set[ShardKey] = set()
        self._begun: set[ShardKey] = set()
        self._finished: set[ShardKey] = set()
        self._waiting_logged = False
        self.is_idle = False

    @property
    def table_numbers(self) -> set[int]:
        """The numbers of the tables of its name at the last poll, dropped ones included."""
        return {source.stream.table.number for source in self._sources.values()}

    async def begin(self, *, is_new: bool = False) -> None:
        """Store the starting positions at the trigger's first start.

        Called before the server accepts requests, so that no change is missed. A trigger begins
        with new records, or with all that the table still has; later streams of the table are
        always read from their start.

        Args:
            is_new: the table was created after the trigger began, so it is read from its start.
        """
        if await self._positions.has_begun():
            return
        engine, positions = self._store.engine, {}
        from_first = self._definition.starting_position == TRIM_HORIZON
        sources = [] if is_new else await sources_of(self._catalog, self._table)
        for source in sources:
            table = source.stream.table
            if not from_first or table.deleted_ms is not None:
                positions[source.key] = await next_record(engine, table, source.shard)
        await self._positions.begin(positions, self._store.clock.now_ms())

    async def run(self) -> None:
        """Poll the catalog for shards and consume them; runs until it is cancelled."""
        # Another server may have delivered records since this one last ran the trigger.
        for state in (self._sources, self._gone, self._begun, self._finished):
            state.clear()
        try:
            async with asyncio.TaskGroup() as tasks:
                await self._poll(tasks)
        except* NotLeadingError:
            _log.info("trigger %s: another server has taken over", self._definition.name)
            # Wait to be cancelled: a restart would deliver records beside the new leader.
            await asyncio.Event().wait()

    async def _poll(self, tasks: asyncio.TaskGroup) -> None:
        failures = Failures(_log, f"trigger {self._definition.name}: reading the shards")
        while True:
            with failures.suppressed(StorageError):
                await self.update_shards(tasks)
            await asyncio.sleep(POLL_SECONDS)

    async def update_shards(self, tasks: asyncio.TaskGroup) -> None:
        """Read the list of shards once, and start to consume those that may be read now."""
        sources = await sources_of(self._catalog, self._table)
        current = {source.key: source for source in sources}
        gone = {*self._sources} - {*current}
        if gone - self._finished:
            text = "trigger %s: a shard expired before all its records were delivered"
            _log.error(text, self._definition.name)
        self._gone |= gone
        self._sources.clear()  # in place: the consumers share this dictionary
        self._sources.update(current)
        await self._forget()
        self._log_waiting(sources)
        self.is_idle = all(source.key in self._finished for source in sources)
        for source in due(sources, self._finished):
            if source.key not in self._begun:
                self._begun.add(source.key)
                tasks.create_task(self._consume(source.key))

    async def _forget(self) -> None:
        # A consumer that still reads a removed shard will write its position once more.
        for shard_key in sorted(self._gone - (self._begun - self._finished)):
            await self._positions.forget(shard_key)
            for state in (self._gone, self._begun, self._finished):
                state.discard(shard_key)

    async def _consume(self, shard_key: ShardKey) -> None:
        consumer = ShardConsumer(
            self._definition,
            self._store,
            self._positions,
            sources=self._sources,
            shard_key=shard_key,
            counters=self._counters,
        )
        await consumer.run()
        self._finished.add(shard_key)

    def _log_waiting(self, sources: list[Source]) -> None:
        is_waiting = not any(
            source.stream.stream.disabled_ms is None and source.stream.table.deleted_ms is None
            for source in sources
        )
        if is_waiting and not self._waiting_logged:
            text = "trigger %s: table %s has no stream; it waits for one"
            _log.info(text, self._definition.name, self._table)
        self._waiting_logged = is_waiting
