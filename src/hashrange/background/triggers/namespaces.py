"""Runs one trigger for the tables of one name in all namespaces, with a runner for each table."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.background.triggers.definitions import Definition
from hashrange.background.triggers.runner import POLL_SECONDS, TriggerRunner
from hashrange.storage.engine import Engine, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog, count_changes, pages_of_names

_log: Final = logging.getLogger(__name__)


class NamespacesRunner:
    """Starts a `TriggerRunner` for each namespace that has a table of the trigger's name.

    A runner ends when its table is deleted and all records of the table are delivered.

    Args:
        definition: the trigger; `table` is a plain name.
        engine: for the counter of catalog changes.
        catalog: the catalog of all namespaces.
        make: creates the runner of a definition whose `table` is `account:region:name`.
    """

    def __init__(
        self,
        definition: Definition,
        engine: Engine,
        catalog: Catalog,
        make: Callable[[Definition], TriggerRunner],
    ) -> None:
        self._definition = definition
        self._engine = engine
        self._catalog = catalog
        self._make = make
        self._running: dict[str, tuple[TriggerRunner, asyncio.Task[None]]] = {}
        self._present: set[str] = set()
        self._ended: set[int] = set()

    async def begin(self) -> None:
        """As `TriggerRunner.begin`, for the tables that exist when the server starts."""
        for name in [*await self._live(), *await self._dropped()]:
            await self._runner(name).begin()

    async def run(self) -> None:
        """Watch the catalog for tables of the name; runs until it is cancelled."""
        self._running.clear()
        self._ended.clear()
        last_count: int | None = None
        failures = Failures(_log, f"trigger {self._definition.name}: reading the tables")
        async with asyncio.TaskGroup() as tasks:
            while True:
                with failures.suppressed(StorageError):
                    count = await count_changes(self._engine)
                    if count != last_count:
                        await self._start_new(tasks)
                        last_count = count
                    self._end_idle()
                await asyncio.sleep(POLL_SECONDS)

    async def _start_new(self, tasks: asyncio.TaskGroup) -> None:
        live = await self._live()
        self._present = {*live}
        for name in [*live, *await self._dropped()]:
            if name not in self._running:
                runner = self._runner(name)
                # A table that was created after `begin` is read from its first record.
                await runner.begin(is_new=True)
                self._running[name] = runner, tasks.create_task(runner.run())

    def _end_idle(self) -> None:
        gone = [name for name in self._running if name not in self._present]
        for name in gone:
            runner, task = self._running[name]
            if not runner.is_idle:
                continue
            del self._running[name]
            self._ended.update(runner.table_numbers)
            task.cancel()

    async def _live(self) -> list[str]:
        suffix = f":{self._definition.table}"
        return [
            name
            async for names in pages_of_names(self._catalog)
            for name in names
            if name.endswith(suffix)
        ]

    async def _dropped(self) -> list[str]:
        return [
            f"{table.account}:{table.region}:{table.name}"
            for table in await self._catalog.dropped.tables()
            if table.name == self._definition.table
            and table.streams
            and table.number not in self._ended
        ]

    def _runner(self, table: str) -> TriggerRunner:
        return self._make(msgspec.structs.replace(self._definition, table=table))
