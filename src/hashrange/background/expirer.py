"""Deletes what has expired: items with a time to live, and tokens of transactions.

Items are deleted page by page, with a pause after each for the sake of requests.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from hashrange.background.tasks import RETRY_SECONDS, Pacer
from hashrange.background.watched_tables import WatchedTables
from hashrange.errors import DynamoError
from hashrange.observe.figures import Figures, labelled
from hashrange.storage.engine import Engine, StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.expiry import expire_page, expires_here
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.tokens import forget_page

LOOK_SECONDS: Final = 1.0
"""Interval of the search for expired items."""
SWEEP_LOOKS: Final = 60
"""Searches after which the whole catalog is read again."""

_log: Final = logging.getLogger(__name__)


class Expirer:
    """A background task that deletes the expired items of all tables.

    Args:
        store: writes the items.
        catalog: opens the tables.
        delay_seconds: minimum time between the expiry of an item and its deletion.
        pacer: gives turns, one for each page.
    """

    def __init__(self, store: Store, catalog: Catalog, delay_seconds: int, *, pacer: Pacer) -> None:
        self._store = store
        self._catalog = catalog
        self._pacer = pacer
        self._delay_seconds = delay_seconds
        self._watched = WatchedTables(catalog, _has_expiry)
        self._looks = 0
        self.deleted_total = 0
        """Items deleted since the start."""
        self._deleted: dict[str, int] = {}

    def figures(self) -> Figures:
        """Items deleted since the start, of all tables and of each."""
        by_table = {
            labelled("table_expired_items_total", name): count
            for name, count in self._deleted.items()
        }
        return {"expired_items_total": self.deleted_total, **by_table}

    def wake(self, name: str) -> None:
        """Include a table that was changed: it may have a time to live now."""
        self._watched.note_change(name)

    def wake_all(self) -> None:
        """Read the whole catalog at the next search: any table may have been changed."""
        self._looks = 0

    async def run(self) -> None:
        """Search and delete in intervals until it is cancelled."""
        self._looks = 0
        failures = Failures(_log, "deleting expired items")
        while True:
            wait_seconds = LOOK_SECONDS
            try:
                due, self._looks = self._looks == 0, (self._looks + 1) % SWEEP_LOOKS
                if due:
                    await self.sweep()
                await self.expire()
                failures.done()
            except StorageError as error:
                failures.failed(error)
                wait_seconds = RETRY_SECONDS
                self._looks = 0
            await asyncio.sleep(wait_seconds)

    async def drain(self) -> None:
        """Delete all items of all tables that have expired by now. Raises StorageError."""
        await self.sweep()
        await self.expire()

    async def sweep(self) -> None:
        """Find the tables that have a time to live."""
        async for tables in pages_of_tables(self._store.engine):
            for name, opened in tables.items():
                if opened.table.expiry is None:
                    continue
                self._watched.add(name)
                cached = self._catalog.cached(name)
                if cached is not None and cached.fences != opened.fences:
                    # The cached table may not have a time to live yet.
                    await self._catalog.open(name)

    async def expire(self) -> int:
        """Delete the items that have expired by now; returns how many.

        The tables take turns, so that one in which items expire all the time holds up no other.
        Items that expire meanwhile are left for the next call.
        """
        until_s = self._store.kept_ms() // 1000 - self._delay_seconds
        deleted, names = 0, self._watched.names
        while names:
            more: list[str] = []
            for name in names:
                count, has_more = await self._expire_page(name, until_s)
                deleted += count
                more += [name] if has_more else []
            names = more
        return deleted

    async def _expire_page(self, name: str, until_s: int) -> tuple[int, bool]:
        """Delete a page of items of a table; how many, and whether there may be more."""
        table = await self._watched.open(name)
        if table is None:
            return 0, False
        try:
            async with self._pacer.turn():
                count, more = await expire_page(self._store, table, until_s)
        except StaleFenceError:
            await self._catalog.open(name)
            return 0, True
        except DynamoError:
            return (
                0,
                False,
            )  # a transaction is changing one of the items: the next search tries again
        self.deleted_total += count
        if count:
            self._deleted[name] = self._deleted.get(name, 0) + count
        return count, more


def _has_expiry(table: OpenTable) -> bool:
    return table.table.expiry is not None and expires_here(table.table)


TOKENS_LOOK_SECONDS: Final = 60.0
"""Interval of the search for old tokens."""
PAUSE_SECONDS: Final = 0.02
"""Pause between two pages: ten thousand tokens a second, more than are written."""


class TokenSweeper:
    """A background task that deletes old tokens.

    Args:
        engine: holds them.
        kept_ms: `Store.kept_ms`.
    """

    def __init__(self, engine: Engine, kept_ms: Callable[[], int]) -> None:
        self._engine = engine
        self._kept_ms = kept_ms
        self._failures = Failures(_log, "removing old client tokens")

    async def run(self) -> None:
        """Search and delete in intervals until it is cancelled."""
        while True:
            pause_seconds = await self.sweep()
            await asyncio.sleep(pause_seconds)

    async def drain(self) -> None:
        """Delete all tokens that are old enough by now. Raises StorageError."""
        more = True
        while more:
            more = await forget_page(self._engine, self._kept_ms())

    async def sweep(self) -> float:
        """Delete a page of tokens; returns the seconds to pause before the next."""
        more = False
        with self._failures.suppressed(StorageError):
            more = await forget_page(self._engine, self._kept_ms())
        return PAUSE_SECONDS if more else TOKENS_LOOK_SECONDS
