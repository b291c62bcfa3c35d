"""Fills the history of a server: once a minute, with the sum of all counts."""

import asyncio
from collections.abc import Callable
from typing import Final

from hashrange.observe.history import MINUTE_MS, History, Minute
from hashrange.observe.report import Report
from hashrange.server.monitor import Monitor

_MS: Final = 1000


class HistoryKeeper:
    """A background task of each process that answers requests; each has the sums of all.

    Attributes:
        monitor: as given.

    Args:
        history: what it fills.
        monitor: counts.
        now_ms: the clock.
    """

    def __init__(self, history: History, monitor: Monitor, now_ms: Callable[[], int]) -> None:
        self._history = history
        self.monitor = monitor
        self._now_ms = now_ms

    async def run(self) -> None:
        """Take the counts each minute until it is cancelled."""
        while True:
            self._history.take(await self.monitor.summed(with_keys=False), self._now_ms())
            await asyncio.sleep((MINUTE_MS - self._now_ms() % MINUTE_MS) / _MS)

    async def now(self, *, with_keys: bool) -> tuple[Report, list[Minute]]:
        """The sum of all counts now, and the minutes of the last hour."""
        report = await self.monitor.summed(with_keys=with_keys)
        return report, self._history.minutes(report, self._now_ms())
