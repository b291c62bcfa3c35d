"""Builds and removes indexes of tables in use, page by page.

The states of indexes are in the catalog, so work that a stop or a crash interrupts goes on at the
next start.
"""

from collections.abc import AsyncIterator
from functools import partial

import msgspec

from hashrange.background.job_runner import JobKind, JobLabel, JobRunner, due_tables
from hashrange.background.tasks import Pacer
from hashrange.errors import DynamoError
from hashrange.model.table import Index, Table
from hashrange.observe.jobs import Job
from hashrange.storage.engine import Engine, StaleFenceError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.jobs import INDEX
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import end_of
from hashrange.tables.keys.keyspace import share_before
from hashrange.tables.opened.building import build_page, clear_page


def index_jobs(engine: Engine, catalog: Catalog, pacer: Pacer) -> JobRunner:
    """A background task that finishes indexes which are being built or removed.

    Args:
        engine: holds the rows.
        catalog: holds the states of the indexes.
        pacer: gives turns, one for each page.
    """

    async def due(name: str | None) -> AsyncIterator[str]:
        async for each, opened in due_tables(engine, catalog, name):
            if _unfinished(opened.table) is not None:
                yield each

    async def work(name: str, progress: Job) -> None:
        more, ends = True, dict[int, bytes]()
        while more:
            async with pacer.turn():
                more = await _step(engine, catalog, name, ends=ends, progress=progress)

    kind = JobKind(due=due, label=partial(JobLabel, INDEX), work=work)
    return JobRunner([kind], pacer)


async def _step(
    engine: Engine, catalog: Catalog, name: str, *, ends: dict[int, bytes], progress: Job
) -> bool:
    """Work on a page of an index of the table; whether there is more to do.

    `ends` has by the number of an index where its building ends. Items that are written behind
    that have their entries, so that writes do not hold the building up.
    """
    table = await catalog.open(name)
    if table is None:
        return False
    index = _unfinished(table.table)
    if index is None:
        return False
    try:
        if index.state == "BUILDING":
            if index.number not in ends:
                ends[index.number] = await end_of(engine, keyspace.items_range(table.number))
            built = await build_page(engine, table, index, ends[index.number])
            if built is None:
                await catalog.change(name, partial(_activated, index))
            else:
                share = share_before(built.last_key)
                if index.is_expiry:
                    progress.reached(share)
                else:
                    progress.built(index.name, share, built.units)
        elif not await clear_page(engine, table, index):
            await catalog.change(name, partial(_without, index))
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
