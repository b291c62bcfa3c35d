"""Allowances: units of buckets that a leader allots to other processes for a short time.

Only the leader's buckets are refilled. The leader takes the units that it allots from its buckets,
and allotted units count towards the capacity of a bucket. Therefore all processes together never
grant more than one process with the same buckets. A holder spends its allowance without further
messages. With its next message it returns the unspent units, which are negative if requests cost
more.

A process that died returns nothing; after the end of an allowance its units count as spent.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.capacity.bucket_keys import (
    BucketKey,
    Units,
    find_bucket,
    find_partition,
    named_buckets,
)
from hashrange.capacity.buckets import FAR_MS, Bucket
from hashrange.capacity.heat import Heat
from hashrange.capacity.partitions import Partition, is_hot
from hashrange.capacity.places import count_throttled
from hashrange.capacity.resources import TableCapacity

ALLOWANCE_MS: Final = 500
"""A holder returns an allowance after this time at the latest."""
GRACE_MS: Final = 500
"""The leader waits for this time after the end of an allowance."""
MARGIN: Final = 1.5
"""A holder asks for this times the units of its last allowance that it spent."""
_LEAST: Final = 0.025
"""The minimum of an allowance, in seconds of the rate of the bucket."""
_SHARE: Final = 2
"""A holder gets at most the level divided by this, so that others get units too."""


class Want(msgspec.Struct, frozen=True):
    """Units of a bucket that a holder asks for; it has no use for less than `need`."""

    wish: float
    need: float = 0.0


class Allowance(msgspec.Struct):
    """Units that a process may spend until a time.

    Attributes:
        number: identifies the allowance when it is returned.
        starved: by table and index, the time until which a bucket of the index is negative.
        lacking: by table, the indexes whose own bucket is negative, rather than a partition's.
    """

    number: int
    until_ms: float
    units: Units = {}
    starved: dict[str, dict[str, float]] = {}
    lacking: dict[str, list[str]] = {}


class Return(msgspec.Struct, frozen=True):
    """The end of an allowance, and the request for the next one.

    Attributes:
        unspent: units by bucket; negative if more units were spent than allotted.
        wants: empty if no units were spent and no request waits.
        positions: sampled requests by partition: see `capacity.heat`.
        throttled: throttled requests by reason, of the table under the empty name and of indexes.
        refused: throttled requests by partition, of the reads and of the writes.
    """

    number: int
    unspent: Units = msgspec.field(name="rest")
    wants: dict[BucketKey, Want]
    positions: dict[BucketKey, list[bytes]] = {}
    throttled: dict[tuple[str, str], dict[str, int]] = {}
    refused: dict[BucketKey, int] = {}


class Allowances(msgspec.Struct):
    """The leader's open allowances, as plain data."""

    open: dict[int, Allowance] = {}
    next_number: int = 1


def allot(
    tables: Mapping[str, TableCapacity],
    allowances: Allowances,
    wants: Mapping[BucketKey, Want],
    now_ms: float,
) -> Allowance:
    """Make an allowance of the units that are available. Unknown buckets are ignored."""
    forget(tables, allowances, now_ms)
    allowance = Allowance(number=allowances.next_number, until_ms=now_ms + ALLOWANCE_MS)
    allowances.next_number += 1
    for key, want in wants.items():
        bucket = find_bucket(tables, key)
        if bucket is None:
            continue
        level = bucket.refill(now_ms)
        wish = max(want.wish, _LEAST * bucket.rate)
        units = min(wish, max(level / _SHARE, min(want.need, level)))
        if not bucket.allotted and level >= bucket.capacity:
            units = max(units, want.need)
        if units > 0 and units >= want.need:
            bucket.level -= units
            bucket.allotted += units
            allowance.units[key] = units
    for name in {key.table for key in wants}:
        table = tables.get(name)
        if table is not None and table.starved_until_ms > now_ms:
            allowance.starved[name] = {
                index: resource.starved_until_ms for index, resource in table.indexes.items()
            }
            allowance.lacking[name] = [
                index
                for index, resource in table.indexes.items()
                if resource.write.refill(now_ms) < 0
            ]
    allowances.open[allowance.number] = allowance
    return allowance


def take_back(
    tables: Mapping[str, TableCapacity], allowances: Allowances, given: Return, now_ms: float
) -> None:
    """End an allowance; if the leader has ended it before, only negative units are charged."""
    allowance = allowances.open.pop(given.number, None)
    unspent = given.unspent
    for key in {**(allowance.units if allowance else {}), **unspent}:
        bucket = find_bucket(tables, key)
        if bucket is None:
            continue
        allotted = allowance.units.get(key, 0.0) if allowance else 0.0
        left = min(unspent.get(key, 0.0), allotted)
        bucket.refill(now_ms)
        bucket.allotted -= allotted
        bucket.charge(-left, now_ms)
        _count(tables, key, allotted - left, now_ms)
        if bucket.level < 0 and key.is_write and key.index is not None:
            _note_starved(tables[key.table], key.index, bucket.recovers_ms())
    _note_requests(tables, given, now_ms)


def _note_requests(tables: Mapping[str, TableCapacity], given: Return, now_ms: float) -> None:
    """Count the throttled requests of a holder, and add its samples to the heat of partitions."""
    for (name, index), reasons in given.throttled.items():
        table = tables.get(name)
        resource = None if table is None else table.resource(index or None)
        if resource is not None:
            for reason, requests in reasons.items():
                resource.count_throttled(reason, requests, now_ms)
    for key, requests in given.refused.items():
        partition = find_partition(tables, key)
        if partition is not None:
            count_throttled(partition, requests, is_write=key.is_write)
    for key, positions in given.positions.items():
        partition = find_partition(tables, key)
        if partition is not None and is_hot(partition):
            for position in positions:
                partition.heat.add(position, now_ms)


def forget(tables: Mapping[str, TableCapacity], allowances: Allowances, now_ms: float) -> None:
    """End the allowances whose time and grace are over; their units count as spent."""
    over = [each for each in allowances.open.values() if now_ms > each.until_ms + GRACE_MS]
    for allowance in over:
        take_back(tables, allowances, Return(allowance.number, {}, {}), now_ms)


class Holder:
    """The holder's side of allowances.

    Args:
        tables: copies of the leader's tables. Their buckets only contain allotted units.
        now_ms: the time.
    """

    def __init__(self, tables: Mapping[str, TableCapacity], now_ms: float) -> None:
        self._allowance = Allowance(number=0, until_ms=now_ms)
        self._tables = tables
        self._buckets: dict[BucketKey, Bucket] = {}
        self._partitions: dict[BucketKey, Partition] = {}
        self.renew(tables, now_ms)

    def renew(self, tables: Mapping[str, TableCapacity], now_ms: float) -> None:
        """Use other copies of the tables, for example after a split. No allowance may be open."""
        self._tables = tables
        self._buckets = dict(named_buckets(tables))
        self._partitions = {
            key: partition
            for key in self._buckets
            if not key.is_write and (partition := find_partition(tables, key)) is not None
        }
        for bucket in self._buckets.values():
            bucket.rate, bucket.level, bucket.allotted = 0.0, 0.0, 0.0
            # The bucket must never count as full: a full bucket admits any request.
            bucket.capacity = FAR_MS
            bucket.at_ms = now_ms

    @property
    def until_ms(self) -> float:
        """The time at which the allowance must be returned."""
        return self._allowance.until_ms

    def give_back(
        self, needs: Mapping[BucketKey, float], wishes: Mapping[BucketKey, float] | None = None
    ) -> Return:
        """The message to the leader. All buckets are empty until `receive` is called.

        Args:
            needs: units of a waiting request, by bucket; less would be of no use.
            wishes: units of all waiting requests.
        """
        unspent: Units = {}
        wants: dict[BucketKey, Want] = {}
        for key, bucket in self._buckets.items():
            allotted = self._allowance.units.get(key, 0.0)
            if allotted or bucket.level:
                unspent[key] = bucket.level
            need = needs.get(key, 0.0)
            wish = max(MARGIN * (allotted - bucket.level), need, (wishes or {}).get(key, 0.0))
            if wish > 0:
                wants[key] = Want(wish=wish, need=need)
            bucket.level = 0.0
        positions = {}
        for key, partition in self._partitions.items():
            if partition.heat.positions:
                positions[key] = partition.heat.positions
                partition.heat = Heat()
        given = Return(
            self._allowance.number, unspent, wants, positions, self._throttled(), self._refused()
        )
        self._allowance = Allowance(number=0, until_ms=self._allowance.until_ms)
        return given

    def _throttled(self) -> dict[tuple[str, str], dict[str, int]]:
        """Throttled requests since the last return."""
        found = {}
        for name, table in self._tables.items():
            for resource in table.resources():
                if resource.minute.throttled:
                    found[name, resource.index or ""] = resource.minute.throttled
                    resource.minute.throttled = {}
        return found

    def _refused(self) -> dict[BucketKey, int]:
        """Throttled requests of partitions since the last return."""
        found = {}
        for key, partition in self._partitions.items():
            if partition.throttled_reads:
                found[key] = partition.throttled_reads
                partition.throttled_reads = 0
            if partition.throttled_writes:
                written = msgspec.structs.replace(key, is_write=True)
                found[written] = partition.throttled_writes
                partition.throttled_writes = 0
        return found

    def receive(self, allowance: Allowance) -> None:
        """Start to spend a new allowance."""
        self._allowance = allowance
        for key, units in allowance.units.items():
            if key in self._buckets:
                self._buckets[key].level += units
        for name, table in self._tables.items():
            starved = allowance.starved.get(name, {})
            table.starved_until_ms = max(starved.values(), default=0.0)
            for index, resource in table.indexes.items():
                resource.starved_until_ms = starved.get(index, 0.0)
                resource.lacks_units = index in allowance.lacking.get(name, ())


def _note_starved(table: TableCapacity, index: str, until_ms: float) -> None:
    resource = table.indexes[index]
    resource.starved_until_ms = max(resource.starved_until_ms, until_ms)
    table.starved_until_ms = max(table.starved_until_ms, until_ms)


def _count(
    tables: Mapping[str, TableCapacity], key: BucketKey, units: float, now_ms: float
) -> None:
    """Count the units that a holder spent as consumed, once per request."""
    partition = find_partition(tables, key)
    if partition is not None:
        if key.is_write:
            partition.write_units += units
        else:
            partition.read_units += units
    if key.partition is None and units:
        reads, writes = (0.0, units) if key.is_write else (units, 0.0)
        resource = tables[key.table].resource(key.index)
        assert resource is not None, "its bucket was found"
        resource.count(reads, writes, now_ms)
