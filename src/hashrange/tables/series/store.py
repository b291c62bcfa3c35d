"""Writes samples into the engine, and reads them."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec

from hashrange.observe.statistic_sets import StatisticSet
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys.key_ranges import pairs, prefix_range
from hashrange.tables.keys.metric_keys import (
    RESOLUTIONS,
    chunk_key,
    chunk_keys,
    chunk_of,
    chunk_parts,
    chunks_range,
    metric_prefix,
    series_of,
)
from hashrange.tables.series.samples import (
    Metric,
    Sample,
    StoredMetric,
    chunk_with,
    decode_metric,
    first_chunk,
    metric_with,
    offset_of,
    resolution_of,
    samples_of,
)

METRICS_A_WRITE: Final = 100
"""Metrics of one write of the engine, so that it holds up no others for long."""
_READ_KEYS: Final = 500


class Reading(msgspec.Struct, frozen=True):
    """Values of a period that is stored.

    Attributes:
        seconds: when the period began.
        period: its length in seconds.
    """

    seconds: int
    period: int
    values: StatisticSet


class SeriesStore:
    """The time series of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine: Final = engine

    async def add(self, samples: Sequence[Sample]) -> None:
        """Merge samples into what is stored. Raises StorageError."""
        by_metric: dict[Metric, list[Sample]] = {}
        for each in samples:
            by_metric.setdefault(each.metric, []).append(each)
        metrics = [*by_metric.items()]
        for first in range(0, len(metrics), METRICS_A_WRITE):
            await self._add(metrics[first : first + METRICS_A_WRITE])

    async def _add(self, metrics: Sequence[tuple[Metric, Sequence[Sample]]]) -> None:
        names = [metric.key for metric, _ in metrics]
        chunks: dict[bytes, list[tuple[int, StatisticSet]]] = {}
        for name, (_, samples) in zip(names, metrics, strict=True):
            for each in samples:
                resolution = resolution_of(each)
                series = series_of(name, each.unit)
                key = chunk_key(resolution, chunk_of(resolution, each.seconds), series)
                offset = offset_of(resolution, each.seconds)
                chunks.setdefault(key, []).append((offset, each.values))

        def decide(stored: list[bytes | None]) -> Changes[None]:
            puts = {}
            for name, (metric, samples), row in zip(names, metrics, stored, strict=False):
                after = metric_with(metric, row, samples)
                if after is not None:
                    puts[name] = after
            rows = stored[len(names) :]
            for (key, samples_of_chunk), row in zip(chunks.items(), rows, strict=True):
                puts[key] = chunk_with(row, samples_of_chunk)
            return Changes(answer=None, puts=puts)

        await self.engine.write([*names, *chunks], decide)

    async def metrics(
        self, scope: str, namespace: str | None = None, name: str | None = None
    ) -> AsyncIterator[StoredMetric]:
        """The metrics of a scope, of a namespace, of a name; a name needs its namespace."""
        prefix = metric_prefix(scope, namespace, name if namespace is not None else None)
        async for _, row in pairs(self.engine, prefix_range(prefix)):
            yield decode_metric(row)

    async def stored(self, metric: Metric) -> StoredMetric | None:
        """The row of a metric."""
        (row,) = await self.engine.read([metric.key])
        return None if row is None else decode_metric(row)

    async def oldest(self) -> tuple[int | None, ...]:
        """The oldest chunk of each resolution; None if it has none."""
        return tuple([await self._oldest(each) for each in range(len(RESOLUTIONS))])

    async def _oldest(self, resolution: int) -> int | None:
        start, end = chunks_range(resolution)
        page = await self.engine.scan(start, end, limit=1, bytes_max=1)
        return chunk_parts(page[0][0])[1] if page else None

    async def read(
        self,
        metric: Metric,
        unit: str,
        seconds: tuple[int, int],
        oldest: Sequence[int | None],
        *,
        fine: bool,
    ) -> list[Reading]:
        """The values from one time to another, in their order, of a metric and a unit.

        Args:
            metric: whose values.
            unit: in which they were sent.
            seconds: the times; the second is not included.
            oldest: what `oldest` returned, once for several reads.
            fine: there are samples of a second.
        """
        start, end = seconds
        series = series_of(metric.key, unit)
        found: list[Reading] = []
        for resolution, period in enumerate(RESOLUTIONS):
            first = oldest[resolution]
            if first is None or (resolution == 0 and not fine):
                continue
            first = first_chunk(resolution, start, first)
            chunks = range(first, chunk_of(resolution, end - 1) + 1)
            for chunk, row in await self._rows(resolution, chunks, series):
                found += [
                    Reading(at, period, values)
                    for at, values in samples_of(resolution, chunk, row)
                    if start <= at < end
                ]
        return sorted(found, key=lambda each: each.seconds)

    async def _rows(self, resolution: int, chunks: range, series: bytes) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for first in range(0, len(chunks), _READ_KEYS):
            some = chunks[first : first + _READ_KEYS]
            rows = await self.engine.read(chunk_keys(resolution, some, series))
            found += [(chunk, row) for chunk, row in zip(some, rows, strict=True) if row]
        return found
