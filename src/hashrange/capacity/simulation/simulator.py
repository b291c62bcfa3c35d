"""Runs a workload on the capacity model with a virtual clock.

Requests are admitted in bundles of equal requests by a `BundleLimiter`. Keys are drawn from Weyl
sequences instead of random numbers, so results are reproducible and vary less than real traffic.
Throttled requests are not retried.
"""

from collections.abc import Iterable
from datetime import UTC
from typing import Final

import msgspec

from hashrange.capacity.bundles import BundleLimiter
from hashrange.capacity.maintenance import maintain
from hashrange.capacity.partitions import Split
from hashrange.capacity.resources import Resource, TableCapacity, new_table
from hashrange.capacity.simulation.positions import HashAt, hashes, partition_hash, sort_bytes
from hashrange.capacity.simulation.results import Demand, PlaceMinute, Result, ScalingEvent
from hashrange.capacity.simulation.scaler import Scaler
from hashrange.capacity.simulation.workload import Throughput, Traffic, Workload
from hashrange.capacity.units import Charge, HashRange, read_units, write_units

TABLE: Final = "table"
TICK_SECONDS: Final = 1.0
MAINTENANCE_TICKS: Final = 5
BUNDLES_MIN: Final = 32
"""Bundles of one kind of requests in a tick, if there are at least as many requests."""
BUNDLES_MAX: Final = 512
BUNDLE_REQUESTS: Final = 128
"""Requests in a bundle, unless the number of bundles is at one of its bounds."""
_ARN: Final = f"arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}"
# Steps of the Weyl sequences: irrational numbers, independent of each other.
_KEY_STEP: Final = 0.6180339887498949
_ENTRY_STEP: Final = 0.4142135623730951
_SORT_STEP: Final = 0.7320508075688772
_MINUTE_SECONDS: Final = 60
_PAGE_BYTES: Final = 4096


def simulate(workload: Workload) -> Result:
    """The result of a workload. Raises ScheduleError, and MissingPackageError for cron(…)."""
    return _Run(workload).result()


class _Source:
    """Generates the requests of one kind."""

    def __init__(self, traffic: Traffic, workload: Workload) -> None:
        self.traffic = traffic
        self._sort_key = workload.table.sort_key
        # Reads of an index use the same keys as the entries of writes.
        is_global = traffic.index in workload.indexes
        name = f"entry/{traffic.index}" if is_global else "key"
        self._hash_at: HashAt = hashes(name, traffic.keys)
        self._entries = {
            name: hashes(f"entry/{name}", keys) for name, keys in traffic.entries.items()
        }
        self._drawn = workload.seed * 7919
        self._due = 0.0
        if traffic.is_write:
            self._cost = self.least = write_units(traffic.item_bytes)
        else:
            is_query = traffic.operation == "query"
            size = traffic.page_bytes or _PAGE_BYTES if is_query else traffic.item_bytes
            self._cost = read_units(size, consistent=traffic.consistent)
            self.least = read_units(0, consistent=traffic.consistent)

    def bundles(self, second: float) -> list[int]:
        """The sizes of the bundles of requests in a tick."""
        self._due += self.traffic.rate_at(second) * TICK_SECONDS
        due = int(self._due)
        self._due -= due
        if not due:
            return []
        count = min(due, BUNDLES_MAX, max(BUNDLES_MIN, due // BUNDLE_REQUESTS))
        each, more = divmod(due, count)
        return [each + (number < more) for number in range(count)]

    def charges(self, second: float) -> tuple[list[Charge], list[Charge]]:
        """The minimum cost and the actual cost of the next request."""
        self._drawn += 1
        draw = self._drawn * _KEY_STEP % 1.0
        sort = sort_bytes(self._sort_key, self._drawn * _SORT_STEP % 1.0, second)
        place = HashRange(self._hash_at(draw, second) + sort, b"")
        traffic = self.traffic
        if not traffic.is_write:
            least = Charge(TABLE, place, traffic.index, read_units=self.least)
            return [least], [msgspec.structs.replace(least, read_units=self._cost)]
        found = [Charge(TABLE, place, write_units=self._cost)]
        draw = self._drawn * _ENTRY_STEP % 1.0
        for name, hash_at in self._entries.items():
            entry = HashRange(hash_at(draw, second) + sort, b"")
            found.append(Charge(TABLE, entry, name, write_units=self._cost))
        return found, found


class _Run:
    """A run of a workload.

    Times of the model are milliseconds since the beginning; times of auto scaling are milliseconds
    of the workload's clock.
    """

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._table = _table(workload)
        self._places: dict[str, Resource] = {TABLE: self._table.table, **self._table.indexes}
        self._limiter = BundleLimiter({TABLE: self._table}, lambda _key: partition_hash(""))
        self._sources = [_Source(traffic, workload) for traffic in workload.traffic]
        start = workload.start if workload.start.tzinfo else workload.start.replace(tzinfo=UTC)
        self._begin_ms = int(start.timestamp() * 1000)
        self._scalers = dict(self._made_scalers())
        self._partitions = {name: len(each.partitions) for name, each in self._places.items()}
        self._splits: list[Split] = []
        self._scaling: list[ScalingEvent] = []
        self._minutes: dict[str, list[PlaceMinute]] = {name: [] for name in self._places}
        self._demand: dict[str, list[Demand]] = {each.name: [Demand()] for each in workload.traffic}
        self._provisioned = (0.0, 0.0)

    def result(self) -> Result:
        """Run the workload and return the result."""
        workload = self._workload
        is_provisioned = workload.table.mode == "provisioned"
        bytes_before = _stored_bytes(self._places.values())
        ticks = int(workload.seconds / TICK_SECONDS)
        for tick in range(ticks):
            self._tick(tick * TICK_SECONDS)
            if (tick + 1) % MAINTENANCE_TICKS == 0 or tick + 1 == ticks:
                self._maintain((tick + 1) * TICK_SECONDS, is_last=tick + 1 == ticks)
        return Result(
            title=workload.title,
            seconds=workload.seconds,
            table=TABLE,
            places=self._minutes,
            traffic=self._demand,
            partitions=self._partitions,
            splits=self._splits,
            scaling=self._scaling,
            provisioned=self._provisioned if is_provisioned else None,
            bytes_before=bytes_before,
            bytes_after=_stored_bytes(self._places.values()),
        )

    def _tick(self, second: float) -> None:
        bundles = [(source, source.bundles(second)) for source in self._sources]
        for place in range(max(len(sizes) for _source, sizes in bundles)):
            for source, sizes in bundles:
                if place < len(sizes):
                    at = second + TICK_SECONDS * place / len(sizes)
                    self._admit(source, sizes[place], at)

    def _admit(self, source: _Source, count: int, second: float) -> None:
        now_ms = second * 1000
        least, costs = source.charges(second + self._begin_ms / 1000)
        admitted, _refusal = self._limiter.admit_many(least, count, now_ms)
        demand = self._demand[source.traffic.name][-1]
        demand.requests += count
        demand.throttled += count - admitted
        if not admitted:
            return
        for charge, taken in zip(costs, least, strict=True):
            self._limiter.charge_many(charge, taken, admitted, now_ms)
        if source.traffic.operation == "put":
            for charge in costs:
                assert isinstance(charge.partition, HashRange)
                resource = self._places[charge.index or TABLE]
                partition = resource.at(charge.partition.start)
                partition.item_bytes += admitted * source.traffic.item_bytes

    def _maintain(self, second: float, *, is_last: bool) -> None:
        now_ms = second * 1000
        for scaler in self._scalers.values():
            scaler.apply_due(self._begin_ms + int(now_ms))
        bytes_max = self._workload.table.partition_bytes
        self._splits += maintain(self._table, now_ms, partition_bytes_max=bytes_max)
        is_full = second % _MINUTE_SECONDS == 0
        if is_full or is_last:
            self._end_minute(now_ms, is_full=is_full)
        if is_full and not is_last:
            for demand in self._demand.values():
                demand.append(Demand())

    def _end_minute(self, now_ms: float, *, is_full: bool) -> None:
        seconds = _MINUTE_SECONDS if is_full else now_ms / 1000 % _MINUTE_SECONDS
        for name, resource in self._places.items():
            minute = resource.minutes[-1] if is_full else resource.minute
            reads, writes = resource.rates()
            self._minutes[name].append(
                PlaceMinute(
                    minute.read_units,
                    minute.write_units,
                    reads,
                    writes,
                    len(resource.partitions),
                    dict(minute.throttled),
                )
            )
            self._provisioned = (
                self._provisioned[0] + resource.terms.read_units * seconds,
                self._provisioned[1] + resource.terms.write_units * seconds,
            )
        for (name, kind), scaler in self._scalers.items() if is_full else ():
            minute = self._places[name].minutes[-1]
            consumed = minute.read_units if kind == "read" else minute.write_units
            self._scaling += scaler.minute(consumed, self._begin_ms + int(now_ms))

    def _made_scalers(self) -> list[tuple[tuple[str, str], Scaler]]:
        workload = self._workload
        described: dict[str, Throughput] = {TABLE: workload.table, **workload.indexes}
        if workload.table.mode != "provisioned":
            return []
        return [
            (
                (name, kind),
                Scaler(
                    name,
                    self._places[name],
                    kind,
                    scaling,
                    begin_ms=self._begin_ms,
                    delay_ms=workload.scaling_delay_seconds * 1000,
                ),
            )
            for name, place in described.items()
            for kind, scaling in place.scaling.items()
        ]


def _table(workload: Workload) -> TableCapacity:
    mode = workload.table.mode
    table = new_table(
        _ARN,
        workload.table.terms(mode),
        0.0,
        indexes={name: index.terms(mode) for name, index in workload.indexes.items()},
        local_indexes=workload.table.local_indexes,
        has_sort_key=workload.table.sort_key != "none",
    )
    for partition in table.table.partitions:
        partition.item_bytes = workload.table.stored_bytes / len(table.table.partitions)
    # Partitions were split while the stored items were written.
    while maintain(table, 0.0, partition_bytes_max=workload.table.partition_bytes):
        continue
    return table


def _stored_bytes(places: Iterable[Resource]) -> float:
    return sum(partition.item_bytes for place in places for partition in place.partitions)
