"""What is counted, in plain numbers."""

from bisect import bisect_left
from typing import Final

LATENCY_BOUNDS_S: Final = (
    *(0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005),
    *(0.01, 0.025, 0.05, 0.1, 0.25, 1.0),
)
"""Upper bounds, inclusive, of the latency histogram's buckets; one more bucket has none."""

LATENCY_BOUNDS_NS: Final = tuple(round(bound * 1e9) for bound in LATENCY_BOUNDS_S)
"""The same in nanoseconds."""


class Durations:
    """How often something took how long: a histogram.

    Attributes:
        buckets: counts, one for each bound, and one for what took longer.
        total_ns: the sum of all.
    """

    __slots__ = ("buckets", "total_ns")

    def __init__(self) -> None:
        self.buckets = [0] * (len(LATENCY_BOUNDS_NS) + 1)
        self.total_ns = 0

    def add(self, duration_ns: int) -> None:
        """Count one."""
        self.buckets[bisect_left(LATENCY_BOUNDS_NS, duration_ns)] += 1
        self.total_ns += duration_ns


class OperationCounts(Durations):
    """Requests of one operation: how they ended, and how long they took."""

    __slots__ = ("codes",)

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}


class UnitCounts:
    """Capacity units that one operation has consumed on one table."""

    __slots__ = ("read_units", "write_units")

    def __init__(self) -> None:
        self.read_units = 0.0
        self.write_units = 0.0
