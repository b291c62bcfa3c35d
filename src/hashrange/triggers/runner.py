"""One trigger at work: it looks which shards there are, and has each read when it is its turn."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.storage.engine import Fences, StorageError
from hashrange.streams.reading import next_record
from hashrange.tables.catalog import Catalog
from hashrange.tables.leases import NotLeadingError
from hashrange.tables.store import Store
from hashrange.triggers.definitions import TRIM_HORIZON, Definition
from hashrange.triggers.follower import Follower
from hashrange.triggers.positions import Place, Positions, no_fences
from hashrange.triggers.sources import Source, due, namespace_of, sources_of
from hashrange.triggers.tally import Tally

LOOK_SECONDS: Final = 0.2

_log: Final = logging.getLogger(__name__)


class TriggerRunner:
    """One task for one trigger, and one for each shard that it reads.

    Attributes:
        is_idle: at its last look there was no shard that it had not read to its end.

    Args:
        definition: of the trigger.
        store: to read from.
        catalog: where its table is looked for.
        tally: told what becomes of records.
        fences: see `Positions`.
    """

    def __init__(
        self,
        definition: Definition,
        store: Store,
        catalog: Catalog,
        tally: Tally,
        *,
        fences: Callable[[], Fences] = no_fences,
    ) -> None:
        self._definition = definition
        self._tally = tally
        self._store = store
        self._catalog, self._table = namespace_of(catalog, definition.table)
        self._positions = Positions(store.engine, definition.name, definition.table, fences)
        self._sources: dict[Place, Source] = {}
        self._gone: set[Place] = set()
        self._begun: set[Place] = set()
        self._finished: set[Place] = set()
        self._told_waiting = False
        self.is_idle = False

    @property
    def table_numbers(self) -> set[int]:
        """The tables of its name that it has seen at its last look."""
        return {source.stream.table.number for source in self._sources.values()}

    async def begin(self, *, is_new: bool = False) -> None:
        """Fix at the first start where to begin; before the first request, so that none is missed.

        From the newest record on, or with all that the table still has. Later streams of the table
        are always read from their beginning.

        Args:
            is_new: the table was made after the trigger began: it is read from its beginning.
        """
        if await self._positions.has_begun():
            return
        engine, positions = self._store.engine, {}
        from_first = self._definition.starting_position == TRIM_HORIZON
        sources = [] if is_new else await sources_of(self._catalog, self._table)
        for source in sources:
            table = source.stream.table
            if not from_first or table.deleted_ms is not None:
                positions[source.place] = await next_record(engine, table, source.shard)
        await self._positions.begin(positions, self._store.clock.now_ms())

    async def run(self) -> None:
        """Look again and again; ends when it is cancelled."""
        # Another server may have gone on with it since the last time.
        for known in (self._sources, self._gone, self._begun, self._finished):
            known.clear()
        try:
            async with asyncio.TaskGroup() as tasks:
                await self._keep_looking(tasks)
        except* NotLeadingError:
            _log.info("trigger %s: another server has taken over", self._definition.name)
            # Until this one knows that too: to begin again now would be to deliver beside it.
            await asyncio.Event().wait()

    async def _keep_looking(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            try:
                await self.look(tasks)
            except StorageError:
                name = self._definition.name
                _log.warning("trigger %s: storage failed", name, exc_info=True)
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self, tasks: asyncio.TaskGroup) -> None:
        """Look once which shards there are, and begin to read those whose turn it is."""
        sources = await sources_of(self._catalog, self._table)
        current = {source.place: source for source in sources}
        gone = {*self._sources} - {*current}
        if gone - self._finished:
            text = "trigger %s: a shard expired before all its records were delivered"
            _log.error(text, self._definition.name)
        self._gone |= gone
        self._sources.clear()  # the followers have this dictionary too
        self._sources.update(current)
        await self._forget()
        self._tell_waiting(sources)
        self.is_idle = all(source.place in self._finished for source in sources)
        for source in due(sources, self._finished):
            if source.place not in self._begun:
                self._begun.add(source.place)
                tasks.create_task(self._follow(source.place))

    async def _forget(self) -> None:
        # Who still reads a shard that is gone writes its position once more.
        for place in self._gone - (self._begun - self._finished):
            await self._positions.forget(place)
            for places in (self._gone, self._begun, self._finished):
                places.discard(place)

    async def _follow(self, place: Place) -> None:
        follower = Follower(
            self._definition,
            self._store,
            self._positions,
            sources=self._sources,
            place=place,
            tally=self._tally,
        )
        await follower.run()
        self._finished.add(place)

    def _tell_waiting(self, sources: list[Source]) -> None:
        is_waiting = not any(
            source.stream.stream.disabled_ms is None and source.stream.table.deleted_ms is None
            for source in sources
        )
        if is_waiting and not self._told_waiting:
            text = "trigger %s: table %s has no stream; it waits for one"
            _log.info(text, self._definition.name, self._table)
        self._told_waiting = is_waiting
