"""The limiter of one table, and the way of nearly all requests: they take from a reservation.

See `capacity.reservations` for what a reservation is, and `capacity.limiter` for all that is not
that simple.
"""

from bisect import bisect_right
from collections.abc import Callable

from hashrange.capacity.limiter import HashOf, Limiter
from hashrange.capacity.places import Place, buckets_of, consume, note_heat
from hashrange.capacity.reservations import charge_buckets, close_reservation, open_reservation
from hashrange.capacity.resources import TableCapacity
from hashrange.capacity.units import Charge


class TableLimiter(Limiter):
    """Limits the requests on one table, by whatever name they have for it.

    Attributes:
        table: the capacity of the table; replaced when another process has changed it.
    """

    __slots__ = ("table",)

    def __init__(self, table: TableCapacity, hash_of: HashOf) -> None:
        super().__init__({}, hash_of)
        self.table = table

    def table_of(self, name: str) -> TableCapacity:  # noqa: ARG002 - there is only one
        """The table."""
        return self.table

    def take(self, charge: Charge, now_ms: Callable[[], float]) -> float:
        """Take the units of a charge whose position is known, if all buckets have them.

        As `admit` and `charge` of a request whose cost is this charge, but faster:
        `charge_difference` follows, and the clock is read only if the reservation lacks units.
        Returns the units. If it returns 0, nothing was taken: `admit` finds the reasons, or admits
        what only a full bucket has.
        """
        table, index, position = self.table, charge.index, charge.position
        resource = table.table if index is None else table.resource(index)
        if resource is None or not position:
            return 0.0
        partition = resource.partitions[bisect_right(resource.starts, position) - 1]
        units = charge.write_units
        if units:
            if table.starved_until_ms and table.starved_until_ms > now_ms():
                return 0.0
            reservation = partition.write_reservation
        else:
            units, reservation = charge.read_units, partition.read_reservation
        left = reservation.left - units
        if left < 0.0:
            return _take((table, resource, partition, position), charge, now_ms())
        reservation.left = left
        return units

    def charge_difference(self, charge: Charge, units: float, now_ms: float) -> None:
        """Charge what a request cost, in `units` of the kind of `charge`, beyond what `take` took.

        With fewer units than `take` took, the difference is returned.
        """
        place = self.place(charge)
        if place is None or place[2] is None:
            return
        is_write = charge.is_write
        more = units - (charge.write_units if is_write else charge.read_units)
        reservation = place[2].write_reservation if is_write else place[2].read_reservation
        if reservation.units and more <= reservation.left:
            reservation.left -= more
            return
        consume(place, 0.0 if is_write else more, more if is_write else 0.0, now_ms)
        charge_buckets(place, more, now_ms, is_write=is_write)


def _take(place: Place, charge: Charge, now_ms: float) -> float:
    """Take the units of a charge from the buckets, and open a reservation for the next requests."""
    is_write = charge.is_write
    close_reservation(place, now_ms, is_write=is_write)
    units = charge.write_units if is_write else charge.read_units
    buckets = buckets_of(place, is_write=is_write)
    for bucket in buckets:
        if bucket.refill(now_ms) < units:
            return 0.0
    for bucket in buckets:
        bucket.level -= units
    note_heat(place, now_ms, is_write=is_write)
    consume(place, charge.read_units, charge.write_units, now_ms)
    open_reservation(place, units, now_ms, is_write=is_write)
    return units
