"""Writes to global tables: changes of other regions, and the versions that order them. Pure.

The last writer wins: of two changes of an item, all replicas keep the one with the greater version,
in whichever order they receive them. A change of a client gets a version above that of the item, or
of its tombstone.
"""

from collections.abc import Iterable
from typing import Any

from hashrange.model.replication import Replication
from hashrange.tables.items.images import OWN_REGION, Image, version_and_region_of
from hashrange.tables.log.change_log import is_change
from hashrange.tables.log.tombstones import GlobalVersion, version_and_region
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision, ItemWrite, WritePlan


def replicated_write(
    table: OpenTable, key: bytes, after: Image | None, version: GlobalVersion
) -> ItemWrite[None]:
    """The plan of a change that was made in another region.

    Args:
        table: the replica to change.
        key: of the item in this replica.
        after: the item after the change; None if it was deleted.
        version: of the change; its region is one of the table's replication.
    """
    decision = Decision(after, None)
    return ItemWrite(table, key, lambda _before: decision, origin=version)


def latest_writes(writes: Iterable[ItemWrite[None]]) -> list[ItemWrite[None]]:
    """Of changes of other regions the last one of each item."""
    latest: dict[bytes, ItemWrite[None]] = {}
    for write in writes:
        other = latest.setdefault(write.key, write)
        if other is not write and _version_of(other) < _version_of(write):
            latest[write.key] = write
    return list(latest.values())


def _version_of(write: ItemWrite[None]) -> GlobalVersion:
    assert write.origin is not None, "a change of another region"
    return write.origin


def next_version(
    write: WritePlan[Any], item: bytes | None, mark: bytes | None, now_us: int
) -> tuple[int, int] | None:
    """The version and the region's number of a change; None if an earlier change wins.

    Args:
        write: the plan, for a global table.
        item: the stored item.
        mark: its tombstone.
        now_us: the time.
    """
    version, region, origin = 0, OWN_REGION, write.origin
    if item is not None:
        version, region = version_and_region_of(item)
    elif mark is not None:
        version, region = version_and_region(mark)
    if origin is None:
        return max(now_us, version + 1), OWN_REGION
    group = _replication(write.table)
    if write.table.is_strong:
        # A copy of the items may have brought the change of an entry, or a later one.
        is_known = item is not None and version >= origin.version
        return None if is_known else (origin.version, group.number_of(origin.region))
    regions = group.regions
    # The regions decide between equal versions only; their names are read then.
    if origin.version < version or (
        origin.version == version and version and origin.region <= regions[region]
    ):
        return None
    return origin.version, regions.index(origin.region)


def leaves_as_is(write: WritePlan[Any], before: Image | None, after: Image | None) -> bool:
    """Whether a client leaves an item of a global table as it is: another region's change wins.

    Source: captures of the service, September 2026.
    """
    return write.origin is None and not is_change(before, after)


def _replication(table: OpenTable) -> Replication:
    replication = table.table.replication
    assert replication is not None, "a global table"
    return replication
