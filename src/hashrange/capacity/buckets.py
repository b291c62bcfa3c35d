"""Token buckets: capacity units are added at a rate, kept up to a maximum, and taken by requests.

All times are milliseconds of the same clock. A bucket is plain data: it can be encoded, stored and
used by another process.
"""

from typing import Final

import msgspec

CLOCK_STEP_MS: Final = 1000
"""If the clock is set back by more than this, the bucket follows it; otherwise it waits."""
FAR_MS: Final = 1e15
"""A time in the far future that JSON can represent."""


class Bucket(msgspec.Struct):
    """Read or write units of one table, index or partition.

    Attributes:
        rate: units that are added each second.
        capacity: the maximum of the level.
        level: units at the time `at_ms`; negative after a request that cost more than `take` took.
        at_ms: the time of the last refill.
        allotted: units that other processes hold: see `capacity.allowances`.
    """

    rate: float
    capacity: float
    level: float
    at_ms: float
    allotted: float = msgspec.field(default=0.0, name="lent")

    def refill(self, now_ms: float) -> float:
        """Add the units since the last refill, and return the level."""
        elapsed = now_ms - self.at_ms
        if elapsed > 0:
            level = self.level + elapsed * self.rate * 0.001
            # Allotted units are not in the bucket, but count towards its capacity.
            self.level = min(level, self.capacity - self.allotted)
            self.at_ms = now_ms
        elif elapsed < -CLOCK_STEP_MS:
            self.at_ms = now_ms
        return self.level

    def level_at(self, now_ms: float) -> float:
        """The level at a time, without a change of the bucket: for views of it."""
        elapsed = max(0.0, now_ms - self.at_ms)
        return min(self.level + elapsed * self.rate * 0.001, self.capacity - self.allotted)

    def take(self, units: float, now_ms: float) -> bool:
        """Take units and return True, or return False if the level is too low.

        A full bucket admits a request that needs more than its capacity.
        """
        level = self.level
        elapsed = now_ms - self.at_ms
        if elapsed > 0:
            # As `refill`, without a call: every request takes from several buckets.
            level += elapsed * self.rate * 0.001
            most = self.capacity - self.allotted
            level = min(level, most)
            self.at_ms = now_ms
        elif elapsed:
            level = self.refill(now_ms)
        if level < units and (self.allotted or level < self.capacity):
            self.level = level
            return False
        self.level = level - units
        return True

    def charge(self, units: float, now_ms: float) -> None:
        """Take units even if the level becomes negative; negative units are returned to it."""
        self.level = min(self.refill(now_ms) - units, self.capacity - self.allotted)

    def requests(self, units: float, count: int, now_ms: float) -> int:
        """How many of `count` equal requests successive `take` calls would admit."""
        if units <= 0:
            return count
        level = self.refill(now_ms)
        if level < units:
            return 0 if self.allotted or level < self.capacity else 1
        return min(int(level / units), count)

    def configure(self, rate: float, capacity: float, now_ms: float) -> None:
        """Change rate and capacity from now on."""
        self.refill(now_ms)
        self.rate = rate
        self.capacity = capacity
        self.level = min(self.level, capacity - self.allotted)

    def recovers_ms(self) -> float:
        """The time at which a negative level reaches zero; `at_ms` if it is not negative."""
        if self.level >= 0:
            return self.at_ms
        return self.at_ms - self.level / self.rate * 1000 if self.rate else FAR_MS


class Reservation(msgspec.Struct):
    """Units that were taken from buckets in advance: see `capacity.reservations`.

    Attributes:
        left: units that were not taken from it yet.
        units: those that it was opened with; 0 if it is closed.
        until_ms: the time at which it is due to be closed.
    """

    left: float = 0.0
    units: float = 0.0
    until_ms: float = 0.0


def new_bucket(rate: float, seconds: float, now_ms: float) -> Bucket:
    """A bucket with a capacity of `seconds` times the rate, and a level of one second's units."""
    return Bucket(rate=rate, capacity=rate * seconds, level=rate * min(1.0, seconds), at_ms=now_ms)
