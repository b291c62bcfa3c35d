"""A table as requests use it: its definition, and values precomputed from it.

A contributor is in the list of a table only if the table has what it writes.
"""

from collections.abc import Sequence

from hashrange.capacity.table_limiter import TableLimiter
from hashrange.model.table import Table
from hashrange.model.values import Item, KeyType
from hashrange.storage.engine import KEY_BYTES_MAX, Fences
from hashrange.tables.items.item_changes import Contributor, ItemChange
from hashrange.tables.keys.keyspace import (
    bytes_key,
    collection_key,
    item_count_key,
    items_range,
    longest_key_bytes,
)
from hashrange.tables.keys.string_keys import string_key
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


def _index_keys(table: Table) -> tuple[tuple[str, KeyType], ...]:
    """See `OpenTable.index_keys`."""
    keys = [(each, key) for each in table.all_indexes for key in each.key_attributes]
    return tuple(
        dict.fromkeys(
            (key.name, key.type)
            for index, key in keys
            # A key of the table is one of the index, but for a long partition key as a sort key.
            if key != table.sort and (key != table.partition or key in index.sort)
        )
    )


assert longest_key_bytes() <= KEY_BYTES_MAX, "every item fits an engine without a bound of its own"


def _no_key(_item: Item) -> None:
    return None


class OpenTable:
    """A table that was read from the catalog; valid as long as its fences hold.

    Attributes:
        table: the definition.
        fences: the catalog entry from which the definition was read; a fence of every read and
            write that is planned with this value.
        entries: make the entries of the indexes that writes maintain.
        contributors: add what is written with a change of an item, in this order.
        index_key_names: the key attributes of indexes, without those of the table's key.
        catalog_key: the key of the catalog entry, which owns the rows of the table that no item
            owns. Empty if the definition was not read from a catalog.
        key_bytes_max: the bound of the engine. An item has no entry in an index if the entry's key
            would be longer; only items that are older than the index can be such.
        key_count: the number of key attributes.
        limiter: limits requests on the table; None until a request needs it,
            and always if the server does not throttle. Set by `admission`.
        has_indexes: clients have made indexes, local, global or of vectors.
        has_insights: contributor insights of the table, or of an index, are enabled.
        index_keys: the name and the type of each key attribute of its indexes, without those that
            every item with a valid key has.
        local_index_names: the names of its local indexes.
        vector_names: the names of its vector indexes.
        needs_preread: a write must read more than its item before it decides.
        is_replicated: it has replicas; deleted items leave tombstones.
        is_ordered: versions of changes order those of several regions.
        is_strong: its writes, and its strong reads, go through the log of its group.
        wants_places: charges are wanted for each item and entry, and not for the table as a whole.
            Set by the admission.
        is_plain: a write of an item writes nothing else but counters of the table. item_count_key:
        the key of the counter of its items. bytes_key: the key of the counter of their bytes.
        string_key: the key of an item, if it is of strings; `tables.opened.keys` has those of all
        items. string_key_alone: the same of a key without further attributes; None if it has some.
    """

    __slots__ = (
        "bytes_key",
        "catalog_key",
        "contributors",
        "entries",
        "fences",
        "has_collections",
        "has_indexes",
        "has_insights",
        "index_key_names",
        "index_keys",
        "is_building",
        "is_ordered",
        "is_plain",
        "is_replicated",
        "is_strong",
        "item_count_key",
        "key_bytes_max",
        "key_count",
        "key_names",
        "limiter",
        "local_index_names",
        "needs_preread",
        "number",
        "partition_name",
        "partition_type",
        "sort_name",
        "sort_type",
        "string_key",
        "string_key_alone",
        "table",
        "vector_names",
        "wants_places",
    )

    def __init__(
        self,
        table: Table,
        fences: Fences,
        key_bytes_max: int = KEY_BYTES_MAX,
        *,
        catalog_key: bytes = b"",
    ) -> None:
        self.table = table
        self.key_bytes_max = key_bytes_max
        self.catalog_key = catalog_key
        self.fences = fences
        self.limiter: TableLimiter | None = None
        self.is_building = any(index.state == "BUILDING" for index in table.kept_indexes)
        settings = (table.insights, *[index.insights for index in table.indexes])
        self.has_insights = any(each is not None and each.since_ms for each in settings)
        self.wants_places = self.has_insights
        self.has_collections = table.counts_collections
        self.is_replicated = table.is_replicated
        self.is_strong = table.strong is not None and table.strong.state != "ENDED"
        self.is_ordered = self.is_replicated or self.is_strong
        self.needs_preread = self.is_building or self.has_collections or self.is_ordered
        self.entries = tuple(
            IndexEntries(table, index) for index in table.kept_indexes if index.state != "DELETING"
        )
        self.contributors = contributors_of(table, self.entries, key_bytes_max)
        self.is_plain = not (self.contributors or self.is_ordered)
        self.number = table.number
        self.item_count_key = item_count_key(table.number)
        self.bytes_key = bytes_key(table.number)
        self.partition_name = table.partition.name
        self.partition_type = table.partition.type
        self.sort_name = None if table.sort is None else table.sort.name
        self.sort_type = None if table.sort is None else table.sort.type
        key = items_range(table.number)[0], (table.partition,), table.key_attributes[1:]
        self.string_key = string_key(*key) or _no_key
        self.string_key_alone = string_key(*key, is_alone=True) or _no_key
        self.key_names = tuple(attribute.name for attribute in table.key_attributes)
        self.key_count = len(self.key_names)
        indexes = table.all_indexes
        self.has_indexes = bool(indexes)
        self.local_index_names = frozenset(each.name for each in indexes if each.is_local)
        self.vector_names = frozenset(each.name for each in table.vectors)
        self.index_keys = _index_keys(table)
        self.index_key_names = tuple(
            dict.fromkeys(
                attribute.name
                for index in table.indexes
                if index.state != "DELETING"
                for attribute in index.key_attributes
                if attribute.name not in self.key_names
            )
        )

    def building_keys(self, item: Item) -> list[bytes]:
        """The keys of the entries that an item can have in indexes that are being built."""
        building = [each for each in self.entries if each.index.state == "BUILDING"]
        keys = [each.key(item) for each in building]
        return [key for key in keys if key is not None and len(key) <= self.key_bytes_max]
