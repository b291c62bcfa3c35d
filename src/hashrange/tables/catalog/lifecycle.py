"""The status of tables and indexes.

Tables change at once. With `transient_ms` their status is CREATING, UPDATING or DELETING for a
while, as in DynamoDB, so that clients can test their code that waits.
"""

from collections.abc import Sequence
from itertools import chain, islice

import msgspec

from hashrange.model.table import Index, IndexStatus, Table, TableStatus
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.catalog import Catalog, pages_of_names
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize, size_from, size_keys


def status_of(table: Table, now_ms: int, transient_ms: int) -> TableStatus:
    """The status in DescribeTable."""
    if table.deleted_ms is not None or table.is_leaving:
        return "DELETING"
    if is_creating(table, now_ms, transient_ms):
        return "CREATING"
    if is_changing(table, now_ms, transient_ms) or _changes_group(table):
        return "UPDATING"
    for index in table.all_indexes:
        if index.state == "DELETING" or is_allocating(index, now_ms, transient_ms):
            return "UPDATING"
    if table.replication is not None and table.region in table.replication.denied:
        return "REPLICATION_NOT_AUTHORIZED"
    return "ACTIVE"


def is_creating(table: Table, now_ms: int, transient_ms: int) -> bool:
    """Whether a table that was not deleted is shown as CREATING."""
    return table.is_filled_later or _is_recent(table.created_ms, now_ms, transient_ms)


def index_status_of(index: Index, now_ms: int, transient_ms: int) -> IndexStatus:
    """The status of a global index in DescribeTable."""
    if index.state == "DELETING":
        return "DELETING"
    if index.state == "BUILDING" or is_allocating(index, now_ms, transient_ms):
        return "CREATING"
    return "UPDATING" if is_changing(index, now_ms, transient_ms) else "ACTIVE"


def is_allocating(index: Index, now_ms: int, transient_ms: int) -> bool:
    """Whether UpdateTable has just created it; the service allocates resources at first."""
    return _is_recent(index.created_ms, now_ms, transient_ms)


def is_changing(changed: Table | Index, now_ms: int, transient_ms: int) -> bool:
    """Whether a change is in progress that shows as UPDATING."""
    return _is_recent(changed.changed_ms, now_ms, transient_ms)


def is_warming(warmed: Table | Index, now_ms: int, transient_ms: int) -> bool:
    """Whether warm throughput shows as UPDATING; the table or index itself stays ACTIVE."""
    return _is_recent(warmed.warm_changed_ms, now_ms, transient_ms)


def is_encrypting(table: Table, now_ms: int, transient_ms: int) -> bool:
    """Whether encryption shows as UPDATING; the table itself stays ACTIVE."""
    return _is_recent(table.encryption_changed_ms, now_ms, transient_ms)


def still_shown(dropped: Table, now_ms: int, transient_ms: int) -> bool:
    """Whether a dropped table still shows as DELETING."""
    assert dropped.deleted_ms is not None
    return _is_recent(dropped.deleted_ms, now_ms, transient_ms)


def is_disassociating(table: Table) -> bool:
    """Whether it is a replica that is about to leave its group with its items."""
    group = table.replication
    return group is not None and bool(group.disassociation_ms and group.replicas)


def _changes_group(table: Table) -> bool:
    """Whether a replica comes or is disassociated, or the group of a strong table is changed."""
    if is_disassociating(table):
        return True
    if table.strong is not None and table.strong.state != "ACTIVE":
        return True
    replicas = () if table.replication is None else table.replication.replicas
    return any(replica.state == "CREATING" for replica in replicas)


def _is_recent(since_ms: int | None, now_ms: int, transient_ms: int) -> bool:
    """Whether a change began less than `transient_ms` ago.

    False for a time in the future: another server's clock was ahead, or the clock was set back.
    """
    return since_ms is not None and since_ms <= now_ms < since_ms + transient_ms


class Inventory(msgspec.Struct):
    """The tables of an engine.

    Attributes:
        sizes: sizes by name, or by account:region:name in separate namespaces.
        tables: the number of tables, also of those without a size in `sizes`.
        indexes_in_work: the number of indexes that are being built or removed.
        dropping: the number of deleted tables whose rows or streams still exist.
    """

    sizes: dict[str, TableSize]
    tables: int = 0
    indexes_in_work: int = 0
    dropping: int = 0


async def inventory(engine: Engine, catalog: Catalog, *, sizes_max: int) -> Inventory:
    """Count all tables, and read the sizes of the first `sizes_max` by name.

    Raises StorageError.
    """
    result = Inventory({})
    async for names in pages_of_names(catalog):
        result.tables += len(names)
        room = sizes_max - len(result.sizes)
        await _add_sizes(engine, result, await _opened(catalog, names[:room]))
    result.dropping = len(await catalog.dropped.tables())
    return result


async def _opened(catalog: Catalog, names: Sequence[str]) -> dict[str, OpenTable]:
    tables = {name: catalog.cached(name) or await catalog.open(name) for name in names}
    return {name: table for name, table in tables.items() if table is not None}


async def _add_sizes(engine: Engine, result: Inventory, tables: dict[str, OpenTable]) -> None:
    keys = [size_keys(table.table) for table in tables.values()]
    counters = iter(await engine.read(list(chain.from_iterable(keys))))
    for (name, table), its_keys in zip(tables.items(), keys, strict=True):
        result.sizes[name] = size_from(table.table, list(islice(counters, len(its_keys))))
    result.indexes_in_work += sum(
        index.state != "ACTIVE" for table in tables.values() for index in table.table.kept_indexes
    )
