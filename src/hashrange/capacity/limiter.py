"""Admission of requests, and the charges for their actual cost.

A request is admitted if every bucket that it needs has the units of its minimum cost; these units
are taken immediately. The rest is charged after the request and can make a bucket negative, so
throttling never cuts a page. DynamoDB does not document the latter; it is our choice.

Bulk operations obey the caps of partitions; what they put is not counted as consumed units of the
table or of an index.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from hashrange.capacity.bucket_keys import BucketKey, Units
from hashrange.capacity.buckets import Bucket
from hashrange.capacity.places import (
    Place,
    back_pressure,
    consume,
    count_refused,
    keys_of,
    located,
    note_starved,
    starved_index,
    take_from,
)
from hashrange.capacity.reservations import charge_buckets, close_for
from hashrange.capacity.resources import TableCapacity
from hashrange.capacity.throttling import Throttling
from hashrange.capacity.units import Charge, HashRange
from hashrange.model.values import AttributeValue

HashOf: TypeAlias = Callable[[tuple[AttributeValue, ...]], bytes]
"""Partition hash of the canonical values of a partition key."""


class Limiter:
    """Limits the requests on a set of tables. Other tables have no limits.

    The limiter has no state of its own; it changes the tables.

    Args:
        tables: the tables by their names in charges.
        hash_of: computes partition hashes.
    """

    __slots__ = ("_hash_of", "tables")

    def __init__(self, tables: Mapping[str, TableCapacity], hash_of: HashOf) -> None:
        self.tables = tables
        self._hash_of = hash_of

    def admit(
        self, charges: Iterable[Charge], now_ms: float, *, counts: bool = True
    ) -> Throttling | None:
        """Take the minimum cost of a request, or return the reason why it is throttled.

        Either all charges are taken or none. The charges of a write can include the entries of
        global indexes that it writes, with zero units for an index that gets no entry; these
        entries are checked too. A write without such charges is throttled while an index has a
        negative bucket. A refusal counts as a throttled request unless `counts` is False.
        """
        charges = list(charges)
        taken: list[tuple[Bucket, float]] = []
        for charge in charges:
            place = self.place(charge)
            if place is None:
                continue
            index = None
            if place[0].starved_until_ms > now_ms:
                index = starved_index(place, charges, charge, now_ms)
            if index is None:
                refused = take_from(place, charge, now_ms, taken)
            else:
                refused = back_pressure(index, now_ms)
            if refused is not None:
                for bucket, units in taken:
                    bucket.level += units
                lacking = charge.write_units or charge.read_units
                if close_for(place, lacking, now_ms, is_write=charge.is_write):
                    return self.admit(charges, now_ms, counts=counts)
                if counts:
                    count_refused(place if index is None else index, refused, now_ms)
                return refused
        return None

    def capacity_of(self, table: str) -> TableCapacity:
        """The capacity of one of the tables."""
        found = self.table_of(table)
        assert found is not None, "it is limited"
        return found

    def table_of(self, name: str) -> TableCapacity | None:
        """The table of that name in charges; None if it has no limits."""
        return self.tables.get(name)

    def needs(self, charges: Iterable[Charge]) -> Units:
        """The units that a request needs, by bucket: the needs of `Holder.give_back`."""
        needs: Units = {}
        for charge in charges:
            place = self.place(charge)
            if place is not None:
                is_write = charge.write_units > 0
                for key in keys_of(place, is_write=is_write):
                    needs[key] = needs.get(key, 0.0) + (charge.write_units or charge.read_units)
        return needs

    def charge(
        self, charges: Sequence[Charge], now_ms: float, admitted: Sequence[Charge] = ()
    ) -> None:
        """Charge the actual cost of a request.

        Args:
            charges: the whole cost.
            now_ms: the time.
            admitted: the charges that `admit` took for the request; they are returned. Charges
                without a partition are divided equally among the partitions of these.
        """
        if len(charges) == 1 == len(admitted):
            charge, least = charges[0], admitted[0]
            if charge.has_place_of(least):
                self.charge_many(charge, least, 1, now_ms)
                return
        for charge in located(charges, admitted):
            self._charge_units(charge, 1, now_ms)
        for charge in admitted:
            self._charge_units(charge, -1, now_ms)

    def charge_many(self, charge: Charge, admitted: Charge, count: int, now_ms: float) -> None:
        """Equal to `count` calls of `charge` with one charge each; for simulations."""
        place = self.place(charge)
        if place is None:
            return
        reads, writes = charge.read_units, charge.write_units
        consume(place, reads * count, writes * count, now_ms)
        more = (reads + writes - admitted.read_units - admitted.write_units) * count
        if more:
            is_write = charge.is_write or admitted.is_write
            charge_buckets(place, more, now_ms, is_write=is_write)
            if writes and place[1].index is not None:
                note_starved(place)

    def _charge_units(self, charge: Charge, times: int, now_ms: float) -> None:
        """Charge units (`times` 1) or return units that `admit` took (`times` -1)."""
        place = self.place(charge)
        if place is None:
            return
        if times > 0:
            consume(place, charge.read_units, charge.write_units, now_ms)
        is_write = charge.write_units > 0
        units = (charge.write_units if is_write else charge.read_units) * times
        charge_buckets(place, units, now_ms, is_write=is_write)
        if is_write and place[1].index is not None:
            note_starved(place)

    def place(self, charge: Charge) -> Place | None:
        """The place of a charge; None if its table or index is not limited."""
        table = self.table_of(charge.table)
        if table is None:
            return None
        resource = table.resource(charge.index)
        if resource is None:
            return None
        position = charge.position
        if not position:
            key = charge.partition
            if key is None:
                return table, resource, None, b""
            position = key.start if isinstance(key, HashRange) else self._hash_of(key)
        return table, resource, resource.at(position), position


_MS: Final = 1000.0


def takes(limiter: Limiter, charge: Charge, now_ms: float) -> bool:
    """Take the write units of a charge from its partition; whether there were as many."""
    bucket = _bucket(limiter, charge)
    return bucket is None or bucket.take(charge.write_units, now_ms)


def needs(limiter: Limiter, charge: Charge) -> Units:
    """The units of the partition of a charge, for processes that need an allowance."""
    place = limiter.place(charge)
    if place is None or place[2] is None:
        return {}
    table, resource, partition = place[0], place[1], place[2]
    key = BucketKey(table.table.table, resource.index, is_write=True, partition=partition.number)
    return {key: charge.write_units}


def debt_ms(limiter: Limiter, charge: Charge, now_ms: float) -> float:
    """Charge the partition of an index entry that was written; how long to wait until it is paid.

    The partition is known only when the entry is, so it may be charged more than it has.
    """
    bucket = _bucket(limiter, charge)
    if bucket is None:
        return 0.0
    bucket.charge(charge.write_units, now_ms)
    return max(-bucket.level, 0.0) / bucket.rate * _MS if bucket.rate else 0.0


def _bucket(limiter: Limiter, charge: Charge) -> Bucket | None:
    place = limiter.place(charge)
    if place is None or place[2] is None:
        return None
    return place[2].write
