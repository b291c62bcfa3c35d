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
    """How often a partition key of a table, or of `table/index`, was sampled.

    `hash` is its partition hash in hexadecimal digits, empty if it is not known.
    """

    table: str
    key: str
    count: int
    hash: str = ""


class KeyCounts(msgspec.Struct, frozen=True):
    """The keys sampled most, and how many samples there were."""

    total: int
    keys: Sequence[KeyCount]


class PartitionUse(msgspec.Struct, frozen=True, kw_only=True):
    """A partition of a table or index, with what it consumed since it exists.

    Attributes:
        number: identifies it in its table or index.
        start: the first partition hash of its range, in hexadecimal digits, perhaps with the
            beginning of a sort key; empty for the first partition.
        end: the same of the first one after it; empty for the last partition.
        item_bytes: estimated.
        throttled_reads: throttled requests, for whatever limit.
        read_left: units that it has now.
    """

    number: int
    start: str
    end: str
    item_bytes: float
    read_units: float
    write_units: float
    throttled_reads: int
    throttled_writes: int
    read_left: float
    write_left: float


class CapacityUse(msgspec.Struct, frozen=True, kw_only=True):
    """A table or global index of a server with `--throttle on`.

    Attributes:
        index: empty for the table.
        read_rate: units a second that are served now.
        read_left: units that are left, with those kept for bursts.
        partition_count: how many partitions there are, also of those that are not shown.
    """

    table: str
    index: str
    read_rate: float
    write_rate: float
    read_left: float
    write_left: float
    partition_count: int
    partitions: Sequence[PartitionUse]


class Contributor(msgspec.Struct, frozen=True):
    """A key, as a JSON list of its values, and its count: at least `count`, at most `count_max`."""

    key: str
    count: float
    count_max: float


class Contributors(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a table or index that one rule of contributor insights has counted most.

    Attributes:
        index: empty for the table.
        rule: PKC and SKC count three times the write units plus the read units of partition keys
            and of whole keys, PKT and SKT throttled requests.
        minutes: the counts are of so many finished minutes; of the present minute if 0.
        total: the count of all keys.
        error: the most that a key that is missing can count.
        keys: in descending order.
    """

    table: str
    index: str
    rule: str
    minutes: int
    total: float
    error: float
    keys: Sequence[Contributor]


class JobState(msgspec.Struct, frozen=True):
    """How far a job in the background has come.

    Attributes:
        kind: as "export".
        table: the stored name of its table.
        name: of the job; empty if the table has one such job at most.
        share: how much of it is done, from 0 to 1; None if that is not known.
        seconds_left: an estimate; None if there is none yet.
    """

    kind: str
    table: str
    name: str
    share: float | None
    seconds_left: float | None


class SlowRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A slow request, as its line in the log.

    Attributes:
        at_ns: when it was answered, on the monotonic clock of the machine.
        fault: the code of its error; empty if there was none.
    """

    at_ns: int
    request_id: str
    operation: str
    tables: str
    status: int
    fault: str
    duration_ms: float


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
        contributors: of tables with contributor insights; none if keys are not shown.
        capacity: of tables that were used, with `--throttle on`.
        jobs: those that are being done.
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
    contributors: Sequence[Contributors] = ()
    capacity: Sequence[CapacityUse] = ()
    jobs: Sequence[JobState] = ()
