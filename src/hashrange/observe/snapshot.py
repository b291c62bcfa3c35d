"""The counts of a server at one time, as `/top.json` sends them; `rates` compares two."""

from collections.abc import Mapping, Sequence

import msgspec

from hashrange.observe.counts import Durations


class Spread(msgspec.Struct, frozen=True):
    """A copy of `Durations`: counts by bucket, and the sum in nanoseconds."""

    buckets: Sequence[int]
    total_ns: int

    @classmethod
    def of(cls, durations: Durations) -> "Spread":
        """A copy of the counts as they are now."""
        return cls([*durations.buckets], durations.total_ns)


class Requests(msgspec.Struct, frozen=True):
    """Requests of one operation, by code of the fault; the code of a success is empty."""

    codes: Mapping[str, int]
    durations: Spread


class TableUse(msgspec.Struct, frozen=True):
    """Capacity units consumed on a table, and its items and bytes."""

    read_units: float = 0.0
    write_units: float = 0.0
    items: int = 0
    size: int = 0


class KeyCount(msgspec.Struct, frozen=True):
    """How often a partition key of a table, or of `table/index`, was sampled."""

    table: str
    key: str
    count: int


class KeyCounts(msgspec.Struct, frozen=True):
    """The keys sampled most, and how many samples there were."""

    total: int
    keys: Sequence[KeyCount]


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of a server, all of its processes, at one time.

    Attributes:
        version: that of hashrange.
        at_ns: the server's monotonic clock.
        operations: requests, by operation.
        tables: consumed units and sizes, by table.
        connections: open now.
        figures: rows of `observe.figures` that are numbers, and those of the operating system.
        commits: durations of commits.
        syncs: durations of syncs of the write-ahead log.
        hot_keys: None if the server does not show them.
    """

    version: str
    at_ns: int
    operations: Mapping[str, Requests]
    tables: Mapping[str, TableUse]
    connections: int
    figures: Mapping[str, float]
    commits: Spread
    syncs: Spread
    hot_keys: KeyCounts | None
