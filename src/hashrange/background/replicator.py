"""Replicates the changes of global tables, and finishes changes of their groups."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

from hashrange.background.replica_charges import WriteCharges
from hashrange.background.replication_latencies import ReplicationLatencies
from hashrange.background.watched_tables import WatchedTables
from hashrange.errors import DynamoError
from hashrange.model.replication import Replica
from hashrange.model.table import Table
from hashrange.observe.figures import Figures
from hashrange.replication.cuts import Cuts
from hashrange.replication.denials import ReplicaDenials
from hashrange.replication.following import LocalTarget, follow, until_of
from hashrange.replication.groups import (
    name_in,
    replica_in,
    replicas_of,
)
from hashrange.replication.leaving import Leaving, forget
from hashrange.replication.positions import Link, Positions
from hashrange.replication.tombstone_removal import Tombstones
from hashrange.replication.views import is_remote_number, leaving
from hashrange.storage.engine import Changes, Fences, StaleFenceError, StorageError
from hashrange.tables.catalog import Catalog, pages_of_tables
from hashrange.tables.leases import NotLeadingError
from hashrange.tables.opened import OpenTable
from hashrange.tables.paging import pairs
from hashrange.tables.replication_keys import positions_range, tables_of_position
from hashrange.tables.store import Store

LOOK_SECONDS_MIN: Final = 0.02
LOOK_SECONDS_MAX: Final = 0.25
"""Intervals in which the logs are read; the longer, the longer nothing has changed."""
IDLE_SECONDS: Final = 60.0
"""Interval in which the catalog is read while there is no global table."""
RETRY_SECONDS: Final = 5.0
SWEEP_SECONDS: Final = 60.0
"""Interval in which tombstones, and positions of removed tables, are removed."""
_GROWTH: Final = 1.5

_log: Final = logging.getLogger(__name__)


class Replicator:
    """A background task that replicates between the regions of this server.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        fences: of writes, so that nothing is written once another server does the work.
        delay_ms: a change is replicated when it is at least so old.
        charges: of the replicas; None without charges.
        cuts: regions that get no changes; None if all do.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        fences: Callable[[], Fences],
        delay_ms: int,
        charges: WriteCharges | None = None,
        cuts: Cuts | None = None,
    ) -> None:
        self._store = store
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._catalog = catalog
        self._fences = fences
        self._delay_ms = delay_ms
        self._charges = charges
        self._cuts = cuts
        self._positions = Positions(store.engine, fences)
        self._denials = ReplicaDenials(catalog, self._now_ms)
        self._leaving = Leaving(store, catalog, self._positions, self._denials)
        self._tombstones = Tombstones(store, catalog, self._positions, fences)
        self._watched = WatchedTables(catalog, lambda opened: bool(replicas_of(opened.table)))
        self._woken = asyncio.Event()
        self._swept_ms = 0
        self._replicated_total = 0
        self._latencies = ReplicationLatencies()

    def wake(self, name: str) -> None:
        """Include a table that was changed: it may have replicas now."""
        self._watched.note_change(name)
        self._woken.set()

    def wake_all(self) -> None:
        """Read the catalog again: any table may have been changed."""
        self._swept_ms = 0
        self._woken.set()

    def figures(self) -> Figures:
        """Figures for metrics."""
        return {
            "replicated_changes_total": self._replicated_total,
            **self._latencies.figures(),
        }

    async def run(self) -> None:
        """Replicate in intervals until it is cancelled."""
        self._swept_ms, seconds = 0, LOOK_SECONDS_MIN
        while True:
            self._woken.clear()
            try:
                found = await self.work()
                seconds = LOOK_SECONDS_MIN if found else min(seconds * _GROWTH, LOOK_SECONDS_MAX)
                wait_seconds = seconds if self._watched else IDLE_SECONDS
            except (StorageError, StaleFenceError, NotLeadingError):
                _log.warning("replication failed; will retry", exc_info=True)
                wait_seconds = RETRY_SECONDS
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_seconds):
                    await self._woken.wait()

    async def settle(self) -> None:
        """Replicate all that is to be replicated now."""
        self._swept_ms = 0
        while await self.work():
            pass

    async def work(self) -> bool:
        """Replicate a page of each shard; whether there may be more."""
        now_ms = self._now_ms()
        if not 0 <= now_ms - self._swept_ms < SWEEP_SECONDS * 1000:
            self._swept_ms = now_ms
            await self._sweep()
        found = False
        for name in self._watched.names:
            found = await self._work_on(name) or found
            await asyncio.sleep(0)
        return found

    async def _work_on(self, name: str) -> bool:
        opened = await self._watched.open(name)
        regions = set() if opened is None else {each.region for each in replicas_of(opened.table)}
        self._latencies.keep(name, regions)
        if opened is None:
            return False
        if await self._denials.note(opened.table):
            return True
        replication = opened.table.replication
        if replication is not None and replication.is_leaving:
            return await self._leaving.end(opened)
        found = False
        for replica in replicas_of(opened.table):
            if replica.is_remote:
                continue
            try:
                found = await self._work_for(opened, replica) or found
            except StaleFenceError:
                await self._catalog.open(name)
                await self._catalog.open(name_in(self._catalog, opened.table, replica.region))
                found = True
        return found

    async def _work_for(self, source: OpenTable, replica: Replica) -> bool:
        """Replicate to one replica, or finish its removal; whether there may be more."""
        region = replica.region
        name = name_in(self._catalog, source.table, region)
        if replica.state == "DELETING":
            await self._remove(source.table, region)
            return True
        target = self._catalog.cached(name) or await self._catalog.open(name)
        if target is None or replica_in(target.table, source.table.region) is None:
            # Read again: the replica may just have been created, or be gone.
            target, entry = await self._catalog.open(name), await self._reopened(source.table)
            if entry is None or replica_in(entry, region) is None:
                return True
            if target is None or replica_in(target.table, source.table.region) is None:
                await forget(self._catalog, entry, region)
                return True
        is_cut = self._cuts is not None and self._cuts.between(source.table.region, region)
        is_denied = self._denials.between(source.table, target.table)
        if target.table.restore is not None or is_cut or is_denied:
            return False
        now_ms = self._now_ms()
        charges = None if self._charges is None else await self._charges.of(target)
        local = LocalTarget(self._store, source.table.region, target, charges)
        progress = await follow(
            self._store, self._positions, source, local,
            replica=replica, until_ms=until_of(now_ms, self._delay_ms),
        )  # fmt: skip
        if progress.writes:
            self._replicated_total += progress.writes
            name = name_in(self._catalog, source.table, source.table.region)
            self._latencies.note(name, region, progress.latency_ms)
        if progress.is_complete and now_ms - self._swept_ms < LOOK_SECONDS_MAX * 1000:
            await self._positions.set_complete(Link(source.number, target.number), now_ms)
        return progress.records > 0

    async def _reopened(self, table: Table) -> Table | None:
        opened = await self._catalog.open(name_in(self._catalog, table, table.region))
        return None if opened is None or opened.number != table.number else opened.table

    async def _remove(self, table: Table, region: str) -> None:
        """Delete the replica in a region when the others have its changes, then forget it."""
        name = name_in(self._catalog, table, region)
        gone = await self._catalog.open(name)
        if gone is not None and replica_in(gone.table, table.region) is not None:
            if any(each.is_remote for each in replicas_of(gone.table)):
                if gone.table.replication != leaving(gone.table).replication:
                    await self._catalog.change(name, leaving)
                return
            await self._leaving.drain(gone)

        def allow(dropped: Table) -> None:
            if replica_in(dropped, table.region) is None:
                raise StaleFenceError

        with contextlib.suppress(DynamoError, StaleFenceError):
            await self._catalog.drop(name, self._now_ms(), allow)
        await forget(self._catalog, table, region)

    async def _sweep(self) -> None:
        """Find the global tables; remove tombstones and positions that nobody needs."""
        # First, since those of a new replica are stored when it is created.
        stored = [key async for key, _ in pairs(self._engine, positions_range())]
        numbers: set[int] = set()
        async for tables in pages_of_tables(self._engine):
            for name, opened in tables.items():
                numbers.add(opened.number)
                if opened.table.replication is not None:
                    if replicas_of(opened.table):
                        self._watched.add(name)
                    await self._tombstones.remove(opened)
        gone = [
            key
            for key in stored
            if any(
                not is_remote_number(number) and number not in numbers
                for number in tables_of_position(key)
            )
        ]
        if gone:
            await self._engine.write(
                gone, lambda _: Changes(answer=None, deletes=gone), fences=self._fences()
            )
