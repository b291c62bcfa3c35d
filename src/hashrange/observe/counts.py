"""Counters of requests, durations and capacity units: plain numbers, without labels or locks."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final

from hashrange.limits.server import METRIC_CODES_MAX, METRIC_INDEXES_MAX

OTHER: Final = "other"
"""The label that all names share which came after the bound of labels was reached."""

LATENCY_BOUNDS_S: Final = (
    *(0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005),
    *(0.01, 0.025, 0.05, 0.1, 0.25, 1.0),
)
"""Inclusive upper bounds of the histogram's buckets; a last bucket has no bound."""

LATENCY_BOUNDS_NS: Final = tuple(round(bound * 1e9) for bound in LATENCY_BOUNDS_S)
"""`LATENCY_BOUNDS_S` in nanoseconds."""


class Durations:
    """A histogram of durations.

    Attributes:
        buckets: a count for each of `LATENCY_BOUNDS_NS`, and for all longer durations.
        total_ns: the sum of all durations.
    """

    __slots__ = ("buckets", "total_ns")

    def __init__(self) -> None:
        self.buckets = [0] * (len(LATENCY_BOUNDS_NS) + 1)
        self.total_ns = 0

    def add(self, duration_ns: int) -> None:
        """Count a duration."""
        self.buckets[bisect_left(LATENCY_BOUNDS_NS, duration_ns)] += 1
        self.total_ns += duration_ns

    def merge(self, other: "Durations") -> None:
        """Count all durations of another histogram."""
        self.buckets = [
            here + there for here, there in zip(self.buckets, other.buckets, strict=True)
        ]
        self.total_ns += other.total_ns


class OperationCounts(Durations):
    """Durations and faults of the requests of one operation.

    Attributes:
        faults: how often each fault was answered, by code. All other requests succeeded.
    """

    __slots__ = ("faults",)

    def __init__(self) -> None:
        super().__init__()
        self.faults: dict[str, int] = {}

    def fail(self, code: str) -> None:
        """Count the fault of a request; its duration is to be added as well."""
        faults = self.faults
        label = code if code in faults or len(faults) < METRIC_CODES_MAX else OTHER
        faults[label] = faults.get(label, 0) + 1

    @property
    def codes(self) -> dict[str, int]:
        """How often requests ended with each code; success is the empty text."""
        succeeded = sum(self.buckets) - sum(self.faults.values())
        return {"": succeeded, **self.faults} if succeeded else dict(self.faults)


class StreamReads:
    """Reads of one stream, with the records that they returned, and their bytes.

    Attributes:
        latencies: the durations of requests, and the faults of `TABLE_FAULTS`.
    """

    __slots__ = ("item_bytes", "latencies", "reads", "records")

    def __init__(self) -> None:
        self.latencies = OperationCounts()
        self.reads = 0
        self.records = 0
        self.item_bytes = 0


class UnitCounts:
    """Capacity units that one operation has consumed on one table, with its indexes.

    Attributes:
        items: those that queries, scans and selects have returned.
        conflicts: actions of transactions whose items were in others.
        indexes: the part of the units that was consumed in global indexes, by their names.
        vectors: bytes of searches and writes of vector indexes in place of units, likewise.
        streams: reads of streams of the table, by their labels.
    """

    __slots__ = (
        "conflicts",
        "indexes",
        "items",
        "read_units",
        "streams",
        "vectors",
        "write_units",
    )

    def __init__(self) -> None:
        self.read_units = 0.0
        self.write_units = 0.0
        self.items = 0
        self.conflicts = 0
        self.indexes: dict[str, UnitCounts] = {}
        self.vectors: dict[str, UnitCounts] = {}
        self.streams: dict[str, StreamReads] = {}

    def of_index(self, name: str) -> "UnitCounts":
        """The counts of an index; those after the bound of names share the empty label."""
        return _named(self.indexes, name)

    def of_stream(self, label: str) -> StreamReads:
        """The reads of a stream; those after the bound of labels share the empty one."""
        known = label in self.streams or len(self.streams) < METRIC_INDEXES_MAX
        return self.streams.setdefault(label if known else "", StreamReads())

    def add_records(self, label: str, records: int, item_bytes: int) -> None:
        """Count a read of a stream."""
        counts = self.of_stream(label)
        counts.reads += 1
        counts.records += records
        counts.item_bytes += item_bytes

    def add_vectors(self, kind: str, found: Mapping[str, float]) -> None:
        """Count the bytes of vector indexes by their names; `kind` is `read` or `write`."""
        for name, each in found.items():
            counts = _named(self.vectors, name)
            if kind == "read":
                counts.read_units += each
            else:
                counts.write_units += each


def _named(counts: dict[str, UnitCounts], name: str) -> UnitCounts:
    label = name if name in counts or len(counts) < METRIC_INDEXES_MAX else ""
    return counts.setdefault(label, UnitCounts())
