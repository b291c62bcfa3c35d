"""Index entries, and their changes by the change of an item. Pure.

An entry is the projection of an item, stored under the index's key. An item that has all key
attributes of an index, with the declared types, has an entry; other items have none. Items that
are older than an index may have invalid values; they have no entry in it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hashrange.capacity.units import KeyValues, write_units
from hashrange.limits.requests import (
    PARTITION_KEY_BYTES_MAX,
    SORT_KEY_BYTES_MAX,
    VECTOR_REQUEST_BYTES_MIN,
)
from hashrange.model.sizes import item_bytes
from hashrange.model.table import Index, Table, Vector
from hashrange.model.values import Item
from hashrange.tables.items.images import Image, image_of, stored, stored_entry
from hashrange.tables.items.item_changes import Contributor, EntryUnits, ItemChange
from hashrange.tables.keys.keyspace import (
    HASH_BYTES,
    TYPED_HEAD_BYTES,
    bytes_key,
    digest,
    hash16,
    index_range,
    item_count_key,
    saved_bytes_key,
    typed,
    vector_log_key,
)
from hashrange.tables.keys.ordering import grouped_bytes, ordered
from hashrange.tables.keys.scaling_keys import ENTRY_POSITION
from hashrange.tables.keys.string_keys import StringKey, string_key
from hashrange.tables.log.change_log import is_change
from hashrange.tables.opened.vector_entries import (
    PackedVector,
    as_binary,
    distinct_vectors,
    packed_vector,
    saved_by,
    vector_apart,
    vectors_of,
)

_NO_VECTORS: Final[Mapping[str, PackedVector]] = {}
_WITHOUT_VECTORS: Final = (_NO_VECTORS, _NO_VECTORS)
_TYPED_BYTES_MAX: Final = TYPED_HEAD_BYTES + PARTITION_KEY_BYTES_MAX


class Entry(msgspec.Struct, frozen=True):
    """The key and the image of one entry, and the bytes that its vector saves."""

    key: bytes
    image: Image
    saved: int = 0


def names_of(table: Table, index: Index) -> frozenset[str] | None:
    """The attributes that an index projects; None for all."""
    if index.projection == "ALL":
        return None
    keys = [attribute.name for attribute in (*table.key_attributes, *index.key_attributes)]
    if index.vector is not None:
        keys += [index.vector.attribute, *(each.name for each in index.vector.filters)]
    return frozenset([*keys, *index.non_key])


def _prefix_of(head: bytes, index: Index) -> StringKey:
    """The prefix of an entry's key, of an index with keys of any types."""
    partition = tuple((each.name, each.type) for each in index.partition)
    sort = tuple((each.name, each.type) for each in index.sort)

    def prefix(item: Item) -> bytes | None:
        hashed = b""
        for name, kind in partition:
            value = item.get(name)
            if value is None or kind not in value:
                return None
            part = typed(value)
            # Canonical numbers are shorter than any bound.
            if not TYPED_HEAD_BYTES < len(part) <= _TYPED_BYTES_MAX:
                return None
            hashed += part
        prefix = head + digest(hashed)
        for name, kind in sort:
            value = item.get(name)
            if value is None or kind not in value:
                return None
            part = ordered(value)
            if kind != "N" and not 0 < grouped_bytes(part) <= SORT_KEY_BYTES_MAX:
                return None
            prefix += part
        return prefix

    return prefix


class IndexEntries:
    """Makes the entries of one index; what is the same for all of them is computed once.

    Args:
        table: the table of the index.
        index: the index.

    Attributes:
        index: the index.
        has_units: its entries cost write units; those of the index of expiry do not.
        log: the log of the changes of a vector index; None for any other.
        saved_key: of the counter of the bytes that its vectors save.
        vector: the vectors of a vector index; None for any other.
        has_all: an entry has the image of its item.
        read: the attributes that decide where an entry is and, unless it has all, what is in it;
            without those of the table's key, which no change of an item changes.
        names: those that it has; None for all.
        prefix: the key of an item's entry without the hash of the item's key at its end; None if a
            key attribute of the index is missing or invalid. Vectors are not looked at.
        item_count_key: of the counter of its entries.
        bytes_key: of the counter of their bytes.
    """

    __slots__ = (
        "_key_names",
        "bytes_key",
        "has_all",
        "has_units",
        "index",
        "item_count_key",
        "log",
        "names",
        "prefix",
        "read",
        "saved_key",
        "vector",
    )

    def __init__(self, table: Table, index: Index) -> None:
        self.index = index
        self.has_units = not index.is_expiry
        self.item_count_key = item_count_key(table.number, index.number)
        self.bytes_key = bytes_key(table.number, index.number)
        head = index_range(table.number, index.number)[0]
        self.prefix = string_key(head, index.partition, index.sort) or _prefix_of(head, index)
        self._key_names = tuple(each.name for each in table.key_attributes)
        self.names = names = names_of(table, index)
        self.vector = vector = index.vector
        self.has_all = names is None and vector is None
        read = names or [each.name for each in index.key_attributes]
        self.read = tuple(name for name in read if name not in self._key_names)
        self.log = None if vector is None else vector_log_key(table.number, index.number)
        self.saved_key = saved_bytes_key(table.number, index.number)

    def key(self, item: Item) -> bytes | None:
        """The key of an item's entry; None if it is not in the index."""
        if self.vector is not None and packed_vector(self.vector, item) is None:
            return None
        prefix = self.prefix(item)
        return None if prefix is None else self._key(prefix, item)

    def _key(self, prefix: bytes, item: Item) -> bytes:
        return prefix + hash16(map(item.__getitem__, self._key_names))

    def is_ordered_alike(self, one: Item, other: Item) -> bool:
        """Whether two items, with equal values for an entry, have them in the same order, too.

        Entries of vectors are compared as they are stored.
        """
        if self.vector is not None or self.names is None:
            return False
        has = self.names.__contains__
        return [*filter(has, one)] == [*filter(has, other)]

    def projected(
        self,
        key: bytes,
        item: Item,
        vectors: Mapping[str, PackedVector] = _NO_VECTORS,
        image: Image | None = None,
    ) -> Entry:
        """The entry of an item that has one.

        Args:
            key: of the entry.
            item: canonical.
            vectors: of the item, by attribute; only a vector index needs them.
            image: that of the item, if it is there.
        """
        if image is not None and self.has_all:
            return Entry(key, image)
        names, saved = self.names, 0
        kept = item if names is None else {name: item[name] for name in item if name in names}
        if self.vector is not None:
            vector = vectors[self.vector.attribute]
            kept, saved = {**kept, self.vector.attribute: as_binary(vector.data)}, vector.saved
        return Entry(key, image_of(kept, item_bytes(kept)), saved)

    def entry(self, item: Item, image: Image | None = None) -> Entry | None:
        """The entry of an item in an index that has no vectors; None if it is not in the index.

        Args:
            item: canonical, with a valid key of the table.
            image: the image of the item, if it is there.
        """
        prefix = self.prefix(item)
        if prefix is None:
            return None
        return self.projected(self._key(prefix, item), item, image=image)

    def entry_of(self, image: Image) -> Entry | None:
        """The entry of the item of an image, of any index; None if it is not in the index."""
        if self.vector is None:
            return self.entry(image.item(), image)
        item, vectors = vector_apart(self.vector, image)
        prefix = self.prefix(item) if vectors else None
        if prefix is None:
            return None
        return self.projected(self._key(prefix, item), item, vectors)


def index_contributor(
    indexes: Sequence[IndexEntries], key_names: Sequence[str], key_bytes_max: int
) -> Contributor:
    """The contributor of a table with indexes.

    Args:
        indexes: those that writes maintain.
        key_names: the attributes of the table's key.
        key_bytes_max: the bound of the engine. Building an index skips entries with longer keys, so
            an item has none before its change; the engine refuses such an entry of one after.
    """
    vectors = distinct_vectors(each.index for each in indexes)
    prefix_bytes_max = key_bytes_max - HASH_BYTES
    reads_old = any(each.read or not each.has_all for each in indexes)

    def contribute(change: ItemChange) -> None:
        before, after, absent, primary = change.before, change.after, change.terms.absent, b""
        new_item = change.item_after()
        old_item = change.item_before() if reads_old or absent or after is None else {}
        old_vectors, new_vectors = _charge(change, vectors) if vectors else _WITHOUT_VECTORS
        for entries in indexes:
            read, has_all = entries.read, entries.has_all
            is_same = [*map(old_item.get, read)] == [*map(new_item.get, read)]
            stays = is_same and not absent and before is not None and after is not None
            if stays and not has_all and entries.is_ordered_alike(old_item, new_item):
                continue
            new_prefix = entries.prefix(new_item)
            if stays and has_all and new_prefix and len(new_prefix) <= prefix_bytes_max:
                primary = primary or hash16(map(new_item.__getitem__, key_names))
                _replace(change, entries, new_prefix + primary)
                continue
            old_prefix = new_prefix if stays else entries.prefix(old_item)
            if entries.vector is not None:
                name = entries.vector.attribute
                old_prefix = old_prefix if name in old_vectors else None
                new_prefix = new_prefix if name in new_vectors else None
            if old_prefix is None and new_prefix is None:
                continue
            primary = primary or hash16(map((new_item or old_item).__getitem__, key_names))
            old = new = None
            if (
                before is not None
                and old_prefix is not None
                and (key := old_prefix + primary) not in absent
                and len(key) <= key_bytes_max
            ):
                old = entries.projected(key, old_item, old_vectors, before)
            if after is not None and new_prefix is not None:
                whole = Entry(new_prefix + primary, after) if has_all else None
                new = whole or entries.projected(new_prefix + primary, new_item, new_vectors)
            if old != new:
                _add(change, entries, old, new)

    return contribute


def saved_of(indexes: Sequence[IndexEntries], image: Image) -> list[tuple[IndexEntries, int]]:
    """The vector indexes that have an entry of an item, and the bytes that its vector saves."""
    vectors = distinct_vectors(each.index for each in indexes)
    item = image.item()
    found = vectors_of(vectors, item, image.size)
    return [
        (each, found[each.vector.attribute].saved)
        for each in indexes
        if each.vector is not None
        and each.vector.attribute in found
        and each.prefix(item) is not None
    ]


def _charge(
    change: ItemChange, vectors: Sequence[Vector]
) -> tuple[Mapping[str, PackedVector], Mapping[str, PackedVector]]:
    """The vectors of the items before and after, by which the change is charged."""
    old, old_bytes = _vectors_and_charge(vectors, change.item_before(), change.before)
    new, new_bytes = _vectors_and_charge(vectors, change.item_after(), change.after)
    change.charged_bytes = max(old_bytes, new_bytes)
    return old, new


def _vectors_and_charge(
    vectors: Sequence[Vector], item: Item, image: Image | None
) -> tuple[Mapping[str, PackedVector], int]:
    """The vectors of an item, and the bytes for which requests are charged for it."""
    if image is None:
        return _NO_VECTORS, 0
    found = vectors_of(vectors, item, image.size)
    return found, image.size - saved_by(found)


def _replace(change: ItemChange, entries: IndexEntries, key: bytes) -> None:
    """Replace an entry that has all attributes, and had them at the same key."""
    before, after, index = change.before, change.after, entries.index
    if before is None or after is None or before.json == after.json:
        return
    changes, size = change.changes, after.size
    changes.puts[key] = stored_entry(changes.puts[change.key], size, key)
    if grown := size - before.size:
        changes.count(entries, 0, grown)
        if index.is_local:
            change.local_bytes += grown
    if entries.has_units and change.is_change():
        change.units[index.name] = units = write_units(max(size, before.size))
        if change.places is not None:
            change.places.append(_place(index, Entry(key, after), units))


def _add(change: ItemChange, entries: IndexEntries, old: Entry | None, new: Entry | None) -> None:
    """Add the change of one entry."""
    changes, index = change.changes, entries.index
    before = None if old is None else old.image
    after = None if new is None else new.image
    grown = (after.size if after else 0) - (before.size if before else 0)
    changes.count(entries, (after is not None) - (before is not None), grown)
    if index.is_local:
        change.local_bytes += grown
    is_moved = old is not None and (new is None or new.key != old.key)
    if old is not None and is_moved:
        changes.deletes.append(old.key)
    if new is not None:
        image, key = new.image, new.key
        if image is change.after:
            changes.puts[key] = stored_entry(changes.puts[change.key], image.size, key)
        else:
            changes.puts[key] = stored(image, key)
    if entries.log is not None:
        _add_to_vector_log(change, entries.log, old if is_moved else None, new)
        saved = (new.saved if new else 0) - (old.saved if old else 0)
        changes.add(entries.saved_key, saved)
    # The index of expiry has no units; neither has a change of the order of attributes.
    if not entries.has_units or not (
        is_moved or (change.is_change() if entries.has_all else is_change(before, after))
    ):
        return
    measure = write_units if entries.log is None else _vector_bytes
    old_units = 0.0 if before is None else measure(before.size)
    new_units = 0.0 if after is None else measure(after.size)
    units = old_units + new_units if is_moved else max(old_units, new_units)
    change.units[index.name] = units
    if change.places is None or entries.log is not None:
        return
    if is_moved and old is not None:
        change.places.append(_place(index, old, old_units))
        units = new_units
    if new is not None:
        change.places.append(_place(index, new, units))


def _add_to_vector_log(
    change: ItemChange, log: bytes, gone: Entry | None, new: Entry | None
) -> None:
    """Add the keys of entries that are deleted, or put, to the log of a vector index."""
    for entry in (gone, new):
        if entry is not None:
            change.changes.appends.append((log, entry.key))


def _vector_bytes(size: int) -> float:
    """The charge of writing an entry of a vector index. Source: measured by users, 2026."""
    return float(max(size, VECTOR_REQUEST_BYTES_MIN))


def _place(index: Index, entry: Entry, units: float) -> EntryUnits:
    key: KeyValues | None = None
    if index.insights is not None and index.insights.since_ms is not None:
        item = entry.image.item()
        sort = [item[attribute.name] for attribute in index.sort]
        key = [item[attribute.name] for attribute in index.partition], sort or None
    return index.name, entry.key[ENTRY_POSITION], units, key
