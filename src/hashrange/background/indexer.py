"""Builds and removes indexes of tables in use, page by page.

The states of indexes are in the catalog, so work that a stop or a crash interrupts goes on at the
next start.
"""

from functools import partial

import msgspec

from hashrange.background.changed_tables import ChangedTables
from hashrange.background.pacer import Pacer
from hashrange.errors import DynamoError
from hashrange.model.table import Index, Table
from hashrange.observe.jobs import Job
from hashrange.storage.engine import Engine, StaleFenceError
from hashrange.tables import keyspace
from hashrange.tables.building import build_page, clear_page
from hashrange.tables.catalog import Catalog, pages_of_tables
from hashrange.tables.keyspace import share_before
from hashrange.tables.paging import end_of


class Indexer:
    """A background task that finishes indexes which are being built or removed.

    Args:
        engine: holds the rows.
        catalog: holds the states of the indexes.
        pacer: gives turns, one for each page.

    Attributes:
        changed: is told of tables that were changed.
        run: works until it is cancelled.
    """

    def __init__(self, engine: Engine, catalog: Catalog, *, pacer: Pacer) -> None:
        self._engine = engine
        self._catalog = catalog
        self._pacer = pacer
        self.changed = ChangedTables("an index", self.work, self._finish)
        self.run = self.changed.run

    async def work(self) -> None:
        """Finish every index that is being built or removed, of all tables."""
        async for tables in pages_of_tables(self._engine):
            for name, opened in tables.items():
                if _unfinished(opened.table) is not None:
                    await self._finish(name)

    async def _finish(self, name: str) -> None:
        more, ends = True, dict[int, bytes]()
        with self._pacer.jobs.begun("index", name) as job:
            while more:
                async with self._pacer.turn():
                    more = await self._step(name, ends, job)

    async def _step(self, name: str, ends: dict[int, bytes], job: Job) -> bool:
        """Work on a page of an index of the table; whether there is more to do.

        `ends` has by the number of an index where its building ends. Items that are written behind
        that have their entries, so that writes do not hold the building up.
        """
        table = await self._catalog.open(name)
        if table is None:
            return False
        index = _unfinished(table.table)
        if index is None:
            return False
        try:
            if index.state == "BUILDING":
                if index.number not in ends:
                    ends[index.number] = await end_of(
                        self._engine, keyspace.items_range(table.number)
                    )
                last = await build_page(self._engine, table, index, ends[index.number])
                if last is None:
                    await self._catalog.change(name, partial(_activated, index))
                else:
                    job.reached(share_before(last))
            elif not await clear_page(self._engine, table, index):
                await self._catalog.change(name, partial(_without, index))
        except StaleFenceError:
            return True
        except DynamoError:
            return False  # the table is gone
        return True


def _unfinished(table: Table) -> Index | None:
    """The first index that is being built or removed."""
    return next((index for index in table.kept_indexes if index.state != "ACTIVE"), None)


def _activated(index: Index, table: Table) -> Table:
    return table.with_index(index, msgspec.structs.replace(index, state="ACTIVE"))


def _without(index: Index, table: Table) -> Table:
    return table.with_index(index, None)
