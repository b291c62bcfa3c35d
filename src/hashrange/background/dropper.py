"""Clears the rows of dropped tables, page by page, so that no request waits for long.

The list of such tables is in the catalog: what a stop or a crash left undone goes on at the next
start. A table that had a stream stays on it, with nothing but its change logs, as long as the
stream can be read.
"""

import asyncio
import logging
from typing import Final

from hashrange.background.pacer import Pacer
from hashrange.clock import Clock
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, StorageError
from hashrange.tables import keyspace
from hashrange.tables.catalog import Catalog
from hashrange.tables.lifecycle import still_shown
from hashrange.tables.log_keys import logs_range

PAGE_ROWS: Final = 200
PAGE_BYTES: Final = 1024 * 1024
"""About half a millisecond of work: requests come between two pages."""
RETRY_SECONDS: Final = 5.0
"""After the engine could not do its part; and how soon a table that is still shown is looked at."""

IDLE_SECONDS: Final = 60.0
"""How often the list is looked at unasked: a table whose streams can be read stays on it."""

_log: Final = logging.getLogger(__name__)


class Dropper:
    """One task that clears dropped tables until it is stopped."""

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
        """A table was dropped, or may have been."""
        self._woken.set()

    async def run(self) -> None:
        """Clear what is on the list, then wait for more; ends when it is cancelled."""
        while True:
            self._woken.clear()
            try:
                left = await self.clear()
            except StorageError:
                _log.warning("clearing a dropped table failed; will retry", exc_info=True)
                left = True
            try:
                async with asyncio.timeout(RETRY_SECONDS if left else IDLE_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                continue

    async def clear(self) -> bool:
        """Clear all tables on the list once; True if some must stay for now."""
        left = False
        for table in await self._catalog.dropped():
            for keys in _ranges(table):
                more = True
                while more:
                    async with self._pacer.taken():
                        more = await self._clear_page(table, keys)
            if table.log.shards:
                continue
            if still_shown(table, self._clock.now_ms(), self._transient_ms):
                left = True
            else:
                await self._forget(table)
        return left

    async def _clear_page(self, table: Table, keys: keyspace.Range) -> bool:
        """Whether there may be more."""
        start, end = keys
        pairs = await self._engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
        if not pairs:
            return False
        row = keyspace.dropped_key(table.number)

        def decide(stored: list[bytes | None]) -> Changes[bool]:
            # The row of the list owns all keys of the table; another process may have been faster.
            if stored[0] is None:
                return Changes(answer=False)
            return Changes(answer=True, deletes=[key for key, _ in pairs])

        return await self._engine.write([row], decide)

    async def _forget(self, table: Table) -> None:
        row = keyspace.dropped_key(table.number)
        await self._engine.write([row], lambda _: Changes(answer=None, deletes=[row]))


def _ranges(table: Table) -> tuple[keyspace.Range, ...]:
    """All rows of a table, but for its change logs while its streams can still be read."""
    start, end = keyspace.table_range(table.number)
    if not table.log.shards:
        return ((start, end),)
    logs_start, logs_end = logs_range(table.number)
    return (start, logs_start), (logs_end, end)
