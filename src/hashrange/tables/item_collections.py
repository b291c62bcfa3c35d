"""Item collections: the items of one partition key, and their entries in local indexes.

A table with local indexes bounds its collections, for each stays whole. What one holds is counted;
a write reads the counter just before, so writes of one moment can go beyond the bound together, as
on the service. Who shrinks a collection is never refused.
"""

from collections.abc import Collection

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import operations as messages
from hashrange.storage.engine import Engine
from hashrange.tables.keyspace import collection_key


class Room(msgspec.Struct):
    """How many bytes the collections have that a write touches, and how many they may have.

    A decision moves what it is given, so each run gets a copy of its own.
    """

    bytes_max: int
    sizes: dict[bytes, int]
    """By the key of the counter."""

    def copy(self) -> "Room":
        """For one run of a decision."""
        return Room(self.bytes_max, self.sizes.copy())

    def grow(self, item_key: bytes, grown: int) -> int:
        """The bytes of the item's collection once it has grown, or shrunk, by so much.

        Raises ItemCollectionSizeLimitExceededException.
        """
        key = collection_key(item_key)
        size = self.sizes.get(key, 0) + grown
        if grown > 0 and size > self.bytes_max:
            raise DynamoError(Fault.COLLECTION_TOO_LARGE, messages.collection_too_large())
        self.sizes[key] = size
        return size


async def room_of(engine: Engine, item_keys: Collection[bytes], bytes_max: int) -> Room | None:
    """The collections of some items as they are now; None if there are none to look at."""
    if not item_keys:
        return None
    keys = list(dict.fromkeys(map(collection_key, item_keys)))
    values = await engine.read(keys)
    sizes = {key: _number(value) for key, value in zip(keys, values, strict=True)}
    return Room(bytes_max, sizes)


def _number(counter: bytes | None) -> int:
    return 0 if counter is None else int.from_bytes(counter, "big", signed=True)
