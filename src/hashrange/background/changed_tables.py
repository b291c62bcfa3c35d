"""Work on tables soon after they were changed, and on the whole catalog from time to time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.tables.leases import NotLeadingError

RETRY_SECONDS: Final = 5.0
IDLE_SECONDS: Final = 60.0
"""Interval in which the whole catalog is read without a cause."""

_log: Final = logging.getLogger(__name__)


class ChangedTables:
    """Calls a background task for each table that was changed.

    Args:
        what: what the task works on, for the log.
        work_on_all: does the work that is due on all tables.
        work_on: does it on the table of a name.
    """

    def __init__(
        self,
        what: str,
        work_on_all: Callable[[], Awaitable[object]],
        work_on: Callable[[str], Awaitable[object]],
    ) -> None:
        self._what = what
        self._work_on_all = work_on_all
        self._work_on = work_on
        self._woken = asyncio.Event()
        self._names: dict[str, None] = {}
        self._sweep = False

    def wake(self, name: str) -> None:
        """Work soon on a table that was changed."""
        self._names[name] = None
        self._woken.set()

    def wake_all(self) -> None:
        """Work soon on all tables: any of them may have been changed."""
        self._sweep = True
        self._woken.set()

    async def run(self) -> None:
        """Work on all tables, then on those that change, until it is cancelled."""
        self._sweep = True
        while True:
            self._woken.clear()
            sweep, self._sweep = self._sweep, False
            wait_seconds = IDLE_SECONDS
            try:
                await (self._work_on_all() if sweep else self._work_on_changed())
            except (StorageError, StaleFenceError, NotLeadingError):
                _log.warning("work on %s failed; will retry", self._what, exc_info=True)
                wait_seconds = RETRY_SECONDS
                self._sweep = True
            try:
                async with asyncio.timeout(wait_seconds):
                    await self._woken.wait()
            except TimeoutError:
                self._sweep = True

    async def _work_on_changed(self) -> None:
        while self._names:
            await self._work_on(self._names.popitem()[0])
