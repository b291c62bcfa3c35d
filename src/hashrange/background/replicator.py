"""Replicates the changes of global tables, and finishes changes of their groups."""

import contextlib
from collections.abc import Callable
from typing import ClassVar

from hashrange.background.replica_charges import WriteCharges
from hashrange.background.replication_task import ReplicationLatencies, ReplicationTask
from hashrange.errors import DynamoError
from hashrange.limits.tables import DENIED_REPLICA_MS_MAX
from hashrange.model.replication import Replica
from hashrange.model.table import Table
from hashrange.observe.figures import Figures
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.replication.denials import ReplicaDenials
from hashrange.regions.replication.following import Found, LocalTarget, Until, follow
from hashrange.regions.replication.groups import (
    name_in,
    replica_in,
    replicas_of,
)
from hashrange.regions.replication.leaving import Leaving, forget
from hashrange.regions.replication.positions import Link, Positions
from hashrange.regions.replication.tombstones import Tombstones
from hashrange.regions.replication.views import is_remote_number, leaving
from hashrange.storage.engine import Changes, Fences, StaleFenceError
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.catalog.lifecycle import is_disassociating
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.replication_keys import positions_range, tables_of_position
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store


class Replicator(ReplicationTask):
    """A background task that replicates between the regions of this server.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        fences: of writes, so that nothing is written once another server does the work.
        delay_ms: a change is replicated when it is at least so old.
        charges: of the replicas; None without charges.
        cuts: regions that get no changes; None if all do.
    """

    PAUSE_SECONDS = 0.02
    LOOK_SECONDS_MAX = 0.25
    DENIED_MS_MAX: ClassVar[int] = DENIED_REPLICA_MS_MAX
    """For how long a replica may deny replication before it leaves the group."""

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
        positions = self._positions = Positions(store.engine, fences)
        super().__init__(
            catalog,
            lambda opened: opened.is_replicated,
            now_ms=store.clock.now_ms,
            positions=positions,
        )
        self._store = store
        self._engine = store.engine
        self._fences = fences
        self._delay_ms = delay_ms
        self._charges = charges
        self._cuts = cuts
        self._denials = ReplicaDenials(catalog, store.kept_ms, self.DENIED_MS_MAX)
        self._leaving = Leaving(store, catalog, self._positions, self._denials)
        self._tombstones = Tombstones(store, catalog, self._positions, fences)
        self._replicated_total = 0
        self._latencies = ReplicationLatencies()

    def figures(self) -> Figures:
        """Figures for metrics."""
        return {
            "replicated_changes_total": self._replicated_total,
            "replication_conflicts_total": self._store.conflicts_total,
            **self._latencies.figures(),
        }

    async def work(self) -> Found:
        """As of `ReplicationTask`."""
        return await self._work_on_each(self._work_on)

    async def _work_on(self, name: str) -> Found:
        opened = await self._watched.open(name)
        regions = set() if opened is None else {each.region for each in replicas_of(opened.table)}
        self._latencies.keep(name, regions)
        if opened is None:
            return Found.NOTHING
        if await self._denials.note(opened.table):
            return Found.MORE
        if opened.table.is_leaving:
            return Found.MORE if await self._leaving.end(opened) else Found.NOTHING
        if is_disassociating(opened.table) and await self._leaving.detach(opened):
            return Found.MORE
        found = Found.NOTHING
        for replica in replicas_of(opened.table):
            if replica.is_remote:
                continue
            try:
                found = max(await self._work_for(opened, replica), found)
            except StaleFenceError:
                await self._catalog.open(name)
                await self._catalog.open(name_in(self._catalog, opened.table, replica.region))
                found = Found.MORE
        return found

    async def _work_for(self, source: OpenTable, replica: Replica) -> Found:
        """Replicate to one replica, or finish its removal."""
        region = replica.region
        name = name_in(self._catalog, source.table, region)
        if replica.state == "DELETING":
            await self._remove(source.table, region)
            return Found.MORE
        target = self._catalog.cached(name) or await self._catalog.open(name)
        if target is None or replica_in(target.table, source.table.region) is None:
            # Read again: the replica may just have been created, or be gone.
            target, entry = await self._catalog.open(name), await self._reopened(source.table)
            if entry is None or replica_in(entry, region) is None:
                return Found.MORE
            if target is None or replica_in(target.table, source.table.region) is None:
                await forget(self._catalog, entry, region)
                return Found.MORE
        is_cut = self._cuts is not None and self._cuts.between(source.table.region, region)
        is_denied = self._denials.between(source.table, target.table)
        if target.table.restore is not None or is_cut or is_denied:
            return Found.NOTHING
        now_ms = self._now_ms()
        charges = None if self._charges is None else await self._charges.of(target)
        local = LocalTarget(self._store, source.table.region, target, charges)
        progress = await follow(
            self._store, self._positions, source, local,
            replica=replica, until=Until.delayed(now_ms, self._delay_ms),
        )  # fmt: skip
        if progress.writes:
            self._replicated_total += progress.writes
            name = name_in(self._catalog, source.table, source.table.region)
            self._latencies.note(name, region, progress.latency_ms)
        if progress.is_complete and now_ms - self._swept_ms < self.LOOK_SECONDS_MAX * 1000:
            link = Link(source.number, target.number)
            await self._positions.set_complete(link, now_ms - self._delay_ms)
        return progress.found

    async def _reopened(self, table: Table) -> Table | None:
        opened = await self._catalog.open(name_in(self._catalog, table, table.region))
        return None if opened is None or opened.number != table.number else opened.table

    async def _remove(self, table: Table, region: str) -> None:
        """Delete the replica in a region when the others have its changes, then forget it."""
        name = name_in(self._catalog, table, region)
        gone = await self._catalog.open(name)
        if gone is not None and replica_in(gone.table, table.region) is None:
            gone = None
        if gone is not None:
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
        if gone is not None:  # what was written until then: the log of a stream stays for a day
            await self._leaving.drain(gone)
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
