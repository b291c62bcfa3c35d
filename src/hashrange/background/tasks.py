"""Background tasks, and their pace: one page at a time, with rests while requests come.

All tasks that go through many rows take turns, so that three tasks slow requests no more than one.
While requests come, each page is followed by a pause several times as long as the page took. A page
takes longer under load, since its write waits in the queue among others. Without requests there are
no pauses.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Protocol

from hashrange.observe.jobs import Jobs

PAUSE_PER_WORK: Final = 4
"""Pause after a page, in durations of the page. Measured with 32 connections of puts while items
expired: at 1 the p99 of puts rose to 1.4 to 1.9 times, at 4 to 1.1 times."""
PAUSE_NS_MAX: Final = 10_000_000
"""Bound of a pause, so that work goes on with a slow disk or under overload."""
BUSY_NS: Final = 100_000_000
"""How long the server counts as busy after a request."""
RETRY_SECONDS: Final = 5.0
"""Pause of a task after an error of the storage."""
IDLE_SECONDS: Final = 60.0
"""Pause of a task that found no work, and that nobody wakes."""
_NS_PER_S: Final = 1_000_000_000


class Pacer:
    """Gives background tasks their turns.

    Args:
        monotonic_ns: the clock.
        arrived: returns a number that changes whenever a request comes.

    Attributes:
        jobs: the progress of the jobs that take turns.
    """

    def __init__(self, monotonic_ns: Callable[[], int], arrived: Callable[[], int]) -> None:
        self._monotonic_ns = monotonic_ns
        self._arrived = arrived
        self._last_arrived = arrived()
        self._busy_until_ns = monotonic_ns()
        self._lock = asyncio.Lock()
        self.jobs = Jobs(monotonic_ns)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, for one page of work; then pause, unless the work failed."""
        async with self._lock:
            began_ns = self._monotonic_ns()
            yield
            await asyncio.sleep(self.pause_ns(began_ns) / _NS_PER_S)

    async def pause(self, began_ns: int) -> None:
        """Pause after work that began at a time and was no turn; others get no turn meanwhile."""
        async with self._lock:
            await asyncio.sleep(self.pause_ns(began_ns) / _NS_PER_S)

    def pause_ns(self, began_ns: int) -> int:
        """How long to pause now, after a page that began at `began_ns`."""
        if not self.is_busy():
            return 0
        return min((self._monotonic_ns() - began_ns) * PAUSE_PER_WORK, PAUSE_NS_MAX)

    def is_busy(self) -> bool:
        """Whether requests come, or came lately."""
        now_ns, arrived = self._monotonic_ns(), self._arrived()
        if arrived != self._last_arrived:
            self._last_arrived, self._busy_until_ns = arrived, now_ns + BUSY_NS
        return now_ns < self._busy_until_ns


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
