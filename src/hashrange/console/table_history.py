"""The past of a table: what the time series of the engine have of it, by periods."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.api.aws_services.cloudwatch.statistics import percentile
from hashrange.model.operations import OPERATION_FACTS
from hashrange.observe.figure_points import COUNT, DYNAMODB, MILLISECONDS
from hashrange.observe.statistic_sets import StatisticSet, merged
from hashrange.tables.series.samples import Metric
from hashrange.tables.series.store import SeriesStore

Hours: TypeAlias = Literal[1, 3, 24, 168]
PERIODS: Final[Mapping[int, int]] = {1: 60, 3: 60, 24: 300, 168: 3600}
"""Seconds of a period, by the hours that are shown."""
_HOUR: Final = 3600
_OPERATIONS: Final = tuple(name for name, each in OPERATION_FACTS.items() if each.is_data_event)
_INDEX: Final = "GlobalSecondaryIndexName"

_GAUGE_SECONDS: Final = 300
"""Between two samples of provisioned units."""

_Periods: TypeAlias = dict[int, StatisticSet]
"""Values by the beginning of their period, in seconds."""


class TablePeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A period of a table with its indexes; counts are a second.

    Attributes:
        at_ms: when it began.
        read_provisioned: None on demand, or if it is not known.
        p50_ms: the median of the durations of its requests that have succeeded.
    """

    at_ms: int
    seconds: float
    read_units: float
    write_units: float
    throttled_reads: float
    throttled_writes: float
    read_provisioned: float | None
    write_provisioned: float | None
    requests: float
    conditions: float
    conflicts: float
    p50_ms: float
    p99_ms: float


class PastTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table whose past is read.

    Attributes:
        scope: account ':' region if each has tables of its own; empty if not.
        indexes: names of its global indexes.
    """

    scope: str
    name: str
    indexes: Sequence[str]


class _Reader:
    """Reads the metrics of a table from a time on."""

    def __init__(
        self, series: SeriesStore, table: PastTable, times: range, oldest: Sequence[int | None]
    ) -> None:
        self._series = series
        self._table = table
        self._times = times
        self._oldest = oldest

    async def of(self, name: str, unit: str = COUNT, **more: str) -> _Periods:
        """One metric by period."""
        dimensions = tuple(sorted({"TableName": self._table.name, **more}.items()))
        metric = Metric(
            scope=self._table.scope, namespace=DYNAMODB, name=name, dimensions=dimensions
        )
        times = self._times
        found = await self._series.read(
            metric, unit, (times.start, times.stop), self._oldest, fine=False
        )
        sets: dict[int, list[StatisticSet]] = {}
        for each in found:
            at = each.seconds - (each.seconds - times.start) % times.step
            sets.setdefault(at, []).append(each.values)
        await asyncio.sleep(0)  # a long past leaves room for requests
        return {at: merged(values) for at, values in sets.items()}

    async def with_indexes(self, name: str) -> list[_Periods]:
        """One metric of the table and of each of its indexes."""
        of_indexes = [await self.of(name, **{_INDEX: each}) for each in self._table.indexes]
        return [await self.of(name), *of_indexes]

    async def by_operation(self, name: str) -> list[_Periods]:
        """One metric of the durations of each operation."""
        return [await self.of(name, MILLISECONDS, Operation=each) for each in _OPERATIONS]


async def past_of(
    series: SeriesStore, table: PastTable, hours: int, now_seconds: int
) -> list[TablePeriod]:
    """The periods of a table, oldest first; those without a value are zero. Raises StorageError.

    Requests and durations are those of the table, of requests that have succeeded. The last minute
    is not stored yet.
    """
    period = PERIODS[hours]
    start = (now_seconds - hours * _HOUR) // period * period
    times = range(start, now_seconds // 60 * 60, period)
    reader = _Reader(series, table, times, await series.oldest())
    reads = await reader.of("ConsumedReadCapacityUnits")
    writes = await reader.of("ConsumedWriteCapacityUnits")
    throttled_reads = await reader.with_indexes("ReadThrottleEvents")
    throttled_writes = await reader.with_indexes("WriteThrottleEvents")
    provisioned_reads = await reader.with_indexes("ProvisionedReadCapacityUnits")
    provisioned_writes = await reader.with_indexes("ProvisionedWriteCapacityUnits")
    conditions = await reader.of("ConditionalCheckFailedRequests")
    conflicts = await reader.of("TransactionConflict")
    latencies = await reader.by_operation("SuccessfulRequestLatency")
    found = []
    for at in times:
        seconds = min(period, times.stop - at)
        durations = [each[at] for each in latencies if at in each]
        values = merged(durations).known if durations else ()
        found.append(
            TablePeriod(
                at_ms=at * 1000,
                seconds=seconds,
                read_units=_sum([reads], at) / seconds,
                write_units=_sum([writes], at) / seconds,
                throttled_reads=_sum(throttled_reads, at) / seconds,
                throttled_writes=_sum(throttled_writes, at) / seconds,
                read_provisioned=_highest(provisioned_reads, at, period),
                write_provisioned=_highest(provisioned_writes, at, period),
                requests=sum(each.count for each in durations) / seconds,
                conditions=_sum([conditions], at) / seconds,
                conflicts=_sum([conflicts], at) / seconds,
                p50_ms=percentile(values, 50) if values else 0.0,
                p99_ms=percentile(values, 99) if values else 0.0,
            )
        )
    return found


def _sum(several: Sequence[_Periods], at: int) -> float:
    return sum(each[at].sum for each in several if at in each)


def _highest(several: Sequence[_Periods], at: int, period: int) -> float | None:
    """The units of a table with its indexes; None if there is no sample of them.

    Periods that are shorter than the time between two samples have those of an earlier one.
    """
    for earlier in range(at, at - max(period, _GAUGE_SECONDS), -period):
        found = [each[earlier].maximum for each in several if earlier in each]
        if found:
            return sum(found)
    return None
