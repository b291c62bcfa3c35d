"""What a server has done up to a moment, as `/top.json` has it: two of them make rates."""

from collections.abc import Mapping, Sequence

import msgspec

from hashrange.observe.counts import Durations


class Spread(msgspec.Struct, frozen=True):
    """Durations, counted by bucket as in `observe.counts`."""

    buckets: Sequence[int]
    total_ns: int

    @classmethod
    def of(cls, durations: Durations) -> "Spread":
        """As they are now."""
        return cls([*durations.buckets], durations.total_ns)


class Requests(msgspec.Struct, frozen=True):
    """Those of one operation; `codes` has the successful ones as the empty text."""

    codes: Mapping[str, int]
    durations: Spread


class TableUse(msgspec.Struct, frozen=True):
    """What was consumed on one table, and what it holds."""

    read_units: float = 0.0
    write_units: float = 0.0
    items: int = 0
    size: int = 0


class KeyCount(msgspec.Struct, frozen=True):
    """How often a partition key was among the sampled ones."""

    table: str
    key: str
    count: int


class KeyCounts(msgspec.Struct, frozen=True):
    """The keys counted most, and how many were counted in all."""

    total: int
    keys: Sequence[KeyCount]


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One moment of one server.

    Attributes:
        at_ns: monotonic, of the server.
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
