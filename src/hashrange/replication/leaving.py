"""Replicas that leave their group: they end when the others have their changes."""

import contextlib

from hashrange.errors import DynamoError
from hashrange.replication.following import LocalTarget, first_unsent, follow
from hashrange.replication.groups import name_in, replica_in, replicas_of
from hashrange.replication.positions import Positions
from hashrange.replication.views import remote_number
from hashrange.tables.catalog import Catalog
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store


class Leaving:
    """Ends replicas of this server.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        positions: how far other replicas are.
    """

    def __init__(self, store: Store, catalog: Catalog, positions: Positions) -> None:
        self._store = store
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._catalog = catalog
        self._positions = positions

    async def end(self, opened: OpenTable) -> bool:
        """Delete a replica that other servers have removed, if all others have its changes.

        Returns:
            Whether it was deleted.
        """
        table = opened.table
        await self.drain(opened)
        for replica in replicas_of(table):
            # One that was away for longer than the log is kept is not waited for.
            if not replica.is_remote or replica.state != "ACTIVE" or replica.copy != "NONE":
                continue
            unsent = await first_unsent(
                self._positions,
                self._engine,
                opened,
                number=remote_number(table, replica.region),
                replica=replica,
            )
            if unsent is not None:
                return False
        own = name_in(self._catalog, table, table.region)
        with contextlib.suppress(DynamoError):
            await self._catalog.drop(own, self._now_ms(), lambda _: None)
        return True

    async def drain(self, source: OpenTable) -> None:
        """Replicate all changes until now to the others of this server: what one has, all have."""
        now_ms = self._now_ms()
        for replica in replicas_of(source.table):
            if replica.is_remote:
                continue
            target = await self._catalog.open(name_in(self._catalog, source.table, replica.region))
            if target is None or target.table.restore is not None:
                continue
            if replica_in(target.table, source.table.region) is None:
                continue
            more = True
            while more:
                local = LocalTarget(self._store, source.table.region, target)
                progress = await follow(
                    self._store, self._positions, source, local, replica=replica, until_ms=now_ms
                )
                more = progress.records > 0
