"""Loans: units of buckets that a leader lends to other processes for a short time.

Only the leader's buckets are refilled. The leader takes the units that it lends from its buckets,
and lent units count towards the capacity of a bucket. Therefore all processes together never grant
more than one process with the same buckets. A borrower spends its loan without further messages.
With its next message it returns the rest of all units, which is negative if requests cost more.

A process that died returns nothing; after the end of a loan its units count as spent.
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

LOAN_MS: Final = 500
"""A borrower returns a loan after this time at the latest."""
GRACE_MS: Final = 500
"""The leader waits for this time after the end of a loan."""
MARGIN: Final = 1.5
"""A borrower asks for this times the units of its last loan that it spent."""
_LEAST: Final = 0.025
"""The minimum of a loan, in seconds of the rate of the bucket."""
_SHARE: Final = 2
"""A borrower gets at most the level divided by this, so that others get units too."""


class Want(msgspec.Struct, frozen=True):
    """Units of a bucket that a borrower asks for; it has no use for less than `need`."""

    wish: float
    need: float = 0.0


class Loan(msgspec.Struct):
    """Units that a process may spend until a time.

    Attributes:
        number: identifies the loan when it is returned.
        starved: by table and index, the time until which a bucket of the index is negative.
        lacking: by table, the indexes whose own bucket is negative, rather than a partition's.
    """

    number: int
    until_ms: float
    units: Units = {}
    starved: dict[str, dict[str, float]] = {}
    lacking: dict[str, list[str]] = {}


class Return(msgspec.Struct, frozen=True):
    """The end of a loan, and the request for the next one.

    Attributes:
        rest: unspent units; negative if more units were spent than lent.
        wants: empty if no units were spent and no request waits.
        positions: sampled requests by partition: see `capacity.heat`.
        throttled: throttled requests by reason, of the table under the empty name and of indexes.
        refused: throttled requests by partition, of the reads and of the writes.
    """

    number: int
    rest: Units
    wants: dict[BucketKey, Want]
    positions: dict[BucketKey, list[bytes]] = {}
    throttled: dict[tuple[str, str], dict[str, int]] = {}
    refused: dict[BucketKey, int] = {}


class Loans(msgspec.Struct):
    """The leader's open loans, as plain data."""

    open: dict[int, Loan] = {}
    next_number: int = 1


def lend(
    tables: Mapping[str, TableCapacity],
    loans: Loans,
    wants: Mapping[BucketKey, Want],
    now_ms: float,
) -> Loan:
    """Make a loan of the units that are available. Unknown buckets are ignored."""
    forget(tables, loans, now_ms)
    loan = Loan(number=loans.next_number, until_ms=now_ms + LOAN_MS)
    loans.next_number += 1
    for key, want in wants.items():
        bucket = find_bucket(tables, key)
        if bucket is None:
            continue
        level = bucket.refill(now_ms)
        wish = max(want.wish, _LEAST * bucket.rate)
        units = min(wish, max(level / _SHARE, min(want.need, level)))
        if not bucket.lent and level >= bucket.capacity:
            units = max(units, want.need)
        if units > 0 and units >= want.need:
            bucket.level -= units
            bucket.lent += units
            loan.units[key] = units
    for name in {key.table for key in wants}:
        table = tables.get(name)
        if table is not None and table.starved_until_ms > now_ms:
            loan.starved[name] = {
                index: resource.starved_until_ms for index, resource in table.indexes.items()
            }
            loan.lacking[name] = [
                index
                for index, resource in table.indexes.items()
                if resource.write.refill(now_ms) < 0
            ]
    loans.open[loan.number] = loan
    return loan


def take_back(
    tables: Mapping[str, TableCapacity], loans: Loans, given: Return, now_ms: float
) -> None:
    """End a loan. If the leader has already ended it, only negative rests are charged."""
    loan = loans.open.pop(given.number, None)
    rest = given.rest
    for key in {**(loan.units if loan else {}), **rest}:
        bucket = find_bucket(tables, key)
        if bucket is None:
            continue
        lent = loan.units.get(key, 0.0) if loan else 0.0
        left = min(rest.get(key, 0.0), lent)
        bucket.refill(now_ms)
        bucket.lent -= lent
        bucket.charge(-left, now_ms)
        _count(tables, key, lent - left, now_ms)
        if bucket.level < 0 and key.is_write and key.index is not None:
            _note_starved(tables[key.table], key.index, bucket.recovers_ms())
    _note_requests(tables, given, now_ms)


def _note_requests(tables: Mapping[str, TableCapacity], given: Return, now_ms: float) -> None:
    """Count the throttled requests of a borrower, and add its samples to the heat of partitions."""
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


def forget(tables: Mapping[str, TableCapacity], loans: Loans, now_ms: float) -> None:
    """End the loans whose time and grace are over; their units count as spent."""
    over = [each for each in loans.open.values() if now_ms > each.until_ms + GRACE_MS]
    for loan in over:
        take_back(tables, loans, Return(loan.number, {}, {}), now_ms)


class Borrower:
    """The borrower's side of loans.

    Args:
        tables: copies of the leader's tables. Their buckets only contain lent units.
        now_ms: the time.
    """

    def __init__(self, tables: Mapping[str, TableCapacity], now_ms: float) -> None:
        self._loan = Loan(number=0, until_ms=now_ms)
        self._tables = tables
        self._buckets: dict[BucketKey, Bucket] = {}
        self._partitions: dict[BucketKey, Partition] = {}
        self.renew(tables, now_ms)

    def renew(self, tables: Mapping[str, TableCapacity], now_ms: float) -> None:
        """Use other copies of the tables, for example after a split. No loan may be open."""
        self._tables = tables
        self._buckets = dict(named_buckets(tables))
        self._partitions = {
            key: partition
            for key in self._buckets
            if not key.is_write and (partition := find_partition(tables, key)) is not None
        }
        for bucket in self._buckets.values():
            bucket.rate, bucket.level, bucket.lent = 0.0, 0.0, 0.0
            # The bucket must never count as full: a full bucket admits any request.
            bucket.capacity = FAR_MS
            bucket.at_ms = now_ms

    @property
    def until_ms(self) -> float:
        """The time at which the loan must be returned."""
        return self._loan.until_ms

    def give_back(
        self, needs: Mapping[BucketKey, float], wishes: Mapping[BucketKey, float] | None = None
    ) -> Return:
        """The message to the leader. All buckets are empty until `receive` is called.

        Args:
            needs: units of a waiting request, by bucket; less would be of no use.
            wishes: units of all waiting requests.
        """
        rest: Units = {}
        wants: dict[BucketKey, Want] = {}
        for key, bucket in self._buckets.items():
            lent = self._loan.units.get(key, 0.0)
            if lent or bucket.level:
                rest[key] = bucket.level
            need = needs.get(key, 0.0)
            wish = max(MARGIN * (lent - bucket.level), need, (wishes or {}).get(key, 0.0))
            if wish > 0:
                wants[key] = Want(wish=wish, need=need)
            bucket.level = 0.0
        positions = {}
        for key, partition in self._partitions.items():
            if partition.heat.positions:
                positions[key] = partition.heat.positions
                partition.heat = Heat()
        given = Return(
            self._loan.number, rest, wants, positions, self._throttled(), self._refused()
        )
        self._loan = Loan(number=0, until_ms=self._loan.until_ms)
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

    def receive(self, loan: Loan) -> None:
        """Start to spend a new loan."""
        self._loan = loan
        for key, units in loan.units.items():
            if key in self._buckets:
                self._buckets[key].level += units
        for name, table in self._tables.items():
            starved = loan.starved.get(name, {})
            table.starved_until_ms = max(starved.values(), default=0.0)
            for index, resource in table.indexes.items():
                resource.starved_until_ms = starved.get(index, 0.0)
                resource.lacks_units = index in loan.lacking.get(name, ())


def _note_starved(table: TableCapacity, index: str, until_ms: float) -> None:
    resource = table.indexes[index]
    resource.starved_until_ms = max(resource.starved_until_ms, until_ms)
    table.starved_until_ms = max(table.starved_until_ms, until_ms)


def _count(
    tables: Mapping[str, TableCapacity], key: BucketKey, units: float, now_ms: float
) -> None:
    """Count the units that a borrower spent as consumed, once per request."""
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
