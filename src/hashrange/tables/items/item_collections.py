"""Item collections: the items of one partition key, and their entries in local indexes.

In a table with local indexes the size of a collection is bounded, since DynamoDB does not split it.
Its bytes are counted, and a write reads the counter before it decides; so concurrent writes can
exceed the bound together, as on the service. Writes that shrink a collection are never refused.
"""

from collections.abc import Collection

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import operations as messages
from hashrange.storage.engine import Engine
from hashrange.tables.keys.keyspace import collection_key


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
