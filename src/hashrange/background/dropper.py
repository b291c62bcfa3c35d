"""Deletes the rows of dropped tables, page by page, so that no request waits for long.

The catalog lists the dropped tables, so work that a stop or a crash interrupts goes on at the next
start. A table that had a stream stays on the list, with its change log only, while the stream can
be read.
"""

import asyncio
import logging
from typing import Final

from hashrange.background.tasks import IDLE_SECONDS, RETRY_SECONDS, Pacer
from hashrange.clock import Clock
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.lifecycle import still_shown
from hashrange.tables.keys import key_ranges, keyspace, system_keys
from hashrange.tables.keys.log_keys import logs_range

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""About half a millisecond of work; requests run between two pages."""


_log: Final = logging.getLogger(__name__)


class Dropper:
    """A background task that deletes the rows of dropped tables.

    Args:
        engine: holds the rows.
        catalog: lists the dropped tables.
        clock: decides whether a table is still shown as DELETING.
        transient_ms: how long it is shown so.
        pacer: gives turns, one for each page.
    """

    def __init__(
        self, engine: Engine, catalog: Catalog, clock: Clock, transient_ms: int, *, pacer: Pacer
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._pacer = pacer
        self._clock = clock
        self._transient_ms = transient_ms
        self._woken = asyncio.Event()

    def wake(self, _name: str = "") -> None:
        """Work soon: a table was dropped, or may have been."""
        self._woken.set()

    async def run(self) -> None:
        """Clear the tables on the list, then wait for more, until it is cancelled."""
        failures = Failures(_log, "clearing a dropped table")
        while True:
            self._woken.clear()
            try:
                left = await self.clear()
                failures.done()
            except StorageError as error:
                failures.failed(error)
                left = True
            try:
                async with asyncio.timeout(RETRY_SECONDS if left else IDLE_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                continue

    async def clear(self) -> bool:
        """Clear all tables on the list once; True if a table is still shown and so must stay."""
        left = False
        for table in await self._catalog.dropped.tables():
            for keys in _ranges(table):
                more = True
                while more:
                    async with self._pacer.turn():
                        more = await self._clear_page(table, keys)
            if table.log.shards:
                continue
            if still_shown(table, self._clock.now_ms(), self._transient_ms):
                left = True
            else:
                await self._remove(table)
        return left

    async def _clear_page(self, table: Table, keys: key_ranges.Range) -> bool:
        """Delete a page of rows; whether there may be more."""
        start, end = keys
        pairs = await self._engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
        if not pairs:
            return False
        row = system_keys.dropped_key(table.number)

        def decide(stored: list[bytes | None]) -> Changes[bool]:
            # The rows may be deleted only while the table is on the list; another process may have
            # removed it already.
            if stored[0] is None:
                return Changes(answer=False)
            return Changes(answer=True, deletes=[key for key, _ in pairs])

        return await self._engine.write([row], decide)

    async def _remove(self, table: Table) -> None:
        row = system_keys.dropped_key(table.number)
        await self._engine.write([row], lambda _: Changes(answer=None, deletes=[row]))


def _ranges(table: Table) -> tuple[key_ranges.Range, ...]:
    """All rows of a table, but for those that are kept.

    Its change log is kept while its streams can still be read, its items if they are a backup's.
    """
    start, end = keyspace.table_range(table.number)
    kept = [keyspace.items_range(table.number)] if table.keeps_items else []
    if table.log.shards:
        kept.append(logs_range(table.number))
    starts, ends = [start, *(each[1] for each in kept)], [*(each[0] for each in kept), end]
    return tuple(zip(starts, ends, strict=True))
