"""Replicas that leave their group when the others have their changes: removed, disassociated."""

import contextlib
from functools import partial

from hashrange.errors import DynamoError
from hashrange.model.table import Table
from hashrange.regions.replication.denials import ReplicaDenials, detached, is_any_denied
from hashrange.regions.replication.following import (
    LocalTarget,
    Until,
    first_unsent,
    follow,
    written_so_far,
)
from hashrange.regions.replication.groups import (
    associated,
    change_group,
    name_in,
    names_of,
    replica_in,
    replicas_of,
    without_replica,
)
from hashrange.regions.replication.positions import Link, Positions
from hashrange.regions.replication.views import remote_number
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.lifecycle import is_disassociating
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store


class Leaving:
    """Ends replicas of this server.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        positions: how far other replicas are.
        denials: replicas that get no changes, and whose changes the others do not get.
    """

    def __init__(
        self, store: Store, catalog: Catalog, positions: Positions, denials: ReplicaDenials
    ) -> None:
        self._store = store
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._catalog = catalog
        self._positions = positions
        self._denials = denials
        self._ends: dict[int, Until] = {}
        """By the number of a replica, how far its log is waited for."""

    async def end(self, opened: OpenTable) -> bool:
        """Delete a replica that other servers have removed, if all others have its changes.

        No request writes it since its entry says so, and its log grows by changes of others only.
        What was in it at the first call is waited for, and no more.

        Returns:
            Whether it was deleted.
        """
        table = opened.table
        until = self._ends.get(opened.number)
        if until is None:
            until = Until(ends=await written_so_far(self._engine, opened))
            self._ends[opened.number] = until
        await self.drain(opened)
        # Read again: how far other servers are is noted by the tasks that send to them.
        positions = Positions(self._engine, lambda: NO_FENCES)
        for replica in replicas_of(table):
            # One that was away for longer than the log is kept is not waited for.
            if not replica.is_remote or replica.state != "ACTIVE" or replica.copy != "NONE":
                continue
            unsent = await first_unsent(
                positions,
                self._engine,
                opened,
                number=remote_number(table, replica.region),
                replica=replica,
                until=until,
            )
            if unsent is not None:
                return False
        own = name_in(self._catalog, table, table.region)
        with contextlib.suppress(DynamoError):
            await self._catalog.drop(own, self._now_ms(), lambda _: None)
        self._ends.pop(opened.number, None)
        return True

    async def detach(self, opened: OpenTable) -> bool:
        """Detach a replica that is disassociated, if all changes until the request are replicated.

        It stays a member if a replica denies replication meanwhile.

        Returns:
            Whether it was detached, or stays.
        """
        table, replication = opened.table, opened.table.replication
        assert replication is not None, "a global table"
        if not replication.denied and await self._lacks_changes(opened):
            return False
        group = f"{table.id}-{self._now_ms()}"
        change = partial(detached, region=table.region, group=group)
        goes_on = True

        def changed(entry: Table) -> Table:
            nonlocal goes_on  # the others are changed after it, in the same decision
            if entry.region == table.region:
                goes_on = is_disassociating(entry) and not is_any_denied(entry)
                entry = entry if goes_on else associated(entry)
            return change(entry) if goes_on else entry

        with contextlib.suppress(DynamoError):  # it was dropped
            await change_group(self._catalog, names_of(self._catalog, table), changed)
        return True

    async def _lacks_changes(self, opened: OpenTable) -> bool:
        """Whether another replica, or this one, lacks changes until it was to be disassociated.

        Of replicas on other servers that is known by the time until when all was sent, which is
        one of their clocks.
        """
        table, replication = opened.table, opened.table.replication
        assert replication is not None, "a global table"
        until_ms = replication.disassociation_ms
        # Read again: how far other servers are is noted by the tasks that send to them.
        of_servers = Positions(self._engine, lambda: NO_FENCES)
        for replica in replication.replicas:
            # One that was away for longer than the log is kept is not waited for.
            if replica.state != "ACTIVE" or replica.copy != "NONE":
                continue
            if replica.is_remote:
                positions, number = of_servers, remote_number(table, replica.region)
                link = Link(number, opened.number)
                if await positions.complete_of(link, replica.incarnation) < until_ms:
                    return True
            else:
                other = await self._catalog.open(name_in(self._catalog, table, replica.region))
                own = None if other is None else replica_in(other.table, table.region)
                if other is None or own is None:
                    continue
                positions, number = self._positions, other.number
                oldest_ms = await first_unsent(
                    positions, self._engine, other, number=opened.number, replica=own
                )
                if oldest_ms is not None and oldest_ms <= until_ms:
                    return True
            unsent = await first_unsent(
                positions, self._engine, opened, number=number, replica=replica
            )
            if unsent is not None:
                return True
        return False

    async def drain(self, source: OpenTable) -> None:
        """Replicate all changes until now to the others of this server: what one has, all have."""
        until = Until(ends=await written_so_far(self._engine, source))
        for replica in replicas_of(source.table):
            if replica.is_remote:
                continue
            target = await self._catalog.open(name_in(self._catalog, source.table, replica.region))
            if target is None or target.table.restore is not None:
                continue
            if replica_in(target.table, source.table.region) is None:
                continue
            if self._denials.between(source.table, target.table):
                continue
            more = True
            while more:
                local = LocalTarget(self._store, source.table.region, target)
                progress = await follow(
                    self._store, self._positions, source, local, replica=replica, until=until
                )
                more = progress.records > 0


async def forget(catalog: Catalog, table: Table, region: str) -> None:
    """Remove a replica that is gone from the entries of the others on this server."""
    gone = name_in(catalog, table, region)
    names = [name for name in names_of(catalog, table) if name != gone]
    with contextlib.suppress(DynamoError):
        await change_group(catalog, names, partial(without_replica, region=region))
