"""`/metrics`, `/top.json` and `/readyz`: the state of a server for monitoring."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.clock import Clock
from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.observe.counts import Durations
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.observe.process_figures import process_figures, program_version
from hashrange.observe.report import Report, figures_of, metrics_of, report_of
from hashrange.observe.snapshot import (
    CapacityUse,
    Contributors,
    JobState,
    KeyCount,
    KeyCounts,
    Requests,
    SlowRequest,
    Snapshot,
    Spread,
    TableUse,
)
from hashrange.observe.unit_rates import MINUTE_MS, UnitRate, UnitRates
from hashrange.server.capacity_view import CapacityView
from hashrange.server.sampler import Sampler
from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.lifecycle import Inventory, inventory
from hashrange.wire.answers import encode

Gather: TypeAlias = Callable[[Report], Awaitable[Report]]
"""Adds the reports of the server's other processes to a report; with keys if it has keys."""


class Totals(msgspec.Struct, frozen=True):
    """The counts of all processes of a server.

    `process` has the figures of the operating system, summed over the processes.
    """

    metrics: Metrics
    figures: Figures
    process: Mapping[str, float]
    hot_keys: KeyCounts | None
    contributors: Sequence[Contributors]
    jobs: Sequence[JobState]
    slow: Sequence[SlowRequest]


class Monitor:
    """Collects counts and figures at each scrape.

    Args:
        metrics: the counts of this process.
        figures: reads the figures of the server's parts.
        engine: holds the sizes of tables.
        catalog: lists the tables.
        clock: dates snapshots.
        sampler: samples partition keys; None if they are not shown.

    Attributes:
        gather: set if the server has several processes.
        write_fault: set if the storage can explain why writes wait or fail; its answer is None if
            they do not.
        contributors: what contributor insights have counted; nothing until it is set.
        capacity: set if the server throttles.
        jobs: those that this process does; none until it is set.
        slow: the last slow requests of this process; none until it is set.
        machine: reads figures that all processes of a server share; none until it is set.
    """

    def __init__(
        self,
        metrics: Metrics,
        figures: Callable[[], Figures],
        engine: Engine,
        catalog: Catalog,
        *,
        clock: Clock,
        sampler: Sampler | None,
    ) -> None:
        self._metrics = metrics
        self._figures = figures
        self._engine = engine
        self._catalog = catalog
        self._clock = clock
        self._sampler = sampler
        self.gather: Gather | None = None
        self.write_fault: Callable[[], Awaitable[str | None]] | None = None
        self.contributors: Callable[[], Sequence[Contributors]] = tuple
        self.capacity: CapacityView | None = None
        self.jobs: Callable[[], Sequence[JobState]] = tuple
        self.slow: Callable[[], Sequence[SlowRequest]] = tuple
        self.machine: Callable[[], Awaitable[Figures]] = _no_figures

    async def fault(self) -> str | None:
        """Why the server is not ready for requests; None if it is.

        Reads from the storage, which may also start its recovery. A server with a full disk is
        ready: reads go on, and deletes free space. One whose disk does not answer is not: reads go
        on, but nobody knows when the writes that wait will end. Nor is a process that reads while
        that which writes cannot.
        """
        try:
            await self._catalog.names(None, 1)
        except StorageError as error:
            return str(error) or type(error).__name__
        return None if self.write_fault is None else await self.write_fault()

    async def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        found = await self._inventory()
        totals = await self._totals(None)
        figures = {**totals.figures, **_of(found), **await self.machine()}
        uses = await self._uses(found)
        # Takes 30 ms to import, which only a scrape needs.
        from hashrange.observe.exposition import text  # noqa: PLC0415 - see above

        return text(
            totals.metrics,
            figures,
            found.sizes,
            totals.process,
            contributors=totals.contributors,
            capacity=uses,
        )

    async def top(self) -> bytes:
        """A `Snapshot` as JSON; partition keys are sampled from now on for ten seconds."""
        found, totals = await self._inventory(), await self._totals(self._hot_keys())
        figures = {**totals.figures, **await self.machine()}
        numbers = {
            name: float(value)
            for name, value in figures.items()
            if not isinstance(value, Durations)
        }
        snapshot = Snapshot(
            version=program_version(),
            at_ns=self._clock.monotonic_ns(),
            operations={
                name: Requests(counts.codes, Spread.of(counts))
                for name, counts in totals.metrics.requests().items()
            },
            tables=_used(totals.metrics, found),
            connections=totals.metrics.traffic.connections,
            figures={**numbers, **_of(found), **totals.process},
            commits=_spread(totals.figures, "engine_commit_duration_seconds"),
            syncs=_spread(totals.figures, "engine_sync_duration_seconds"),
            hot_keys=totals.hot_keys,
            contributors=() if totals.hot_keys is None else totals.contributors,
            capacity=await self._uses(found),
            jobs=totals.jobs,
        )
        return encode(snapshot)

    async def totals(self) -> Totals:
        """The counts of all processes of this server, without keys."""
        return await self._totals(None)

    async def all_jobs(self) -> Sequence[JobState]:
        """How far the jobs have come that the processes of this server do."""
        return self.jobs() if self.gather is None else (await self._totals(None)).jobs

    async def summed(self, *, with_keys: bool) -> Report:
        """The counts of all processes; with keys, they are sampled for ten more seconds."""
        report = self.report(with_keys=with_keys)
        return report if self.gather is None else await self.gather(report)

    def report(self, *, with_keys: bool) -> Report:
        """The counts of this process, for the process that answers the scrape."""
        return self._report(self._hot_keys() if with_keys else None)

    def _report(self, hot_keys: KeyCounts | None) -> Report:
        figures = {**self._figures(), **process_figures()}
        return report_of(
            self._metrics,
            figures,
            hot_keys,
            self.contributors(),
            jobs=self.jobs(),
            slow=self.slow(),
        )

    async def _totals(self, hot_keys: KeyCounts | None) -> Totals:
        if self.gather is None:
            return Totals(
                self._metrics,
                self._figures(),
                process_figures(),
                hot_keys,
                self.contributors(),
                self.jobs(),
                self.slow(),
            )
        report = await self.gather(self._report(hot_keys))
        process = {name: report.numbers[name] for name in process_figures()}
        numbers = {name: each for name, each in report.numbers.items() if name not in process}
        rest = msgspec.structs.replace(report, numbers=numbers)
        return Totals(
            metrics_of(report),
            figures_of(rest),
            process,
            report.hot_keys,
            report.contributors,
            report.jobs,
            report.slow,
        )

    def _hot_keys(self) -> KeyCounts | None:
        if self._sampler is None:
            return None
        total, hottest = self._sampler.watch()
        hash_of = self._sampler.hash_of
        return KeyCounts(total, [KeyCount(*hot, count, hash_of(hot)) for hot, count in hottest])

    async def _uses(self, found: Inventory) -> Sequence[CapacityUse]:
        if self.capacity is None:
            return ()
        try:
            return await self.capacity.uses(found.sizes)
        except StorageError:
            return ()  # as in `_inventory`

    async def _inventory(self) -> Inventory:
        try:
            return await inventory(self._engine, self._catalog, sizes_max=METRIC_TABLES_MAX)
        except StorageError:
            return Inventory({})  # the figures of the engine report the failure


async def _no_figures() -> Figures:
    return {}


def _of(found: Inventory) -> Mapping[str, float]:
    return {
        "tables": found.tables,
        "indexes_in_work": found.indexes_in_work,
        "tables_dropping": found.dropping,
    }


def _used(metrics: Metrics, found: Inventory) -> dict[str, TableUse]:
    """The use of tables that exist; counters of metrics outlive deleted tables."""
    has_all = found.tables == len(found.sizes)
    used = {name: TableUse(items=size.items, size=size.size) for name, size in found.sizes.items()}
    for (name, _operation), units in metrics.units.items():
        if has_all and name not in found.sizes:
            continue
        before = used.get(name, TableUse())
        used[name] = TableUse(
            before.read_units + units.read_units,
            before.write_units + units.write_units,
            before.items,
            before.size,
        )
    return used


def _spread(figures: Figures, name: str) -> Spread:
    durations = figures.get(name, Durations())
    assert isinstance(durations, Durations), "a histogram"
    return Spread.of(durations)


_MS: Final = 1000


class UnitRateKeeper:
    """A background task of each process that answers requests; each has the sums of all.

    Attributes:
        monitor: as given.

    Args:
        monitor: counts.
        now_ms: the clock.
    """

    def __init__(self, monitor: Monitor, now_ms: Callable[[], int]) -> None:
        self._rates = UnitRates()
        self.monitor = monitor
        self._now_ms = now_ms

    async def run(self) -> None:
        """Take the counts each minute until it is cancelled."""
        while True:
            self._rates.take(await self.monitor.summed(with_keys=False), self._now_ms())
            await asyncio.sleep((MINUTE_MS - self._now_ms() % MINUTE_MS) / _MS)

    async def now(self) -> Mapping[str, UnitRate]:
        """The rates at which tables consume units now, by stored name."""
        return self._rates.rates(await self.monitor.summed(with_keys=False), self._now_ms())
