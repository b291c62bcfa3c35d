"""Starts background tasks together, restarts those that fail, and cancels them together."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol

RESTART_SECONDS: Final = 5.0
"""Pause before a task that failed runs again."""

AGAIN_SECONDS: Final = 1.0
"""Interval in which a task that does not end is cancelled again."""

_log: Final = logging.getLogger(__name__)


class BackgroundTask(Protocol):
    """Work of the server that no request waits for."""

    async def run(self) -> None:
        """Work until it is cancelled; returns or raises only through a defect."""


class BackgroundTasks:
    """Background tasks that begin and end together.

    Attributes:
        failures: how often a task has failed.
    """

    def __init__(self, *, again_seconds: float = AGAIN_SECONDS) -> None:
        self.failures = 0
        self._again_seconds = again_seconds
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, tasks: Sequence[BackgroundTask]) -> None:
        """Start the tasks."""
        self._tasks += [asyncio.create_task(self._restarted(task)) for task in tasks]

    async def end(self) -> None:
        """Cancel the tasks and wait for their ends; then others can begin."""
        left = set(self._tasks)
        while left:
            for task in left:
                task.cancel()
            # `asyncio.wait_for` can swallow a cancellation before Python 3.12.
            _, left = await asyncio.wait(left, timeout=self._again_seconds)
        self._tasks.clear()

    async def _restarted(self, task: BackgroundTask) -> None:
        """Run a task until it is cancelled; no other code would notice that it has failed."""
        while True:
            try:
                await task.run()
            except Exception:  # noqa: BLE001 - every failure is followed by a restart
                self.failures += 1
                _log.critical("a background task has failed; it is started again", exc_info=True)
                await asyncio.sleep(RESTART_SECONDS)
