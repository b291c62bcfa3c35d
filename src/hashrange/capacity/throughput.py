"""Changes of throughput: how an on-demand table grows, and how often units may be decreased.

A peak is the highest rate of a minute. It becomes the previous peak after 30 minutes, so the
throughput at most doubles in 30 minutes. Source: Developer Guide, "On-demand capacity mode",
initial throughput and scaling properties; "Quotas", decreasing provisioned throughput.
"""

from typing import Final

import msgspec

from hashrange.limits.tables import (
    DECREASE_PAUSE_SECONDS,
    DECREASES_AT_WILL,
    ON_DEMAND_GROWTH_SECONDS,
)

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


_PAUSE_MS: Final = DECREASE_PAUSE_SECONDS * 1000
_DAY_MS: Final = 24 * 60 * 60 * 1000


def next_decrease_ms(today: int, last_ms: int | None, now_ms: int) -> int:
    """The time of the next possible decrease; `now_ms` if it is possible now.

    Args:
        today: decreases in the UTC day of `now_ms`.
        last_ms: the time of the last decrease.
        now_ms: the time.
    """
    if today < DECREASES_AT_WILL:
        return now_ms
    assert last_ms is not None, "there were some today"
    midnight_ms = (now_ms // _DAY_MS + 1) * _DAY_MS
    return max(now_ms, min(last_ms + _PAUSE_MS, midnight_ms))
