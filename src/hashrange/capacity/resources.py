"""Throughput, buckets and partitions of tables and indexes.

All of it is plain data: it can be encoded, stored and used by another process. Source: Developer
Guide, "Provisioned capacity mode", "On-demand capacity mode", "Warm throughput", and "Maximum
throughput for on-demand tables", which says that bursts can exceed the maximum.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from typing import Final

import msgspec

from hashrange.capacity.buckets import CLOCK_STEP_MS, Bucket, new_bucket
from hashrange.capacity.partitions import Partition, even_partitions, partitions_for
from hashrange.capacity.throughput import Peaks
from hashrange.limits.tables import (
    BURST_SECONDS,
    ON_DEMAND_WARM_READ_UNITS,
    ON_DEMAND_WARM_WRITE_UNITS,
    TABLE_CAPACITY_UNITS_MAX,
)
from hashrange.model.table import BillingMode

MINUTE_MS: Final = 60_000
MINUTES_MAX: Final = 20
"""Finished minutes that are kept; auto scaling uses fifteen."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The configured throughput of a table or index, in units a second.

    Attributes:
        read_units: provisioned units; ignored on demand.
        max_read_units: the on-demand maximum; None for no maximum.
        warm_read_units: warm throughput; no effect below the initial on-demand throughput.
        quota_units: the account's limit of read units, and of write units, of an on-demand table.
    """

    mode: BillingMode = "PAY_PER_REQUEST"
    read_units: float = 0.0
    write_units: float = 0.0
    max_read_units: float | None = None
    max_write_units: float | None = None
    warm_read_units: float = 0.0
    warm_write_units: float = 0.0
    quota_units: float = float(TABLE_CAPACITY_UNITS_MAX)


class Minute(msgspec.Struct):
    """Consumed units and throttled requests of one minute, as in the metrics of CloudWatch.

    Attributes:
        throttled: throttled requests by reason, as in ThrottlingReasons. A write that is throttled
            because of an index counts for the index.
    """

    start_ms: float
    read_units: float = 0.0
    write_units: float = 0.0
    throttled: dict[str, int] = {}


class Resource(msgspec.Struct):
    """A table without its indexes, or a global secondary index.

    Attributes:
        table: the name of the table.
        index: the name of the index; None for a table.
        starts: the first positions of the partitions; both lists are ordered.
        next_number: the number of the next partition.
        splits_collections: an item collection can be divided among partitions.
        minutes: the last finished minutes, oldest first.
        starved_until_ms: for an index, the time until which one of its buckets is negative.
        lacks_units: for an index of a holder, the leader's bucket of the index is negative.
    """

    table: str
    index: str | None
    arn: str
    terms: Terms
    read: Bucket
    write: Bucket
    partitions: list[Partition]
    starts: list[bytes]
    next_number: int
    splits_collections: bool
    minute: Minute
    minutes: list[Minute] = []
    read_peaks: Peaks = msgspec.field(default_factory=Peaks)
    write_peaks: Peaks = msgspec.field(default_factory=Peaks)
    starved_until_ms: float = 0.0
    lacks_units: bool = False

    def at(self, position: bytes) -> Partition:
        """The partition that contains a position."""
        return self.partitions[bisect_right(self.starts, position) - 1]

    def between(self, start: bytes, end: bytes) -> list[Partition]:
        """The partitions that a Scan of a range reads; an empty `end` means no bound."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end) if end else len(self.starts)
        if end and self.starts[last - 1] == end:
            last -= 1
        return self.partitions[first:last]

    def count(self, read_units: float, write_units: float, now_ms: float) -> None:
        """Count consumed units in the current minute."""
        minute = self.minute
        if now_ms - minute.start_ms >= MINUTE_MS:
            minute = self.finish_minutes(now_ms)
        minute.read_units += read_units
        minute.write_units += write_units

    def count_throttled(self, reason: str, requests: int, now_ms: float) -> None:
        """Count throttled requests in the current minute."""
        throttled = self.finish_minutes(now_ms).throttled
        throttled[reason] = throttled.get(reason, 0) + requests

    def finish_minutes(self, now_ms: float) -> Minute:
        """Finish minutes that are over, and return the current one.

        Of a long time without requests, only the last minutes are recorded. If the clock was set
        back, the current minute begins now: an hour that counts as a minute would be a false peak.
        """
        if now_ms < self.minute.start_ms - CLOCK_STEP_MS:
            self.minute.start_ms = now_ms
        while now_ms - self.minute.start_ms >= MINUTE_MS:
            over = self.minute
            end_ms = over.start_ms + MINUTE_MS
            self.read_peaks.add(over.read_units / 60, end_ms)
            self.write_peaks.add(over.write_units / 60, end_ms)
            self.minutes.append(over)
            skipped = max(0, int((now_ms - end_ms) // MINUTE_MS) - MINUTES_MAX)
            self.minute = Minute(start_ms=end_ms + skipped * MINUTE_MS)
        del self.minutes[:-MINUTES_MAX]
        return self.minute

    def rates(self) -> tuple[float, float]:
        """Read and write units a second that are served now."""
        terms = self.terms
        if terms.mode == "PROVISIONED":
            return terms.read_units, terms.write_units
        reads, writes = self.allowances()
        if terms.max_read_units is not None:
            reads = min(reads, terms.max_read_units)
        if terms.max_write_units is not None:
            writes = min(writes, terms.max_write_units)
        return reads, writes

    def allowances(self) -> tuple[float, float]:
        """Warm throughput: read and write units a second that can be served immediately."""
        terms = self.terms
        reads, writes = terms.warm_read_units, terms.warm_write_units
        if terms.mode == "PROVISIONED":
            return max(reads, terms.read_units), max(writes, terms.write_units)
        return (
            max(reads, _grown(self.read_peaks, ON_DEMAND_WARM_READ_UNITS, terms.quota_units)),
            max(writes, _grown(self.write_peaks, ON_DEMAND_WARM_WRITE_UNITS, terms.quota_units)),
        )

    def apply(self, terms: Terms, now_ms: float) -> None:
        """Change the configured throughput; warm throughput never decreases."""
        reads, writes = self.allowances()
        self.terms = msgspec.structs.replace(
            terms,
            warm_read_units=max(reads, terms.warm_read_units),
            warm_write_units=max(writes, terms.warm_write_units),
        )
        self.adjust(now_ms)

    def adjust(self, now_ms: float) -> None:
        """Set the rates of the buckets to the throughput that is served now."""
        reads, writes = self.rates()
        self.read.configure(reads, reads * BURST_SECONDS, now_ms)
        self.write.configure(writes, writes * BURST_SECONDS, now_ms)


def _grown(peaks: Peaks, initial: float, quota: float) -> float:
    """The capacity of an on-demand table by its peaks, which grows up to the quota."""
    return min(max(quota, initial), peaks.allowance(initial))


class TableCapacity(msgspec.Struct):
    """A table with its global indexes.

    Attributes:
        local_indexes: names of local indexes, which share the partitions of the table.
        quota_read: the account's limit for an on-demand table together with its indexes.
        starved_until_ms: the maximum of its indexes.
        reservations: the number of open reservations.
    """

    table: Resource
    indexes: dict[str, Resource]
    local_indexes: frozenset[str]
    quota_read: Bucket
    quota_write: Bucket
    starved_until_ms: float = 0.0
    reservations: int = msgspec.field(default=0, name="tills")

    def resource(self, index: str | None) -> Resource | None:
        """The table, or its index of this name; None for an unknown index."""
        if index is None or index in self.local_indexes:
            return self.table
        return self.indexes.get(index)

    def set_quota(self, units: float, now_ms: float) -> None:
        """Change the account's limit from now on."""
        self.quota_read.configure(units, units, now_ms)
        self.quota_write.configure(units, units, now_ms)

    def resources(self) -> Iterator[Resource]:
        """The table and its global indexes."""
        yield self.table
        yield from self.indexes.values()


def new_resource(
    arn: str, index: str | None, terms: Terms, now_ms: float, *, splits_collections: bool = True
) -> Resource:
    """The capacity of a new table or global index; `arn` is the ARN of the table."""
    table = arn.rpartition("/")[2]
    zero = Bucket(rate=0.0, capacity=0.0, level=0.0, at_ms=now_ms)
    made = Resource(
        table=table,
        index=index,
        arn=arn if index is None else f"{arn}/index/{index}",
        terms=terms,
        read=zero,
        write=zero,
        partitions=[],
        starts=[],
        next_number=0,
        splits_collections=splits_collections,
        minute=Minute(start_ms=now_ms),
    )
    reads, writes = made.rates()
    made.read = new_bucket(reads, BURST_SECONDS, now_ms)
    made.write = new_bucket(writes, BURST_SECONDS, now_ms)
    made.partitions = even_partitions(partitions_for(*made.allowances()), now_ms)
    made.starts = [partition.start for partition in made.partitions]
    made.next_number = len(made.partitions)
    return made


def new_table(
    arn: str,
    terms: Terms,
    now_ms: float,
    *,
    indexes: Mapping[str, Terms] | None = None,
    local_indexes: Collection[str] = (),
    has_sort_key: bool = True,
) -> TableCapacity:
    """The capacity of a new table: four partitions on demand; else as many as its units need."""
    inside = has_sort_key and not local_indexes
    quota = terms.quota_units
    return TableCapacity(
        table=new_resource(arn, None, terms, now_ms, splits_collections=inside),
        indexes={
            name: new_resource(arn, name, each, now_ms) for name, each in (indexes or {}).items()
        },
        local_indexes=frozenset(local_indexes),
        quota_read=new_bucket(quota, 1, now_ms),
        quota_write=new_bucket(quota, 1, now_ms),
    )
