"""Runs the members of strong tables that this server has, as the catalog says."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.background.watched_tables import WatchedTables
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.strong.groups import StrongGroups
from hashrange.regions.strong.places import Key, Place, place_of, place_of_witness
from hashrange.regions.strong.transport import ended
from hashrange.storage.engine import Fences, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.jobs.witnesses import all_witnesses
from hashrange.tables.writing.store import Store

SWEEP_SECONDS: Final = 60.0
"""Interval in which the whole catalog is read."""
RETRY_SECONDS: Final = 1.0

_log: Final = logging.getLogger(__name__)


class StrongMembers:
    """A background task: members run while it does.

    Args:
        groups: runs them.
        store: the rows.
        catalog: the whole catalog.
        fences: of writes, so that nothing is written once another server has the members.
        cuts: regions that do not reach each other; None if all do.
    """

    def __init__(
        self,
        groups: StrongGroups,
        store: Store,
        catalog: Catalog,
        *,
        fences: Callable[[], Fences],
        cuts: Cuts | None = None,
    ) -> None:
        self._groups = groups
        self._store = store
        self._catalog = catalog
        self._fences = fences
        self._cuts = cuts
        self._watched = WatchedTables(catalog, lambda opened: place_of(opened, "") is not None)
        self._woken = asyncio.Event()
        self._is_sweep_due = True

    def wake(self, name: str) -> None:
        """Look at a table that was changed."""
        self._watched.note_change(name)
        self._woken.set()

    def wake_all(self) -> None:
        """Look at all tables and witnesses."""
        self._is_sweep_due = True
        self._woken.set()

    async def run(self) -> None:
        """Run the members until it is cancelled."""
        self._is_sweep_due = True
        self._groups.open(self._fences, self._cuts)
        self._groups.wake_all = self.wake_all
        ticks = asyncio.create_task(self._groups.running.tick())
        try:
            failures = Failures(_log, "reading the members of strong tables")
            while True:
                self._woken.clear()
                try:
                    await self._groups.running.keep(await self._places())
                    seconds = SWEEP_SECONDS
                    failures.done()
                except StorageError as error:
                    failures.failed(error)
                    seconds = RETRY_SECONDS
                try:
                    async with asyncio.timeout(seconds):
                        await self._woken.wait()
                except TimeoutError:
                    self._is_sweep_due = True
        finally:
            await ended([ticks])
            await self._groups.close()

    async def drain(self) -> None:
        """Run the members that are to run now."""
        self._is_sweep_due = True
        await self._groups.running.keep(await self._places())

    async def _places(self) -> dict[Key, Place]:
        """The members that are to run. Raises StorageError."""
        if self._is_sweep_due:
            async for tables in pages_of_tables(self._store.engine):
                for name, opened in tables.items():
                    if place_of(opened, name) is not None:
                        self._watched.add(name)
            self._is_sweep_due = False
        witnesses = all_witnesses(self._store.engine)
        found = [place_of_witness(witness) async for witness in witnesses]
        for name in self._watched.names:
            member = await self._watched.open(name)
            found.append(None if member is None else place_of(member, name))
        return {place.key: place for place in found if place is not None}
