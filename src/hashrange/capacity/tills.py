"""Tills: units of a partition's next requests, which are taken from all of its buckets in advance.

A request then takes from the till of its partition alone, and is counted when the till is closed.
A till has a hundredth of a second's units at most, and is opened only while all buckets have far
more. So a full bucket grants at most that on top of what flows in, and a partition that is short of
units has none: its requests are sampled one by one.
"""

from typing import Final

from hashrange.capacity.buckets import Bucket
from hashrange.capacity.partitions import HOT, Partition
from hashrange.capacity.places import Place, buckets_of, consume
from hashrange.capacity.resources import Resource, TableCapacity
from hashrange.limits.tables import PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX

TILL_SECONDS: Final = 0.01
"""Units of this time of the partition's rate are the most that a till has."""
TILL_MS: Final = 1000
"""Within this time all tills are to be closed, so that counts and levels are not older."""
_ROOM: Final = 4
"""Times the units of the till that each bucket has before it is opened."""
_REQUESTS_MIN: Final = 2
"""Requests that a till is opened for."""


def open_till(place: Place, units: float, now_ms: float, *, is_write: bool) -> None:
    """Open the till of a partition, which has none, if its buckets have plenty.

    Args:
        place: with the partition.
        units: of a request; a till that does not serve some such requests is not opened.
        now_ms: the time; the buckets were refilled then.
        is_write: the till of the writes, not of the reads.
    """
    table, resource, partition, _position = place
    if partition is None:
        return
    buckets = buckets_of(place, is_write=is_write)
    most = _most(resource, buckets, is_write=is_write)
    if most < _REQUESTS_MIN * units:
        return
    for bucket in buckets:
        if bucket.level < _ROOM * most:
            return
    own = buckets[1]
    if own.rate and own.level - most < HOT * own.capacity:
        return
    for bucket in buckets:
        bucket.level -= most
    till = partition.write_till if is_write else partition.read_till
    till.left = till.units = most
    till.until_ms = now_ms + TILL_MS
    table.tills += 1


def _most(resource: Resource, buckets: list[Bucket], *, is_write: bool) -> float:
    """The units of a till: of all partitions together TILL_SECONDS of the table, or the quota."""
    own = buckets[1]
    if own.rate:
        whole = min(bucket.rate for bucket in buckets if bucket is not own)
        return TILL_SECONDS * min(own.rate, whole / len(resource.partitions))
    # The buckets of a borrower are not refilled: they have what was lent.
    most = PARTITION_WRITE_UNITS_MAX if is_write else PARTITION_READ_UNITS_MAX
    return min(TILL_SECONDS * most, *[bucket.level / _ROOM for bucket in buckets])


def close_till(place: Place, now_ms: float, *, is_write: bool) -> float:
    """Count what was taken from a till, and return the rest to the buckets; returns the rest."""
    table, _resource, partition, _position = place
    if partition is None:
        return 0.0
    till = partition.write_till if is_write else partition.read_till
    if not till.units:
        return 0.0
    spent, rest = till.units - till.left, till.left
    till.left = till.units = 0.0
    table.tills -= 1
    # Counted in the minute of the requests, also if nobody came for a long time since.
    at_ms = min(now_ms, till.until_ms)
    consume(place, 0.0 if is_write else spent, spent if is_write else 0.0, at_ms)
    for bucket in buckets_of(place, is_write=is_write):
        bucket.charge(-rest, now_ms)
    return rest


def close_tills(table: TableCapacity, now_ms: float) -> None:
    """Close all tills of a table: before its buckets or counts are seen, stored or changed."""
    if not table.tills:
        return
    for resource in table.resources():
        for partition in resource.partitions:
            _close_both(table, resource, partition, now_ms)
    # Those of an index that was deleted are gone with it.
    table.tills = 0


def _close_both(
    table: TableCapacity, resource: Resource, partition: Partition, now_ms: float
) -> None:
    place = (table, resource, partition, b"")
    close_till(place, now_ms, is_write=False)
    close_till(place, now_ms, is_write=True)


def charge_buckets(place: Place, units: float, now_ms: float, *, is_write: bool) -> None:
    """Charge the buckets of a place; if one is below zero then, tills grant nothing more."""
    is_short = False
    for bucket in buckets_of(place, is_write=is_write):
        bucket.charge(units, now_ms)
        is_short = is_short or bucket.level < 0
    if is_short:
        close_for(place, 0.0, now_ms, is_write=is_write)


def close_for(place: Place, units: float, now_ms: float, *, is_write: bool) -> bool:
    """Close the tills that hold units that a request lacks; whether there were some.

    That is the till of its partition, and all if the table, the index or the quota is short.
    """
    table, resource, _partition, _position = place
    if not table.tills:
        return False
    found = close_till(place, now_ms, is_write=is_write) > 0
    shared = buckets_of((table, resource, None, b""), is_write=is_write)
    if table.tills and any(bucket.level < units for bucket in shared):
        close_tills(table, now_ms)
        return True
    return found
