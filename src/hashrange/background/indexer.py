"""Builds and removes indexes of tables that are in use, page by page.

What is to be done stands in the catalog: what a stop or a crash left undone goes on at the next
start.
"""

import asyncio
import logging
from functools import partial
from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.table import Index, Table
from hashrange.storage.engine import Engine, StaleFenceError, StorageError
from hashrange.tables.building import build_page, clear_page
from hashrange.tables.catalog import Catalog, pages_of_names

RETRY_SECONDS: Final = 5.0
IDLE_SECONDS: Final = 60.0
"""How often the catalog is looked at unasked: another process may have changed it."""

_log: Final = logging.getLogger(__name__)


class Indexer:
    """One task that brings indexes to the state that they are on their way to."""

    def __init__(self, engine: Engine, catalog: Catalog) -> None:
        self._engine = engine
        self._catalog = catalog
        self._woken = asyncio.Event()
        self._changed: dict[str, None] = {}

    def wake(self, name: str) -> None:
        """A table was changed."""
        self._changed[name] = None
        self._woken.set()

    async def run(self) -> None:
        """Work on what there is, then on what changes; ends when it is cancelled."""
        sweep = True
        while True:  # bound: until the server cancels it
            self._woken.clear()
            wait_seconds = IDLE_SECONDS
            try:
                await (self.work() if sweep else self._work_on_changed())
            except StorageError:
                _log.warning("work on an index failed; it is tried again", exc_info=True)
                wait_seconds = RETRY_SECONDS
            try:
                async with asyncio.timeout(wait_seconds):
                    await self._woken.wait()
                sweep = wait_seconds != IDLE_SECONDS
            except TimeoutError:
                sweep = True

    async def work(self) -> None:
        """Finish every index that is being built or removed, of all tables."""
        async for names in pages_of_names(self._catalog):
            for name in names:
                await self._finish(name)

    async def _work_on_changed(self) -> None:
        while self._changed:  # bound: each name is taken once
            await self._finish(self._changed.popitem()[0])

    async def _finish(self, name: str) -> None:
        while await self._step(name):  # noqa: ASYNC110 - bound: steps leave fewer rows
            await asyncio.sleep(0)

    async def _step(self, name: str) -> bool:
        """One page of one index of a table; whether there is more to do."""
        table = await self._catalog.open(name)
        if table is None:
            return False
        unfinished = (index for index in table.table.kept_indexes if index.state != "ACTIVE")
        index = next(unfinished, None)
        if index is None:
            return False
        try:
            if index.state == "BUILDING":
                if not await build_page(self._engine, table, index):
                    await self._catalog.change(name, partial(_activated, index))
            elif not await clear_page(self._engine, table, index):
                await self._catalog.change(name, partial(_without, index))
        except StaleFenceError:
            return True
        except DynamoError:
            return False  # the table is gone
        return True


def _activated(index: Index, table: Table) -> Table:
    return table.with_index(index, msgspec.structs.replace(index, state="ACTIVE"))


def _without(index: Index, table: Table) -> Table:
    return table.with_index(index, None)
