"""Moves old metrics to coarser resolutions, and stores the provisioned throughput of tables."""

# ruff: noqa: PLC0415 - what metrics consist of is imported after the first minute, not at the start
import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from hashrange.background.tasks import Pacer
from hashrange.model.table import Table, Throughput
from hashrange.storage.engine import Engine, Fences, StorageError
from hashrange.tables.catalog.catalog import pages_of_tables

if TYPE_CHECKING:
    from hashrange.tables.series.samples import Dimensions, Sample

LOOK_SECONDS: Final = 60.0
GAUGE_SECONDS: Final = 300
"""Between two samples of provisioned throughput, as on AWS."""
_ON_DEMAND: Final = "PAY_PER_REQUEST"

_log: Final = logging.getLogger(__name__)


class MetricKeeper:
    """A background task of the leader.

    Args:
        engine: has the metrics and tables.
        now_ms: the clock.
        fences: those of the leader.
        pacer: gives turns, one for each page.
        separate: each account and region has tables of its own.
    """

    def __init__(
        self,
        engine: Engine,
        now_ms: Callable[[], int],
        fences: Callable[[], Fences],
        *,
        pacer: Pacer,
        separate: bool,
    ) -> None:
        self._engine = engine
        self._now_ms = now_ms
        self._fences = fences
        self._pacer = pacer
        self._separate = separate
        self._gauged = self._forgot = 0

    async def run(self) -> None:
        """Look each minute until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.drain()
            except StorageError:
                _log.warning("the upkeep of metrics failed; will retry", exc_info=True)

    async def drain(self) -> None:
        """Do all that is due now. Raises StorageError."""
        from hashrange.tables.series.rollup import (
            DAY,
            KEPT_SECONDS,
            forget_metrics,
            roll_up_page,
        )

        now = self._now_ms() // 1000
        if now // GAUGE_SECONDS != self._gauged:
            self._gauged = now // GAUGE_SECONDS
            await self._gauge(now)
        for resolution in range(len(KEPT_SECONDS)):
            more = True
            while more:
                async with self._pacer.turn():
                    more = await roll_up_page(self._engine, resolution, now, self._fences())
        if now // DAY != self._forgot:
            self._forgot = now // DAY
            await forget_metrics(self._engine, now, self._fences)

    async def _gauge(self, now: int) -> None:
        from hashrange.tables.series.store import SeriesStore

        series = SeriesStore(self._engine)
        async for tables in pages_of_tables(self._engine):
            samples = [
                each
                for name, opened in tables.items()
                if opened.table.billing_mode != _ON_DEMAND
                for each in self._samples(name, opened.table, now)
            ]
            await series.add(samples)

    def _samples(self, name: str, table: Table, now: int) -> "Iterator[Sample]":
        from hashrange.observe.metric_points import COUNT, DYNAMODB
        from hashrange.observe.statistic_sets import of_values
        from hashrange.tables.series.samples import Metric, Sample

        scope = name.rpartition(":")[0] if self._separate else ""
        of_table = ("TableName", table.name)
        rated: list[tuple[Dimensions, Throughput]] = [((of_table,), table.throughput)]
        rated += [
            ((("GlobalSecondaryIndexName", index.name), of_table), index.throughput)
            for index in table.indexes
            if not index.is_local
        ]
        for dimensions, throughput in rated:
            for kind, units in (("Read", throughput.read_units), ("Write", throughput.write_units)):
                metric = Metric(
                    scope=scope,
                    namespace=DYNAMODB,
                    name=f"Provisioned{kind}CapacityUnits",
                    dimensions=dimensions,
                )
                values = of_values([(units, 1)])
                yield Sample(metric=metric, unit=COUNT, seconds=now, values=values)
