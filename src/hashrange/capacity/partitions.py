"""Partitions: ranges of positions with their own buckets. Partitions are split and never merged.

Positions are described in `capacity.heat`. Source: Developer Guide, "Partitions and data
distribution" and "Burst and adaptive capacity". A partition's burst of one second is our choice.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.capacity.buckets import Bucket, Reservation
from hashrange.capacity.heat import HASH_BYTES, Heat
from hashrange.limits.tables import PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX

HOT: Final = 0.5
"""A partition samples requests while a bucket is below this share: see `capacity.heat`."""
_SPAN_BYTES: Final = HASH_BYTES + 8
"""Bytes of positions that are compared as numbers: the hash and 8 bytes of the sort key."""
_SPAN_END: Final = 1 << (8 * _SPAN_BYTES)


class Partition(msgspec.Struct):
    """A range of positions of a table or index.

    Attributes:
        number: identifies the partition in its table or index; numbers are not used again.
        start: the first position.
        end: the first position after the partition; empty for the last partition.
        item_bytes: the estimated size of its items.
        read_units: consumed units since the partition exists; without those of open reservations.
        throttled_reads: requests that were throttled at it, for whatever limit.
    """

    number: int
    start: bytes
    end: bytes
    read: Bucket
    write: Bucket
    item_bytes: float = 0.0
    heat: Heat = msgspec.field(default_factory=Heat)
    read_units: float = 0.0
    write_units: float = 0.0
    throttled_reads: int = 0
    throttled_writes: int = 0
    read_reservation: Reservation = msgspec.field(default_factory=Reservation, name="read_till")
    write_reservation: Reservation = msgspec.field(default_factory=Reservation, name="write_till")

    @property
    def is_one_collection(self) -> bool:
        """Whether the range contains at most one partition hash."""
        start = int.from_bytes(self.start[:HASH_BYTES].ljust(HASH_BYTES, b"\0"), "big")
        end = _number(self.end) if self.end else _SPAN_END
        return end <= (start + 1) << (8 * (_SPAN_BYTES - HASH_BYTES))

    @property
    def width(self) -> int:
        """The size of the range, for comparisons."""
        return (_number(self.end) if self.end else _SPAN_END) - _number(self.start)

    @property
    def middle(self) -> bytes:
        """The middle of the range: a partition hash, or a longer position within one collection."""
        middle = (_number(self.start) + self.width // 2).to_bytes(_SPAN_BYTES, "big")
        return middle if self.is_one_collection else middle[:HASH_BYTES]


class Range(msgspec.Struct, frozen=True):
    """The number and the range of a partition."""

    number: int
    start: bytes
    end: bytes


class Split(msgspec.Struct, frozen=True):
    """The replacement of a partition by several, for shards of streams and others that follow.

    Attributes:
        index: None for a partition of the table itself.
        reason: `HEAT`, `SIZE`, or `GROWTH` for a higher throughput of the table or index.
        children: in order of their positions; together they cover the range of the parent.
    """

    table: str
    index: str | None
    reason: str
    at_ms: float
    parent: Range
    children: tuple[Range, ...]


def is_hot(partition: Partition) -> bool:
    """Whether a bucket of the partition is below HOT of its capacity."""
    read, write = partition.read, partition.write
    return read.level < HOT * read.capacity or write.level < HOT * write.capacity


def partitions_for(read_units: float, write_units: float) -> int:
    """The number of partitions that serve a throughput in units a second."""
    reads = -(-read_units // PARTITION_READ_UNITS_MAX)
    writes = -(-write_units // PARTITION_WRITE_UNITS_MAX)
    return max(1, int(reads), int(writes))


def even_partitions(count: int, now_ms: float) -> list[Partition]:
    """Partitions with equal ranges of hashes, numbered from 0."""
    hashes = 1 << (8 * HASH_BYTES)
    bounds = (hashes * each // count for each in range(1, count))
    starts = [b"", *(bound.to_bytes(HASH_BYTES, "big") for bound in bounds)]
    ends = [*starts[1:], b""]
    return [
        new_partition(number, start, end, now_ms)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def new_partition(number: int, start: bytes, end: bytes, now_ms: float) -> Partition:
    """A partition whose buckets are full."""
    read, write = float(PARTITION_READ_UNITS_MAX), float(PARTITION_WRITE_UNITS_MAX)
    return Partition(
        number=number,
        start=start,
        end=end,
        read=Bucket(rate=read, capacity=read, level=read, at_ms=now_ms),
        write=Bucket(rate=write, capacity=write, level=write, at_ms=now_ms),
    )


def children_of(
    parent: Partition, cuts: Sequence[bytes], number: int, now_ms: float
) -> list[Partition]:
    """The partitions that replace a partition, numbered from `number`.

    Units and bytes of the parent are divided equally, so a split alone does not grant any units.
    """
    starts = [parent.start, *cuts]
    ends = [*cuts, parent.end]
    read, write = parent.read.refill(now_ms), parent.write.refill(now_ms)
    children = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        child = new_partition(number + place, start, end, now_ms)
        child.read.level = read / len(starts)
        child.write.level = write / len(starts)
        child.item_bytes = parent.item_bytes / len(starts)
        children.append(child)
    return children


def _number(position: bytes) -> int:
    return int.from_bytes(position[:_SPAN_BYTES].ljust(_SPAN_BYTES, b"\0"), "big")
