"""Reads the values of metrics in periods."""

import asyncio
from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.api.aws_services.cloudwatch.requests import MINUTE, CloudWatchContext
from hashrange.api.aws_services.cloudwatch.service import refusal
from hashrange.limits.cloudwatch import CHUNKS_READ_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.observe.statistic_sets import StatisticSet, merged
from hashrange.tables.keys.metric_keys import CHUNK_SAMPLES, RESOLUTIONS
from hashrange.tables.series.rollup import KEPT_SECONDS
from hashrange.tables.series.samples import Metric
from hashrange.tables.series.store import Reading

Periods: TypeAlias = dict[int, StatisticSet]
"""Values by the beginning of their period, in seconds, ascending."""

_MINUTE_AGE_MAX: Final = KEPT_SECONDS[1]
_FIVE_AGE_MAX: Final = KEPT_SECONDS[2]


class Range(msgspec.Struct, frozen=True):
    """The times of a request in seconds; the second is not included."""

    start: int
    end: int


class Reader:
    """Reads for one request."""

    def __init__(self, context: CloudWatchContext) -> None:
        self._context = context
        self._oldest: Sequence[int | None] | None = None
        self._chunks = 0

    async def by_unit(
        self, metric: Metric, seconds: Range, period: int, unit: str | None = None
    ) -> dict[str, Periods]:
        """The values of each unit, or of one. Raises LimitExceededFault, StorageError."""
        series = self._context.series
        stored = await series.stored(metric)
        if stored is None:
            return {}
        if self._oldest is None:
            self._oldest = await series.oldest()
        found: dict[str, Periods] = {}
        for name, facts in sorted(stored.units.items()):
            if unit not in {None, name}:
                continue
            self._count(seconds)
            readings = await series.read(
                metric, name, (seconds.start, seconds.end), self._oldest, fine=facts.fine
            )
            found[name] = _periods(readings, seconds.start, period)
            await asyncio.sleep(0)  # a long request leaves room for others
        return found

    async def values(
        self, metric: Metric, seconds: Range, period: int, unit: str | None = None
    ) -> Periods:
        """The values of all units together, or of one."""
        found = await self.by_unit(metric, seconds, period, unit)
        if len(found) == 1:
            return next(iter(found.values()))
        sets: dict[int, list[StatisticSet]] = {}
        for periods in found.values():
            for at, values in periods.items():
                sets.setdefault(at, []).append(values)
        return {at: merged(sets[at]) for at in sorted(sets)}

    def _count(self, seconds: Range) -> None:
        """Bound what a request looks at, whatever of it is stored."""
        length = min(seconds.end - seconds.start, KEPT_SECONDS[-1])
        self._chunks += sum(
            min(length, kept) // (period * CHUNK_SAMPLES) + 2
            for period, kept in zip(RESOLUTIONS, KEPT_SECONDS, strict=True)
        )
        if self._chunks > CHUNKS_READ_MAX:
            raise refusal("LimitExceededFault", messages.too_much(most=CHUNKS_READ_MAX))


def rounded(start: float, end: float, now_seconds: int, period: int) -> Range:
    """The range of a request, its start rounded down.

    Source: API Reference of GetMetricData, `StartTime`.
    """
    age = now_seconds - start
    unit = min(MINUTE, period)
    if age > _FIVE_AGE_MAX:
        unit = RESOLUTIONS[3]
    elif age > _MINUTE_AGE_MAX:
        unit = RESOLUTIONS[2]
    first = int(start // unit) * unit
    return Range(max(0, first), max(0, -int(-end // 1)))


def _periods(readings: Sequence[Reading], start: int, period: int) -> Periods:
    """Readings by the periods of a request, without those of longer periods, or others."""
    sets: dict[int, list[StatisticSet]] = {}
    for each in readings:
        if period % each.period == 0:
            at = each.seconds - (each.seconds - start) % period
            sets.setdefault(at, []).append(each.values)
    return {at: merged(found) for at, found in sets.items()}
