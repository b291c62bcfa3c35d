"""The contributors of a table: what is written with each change of an item of it.

A contributor is in the list of a table only if the table has what it writes.
"""

from collections.abc import Sequence

from hashrange.model.table import Table
from hashrange.tables.items.item_changes import Contributor, ItemChange
from hashrange.tables.keys.keyspace import collection_key
from hashrange.tables.log.change_log import LogRouter
from hashrange.tables.log.tombstones import tombstone, tombstone_key
from hashrange.tables.opened.index_entries import IndexEntries, index_contributor


def contributors_of(
    table: Table, indexes: Sequence[IndexEntries], key_bytes_max: int
) -> tuple[Contributor, ...]:
    """The contributors of a table, in the order in which they are called.

    Args:
        table: the definition.
        indexes: those that writes maintain.
        key_bytes_max: the bound of the engine.
    """
    found: list[Contributor] = []
    if table.log.open_shards:
        found.append(LogRouter(table).contribute)
    if indexes:
        names = tuple(attribute.name for attribute in table.key_attributes)
        found.append(index_contributor(indexes, names, key_bytes_max))
    if table.counts_collections:
        # Behind the indexes, since it counts the entries in local ones.
        found.append(_count_collection)
    if table.is_replicated:
        found.append(_keep_tombstone)
    return tuple(found)


def _count_collection(change: ItemChange) -> None:
    """Count the item collection. Raises ItemCollectionSizeLimitExceededException."""
    sizes, before, after = change.terms.collections, change.before, change.after
    if sizes is None:
        return  # the log of a strong table decides first, and counts when the change is applied
    grown = change.local_bytes + (after.size if after else 0) - (before.size if before else 0)
    if grown:
        key, adds = collection_key(change.key), change.changes.adds
        adds[key] = adds.get(key, 0) + grown
    change.collection_bytes = sizes.grow(change.key, grown)


def _keep_tombstone(change: ItemChange) -> None:
    """Leave a tombstone of a deleted item, and remove that of an item that is put."""
    if change.after is None:
        mark = tombstone(change.version, change.region)
        change.changes.puts[tombstone_key(change.key)] = mark
    elif change.terms.tombstone is not None:
        change.changes.deletes.append(tombstone_key(change.key))
