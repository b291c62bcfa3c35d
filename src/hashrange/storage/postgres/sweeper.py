"""Removes tombstones: rows that say that a key was absent when something was decided by it.

They count for those who meet at one moment: who writes such a key waits for who has decided by its
absence. Once that one is done, its tombstone says no more than its absence would. So each may go at
any time, and any number of servers may sweep; who has read the version of one that is gone loses a
comparison and tries again.
"""

import asyncio
import logging
from typing import Final

from hashrange.storage.engine import StorageError
from hashrange.storage.postgres.pool import LostError, Pool
from hashrange.storage.postgres.statements import SWEEP_LOOK, SWEEP_REMOVE

PAGE_ROWS: Final = 1_000
"""Looked at in one statement: a few milliseconds of the database."""
REST_SECONDS: Final = 0.5
"""Between two pages: 170 million rows a day."""
PAUSE_SECONDS: Final = 600.0
"""Between two passes, and after a failure."""

_log: Final = logging.getLogger(__name__)


class Sweeper:
    """Goes through all keys again and again, slowly.

    Attributes:
        removed: tombstones, since the start.
    """

    def __init__(self, link: Pool) -> None:
        self.removed = 0
        self._link = link

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            try:
                await self.sweep(REST_SECONDS)
            except StorageError:
                _log.warning("sweeping tombstones failed; will retry", exc_info=True)
            await asyncio.sleep(PAUSE_SECONDS)

    async def sweep(self, rest_seconds: float = 0.0) -> None:
        """Look once at every key. Raises StorageError."""
        after: bytes | None = b""
        while after is not None:
            after = await self._page(after)
            await asyncio.sleep(rest_seconds)

    async def _page(self, after: bytes) -> bytes | None:
        """Sweep the keys that follow; the last of them, or None if there are none."""
        try:
            rows = await self._link.read(SWEEP_LOOK, [after, PAGE_ROWS])
            gone = [row["k"] for row in rows if row["gone"]]
            if gone:
                removed = await self._link.read(SWEEP_REMOVE, [gone])
                self.removed += len(removed)
        except LostError:
            return after  # a deadlock with a writer, who went first
        return max((row["k"] for row in rows), default=None)
