"""The capacity units that tables consume now: the growth of their counts in one to two minutes."""

from collections import deque
from collections.abc import Mapping
from typing import Final, TypeAlias

import msgspec

from hashrange.observe.report import Report

MINUTE_MS: Final = 60_000
_MS: Final = 1000
_EVENTS: Final = frozenset(("ReadThrottleEvents", "WriteThrottleEvents"))

_Counts: TypeAlias = list[float]
"""Of a table with its indexes: read units, write units, throttled requests."""


class UnitRate(msgspec.Struct, frozen=True):
    """A table with its indexes; all values are a second."""

    read_units: float = 0.0
    write_units: float = 0.0
    throttled: float = 0.0


class UnitRates:
    """Compares the counts of a server with those at the beginning of the minute before."""

    def __init__(self) -> None:
        self._looks: deque[tuple[int, Mapping[str, _Counts]]] = deque(maxlen=2)

    def take(self, report: Report, now_ms: int) -> None:
        """Keep the sum of all counts if a minute begins with it."""
        if self._looks and now_ms < self._looks[-1][0]:
            self._looks.clear()  # the clock was set back
        if not self._looks or now_ms // MINUTE_MS > self._looks[-1][0] // MINUTE_MS:
            self._looks.append((now_ms, _tables(report)))

    def rates(self, report: Report, now_ms: int) -> dict[str, UnitRate]:
        """The rates of the tables that were used, by stored name."""
        self.take(report, now_ms)
        at_ms, before = self._looks[0]
        seconds = max(1.0, (now_ms - at_ms) / _MS)
        found = {}
        for name, counts in _tables(report).items():
            old = before.get(name, [0.0] * len(counts))
            rates = [max(0, new - was) / seconds for new, was in zip(counts, old, strict=True)]
            found[name] = UnitRate(*rates)
        return found


def _tables(report: Report) -> dict[str, _Counts]:
    total = dict[str, _Counts]()
    for each in report.units:
        counts = total.setdefault(each.table, [0.0] * 3)
        counts[0] += each.read_units
        counts[1] += each.write_units
    for event in report.throttles:
        if event.event in _EVENTS:
            total.setdefault(event.table, [0.0] * 3)[2] += event.count
    return total
