"""Admission of requests, and the charges for their actual cost.

A request is admitted if every bucket that it needs has the units of its minimum cost; these units
are taken immediately. The rest is charged after the request and can make a bucket negative, so
throttling never cuts a page. DynamoDB does not document the latter; it is our choice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from hashrange.capacity.bucket_keys import QUOTA, BucketKey, Units
from hashrange.capacity.buckets import Bucket
from hashrange.capacity.charges import Charge, HashRange
from hashrange.capacity.partitions import HOT, Partition
from hashrange.capacity.resources import Resource, TableCapacity
from hashrange.capacity.throttling import Limit, Throttling, limit_of_units, throttling
from hashrange.model.values import AttributeValue

HashOf: TypeAlias = Callable[[tuple[AttributeValue, ...]], bytes]
"""Partition hash of the canonical values of a partition key."""

_Place: TypeAlias = tuple[TableCapacity, Resource, Partition | None, bytes]


class Limiter:
    """Limits the requests on a set of tables. Other tables have no limits.

    The limiter has no state of its own; it changes the tables.

    Args:
        tables: the tables by their names in charges.
        hash_of: computes partition hashes.
    """

    __slots__ = ("_hash_of", "_tables")

    def __init__(self, tables: Mapping[str, TableCapacity], hash_of: HashOf) -> None:
        self._tables = tables
        self._hash_of = hash_of

    def admit(self, charges: Iterable[Charge], now_ms: float) -> Throttling | None:
        """Take the minimum cost of a request, or return the reason why it is throttled.

        Either all charges are taken or none. The charges of a write can include the entries of
        global indexes that it writes, with zero units for an index that gets no entry; these
        entries are checked too. A write without such charges is throttled while an index has a
        negative bucket.
        """
        charges = list(charges)
        taken: list[tuple[Bucket, float]] = []
        for charge in charges:
            place = self._place(charge)
            if place is None:
                continue
            index = None
            if place[0].starved_until_ms > now_ms:
                index = _starved(place, charges, charge, now_ms)
            if index is None:
                refused = _take(place, charge, now_ms, taken)
            else:
                refused = _back_pressure(index, now_ms)
            if refused is not None:
                for bucket, units in taken:
                    bucket.level += units
                return refused
        return None

    def admit_many(
        self, charges: Sequence[Charge], count: int, now_ms: float
    ) -> tuple[int, Throttling | None]:
        """The number of `count` equal requests that are admitted, and the reason for the next one.

        Equal to `count` calls of `admit`; for simulations.
        """
        needs: dict[int, tuple[Bucket, float]] = {}
        places = []
        for charge in charges:
            place = self._place(charge)
            if place is None:
                continue
            if _starved(place, charges, charge, now_ms) is not None:
                return self._rest(charges, count, 0, now_ms)
            is_write = charge.write_units > 0
            units = charge.write_units if is_write else charge.read_units
            places.append((place, is_write))
            for bucket in _buckets(place, is_write=is_write):
                known = needs.get(id(bucket))
                needs[id(bucket)] = (bucket, units if known is None else known[1] + units)
        admitted = count
        for bucket, units in needs.values():
            admitted = bucket.requests(units, admitted, now_ms)
        if admitted:
            for bucket, units in needs.values():
                bucket.level -= units * admitted
            for place, is_write in places:
                _note_heat(place, now_ms, is_write=is_write)
        return (count, None) if admitted == count else self._rest(charges, count, admitted, now_ms)

    def _rest(
        self, charges: Sequence[Charge], count: int, admitted: int, now_ms: float
    ) -> tuple[int, Throttling | None]:
        """Admit the remaining requests one by one, to find the reason of a throttled one."""
        while admitted < count:
            refused = self.admit(charges, now_ms)
            if refused is not None:
                table = self._tables[charges[0].table]
                _count_more(table, refused, count - admitted - 1, now_ms)
                return admitted, refused
            admitted += 1
        return admitted, None

    def needs(self, charges: Iterable[Charge]) -> Units:
        """The units that a request needs, by bucket: the needs of `Borrower.give_back`."""
        needs: Units = {}
        for charge in charges:
            place = self._place(charge)
            if place is not None:
                is_write = charge.write_units > 0
                for key in _keys(place, charge.table, is_write=is_write):
                    needs[key] = needs.get(key, 0.0) + (charge.write_units or charge.read_units)
        return needs

    def settle(
        self, charges: Sequence[Charge], now_ms: float, admitted: Sequence[Charge] = ()
    ) -> None:
        """Charge the actual cost of a request.

        Args:
            charges: the whole cost.
            now_ms: the time.
            admitted: the charges that `admit` took for the request; they are returned. Charges
                without a partition are divided equally among the partitions of these.
        """
        if len(charges) == 1 == len(admitted) and charges[0].partition is admitted[0].partition:
            self.settle_many(charges[0], admitted[0], 1, now_ms)
            return
        for charge in _located(charges, admitted):
            self._charge(charge, 1, now_ms)
        for charge in admitted:
            self._charge(charge, -1, now_ms)

    def settle_many(self, charge: Charge, admitted: Charge, count: int, now_ms: float) -> None:
        """Equal to `count` calls of `settle` with one charge each; for simulations."""
        table = self._tables.get(charge.table)
        if table is None:
            return
        reads, writes = charge.read_units, charge.write_units
        table.resource(charge.index).count(reads * count, writes * count, now_ms)
        more = (reads + writes - admitted.read_units - admitted.write_units) * count
        place = self._place(charge) if more else None
        if place is not None:
            for bucket in _buckets(place, is_write=writes > 0):
                bucket.charge(more, now_ms)
            if writes and place[1].index is not None:
                _note_starved(place)

    def _charge(self, charge: Charge, times: int, now_ms: float) -> None:
        """Charge units (`times` 1) or return units that `admit` took (`times` -1)."""
        place = self._place(charge)
        if place is None:
            return
        if times > 0:
            place[1].count(charge.read_units, charge.write_units, now_ms)
        is_write = charge.write_units > 0
        units = (charge.write_units if is_write else charge.read_units) * times
        for bucket in _buckets(place, is_write=is_write):
            bucket.charge(units, now_ms)
        if is_write and place[1].index is not None:
            _note_starved(place)

    def _place(self, charge: Charge) -> _Place | None:
        table = self._tables.get(charge.table)
        if table is None:
            return None
        resource = table.resource(charge.index)
        key = charge.partition
        if key is None:
            return table, resource, None, b""
        position = key.start if isinstance(key, HashRange) else self._hash_of(key) + charge.sort
        return table, resource, resource.at(position), position


def _buckets(place: _Place, *, is_write: bool) -> list[Bucket]:
    """The buckets that a request needs units of."""
    table, resource, partition, _position = place
    if is_write:
        buckets, quota = [resource.write], table.quota_write
        if partition is not None:
            buckets.append(partition.write)
    else:
        buckets, quota = [resource.read], table.quota_read
        if partition is not None:
            buckets.append(partition.read)
    if resource.terms.mode == "PAY_PER_REQUEST":
        buckets.append(quota)
    return buckets


def _keys(place: _Place, table: str, *, is_write: bool) -> list[BucketKey]:
    """The names of the buckets of `_buckets`."""
    _table, resource, partition, _position = place
    keys = [BucketKey(table, resource.index, is_write=is_write)]
    if partition is not None:
        number = partition.number
        keys.append(BucketKey(table, resource.index, is_write=is_write, partition=number))
    if resource.terms.mode == "PAY_PER_REQUEST":
        keys.append(BucketKey(table, None, is_write=is_write, partition=QUOTA))
    return keys


def _take(
    place: _Place, charge: Charge, now_ms: float, taken: list[tuple[Bucket, float]]
) -> Throttling | None:
    """Take the units of one charge and append them to `taken`, or return the reason why not."""
    is_write = charge.write_units > 0
    units = charge.write_units if is_write else charge.read_units
    if not units:
        return None
    lacking: list[int] = []
    for bucket in _buckets(place, is_write=is_write):
        if bucket.take(units, now_ms):
            taken.append((bucket, units))
        else:
            lacking.append(id(bucket))
    _note_heat(place, now_ms, is_write=is_write)
    if not lacking:
        return None
    named = _limits(place, is_write=is_write)
    limits = list(dict.fromkeys(limit for bucket, limit in named if id(bucket) in lacking))
    resource = place[1]
    refused = throttling(resource, limits, is_write=is_write)
    resource.count_throttled(refused.reasons[0].reason, 1, now_ms)
    return refused


def _note_heat(place: _Place, now_ms: float, *, is_write: bool) -> None:
    partition = place[2]
    if partition is not None:
        bucket = partition.write if is_write else partition.read
        if bucket.level < HOT * bucket.capacity:
            partition.heat.add(place[3], now_ms)


def _limits(place: _Place, *, is_write: bool) -> list[tuple[Bucket, Limit]]:
    """The buckets of `_buckets` with their limits; the limit of the account comes first."""
    resource = place[1]
    names: list[Limit] = [limit_of_units(resource, is_write=is_write)]
    if place[2] is not None:
        names.append("KeyRangeThroughputExceeded")
    if resource.terms.mode == "PAY_PER_REQUEST":
        names.append("AccountLimitExceeded")
    named = list(zip(_buckets(place, is_write=is_write), names, strict=True))
    return sorted(named, key=lambda each: each[1] != "AccountLimitExceeded")


def _starved(
    place: _Place, charges: Sequence[Charge], charge: Charge, now_ms: float
) -> Resource | None:
    """An index with a negative bucket that throttles a write whose entries are not known."""
    table = place[0]
    if table.starved_until_ms <= now_ms or place[1].index is not None or not charge.write_units:
        return None
    if any(each.index in table.indexes for each in charges if each.table == charge.table):
        return None
    starved = (each for each in table.indexes.values() if each.starved_until_ms > now_ms)
    return next(starved, None)


def _back_pressure(index: Resource, now_ms: float) -> Throttling:
    """The reason why an index with a negative bucket throttles a write of its table."""
    units_lack = index.write.refill(now_ms) < 0
    limit = limit_of_units(index, is_write=True)
    limits: list[Limit] = [limit if units_lack else "KeyRangeThroughputExceeded"]
    refused = throttling(index, limits, is_write=True)
    index.count_throttled(refused.reasons[0].reason, 1, now_ms)
    return refused


def _note_starved(place: _Place) -> None:
    """Record the time until which the buckets of an index are negative."""
    table, index, partition, _position = place
    until = index.write.recovers_ms()
    if partition is not None:
        until = max(until, partition.write.recovers_ms())
    index.starved_until_ms = max(index.starved_until_ms, until)
    table.starved_until_ms = max(table.starved_until_ms, until)


def _located(charges: Sequence[Charge], admitted: Sequence[Charge]) -> Iterable[Charge]:
    """The charges, with those without a partition divided among the admitted partitions."""
    for charge in charges:
        places = [each for each in admitted if each.table == charge.table and each.partition]
        if charge.partition is not None or charge.index is not None or not places:
            yield charge
            continue
        for place in places:
            yield msgspec.structs.replace(
                charge,
                partition=place.partition,
                sort=place.sort,
                read_units=charge.read_units / len(places),
                write_units=charge.write_units / len(places),
            )


def _count_more(table: TableCapacity, refused: Throttling, requests: int, now_ms: float) -> None:
    """Count further requests that are throttled for the same reason."""
    reason = refused.reasons[0]
    for resource in table.resources():
        if requests and resource.arn == reason.resource:
            resource.count_throttled(reason.reason, requests, now_ms)
