"""Moves old metrics to coarser resolutions, and stores the provisioned throughput and quotas."""

# ruff: noqa: PLC0415 - what metrics consist of is imported after the first minute, not at the start
import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hashrange.background.tasks import Pacer
from hashrange.limits.tables import ACCOUNT_CAPACITY_UNITS_MAX, TABLE_CAPACITY_UNITS_MAX
from hashrange.model.table import Table, Throughput
from hashrange.storage.engine import Engine, Fences, StorageError
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import pages_of_tables

if TYPE_CHECKING:
    from hashrange.tables.series.samples import Dimensions, Sample

LOOK_SECONDS: Final = 60.0
GAUGE_SECONDS: Final = 300
"""Between two samples of provisioned throughput, as on AWS."""
_ON_DEMAND: Final = "PAY_PER_REQUEST"
_PERCENT: Final = 100.0
_HOUR: Final = 3600

_log: Final = logging.getLogger(__name__)


class MetricKeeper:
    """A background task of the leader.

    Args:
        engine: has the metrics and tables.
        now_ms: the clock.
        fences: those of the leader.
        pacer: gives turns, one for each page.
        separate: each account and region has tables of its own.

    Attributes:
        quotas: capacity units of an account, and of a table.
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
        self.quotas = ACCOUNT_CAPACITY_UNITS_MAX, TABLE_CAPACITY_UNITS_MAX
        self._gauged = self._forgot = self._forgot_keys = 0

    async def run(self) -> None:
        """Look each minute until it is cancelled."""
        failures = Failures(_log, "the upkeep of metrics")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with failures.suppressed(StorageError):
                await self.drain()

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
        if now // _HOUR != self._forgot_keys:
            self._forgot_keys = now // _HOUR
            from hashrange.tables.series.contributors import ContributorRows

            await ContributorRows(self._engine).forget(now, self._fences)
        if now // DAY != self._forgot:
            self._forgot = now // DAY
            await forget_metrics(self._engine, now, self._fences)

    async def _gauge(self, now: int) -> None:
        from hashrange.tables.series.store import SeriesStore

        series = SeriesStore(self._engine)
        rated: dict[str, list[Throughput]] = {} if self._separate else {"": []}
        async for tables in pages_of_tables(self._engine):
            samples: list[Sample] = []
            for name, opened in tables.items():
                scope = name.rpartition(":")[0] if self._separate else ""
                of_scope = rated.setdefault(scope, [])
                if opened.table.billing_mode != _ON_DEMAND:
                    for dimensions, throughput in _rated(opened.table):
                        of_scope.append(throughput)
                        samples += _provisioned(scope, dimensions, throughput, now)
            await series.add(samples)
        await series.add(
            [
                each
                for scope, throughputs in rated.items()
                for each in _of_account(scope, throughputs, self.quotas, now)
            ]
        )


def _rated(table: Table) -> "Iterator[tuple[Dimensions, Throughput]]":
    """The throughput of a table and of its global indexes."""
    of_table = ("TableName", table.name)
    yield (of_table,), table.throughput
    for index in table.indexes:
        if not index.is_local:
            yield (("GlobalSecondaryIndexName", index.name), of_table), index.throughput


def _provisioned(
    scope: str, dimensions: "Dimensions", throughput: Throughput, now: int
) -> "Iterator[Sample]":
    for kind, units in (("Read", throughput.read_units), ("Write", throughput.write_units)):
        name = f"Provisioned{kind}CapacityUnits"
        yield _gauge(scope, name, units, now, dimensions=dimensions)


def _of_account(
    scope: str, throughputs: Sequence[Throughput], quotas: tuple[int, int], now: int
) -> "Iterator[Sample]":
    """The quotas, and the share of them that is provisioned, in percent."""
    of_account, of_table = quotas
    for kind, units in (
        ("Read", [each.read_units for each in throughputs]),
        ("Write", [each.write_units for each in throughputs]),
    ):
        yield _gauge(scope, f"AccountMax{kind}s", of_account, now)
        yield _gauge(scope, f"AccountMaxTableLevel{kind}s", of_table, now)
        if units:
            shares = {
                f"AccountProvisioned{kind}CapacityUtilization": sum(units) / of_account,
                f"MaxProvisionedTable{kind}CapacityUtilization": max(units) / of_table,
            }
            for name, share in shares.items():
                yield _gauge(scope, name, _PERCENT * share, now, unit="Percent")


def _gauge(
    scope: str,
    name: str,
    value: float,
    now: int,
    *,
    dimensions: "Dimensions" = (),
    unit: str = "Count",
) -> "Sample":
    from hashrange.observe.figure_points import DYNAMODB
    from hashrange.observe.statistic_sets import of_values
    from hashrange.tables.series.samples import Metric, Sample

    metric = Metric(scope=scope, namespace=DYNAMODB, name=name, dimensions=dimensions)
    return Sample(metric=metric, unit=unit, seconds=now, values=of_values([(value, 1)]))
