"""Begins and ends the groups of strong tables: what UpdateTable leaves to be done.

Each step is a change of an entry or of a row, so that a stop between two of them leaves work that
is found again.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from hashrange.background.tasks import IDLE_SECONDS, RETRY_SECONDS
from hashrange.background.watched_tables import WatchedTables
from hashrange.background.witness_orders import WitnessOrders
from hashrange.errors import DynamoError
from hashrange.model.replication import GroupState, StrongGroup
from hashrange.model.table import Table
from hashrange.regions.replication.groups import (
    change_group,
    name_in,
    names_of,
    replicas_of,
    without_replica,
)
from hashrange.regions.replication.strong_groups import (
    given_up,
    is_complete,
    is_founder,
    remains,
    with_group_state,
    without_group,
)
from hashrange.storage.engine import Fences, StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.jobs.witnesses import all_witnesses, clear_log
from hashrange.tables.keys.keyspace import items_range
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

LOOK_SECONDS: Final = 0.1
"""Interval of looks at groups that begin or end."""
SWEEP_MS: Final = 60_000
_STEPS_MAX: Final = 20
"""More than a group has states."""

_log: Final = logging.getLogger(__name__)


class StrongLogs(Protocol):
    """The logs of the members of this server."""

    async def caught_up(self, group: str, region: str) -> bool:
        """Wait until a member has applied all that was committed; whether it has."""

    async def stop(self, group: str, region: str) -> None:
        """End a member: nothing of it is written any more."""


class StrongKeeper:
    """A background task that brings groups from one state to the next.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        orders: to witnesses.
        logs: of the members of this server.
        fences: of writes, so that nothing is written once another process does the work.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        orders: WitnessOrders,
        *,
        logs: StrongLogs,
        fences: Callable[[], Fences],
    ) -> None:
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._catalog = catalog
        self._orders = orders
        self._logs = logs
        self._fences = fences
        self._watched = WatchedTables(catalog, lambda opened: opened.table.strong is not None)
        self._woken = asyncio.Event()
        self._swept_ms = 0

    def wake(self, name: str) -> None:
        """Look at a table that was changed."""
        self._watched.note_change(name)
        self._woken.set()

    def wake_all(self) -> None:
        """Look at all: any table or witness may have been changed."""
        self._swept_ms = 0
        self._woken.set()

    async def run(self) -> None:
        """Work until it is cancelled."""
        self._swept_ms = 0
        failures = Failures(_log, "changing groups of strong tables")
        while True:
            self._woken.clear()
            try:
                wait_seconds = LOOK_SECONDS if await self.work() else IDLE_SECONDS
                failures.done()
            except (StorageError, StaleFenceError, NotLeadingError) as error:
                failures.failed(error)
                wait_seconds, self._swept_ms = RETRY_SECONDS, 0  # the sweep may be what failed
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_seconds):
                    await self._woken.wait()

    async def drain(self) -> None:
        """Take all steps that can be taken now."""
        self._swept_ms = 0
        for _ in range(_STEPS_MAX):
            if not await self.work():
                return

    async def work(self) -> bool:
        """Take the next step of each group; whether some have not come to their ends."""
        now_ms = self._now_ms()
        if not 0 <= now_ms - self._swept_ms < SWEEP_MS:
            self._swept_ms = now_ms
            async for tables in pages_of_tables(self._engine):
                for name, each in tables.items():
                    if each.table.strong is not None:
                        self._watched.add(name)
        found = False
        for name in self._watched.names:
            opened = await self._watched.open(name)
            if opened is not None:
                with contextlib.suppress(DynamoError):  # the table was changed meanwhile
                    found = await self._work_on(opened, name) or found
        async for witness in all_witnesses(self._engine):
            if witness.group.state == "ENDED":
                if witness.gone_ms is None:
                    await self._logs.stop(witness.group.id, witness.region)
                    await clear_log(self._engine, witness.number, self._fences())
                    found = True
                await self._orders.witnesses.remove(witness, self._fences())
        return found

    async def _work_on(self, opened: OpenTable, name: str) -> bool:
        table, strong = opened.table, opened.table.strong
        assert strong is not None, "only such tables are watched"
        assert table.replication is not None, "it has the group"
        if table.replication.is_leaving:
            await self._drop(name, strong.id)
            return True
        if strong.state == "CREATING":
            return await self._begin(table, strong, opened)
        if strong.state == "ACTIVE":
            return not await self._orders.send(table, strong)
        if not remains(table):
            return False
        if strong.state == "ENDED":
            return await self._end(opened, name, strong)
        # With nobody left there is nobody who has more.
        if not replicas_of(table) or await self._logs.caught_up(strong.id, table.region):
            await self._catalog.change(name, _to("ENDED", strong))
        return True

    async def _begin(self, table: Table, strong: StrongGroup, opened: OpenTable) -> bool:
        """Let the members write as soon as all are there, which the founder knows."""
        if not is_founder(table):
            return False
        if not await self._orders.send(table, strong) or not is_complete(table):
            return True
        names = names_of(self._catalog, table)
        start, end = items_range(opened.number)
        if await self._engine.scan(start, end, limit=1, bytes_max=1):
            _log.error("%s was written while it was made strong: it is not", table.arn)
            change = partial(given_up, group=strong.id)
            await self._catalog.change(names[0], change)
            return True
        await change_group(self._catalog, names, _to("ACTIVE", strong))
        return True

    async def _end(self, opened: OpenTable, name: str, strong: StrongGroup) -> bool:
        """Remove the others, and the log; whether some are still there."""
        table = opened.table
        await self._logs.stop(strong.id, table.region)
        for replica in replicas_of(table):
            if replica.is_remote:  # the task of the handshakes sends the state to its server
                continue
            await self._drop(name_in(self._catalog, table, replica.region), strong.id)
            own = partial(without_replica, region=replica.region)
            await self._catalog.change(name, own)
        if any(each.is_remote for each in replicas_of(table)):
            return True
        if not await self._orders.send(table, strong):
            return True
        await clear_log(self._engine, opened.number, self._fences())
        self._orders.forget(strong)
        await self._catalog.change(name, partial(without_group, group=strong.id))
        return True

    async def _drop(self, name: str, group: str) -> None:
        """Delete a member of this server that has left."""
        opened = await self._catalog.open(name)
        if opened is None or opened.table.strong is None or opened.table.strong.id != group:
            return
        ended = partial(with_group_state, group=group, state="ENDED")
        table = await self._catalog.change(name, ended)
        await self._logs.stop(group, table.region)

        def allow(dropped: Table) -> None:
            if dropped.strong is None or dropped.strong.id != group:
                raise StaleFenceError

        with contextlib.suppress(StaleFenceError):
            await self._catalog.drop(name, self._now_ms(), allow)


def _to(state: GroupState, strong: StrongGroup) -> Callable[[Table], Table]:
    return partial(with_group_state, group=strong.id, state=state)
