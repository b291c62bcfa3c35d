"""Places of charges: the table or index, its partition, and the buckets that a charge needs."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from hashrange.capacity.bucket_keys import QUOTA, BucketKey
from hashrange.capacity.buckets import Bucket
from hashrange.capacity.partitions import HOT, Partition
from hashrange.capacity.resources import MINUTE_MS, Resource, TableCapacity
from hashrange.capacity.throttling import Limit, Throttling, limit_of_units, throttling
from hashrange.capacity.units import Charge

Place: TypeAlias = tuple[TableCapacity, Resource, Partition | None, bytes]
"""The table, the table or index, the partition if it is known, and the key position."""


def consume(place: Place, reads: float, writes: float, now_ms: float) -> None:
    """Count consumed units, of the table or index and of the partition."""
    _table, resource, partition, _position = place
    minute = resource.minute
    if now_ms - minute.start_ms >= MINUTE_MS:
        minute = resource.finish_minutes(now_ms)
    minute.read_units += reads
    minute.write_units += writes
    if partition is not None:
        partition.read_units += reads
        partition.write_units += writes


def buckets_of(place: Place, *, is_write: bool) -> list[Bucket]:
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


def keys_of(place: Place, *, is_write: bool) -> list[BucketKey]:
    """The names of the buckets of `buckets_of`."""
    _table, resource, partition, _position = place
    table = resource.table
    keys = [BucketKey(table, resource.index, is_write=is_write)]
    if partition is not None:
        number = partition.number
        keys.append(BucketKey(table, resource.index, is_write=is_write, partition=number))
    if resource.terms.mode == "PAY_PER_REQUEST":
        keys.append(BucketKey(table, None, is_write=is_write, partition=QUOTA))
    return keys


def take_from(
    place: Place, charge: Charge, now_ms: float, taken: list[tuple[Bucket, float]]
) -> Throttling | None:
    """Take the units of one charge and append them to `taken`, or return the reason why not."""
    is_write = charge.write_units > 0
    units = charge.write_units if is_write else charge.read_units
    if not units:
        return None
    lacking: list[int] = []
    for bucket in buckets_of(place, is_write=is_write):
        if bucket.take(units, now_ms):
            taken.append((bucket, units))
        else:
            lacking.append(id(bucket))
    note_heat(place, now_ms, is_write=is_write)
    if not lacking:
        return None
    named = _limits(place, is_write=is_write)
    limits = list(dict.fromkeys(limit for bucket, limit in named if id(bucket) in lacking))
    resource = place[1]
    return throttling(resource, limits, is_write=is_write)


def count_refused(place: Place | Resource, refused: Throttling, now_ms: float) -> None:
    """Count a request that is throttled at a place, or because an index starves."""
    resource = place if isinstance(place, Resource) else place[1]
    reason = refused.reasons[0].reason
    resource.count_throttled(reason, 1, now_ms)
    partition = None if isinstance(place, Resource) else place[2]
    if partition is not None:
        count_throttled(partition, 1, is_write="Write" in reason)


def count_throttled(partition: Partition, requests: int, *, is_write: bool) -> None:
    """Count throttled requests at a partition."""
    if is_write:
        partition.throttled_writes += requests
    else:
        partition.throttled_reads += requests


def note_heat(place: Place, now_ms: float, *, is_write: bool) -> None:
    """Record the position of a request in the heat of a partition that is short of units."""
    partition = place[2]
    if partition is not None:
        bucket = partition.write if is_write else partition.read
        if bucket.level < HOT * bucket.capacity:
            partition.heat.add(place[3], now_ms)


def _limits(place: Place, *, is_write: bool) -> list[tuple[Bucket, Limit]]:
    """The buckets of `buckets_of` with their limits; the limit of the account comes first."""
    resource = place[1]
    names: list[Limit] = [limit_of_units(resource, is_write=is_write)]
    if place[2] is not None:
        names.append("KeyRangeThroughputExceeded")
    if resource.terms.mode == "PAY_PER_REQUEST":
        names.append("AccountLimitExceeded")
    named = list(zip(buckets_of(place, is_write=is_write), names, strict=True))
    return sorted(named, key=lambda each: each[1] != "AccountLimitExceeded")


def starved_index(
    place: Place, charges: Sequence[Charge], charge: Charge, now_ms: float
) -> Resource | None:
    """An index with a negative bucket that throttles a write whose entries are not known."""
    table = place[0]
    if table.starved_until_ms <= now_ms or place[1].index is not None or not charge.write_units:
        return None
    if any(each.index in table.indexes for each in charges if each.table == charge.table):
        return None
    starved = (each for each in table.indexes.values() if each.starved_until_ms > now_ms)
    return next(starved, None)


def back_pressure(index: Resource, now_ms: float) -> Throttling:
    """The reason why an index with a negative bucket throttles a write of its table."""
    units_lack = index.lacks_units or index.write.refill(now_ms) < 0
    limit = limit_of_units(index, is_write=True)
    limits: list[Limit] = [limit if units_lack else "KeyRangeThroughputExceeded"]
    return throttling(index, limits, is_write=True)


def note_starved(place: Place) -> None:
    """Record the time until which the buckets of an index are negative."""
    table, index, partition, _position = place
    until = index.write.recovers_ms()
    if partition is not None:
        until = max(until, partition.write.recovers_ms())
    index.starved_until_ms = max(index.starved_until_ms, until)
    table.starved_until_ms = max(table.starved_until_ms, until)


def located(charges: Sequence[Charge], admitted: Sequence[Charge]) -> Iterable[Charge]:
    """The charges, with those without a partition divided among the admitted partitions."""
    for charge in charges:
        places = [each for each in admitted if each.table == charge.table and each.is_placed]
        if charge.is_placed or charge.index is not None or not places:
            yield charge
            continue
        for place in places:
            yield msgspec.structs.replace(
                charge,
                partition=place.partition,
                position=place.position,
                read_units=charge.read_units / len(places),
                write_units=charge.write_units / len(places),
            )


def count_more(
    table: TableCapacity, refused: Throttling, requests: int, now_ms: float
) -> Resource | None:
    """Count further requests that are throttled for the same reason, at the table or index."""
    reason = refused.reasons[0]
    for resource in table.resources():
        if requests and resource.arn == reason.resource:
            resource.count_throttled(reason.reason, requests, now_ms)
            return resource
    return None
