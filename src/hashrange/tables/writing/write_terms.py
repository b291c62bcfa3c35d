"""The inputs of the changes of writes besides plans and items, and how they are read."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec

from hashrange.storage.engine import Fences
from hashrange.tables.items.images import item_of
from hashrange.tables.items.item_changes import CollectionSizes, WriteTerms, collection_sizes
from hashrange.tables.log.tombstones import tombstone_key
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import WritePlan

_key: Final = attrgetter("key")


class ChangedError(Exception):
    """An item has changed since the preread."""


class Preread(msgspec.Struct, frozen=True):
    """The values read before several writes, and the keys that are read with them.

    Attributes:
        writes: the plans.
        collections: the sizes of item collections; None if no table counts them.
        entries: of each item the keys of its possible entries in indexes that are being built; None
            if none are being built.
        tombstones: the keys of tombstones, of the items of replicated tables.
    """

    writes: Sequence[WritePlan[Any]]
    collections: CollectionSizes | None
    entries: list[list[bytes]] | None
    tombstones: Sequence[bytes]

    def keys(self) -> list[bytes]:
        """The keys to read with the items."""
        return [*self.tombstones, *(key for keys in self.entries or () for key in keys)]

    def terms(
        self, items: Sequence[bytes | None], values: Sequence[bytes | None]
    ) -> list[WriteTerms]:
        """The terms of each write, for one run of the decision; `values` are those of `keys`.

        Raises ChangedError: an item can have other entries than at the preread.
        """
        if self.entries is not None and _entries_building(self.writes, items) != self.entries:
            raise ChangedError
        entries = [[]] * len(items) if self.entries is None else self.entries
        found = dict(zip(self.keys(), values, strict=True))
        collections = self.collections and self.collections.copy()
        return [
            WriteTerms(
                found.get(tombstone_key(write.key)) if write.table.is_replicated else None,
                frozenset(key for key in keys if found[key] is None),
                collections if write.table.has_collections else None,
            )
            for write, keys in zip(self.writes, entries, strict=True)
        ]


async def preread(store: Store, writes: Sequence[WritePlan[Any]], fences: Fences) -> Preread:
    """Read what must be known before several writes. Raises StaleFenceError, StorageError."""
    counted = [write.key for write in writes if write.table.has_collections]
    sizes = await collection_sizes(store.engine, counted, store.collection_bytes_max)
    entries = None
    if any(write.table.is_building for write in writes):
        items = await store.engine.read([*map(_key, writes)], fences=fences)
        entries = _entries_building(writes, items)
    marks = [tombstone_key(write.key) for write in writes if write.table.is_replicated]
    return Preread(writes, sizes, entries, marks)


def _entries_building(
    writes: Sequence[WritePlan[Any]], items: Sequence[bytes | None]
) -> list[list[bytes]]:
    """The keys of the entries that each item can have in indexes that are being built."""
    return [
        [] if item is None else write.table.building_keys(item_of(item))
        for write, item in zip(writes, items, strict=True)
    ]
