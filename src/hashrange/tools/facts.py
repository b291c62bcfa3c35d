"""A table and what is known of its data, its load and its live figures, which rules judge."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.tools.definition import TableDefinition

EXPIRED_SECONDS: Final = 3600
"""An item that expired so long ago should be gone; AWS says "within a few days"."""
TABLE: Final = ""
"""The key of the table itself, in facts by index."""
Found: TypeAlias = tuple[str, str]
"""The subject of a finding and its text."""


class LivePartition(msgspec.Struct, frozen=True, kw_only=True):
    """A partition of a table or an index, and what it had of the load.

    Attributes:
        index: `TABLE` for the table.
        count: how many partitions the table or index has.
        share: its share of the units of the table or index, 0 to 1.
        units: consumed read and write units.
        throttled: requests.
        hot_key: the key that was sampled most; None if it is not known.
        hot_key_share: its share of the sampled requests of the partition.
    """

    index: str
    number: int
    count: int
    share: float
    units: float
    throttled: int
    hot_key: str | None = None
    hot_key_share: float = 0.0


class LiveFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of a server for a table, since it was started or in some seconds.

    Attributes:
        throttles: throttle events by index and by the name of CloudWatch's metric.
        throttled_keys: by index, the keys that were throttled most.
        operation_units: consumed read and write units of the table, by operation.
        partitions: those that were used; None if the server does not limit capacity.
        sampled: the number of items that were read as a sample.
        largest_bytes: the size of the largest of them.
        expired: how many of them have expired, and are still there after `EXPIRED_SECONDS`.
        oldest_expired_seconds: the greatest time since one of them expired.
        stream_lag_seconds: the age of the oldest record that a trigger is delivering; of all
            tables, as the others below.
        records_given_up: records of streams that triggers have given up.
        conflicts: requests refused for conflicts, by their error.
        writes: requests of operations that write.
        idle: provisioned units a second, and those of the busiest period of some days, by index and
            "Read" or "Write"; none if they are not known.
        history: the days and the minutes of a period of them, as text; empty if they are not known.
    """

    throttles: Mapping[tuple[str, str], float] = {}
    throttled_keys: Mapping[str, Sequence[str]] = {}
    operation_units: Mapping[str, tuple[float, float]] = {}
    partitions: Sequence[LivePartition] | None = None
    sampled: int = 0
    largest_bytes: int = 0
    expired: int = 0
    oldest_expired_seconds: float = 0.0
    stream_lag_seconds: float = 0.0
    records_given_up: float = 0.0
    conflicts: Mapping[str, float] = {}
    writes: float = 0.0
    idle: Mapping[tuple[str, str], tuple[float, float]] = {}
    history: str = ""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """A table and what is known of its data and load; None and missing keys are unknown.

    Attributes:
        definition: the table.
        item_bytes: the average size of an item.
        item_bytes_max: the size of the largest item.
        cardinality: the number of values of an attribute, by name.
        collection_bytes: the size of the largest item collection, by index, `TABLE` for the table.
        projection_units: by global index, the write units a second that it costs to project ALL and
            not KEYS_ONLY, and the read units that its reads would need of the table without ALL.
        reads_per_second: items read, by index; an index that is missing here is not read, unless
            the whole mapping is None.
        live: the figures of a live table.
    """

    definition: TableDefinition
    item_bytes: float | None = None
    item_bytes_max: float | None = None
    cardinality: Mapping[str, int] = {}
    collection_bytes: Mapping[str, float] = {}
    projection_units: Mapping[str, tuple[float, float]] | None = None
    reads_per_second: Mapping[str, float] | None = None
    live: LiveFigures | None = None
