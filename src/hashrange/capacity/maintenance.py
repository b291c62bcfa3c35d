"""Periodic maintenance: minutes are finished, on-demand tables grow, partitions are split.

The caller runs it every few seconds for each table; longer intervals only delay its effects.
"""

from collections.abc import Sequence

from hashrange.capacity.heat import cuts
from hashrange.capacity.partitions import (
    Partition,
    Range,
    Split,
    children_of,
    partitions_for,
)
from hashrange.capacity.reservations import close_reservations
from hashrange.capacity.resources import Resource, TableCapacity
from hashrange.limits.tables import PARTITION_BYTES_MAX, PARTITIONS_MAX


def maintain(
    table: TableCapacity, now_ms: float, *, partition_bytes_max: float = PARTITION_BYTES_MAX
) -> list[Split]:
    """Update a table and its indexes, and return the splits in order."""
    splits = []
    close_reservations(table, now_ms)
    _recover(table, now_ms)
    for resource in table.resources():
        resource.finish_minutes(now_ms)
        resource.read_peaks.count_until(now_ms)
        resource.write_peaks.count_until(now_ms)
        resource.adjust(now_ms)
        splits += _grown(resource, now_ms)
        for partition in list(resource.partitions):
            if partition.item_bytes > partition_bytes_max:
                splits += _split(
                    resource, partition, _halves(resource, partition), ("SIZE", now_ms)
                )
            elif partition.heat.is_due(now_ms):
                found = cuts(
                    partition.heat.positions,
                    partition.start,
                    partition.end,
                    inside=resource.splits_collections,
                )
                # If no cut helps, the next decision needs new samples.
                partition.heat.positions.clear()
                splits += _split(resource, partition, found, ("HEAT", now_ms))
    return splits


def _recover(table: TableCapacity, now_ms: float) -> None:
    """Correct the times until which indexes lack units: the clock may have been set back."""
    for index in table.indexes.values():
        if index.starved_until_ms > now_ms:
            buckets = [index.write, *(partition.write for partition in index.partitions)]
            index.starved_until_ms = max(
                (each.recovers_ms() for each in buckets if each.refill(now_ms) < 0), default=0.0
            )
    times = (index.starved_until_ms for index in table.indexes.values())
    table.starved_until_ms = max(times, default=0.0)


def _grown(resource: Resource, now_ms: float) -> list[Split]:
    """Split the widest partitions until their number fits the throughput."""
    splits: list[Split] = []
    missing = partitions_for(*resource.allowances()) - len(resource.partitions)
    for _ in range(missing):
        wide = [each for each in resource.partitions if not each.is_one_collection]
        if not wide:
            break
        widest = max(wide, key=lambda each: each.width)
        splits += _split(resource, widest, (widest.middle,), ("GROWTH", now_ms))
    return splits


def _halves(resource: Resource, partition: Partition) -> Sequence[bytes]:
    if partition.is_one_collection and not resource.splits_collections:
        return ()
    middle = partition.middle
    return (middle,) if middle > partition.start else ()


def _split(
    resource: Resource, partition: Partition, cut: Sequence[bytes], event: tuple[str, float]
) -> list[Split]:
    reason, now_ms = event
    if not cut or len(resource.partitions) + len(cut) > PARTITIONS_MAX:
        return []
    children = children_of(partition, cut, resource.next_number, now_ms)
    resource.next_number += len(children)
    place = resource.partitions.index(partition)
    resource.partitions[place : place + 1] = children
    resource.starts[place : place + 1] = [child.start for child in children]
    return [
        Split(
            table=resource.table,
            index=resource.index,
            reason=reason,
            at_ms=now_ms,
            parent=_range(partition),
            children=tuple(map(_range, children)),
        )
    ]


def _range(partition: Partition) -> Range:
    return Range(partition.number, partition.start, partition.end)
