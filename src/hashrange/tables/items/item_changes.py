"""The change of one item, and what contributors add to it. Pure.

The writer decides what becomes of an item and adds that to `images.ItemChanges`. What else is
written with an item is added by the contributors of its table, functions that get the `ItemChange`.

In a table with local indexes the size of a collection is bounded, since DynamoDB does not split it.
Its bytes are counted, and a write reads the counter before it decides; so concurrent writes can
exceed the bound together, as on the service. Writes that shrink a collection are never refused.
"""

from collections.abc import Callable, Collection
from typing import Final, TypeAlias
from zlib import adler32

import msgspec

from hashrange.capacity.units import KeyValues
from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import operations as messages
from hashrange.model.log import Actor
from hashrange.model.values import Item
from hashrange.storage.engine import Engine
from hashrange.tables.items.images import Image, ItemChanges, decode_item
from hashrange.tables.keys.keyspace import collection_key

_U16: Final = 0xFFFF


class CollectionSizes(msgspec.Struct):
    """The sizes of the collections that a write changes, and their bound.

    Decisions update the sizes, so each run of a decision gets a copy.
    """

    bytes_max: int
    sizes: dict[bytes, int]
    """Bytes, by the key of the collection's counter."""

    def copy(self) -> "CollectionSizes":
        """An independent copy for one run of a decision."""
        return CollectionSizes(self.bytes_max, self.sizes.copy())

    def grow(self, item_key: bytes, grown: int) -> int:
        """Add `grown` bytes, which may be negative, to the item's collection; its new size.

        Raises ItemCollectionSizeLimitExceededException.
        """
        key = collection_key(item_key)
        size = self.sizes.get(key, 0) + grown
        if grown > 0 and size > self.bytes_max:
            raise DynamoError(Fault.COLLECTION_TOO_LARGE, messages.collection_too_large())
        self.sizes[key] = size
        return size


async def collection_sizes(
    engine: Engine, item_keys: Collection[bytes], bytes_max: int
) -> CollectionSizes | None:
    """Read the sizes of the collections of items; None without items."""
    if not item_keys:
        return None
    keys = list(dict.fromkeys(map(collection_key, item_keys)))
    values = await engine.read(keys)
    sizes = {key: _number(value) for key, value in zip(keys, values, strict=True)}
    return CollectionSizes(bytes_max, sizes)


def _number(counter: bytes | None) -> int:
    return 0 if counter is None else int.from_bytes(counter, "big", signed=True)


EntryUnits: TypeAlias = tuple[str, bytes, float, KeyValues | None]
"""The name of an index, a key position in it, write units, and the key if insights count it."""


class WriteTerms(msgspec.Struct, frozen=True):
    """The inputs of the changes of one write besides its plan and its item.

    Attributes:
        tombstone: of the item, in a replicated table.
        absent: keys of index entries that are not built yet.
        collections: the sizes of item collections, which are updated.
    """

    tombstone: bytes | None = None
    absent: frozenset[bytes] = frozenset()
    collections: CollectionSizes | None = None


class ItemChange(msgspec.Struct):
    """The change of one item, to which the contributors of its table add.

    Attributes:
        key: of the item in the engine.
        before: the item before; None for no item.
        after: the item after; None if it is deleted.
        version: of the change.
        region: the number of its region.
        who: the author of the change.
        changes: those of the whole write.
        terms: what was read besides the item.
        value: the stored item before.
        item: the attributes of `after`, if the plan has them or they were decoded.
        local_bytes: by how many bytes its entries in local indexes grow.
        collection_bytes: the size of its item collection after the change.
        charged_bytes: of the larger image, if vectors make that another number than its size.
        units: the write units of each index that it changes; of a vector index bytes.
        places: `units` by place; None if nobody needs that.
    """

    key: bytes
    before: Image | None
    after: Image | None
    version: int
    region: int
    who: Actor
    changes: ItemChanges
    terms: WriteTerms
    value: bytes | None = None
    item: Item | None = None
    local_bytes: int = 0
    collection_bytes: int | None = None
    charged_bytes: int | None = None
    units: dict[str, float] = {}
    places: list[EntryUnits] | None = None
    _old_item: Item | None = None
    _differs: bool | None = None

    def item_before(self) -> Item:
        """The attributes of the item before; none if there was no item."""
        if self._old_item is None:
            self._old_item = {} if self.before is None else decode_item(self.before.json)
        return self._old_item

    def item_after(self) -> Item:
        """The attributes of the item after; none if it is deleted."""
        if self.item is None or self.after is None:
            self.item = {} if self.after is None else decode_item(self.after.json)
        return self.item

    def is_change(self) -> bool:
        """Whether the items differ, apart from the order of attributes."""
        if self._differs is None:
            before, after = self.before, self.after
            if before is None or after is None or before.size != after.size:
                self._differs = before is not after
            elif before.json == after.json:
                self._differs = False
            else:
                # Another order leaves the sum of the bytes as it is, the lower half of Adler-32.
                sums = adler32(before.json) ^ adler32(after.json)
                self._differs = bool(sums & _U16) or self.item_before() != self.item_after()
        return self._differs


Contributor: TypeAlias = Callable[[ItemChange], None]
"""Adds what is written with an item. Pure; an error changes nothing and reaches the caller."""
