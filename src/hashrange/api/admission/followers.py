"""Members of a table's catalog entry that follow its capacity: shards, and warm throughput.

A split of a partition splits the shard of the stream. Warm throughput is what an on-demand table or
index can serve at once; it rises with the use, and never falls. Source: Developer Guide,
"Understanding DynamoDB warm throughput".
"""

from typing import TypeVar

import msgspec

from hashrange.capacity.heat import HASH_BYTES
from hashrange.capacity.resources import Resource, TableCapacity
from hashrange.errors import DynamoError
from hashrange.limits.tables import ON_DEMAND_WARM_READ_UNITS as INITIAL_READS
from hashrange.limits.tables import ON_DEMAND_WARM_WRITE_UNITS as INITIAL_WRITES
from hashrange.model.table import Index, Table, WarmUnits
from hashrange.tables.catalog.catalog import Catalog, not_found
from hashrange.tables.keys.system_keys import name_of_catalog_key
from hashrange.tables.log.shards import with_bounds
from hashrange.tables.opened.open_table import OpenTable

P = TypeVar("P", Table, Index)


async def follow_capacity(
    catalog: Catalog, opened: OpenTable, capacity: TableCapacity, now_ms: int
) -> None:
    """Change the entry of a table whose capacity has changed, if it has not been changed yet.

    A bound within an item collection splits no shard: shards are ranges of partition hashes. What a
    crash interrupts is done by the next call. Raises StorageError.
    """
    name, number = name_of_catalog_key(opened.catalog_key), opened.number

    def follow(table: Table) -> Table:
        if table.number != number:
            raise not_found(name)  # it was dropped, and made again
        bounds = tuple(start for start in capacity.table.starts if len(start) == HASH_BYTES)
        return with_warm(with_bounds(table, bounds, now_ms), capacity)

    if follow(opened.table) is opened.table:
        return
    try:
        await catalog.change(name, follow)
    except DynamoError:
        return  # the table was dropped


def with_warm(table: Table, capacity: TableCapacity) -> Table:
    """The table with the warm throughput that it and its indexes have; the same if none rose."""
    if table.billing_mode != "PAY_PER_REQUEST":
        return table
    indexes = tuple(_risen(index, capacity.indexes.get(index.name)) for index in table.indexes)
    if indexes != table.indexes:
        table = msgspec.structs.replace(table, indexes=indexes)
    return _risen(table, capacity.table)


def _risen(place: P, resource: Resource | None) -> P:
    """A table or index with the units that it serves at once, if they are more than it shows."""
    if resource is None:
        return place
    reads, writes = map(int, resource.allowances())
    warm = place.warm
    units = WarmUnits(
        read_units=reads if reads > max(warm.read_units, INITIAL_READS) else warm.read_units,
        write_units=writes if writes > max(warm.write_units, INITIAL_WRITES) else warm.write_units,
    )
    return place if units == warm else msgspec.structs.replace(place, warm=units)


async def reopened(catalog: Catalog, opened: OpenTable) -> OpenTable | None:
    """The same table as the catalog has it now; None if it is gone. Raises StorageError."""
    found = await catalog.open(name_of_catalog_key(opened.catalog_key))
    return found if found is not None and found.number == opened.number else None
