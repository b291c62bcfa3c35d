"""When tables are replicated: at once after they were written, otherwise in intervals."""

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection
from collections.abc import Set as AbstractSet
from typing import ClassVar, Final, Protocol

from hashrange.background.tasks import IDLE_SECONDS, RETRY_SECONDS
from hashrange.background.watched_tables import WatchedTables
from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.observe.figures import Figures, labelled
from hashrange.regions.replication.following import Found
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.opened.open_table import OpenTable

SWEEP_MS: Final = 60_000
"""Interval in which the whole catalog is read."""

_log: Final = logging.getLogger(__name__)


class Remembered(Protocol):
    """The positions that a task has stored, and keeps in memory."""

    def forget(self) -> None:
        """Drop it: another process may have done the work meanwhile."""


class ReplicationTask(ABC):
    """A background task that sends the changes of tables elsewhere, such as to other regions.

    A change that this process writes is replicated at once, but for a pause after other changes: it
    makes pages of many changes of those that come meanwhile. Changes that others write to the same
    database are found in intervals, the longer, the longer there were none.

    Args:
        catalog: the whole catalog.
        is_kept: whether a table has such replicas, or another receiver.
        now_ms: the clock.
        positions: how far the receivers are.
    """

    PAUSE_SECONDS: ClassVar[float]
    """After work that has found something."""
    LOOK_SECONDS_MAX: ClassVar[float]
    """The longest interval in which logs are read."""
    GROWTH: ClassVar[float] = 1.5
    """Of an interval in which nothing was found."""

    def __init__(
        self,
        catalog: Catalog,
        is_kept: Callable[[OpenTable], bool],
        *,
        now_ms: Callable[[], int],
        positions: Remembered,
    ) -> None:
        self._catalog = catalog
        self._now_ms = now_ms
        self._remembered = positions
        self._watched = WatchedTables(catalog, is_kept)
        self._woken = asyncio.Event()
        self._is_listening = False
        self._swept_ms = 0

    def wake(self, name: str) -> None:
        """Include a table that was changed: it may have replicas now."""
        self._watched.note_change(name)
        self._woken.set()

    def wake_all(self) -> None:
        """Read the catalog again: any table may have been changed."""
        self._swept_ms = 0
        self._woken.set()

    def appended(self, logs: Collection[bytes]) -> None:
        """Records were appended to some logs: those of items, or others."""
        if self._is_listening and self._watched.has_log(logs):
            self._woken.set()

    async def run(self) -> None:
        """Replicate until it is cancelled."""
        self._swept_ms, seconds = 0, self.PAUSE_SECONDS
        self._remembered.forget()
        failures = Failures(_log, "replication")
        while True:
            self._woken.clear()
            try:
                found = await self.work()
                seconds = (
                    self.PAUSE_SECONDS if found else min(seconds * self.GROWTH, self._seconds_max)
                )
                wait_seconds = seconds if self._watched else IDLE_SECONDS
                self._is_listening = self._seconds_max <= self.LOOK_SECONDS_MAX
                failures.done()
            except (StorageError, StaleFenceError, NotLeadingError) as error:
                failures.failed(error)
                wait_seconds, self._is_listening = RETRY_SECONDS, False
                self._swept_ms = 0  # the sweep may be what failed
            await self._wait(wait_seconds)

    async def _wait(self, seconds: float) -> None:
        """Wait until there may be something to do, but for a pause at least."""
        await asyncio.sleep(self.PAUSE_SECONDS)
        seconds -= self.PAUSE_SECONDS
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._woken.wait()

    @property
    def _seconds_max(self) -> float:
        """The longest interval now; beyond LOOK_SECONDS_MAX writes do not end it."""
        return self.LOOK_SECONDS_MAX

    async def drain(self) -> None:
        """Replicate all that can be replicated now, and not what clients write meanwhile."""
        self._swept_ms = 0
        while await self.work() is Found.MORE:
            pass

    async def _sweep_due(self, now_ms: int) -> None:
        """Read the whole catalog, if that is long ago."""
        if not 0 <= now_ms - self._swept_ms < SWEEP_MS:
            self._swept_ms = now_ms
            await self._sweep()

    async def _work_on_each(self, work_on: Callable[[str], Awaitable[Found]]) -> Found:
        """Sweep if that is due, and work on each watched table; the most that one has found."""
        await self._sweep_due(self._now_ms())
        found = Found.NOTHING
        for name in self._watched.names:
            found = max(await work_on(name), found)
            await asyncio.sleep(0)
        return found

    @abstractmethod
    async def work(self) -> Found:
        """Replicate some pages of each table; the most that one of them has found."""

    @abstractmethod
    async def _sweep(self) -> None:
        """Find the tables in the whole catalog."""


class ReplicationLatencies:
    """The age of the oldest change that was replicated last, by table and receiving region.

    Tables have their names in the whole catalog. Beyond METRIC_TABLES_MAX, those that were added
    first are dropped.
    """

    def __init__(self) -> None:
        self._ms: dict[str, dict[str, int]] = {}

    def note(self, table: str, region: str, ms: int) -> None:
        """Changes of a table have reached a region."""
        if table not in self._ms and len(self._ms) >= METRIC_TABLES_MAX:
            del self._ms[next(iter(self._ms))]
        self._ms.setdefault(table, {})[region] = ms

    def keep(self, table: str, regions: AbstractSet[str]) -> None:
        """Drop what is known of regions in which a table has no replica."""
        by_region = self._ms.get(table)
        if by_region is None:
            return
        for region in by_region.keys() - regions:
            del by_region[region]
        if not by_region:
            del self._ms[table]

    def figures(self) -> Figures:
        """Figures for metrics, in seconds."""
        return {
            labelled("replication_latency_seconds", table, region): ms / 1000
            for table, by_region in self._ms.items()
            for region, ms in by_region.items()
        }
