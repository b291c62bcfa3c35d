"""The throughput of an on-demand table: twice its previous peak, but not less than its initial one.

A peak is the highest rate of a minute. It becomes the previous peak after 30 minutes, so the
throughput at most doubles in 30 minutes. Source: Developer Guide, "On-demand capacity mode",
initial throughput and scaling properties.
"""

from typing import Final

import msgspec

from hashrange.limits.tables import ON_DEMAND_GROWTH_SECONDS

_GROWTH_MS: Final = ON_DEMAND_GROWTH_SECONDS * 1000
GROWTH: Final = 2
"""The allowance is this times the previous peak."""


class Peaks(msgspec.Struct):
    """Peaks of the reads or the writes of a table or index, in units a second.

    Attributes:
        previous: the previous peak.
        recent: times and rates of peaks of the last 30 minutes. Rates increase, and each minute
            adds at most one, so there are at most 30.
    """

    previous: float = 0.0
    recent: list[tuple[float, float]] = []

    def add(self, rate: float, at_ms: float) -> None:
        """Record the rate of the minute that ended at `at_ms`."""
        self.count_until(at_ms)
        if rate > max(self.previous, self.recent[-1][1] if self.recent else 0.0):
            self.recent.append((at_ms, rate))

    def count_until(self, now_ms: float) -> None:
        """Make recent peaks that are 30 minutes old the previous peak.

        Peaks of a time that is still to come were recorded before the clock was set back.
        """
        if self.recent and self.recent[-1][0] > now_ms:
            self.recent = [(min(at_ms, now_ms), rate) for at_ms, rate in self.recent]
        while self.recent and now_ms - self.recent[0][0] >= _GROWTH_MS:
            self.previous = max(self.previous, self.recent.pop(0)[1])

    def allowance(self, floor: float) -> float:
        """Units a second that are served immediately; `floor` is the warm throughput."""
        return max(floor, GROWTH * self.previous)
