"""Puts the changes of tables into their destinations, at once after they were written.

What a destination has is in the rows of its positions, so work that a stop or a crash interrupts
goes on at the next start, or on the server that leads then. A stream of another server may be slow:
its table has turns of its own, beside those of other tables.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from hashrange.background.replication_task import ReplicationTask
from hashrange.errors import DynamoError
from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.model.table_features import Destination
from hashrange.observe.figures import Figures, labelled
from hashrange.regions.replication.following import Found
from hashrange.settings.stream_endpoints import StreamEndpoint
from hashrange.storage.engine import Fences
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.kinesis.positions import (
    DestinationPositions,
    delete_gone,
    stored_positions,
    without_positions,
)
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store

if TYPE_CHECKING:
    from hashrange.api.aws_services.kinesis.rates import ShardRates
    from hashrange.background.destination_delivery import Delivered
    from hashrange.background.destination_targets import Receiver, Target
    from hashrange.background.remote_destinations import RemoteDestinations

_MS: Final = 1000


class DestinationCounts(msgspec.Struct):
    """Counts of the destination of one table since the start, and what waits.

    Attributes:
        throttled: records that a shard of the stream did not take at once.
        failed: records that were left out.
        errors: requests that the server of the stream did not answer, or refused.
        units: change data capture units.
        oldest_ms: the time of the oldest record that waits; None if none does.
    """

    throttled: int = 0
    failed: int = 0
    errors: int = 0
    units: int = 0
    oldest_ms: int | None = None

    def add(self, done: "Delivered") -> None:
        """Count what a turn has done."""
        self.throttled += done.throttled
        self.failed += done.failed
        self.errors += done.failure is not None
        self.units += done.units
        self.oldest_ms = done.oldest_ms


class DestinationTask(ReplicationTask):
    """A background task that puts changes into destinations.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        fences: of writes, so that nothing is written once another server does the work.
        separate: each account and region has streams of its own.
        rates: what shards of streams take; None without limits of capacity.
        endpoints: servers of other streams.
    """

    PAUSE_SECONDS = 0.02
    LOOK_SECONDS_MAX = 0.25

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        fences: Callable[[], Fences],
        separate: bool,
        rates: "ShardRates | None",
        endpoints: Sequence[StreamEndpoint] = (),
    ) -> None:
        positions = self._positions = DestinationPositions(store.engine)
        super().__init__(
            catalog,
            lambda opened: opened.table.destination is not None,
            now_ms=store.clock.now_ms,
            positions=positions,
        )
        self._engine = store.engine
        self._fences = fences
        self._separate = separate
        self._rates = rates
        self._endpoints = endpoints
        self._clock = store.clock
        self._remotes: RemoteDestinations | None = None
        self._counts: dict[str, DestinationCounts] = {}

    def figures(self) -> Figures:
        """Figures of each table with a destination, for metrics."""
        found: dict[str, float] = {}
        now_ms = self._now_ms()
        for table, counts in self._counts.items():
            oldest_ms = now_ms if counts.oldest_ms is None else counts.oldest_ms
            for name, value in (
                ("destination_throttled_records_total", counts.throttled),
                ("destination_failed_records_total", counts.failed),
                ("destination_errors_total", counts.errors),
                ("destination_units_total", counts.units),
                ("destination_lag_seconds", max(0, now_ms - oldest_ms) / _MS),
            ):
                found[labelled(name, table)] = value
        return found

    async def run(self) -> None:
        """As of `ReplicationTask`."""
        try:
            await super().run()
        finally:
            if self._remotes is not None:
                await self._remotes.end()

    async def work(self) -> Found:
        """As of `ReplicationTask`; turns of streams of other servers are begun only."""
        return await self._work_on_each(self._work_on)

    async def _work_on(self, name: str) -> Found:
        opened = await self._watched.open(name)
        destination = None if opened is None else opened.table.destination
        is_remote = destination is not None and destination.is_remote
        if self._remotes is not None and not is_remote:
            self._remotes.forget(name)
        if opened is None or destination is None:
            self._counts.pop(name, None)
            return Found.NOTHING
        if is_remote:
            return self._remote().work_on(name, opened, destination)
        from hashrange.background.destination_targets import local_stream  # noqa: PLC0415 - few tables have one

        target = await local_stream(
            self._receiver(), opened.table, destination.stream_arn, self._now_ms()
        )
        return (await self._deliver(name, opened, destination, target)).found

    async def _deliver(
        self, name: str, opened: OpenTable, destination: Destination, target: "Target | None"
    ) -> "Delivered":
        """Put changes into a stream, count them, and end what has all of its changes."""
        from hashrange.background.destination_delivery import deliver  # noqa: PLC0415 - as above

        done = await deliver(self._receiver(), opened.table, destination, target)
        self._counts_of(name).add(done)
        if done.is_ended:
            await self._end(name, opened, destination)
        return done

    def _receiver(self) -> "Receiver":
        from hashrange.background.destination_targets import Receiver  # noqa: PLC0415 - as above

        return Receiver(
            engine=self._engine,
            positions=self._positions,
            rates=self._rates,
            fences=self._fences,
            separate=self._separate,
        )

    def _remote(self) -> "RemoteDestinations":
        if self._remotes is None:
            from hashrange.background.remote_destinations import RemoteDestinations  # noqa: PLC0415 - as above

            self._remotes = RemoteDestinations(
                self._catalog,
                self._receiver(),
                self._endpoints,
                self._clock,
                deliver=self._deliver,
                wake=self._woken.set,
            )
        return self._remotes

    async def _end(self, name: str, opened: OpenTable, destination: Destination) -> None:
        """Note that a destination that was disabled has all changes."""
        from hashrange.tables.kinesis.destinations import ended  # noqa: PLC0415 - as above

        end_shard = destination.end_shard
        assert end_shard is not None, "it was disabled"
        extra = await without_positions(self._engine, opened.number, end_shard)
        change = partial(ended, destination=destination, now_ms=self._now_ms())
        try:
            await self._catalog.change(name, change, extra)
        except DynamoError:
            return  # the table was dropped

    def _counts_of(self, name: str) -> DestinationCounts:
        found = self._counts.get(name)
        if found is None:
            if len(self._counts) >= METRIC_TABLES_MAX:
                del self._counts[next(iter(self._counts))]
            found = self._counts[name] = DestinationCounts()
        return found

    async def _sweep(self) -> None:
        """Find the tables with destinations; delete positions that nobody needs."""
        # First, since those of a new destination are stored after its catalog entry.
        stored, live = await stored_positions(self._engine), set[tuple[int, int]]()
        async for tables in pages_of_tables(self._engine):
            for name, opened in tables.items():
                if opened.table.destination is None:
                    continue
                self._watched.add(name)
                live.update((opened.number, each.number) for each in opened.table.log.shards)
                cached = self._catalog.cached(name)
                if cached is not None and cached.fences != opened.fences:
                    # Another process has changed the table.
                    await self._catalog.open(name)
        await delete_gone(self._engine, stored, live, self._fences)
