"""Admission of bundles of equal requests, for simulations."""

from collections.abc import Sequence

from hashrange.capacity.buckets import Bucket
from hashrange.capacity.limiter import Limiter
from hashrange.capacity.places import (
    buckets_of,
    count_more,
    count_throttled,
    note_heat,
    starved_index,
)
from hashrange.capacity.throttling import Throttling
from hashrange.capacity.units import Charge


class BundleLimiter(Limiter):
    """A limiter that admits several equal requests at once."""

    __slots__ = ()

    def admit_many(
        self, charges: Sequence[Charge], count: int, now_ms: float
    ) -> tuple[int, Throttling | None]:
        """The number of `count` equal requests that are admitted, and the reason for the next one.

        Equal to `count` calls of `admit`; for simulations.
        """
        needs: dict[int, tuple[Bucket, float]] = {}
        places = []
        for charge in charges:
            place = self.place(charge)
            if place is None:
                continue
            if starved_index(place, charges, charge, now_ms) is not None:
                return self._rest(charges, count, 0, now_ms)
            is_write = charge.write_units > 0
            units = charge.write_units if is_write else charge.read_units
            places.append((place, is_write))
            for bucket in buckets_of(place, is_write=is_write):
                known = needs.get(id(bucket))
                needs[id(bucket)] = (bucket, units if known is None else known[1] + units)
        admitted = count
        for bucket, units in needs.values():
            admitted = bucket.requests(units, admitted, now_ms)
        if admitted:
            for bucket, units in needs.values():
                bucket.level -= units * admitted
            for place, is_write in places:
                note_heat(place, now_ms, is_write=is_write)
        return (count, None) if admitted == count else self._rest(charges, count, admitted, now_ms)

    def _rest(
        self, charges: Sequence[Charge], count: int, admitted: int, now_ms: float
    ) -> tuple[int, Throttling | None]:
        """Admit the remaining requests one by one, to find the reason of a throttled one."""
        while admitted < count:
            refused = self.admit(charges, now_ms)
            if refused is not None:
                more = count - admitted - 1
                resource = count_more(self.tables[charges[0].table], refused, more, now_ms)
                for charge in charges:
                    place = self.place(charge)
                    if place is not None and place[1] is resource and place[2] is not None:
                        count_throttled(place[2], more, is_write=charge.is_write)
                return admitted, refused
            admitted += 1
        return admitted, None
