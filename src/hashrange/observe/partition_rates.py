"""The use of partitions between two snapshots, and their hottest keys. Pure."""

from collections.abc import Sequence

import msgspec

from hashrange.observe.snapshot import CapacityUse, KeyCounts, PartitionUse


class PartitionRate(msgspec.Struct, frozen=True, kw_only=True):
    """A partition between two snapshots.

    Attributes:
        place: `table`, or `table/index`.
        start: the beginning of its range in hexadecimal digits; empty for the first partition.
        read_units: consumed in a second.
        throttled: requests in a second.
        read_left: units that it has left.
        hot_key: the key that was sampled most; None if none was sampled twice.
        hot_share: its share of the sampled requests of the partition.
    """

    place: str
    number: int
    start: str
    item_bytes: float
    read_units: float
    write_units: float
    throttled: float
    read_left: float
    write_left: float
    hot_key: str | None = None
    hot_share: float = 0.0


def partition_rates(
    before: Sequence[CapacityUse],
    after: Sequence[CapacityUse],
    hot_keys: KeyCounts | None,
    seconds: float,
) -> list[PartitionRate]:
    """The partitions that were used, or throttled requests; those that throttle most first."""
    old = {
        (use.table, use.index, partition.number): partition
        for use in before
        for partition in use.partitions
    }
    seen = {(use.table, use.index) for use in before}
    found = []
    for use in after:
        for partition in use.partitions:
            known = old.get((use.table, use.index, partition.number))
            if known is None:
                # The counts of a table are stored: what it had before it was seen is not known.
                known = _unused(partition) if (use.table, use.index) in seen else partition
            rate = _rate(use, partition, known, seconds)
            if rate.read_units or rate.write_units or rate.throttled:
                found.append(_with_key(rate, partition, hot_keys))
    return sorted(
        found,
        key=lambda each: (-each.throttled, -each.read_units - each.write_units, each.place),
    )


def _unused(partition: PartitionUse) -> PartitionUse:
    """The earlier consumption of a new partition: none, since a split divides no counts."""
    return msgspec.structs.replace(
        partition, read_units=0.0, write_units=0.0, throttled_reads=0, throttled_writes=0
    )


def _rate(
    use: CapacityUse, partition: PartitionUse, old: PartitionUse, seconds: float
) -> PartitionRate:
    throttled = partition.throttled_reads + partition.throttled_writes
    before = old.throttled_reads + old.throttled_writes
    return PartitionRate(
        place=f"{use.table}/{use.index}" if use.index else use.table,
        number=partition.number,
        start=partition.start,
        item_bytes=partition.item_bytes,
        read_units=max(0.0, partition.read_units - old.read_units) / seconds,
        write_units=max(0.0, partition.write_units - old.write_units) / seconds,
        throttled=max(0, throttled - before) / seconds,
        read_left=partition.read_left,
        write_left=partition.write_left,
    )


def _with_key(
    rate: PartitionRate, partition: PartitionUse, hot_keys: KeyCounts | None
) -> PartitionRate:
    if hot_keys is None:
        return rate
    inside = [
        each
        for each in hot_keys.keys
        if each.table == rate.place
        and each.hash
        and each.hash >= partition.start
        and (not partition.end or each.hash < partition.end)
    ]
    total = sum(each.count for each in inside)
    hottest = max(inside, key=lambda each: each.count, default=None)
    if hottest is None or hottest.count < 2:  # noqa: PLR2004 - once means nothing in a sample
        return rate
    return msgspec.structs.replace(rate, hot_key=hottest.key, hot_share=hottest.count / total)
