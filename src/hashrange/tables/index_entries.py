"""Index entries. Pure.

An entry is the projection of an item, stored under the index's key. An item that has all key
attributes of an index, with the declared types, has an entry; other items have none. Items that
are older than an index may have invalid values; they have no entry in it.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.limits.items import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.sizes import item_bytes
from hashrange.model.table import Index, Table
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.images import Image, image_of
from hashrange.tables.keyspace import (
    TYPED_HEAD_BYTES,
    bytes_key,
    digest,
    hash16,
    index_range,
    item_count_key,
    typed,
)
from hashrange.tables.ordering import grouped_bytes, ordered

_TYPED_BYTES_MAX: Final = TYPED_HEAD_BYTES + PARTITION_KEY_BYTES_MAX


class Entry(msgspec.Struct, frozen=True):
    """The key and the image of one entry."""

    key: bytes
    image: Image


def names_of(table: Table, index: Index) -> frozenset[str] | None:
    """The attributes that an index projects; None for all."""
    if index.projection == "ALL":
        return None
    keys = [attribute.name for attribute in (*table.key_attributes, *index.key_attributes)]
    return frozenset([*keys, *index.non_key])


class IndexEntries:
    """Makes the entries of one index; what is the same for all of them is computed once.

    Args:
        table: the table of the index.
        index: the index.

    Attributes:
        index: the index.
        has_all: an entry has the image of its item.
        item_count_key: of the counter of its entries.
        bytes_key: of the counter of their bytes.
    """

    __slots__ = (
        "_head",
        "_key_names",
        "_names",
        "_partition",
        "_sort",
        "bytes_key",
        "has_all",
        "index",
        "item_count_key",
    )

    def __init__(self, table: Table, index: Index) -> None:
        self.index = index
        self.item_count_key = item_count_key(table.number, index.number)
        self.bytes_key = bytes_key(table.number, index.number)
        self._head = index_range(table.number, index.number)[0]
        self._partition = tuple((each.name, each.type) for each in index.partition)
        self._sort = tuple((each.name, each.type) for each in index.sort)
        self._key_names = tuple(each.name for each in table.key_attributes)
        self._names = names_of(table, index)
        self.has_all = self._names is None

    def prefix(self, item: Mapping[str, AttributeValue]) -> bytes | None:
        """The key of an item's entry without the hash of the item's key at its end.

        None if a key attribute of the index is missing or invalid.
        """
        hashed, ending = b"", b""
        for name, kind in self._partition:
            value = item.get(name)
            if value is None or kind not in value:
                return None
            part = typed(value)
            # Canonical numbers are shorter than any bound.
            if not TYPED_HEAD_BYTES < len(part) <= _TYPED_BYTES_MAX:
                return None
            hashed += part
        for name, kind in self._sort:
            value = item.get(name)
            if value is None or kind not in value:
                return None
            part = ordered(value)
            if kind != "N" and not 0 < grouped_bytes(part) <= SORT_KEY_BYTES_MAX:
                return None
            ending += part
        return self._head + digest(hashed) + ending

    def key(self, item: Mapping[str, AttributeValue]) -> bytes | None:
        """The key of an item's entry; None if it is not in the index."""
        prefix = self.prefix(item)
        if prefix is None:
            return None
        return prefix + hash16(map(item.__getitem__, self._key_names))

    def projected(self, item: Item) -> Image:
        """The image of the entry of an item that has one."""
        names = self._names
        kept = item if names is None else {name: item[name] for name in item if name in names}
        return image_of(kept, item_bytes(kept))

    def entry(self, item: Item, image: Image | None = None) -> Entry | None:
        """The entry of an item; None if it is not in the index.

        Args:
            item: canonical, with a valid key of the table.
            image: the image of the item, if the caller has it.
        """
        key = self.key(item)
        if key is None:
            return None
        return Entry(key, image if image and self.has_all else self.projected(item))

    def count(self, adds: dict[bytes, int], before: Image | None, after: Image | None) -> int:
        """Add the change of an entry to the counters of the index; returns by how much it grew."""
        grown = (after.size if after else 0) - (before.size if before else 0)
        if grown:
            adds[self.bytes_key] = adds.get(self.bytes_key, 0) + grown
        if (before is None) is not (after is None):
            more = 1 if before is None else -1
            adds[self.item_count_key] = adds.get(self.item_count_key, 0) + more
        return grown
