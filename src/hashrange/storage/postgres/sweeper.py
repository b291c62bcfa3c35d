"""Removes tombstones: rows of keys that were absent when a write was decided on them.

A tombstone makes concurrent writes of the key conflict. After the write that inserted it has
committed, it means the same as no row, so it may be deleted at any time and by any number of
servers. A write that has read the version of a deleted tombstone has a conflict and is retried.
"""

import asyncio
import logging
from typing import Final

from hashrange.storage.engine import StorageError
from hashrange.storage.failures import Failures
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.statements import DELETE_TOMBSTONES, FIND_TOMBSTONES

PAGE_ROWS: Final = 1_000
"""Rows read by one statement, which takes the database a few milliseconds."""
PAGE_PAUSE_SECONDS: Final = 0.5
"""The pause between two pages; this allows 170 million rows a day."""
PASS_PAUSE_SECONDS: Final = 600.0
"""The pause between two passes, and after a failure."""

_log: Final = logging.getLogger(__name__)


class Sweeper:
    """Scans all keys for tombstones, slowly and repeatedly.

    Attributes:
        removed: the number of tombstones deleted so far.
    """

    def __init__(self, pool: Pool, page_rows: int = PAGE_ROWS) -> None:
        self.removed = 0
        self._pool = pool
        self._page_rows = page_rows

    async def run(self) -> None:
        """Sweep all keys again and again, until cancelled; failures are logged and retried."""
        failures = Failures(_log, "sweeping tombstones")
        while True:
            with failures.suppressed(StorageError):
                await self.sweep(PAGE_PAUSE_SECONDS)
            await asyncio.sleep(PASS_PAUSE_SECONDS)

    async def sweep(self, pause_seconds: float = 0.0) -> None:
        """Scan all keys once, with a pause after each page. Raises StorageError."""
        after: bytes | None = b""
        while after is not None:
            after = await self._page(after)
            await asyncio.sleep(pause_seconds)

    async def _page(self, after: bytes) -> bytes | None:
        """Sweep one page of keys after a key; the last of them, or None at the end."""
        try:
            rows = await self._pool.read(FIND_TOMBSTONES, [after, self._page_rows])
            gone = [row["k"] for row in rows if row["gone"]]
            if gone:
                removed = await self._pool.read(DELETE_TOMBSTONES, [gone])
                self.removed += len(removed)
        except ConflictError:
            return after  # a deadlock with a write: read the page again
        return max((row["k"] for row in rows), default=None)
