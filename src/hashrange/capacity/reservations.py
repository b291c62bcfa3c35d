"""Reservations: units of a partition's next requests, taken from all of its buckets in advance.

A request then takes from the reservation of its partition alone, and is counted when the
reservation is closed. A reservation has a hundredth of a second's units at most, and is opened only
while all buckets have far more. So a full bucket grants at most that on top of what flows in, and a
partition that is short of units has none: its requests are sampled one by one.
"""

from typing import Final

from hashrange.capacity.buckets import Bucket
from hashrange.capacity.partitions import HOT, Partition
from hashrange.capacity.places import Place, buckets_of, consume
from hashrange.capacity.resources import Resource, TableCapacity
from hashrange.limits.tables import PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX

RESERVATION_SECONDS: Final = 0.01
"""Units of this time of the partition's rate are the most that a reservation has."""
RESERVATION_MS: Final = 1000
"""Within this time all reservations are to be closed, so that counts and levels are not older."""
_ROOM: Final = 4
"""Times the units of the reservation that each bucket has before it is opened."""
_REQUESTS_MIN: Final = 2
"""Requests that a reservation is opened for."""


def open_reservation(place: Place, units: float, now_ms: float, *, is_write: bool) -> None:
    """Open the reservation of a partition, which has none, if its buckets have plenty.

    Args:
        place: with the partition.
        units: of a request; a reservation that does not serve some such requests is not opened.
        now_ms: the time; the buckets were refilled then.
        is_write: the reservation of the writes, not of the reads.
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
    reservation = partition.write_reservation if is_write else partition.read_reservation
    reservation.left = reservation.units = most
    reservation.until_ms = now_ms + RESERVATION_MS
    table.reservations += 1


def _most(resource: Resource, buckets: list[Bucket], *, is_write: bool) -> float:
    """The units of a reservation: RESERVATION_SECONDS of the table or the quota, by partition."""
    own = buckets[1]
    if own.rate:
        whole = min(bucket.rate for bucket in buckets if bucket is not own)
        return RESERVATION_SECONDS * min(own.rate, whole / len(resource.partitions))
    # The buckets of a holder are not refilled: they have what was allotted.
    most = PARTITION_WRITE_UNITS_MAX if is_write else PARTITION_READ_UNITS_MAX
    return min(RESERVATION_SECONDS * most, *[bucket.level / _ROOM for bucket in buckets])


def close_reservation(place: Place, now_ms: float, *, is_write: bool) -> float:
    """Count what was taken of a reservation; return what is left to the buckets, and its units."""
    table, _resource, partition, _position = place
    if partition is None:
        return 0.0
    reservation = partition.write_reservation if is_write else partition.read_reservation
    if not reservation.units:
        return 0.0
    spent, left = reservation.units - reservation.left, reservation.left
    reservation.left = reservation.units = 0.0
    table.reservations -= 1
    # Counted in the minute of the requests, also if nobody came for a long time since.
    at_ms = min(now_ms, reservation.until_ms)
    consume(place, 0.0 if is_write else spent, spent if is_write else 0.0, at_ms)
    for bucket in buckets_of(place, is_write=is_write):
        bucket.charge(-left, now_ms)
    return left


def close_reservations(table: TableCapacity, now_ms: float) -> None:
    """Close all reservations of a table, before its buckets or counts are read or changed."""
    if not table.reservations:
        return
    for resource in table.resources():
        for partition in resource.partitions:
            _close_both(table, resource, partition, now_ms)
    # Those of an index that was deleted are gone with it.
    table.reservations = 0


def _close_both(
    table: TableCapacity, resource: Resource, partition: Partition, now_ms: float
) -> None:
    place = (table, resource, partition, b"")
    close_reservation(place, now_ms, is_write=False)
    close_reservation(place, now_ms, is_write=True)


def charge_buckets(place: Place, units: float, now_ms: float, *, is_write: bool) -> None:
    """Charge the buckets of a place; if one is below zero then, reservations grant nothing more."""
    is_short = False
    for bucket in buckets_of(place, is_write=is_write):
        bucket.charge(units, now_ms)
        is_short = is_short or bucket.level < 0
    if is_short:
        close_for(place, 0.0, now_ms, is_write=is_write)


def close_for(place: Place, units: float, now_ms: float, *, is_write: bool) -> bool:
    """Close the reservations with units that a request lacks; whether there were some.

    That is the reservation of its partition, and all if the table, the index or the quota is short.
    """
    table, resource, _partition, _position = place
    if not table.reservations:
        return False
    found = close_reservation(place, now_ms, is_write=is_write) > 0
    shared = buckets_of((table, resource, None, b""), is_write=is_write)
    if table.reservations and any(bucket.level < units for bucket in shared):
        close_reservations(table, now_ms)
        return True
    return found
