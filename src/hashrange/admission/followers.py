"""Shards of a stream follow the partitions of its table: a split splits the shard."""

from functools import partial

from hashrange.capacity.heat import HASH_BYTES
from hashrange.capacity.resources import TableCapacity
from hashrange.errors import DynamoError
from hashrange.tables.catalog import Catalog
from hashrange.tables.opened import OpenTable
from hashrange.tables.shards import with_bounds
from hashrange.tables.system_keys import name_of_catalog_key


async def follow_partitions(
    catalog: Catalog, opened: OpenTable, capacity: TableCapacity, now_ms: int
) -> None:
    """Split the open shards of a table at the bounds of its partitions, if they have not been.

    A bound within an item collection splits no shard: shards are ranges of partition hashes. What a
    crash interrupts is done by the next call. Raises StorageError.
    """
    bounds = tuple(start for start in capacity.table.starts if len(start) == HASH_BYTES)
    if with_bounds(opened.table, bounds, now_ms) is opened.table:
        return
    name = name_of_catalog_key(opened.catalog_key)
    try:
        await catalog.change(name, partial(with_bounds, bounds=bounds, now_ms=now_ms))
    except DynamoError:
        return  # the table was dropped
