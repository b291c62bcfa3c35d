"""Stores the metrics of a process once a minute: what its counts have grown by."""

# ruff: noqa: PLC0415 - what makes metrics is imported after the first minute, not at the start
import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.storage.engine import (
    ContendedError,
    Engine,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.storage.failures import Failures

if TYPE_CHECKING:
    from hashrange.capacity.contributors import CountedKeys
    from hashrange.observe.figure_points import Point
    from hashrange.observe.metric_points import Counts
    from hashrange.tables.series.samples import Sample

MINUTE_MS: Final = 60_000
_MS: Final = 1000
_RETRIES: Final = 3
_RETRY_SECONDS: Final = 1.0

_log: Final = logging.getLogger(__name__)


class MetricRecorder:
    """A background task of each process that answers requests, for what it has counted itself.

    Args:
        engine: stores the samples.
        metrics: the counts.
        now_ms: the clock.
        process: identifies it among all that have ever been.

    Attributes:
        figures: further numbers of this process; none until it is set.
        contributors: the keys that it has counted since a minute began; none until it is set.
    """

    def __init__(
        self, engine: Engine, metrics: Metrics, now_ms: Callable[[], int], process: bytes
    ) -> None:
        self._engine = engine
        self._failures = Failures(_log, "storing the metrics of a minute")
        self._metrics = metrics
        self._now_ms = now_ms
        self._before: Counts | None = None
        self._turn = asyncio.Lock()
        self._process = process
        self._minute = 0
        self.figures: Callable[[], Figures] = dict
        self.contributors: Callable[[int], Sequence[CountedKeys]] = _none

    async def run(self) -> None:
        """Store the growth after each minute until it is cancelled."""
        while True:
            now_ms = self._now_ms()
            await asyncio.sleep((MINUTE_MS - now_ms % MINUTE_MS) / _MS)
            # The minute that is over, though the clock may have been moved meanwhile.
            await self.record(max(now_ms, self._now_ms() - MINUTE_MS))

    async def record(self, at_ms: int) -> None:
        """Store the growth since the last call as that of the minute of a time."""
        from hashrange.observe.metric_points import Counts, counts_of, points
        from hashrange.tables.series.store import METRICS_A_WRITE

        async with self._turn:
            after = counts_of(self._metrics, self.figures())
            before, self._before = self._before or Counts(), after
            found = points(before, after)
            seconds = at_ms // MINUTE_MS * (MINUTE_MS // _MS)
            # Requests are answered between two writes, and so between the points of both.
            while some := [*islice(found, METRICS_A_WRITE)]:
                await self._add([_sample(each, seconds) for each in some])
            await self._add_keys(at_ms // MINUTE_MS)

    async def _add(self, samples: "Sequence[Sample]") -> None:
        """Store samples; those whose write may have happened are not written again."""
        from hashrange.tables.series.store import SeriesStore

        await self._written(lambda: SeriesStore(self._engine).add(samples))

    async def _add_keys(self, minute: int) -> None:
        """Store the keys that were counted since the last call, up to those of a minute."""
        counted = self.contributors(min(self._minute, minute))
        self._minute = minute
        if counted:
            from hashrange.tables.series.contributors import ContributorRows

            rows = ContributorRows(self._engine)
            await self._written(lambda: rows.put(counted, self._process))

    async def _written(self, write: Callable[[], Awaitable[None]]) -> None:
        for attempt in range(_RETRIES):
            try:
                await write()
            except (ContendedError, StorageBusyError, StorageUnavailableError) as error:
                if attempt + 1 < _RETRIES:
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                self._failures.failed(error)
            except StorageError as error:
                self._failures.failed(error)
            else:
                self._failures.done()
            return

    async def close(self) -> None:
        """Store what was counted since the last minute; the task has ended."""
        await self.record(self._now_ms())


def _none(_minute: int) -> "Sequence[CountedKeys]":
    return ()


def _sample(point: "Point", seconds: int) -> "Sample":
    from hashrange.tables.series.samples import Metric, Sample

    metric = Metric(
        scope=point.scope,
        namespace=point.namespace,
        name=point.name,
        dimensions=tuple(sorted(point.dimensions.items())),
    )
    return Sample(metric=metric, unit=point.unit, seconds=seconds, values=point.values)
