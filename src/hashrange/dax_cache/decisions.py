"""Which cache serves an operation, and what its writes leave in the item cache.

| operation | eventually consistent | strongly consistent | leaves in the item cache |
|---|---|---|---|
| GetItem, BatchGetItem | item cache, each key by itself | the table | what was read of the table |
| Query, Scan | query cache | the table | nothing |
| TransactGetItems | | the table | nothing |
| PutItem, DeleteItem, BatchWriteItem | | the table | the new image, or that there is none |
| UpdateItem | | the table | the new image if the answer has all of it, else no entry |
| TransactWriteItems | | the table | no entry; then what TransactGetItems reads |

An item that is read with a projection is read, kept and charged whole, since DynamoDB charges it
whole. A hit is authorised as a miss is; it consumes no units. Only successful writes change the
item cache.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

import msgspec


class Source(Enum):
    """Where the answer to a read comes from."""

    ITEMS = "items"
    QUERIES = "queries"
    TABLE = "table"


class Leaves(Enum):
    """What a successful operation leaves in the item cache for each of its keys.

    NOTHING: the cache stays as it is.
    READ: what was read, if the source is the item cache.
    IMAGE: the new image, or a negative entry; no entry if the image is not known.
    REFRESHED: no entry, until TransactGetItems in the background has read the items.
    """

    NOTHING = 0
    READ = 1
    IMAGE = 2
    REFRESHED = 3


class Decision(msgspec.Struct, frozen=True):
    """The row of an operation.

    Attributes:
        eventual: the source of its eventually consistent reads.
        leaves: what it leaves in the item cache.
        writes: its keys go through `Caches.writing`.
    """

    eventual: Source
    leaves: Leaves
    writes: bool = False

    def source(self, *, consistent: bool) -> Source:
        """The source of a read; of a batch, for the keys of one table."""
        return Source.TABLE if consistent else self.eventual


_READ_ITEMS: Final = Decision(Source.ITEMS, Leaves.READ)
_READ_PAGES: Final = Decision(Source.QUERIES, Leaves.NOTHING)
_WRITE: Final = Decision(Source.TABLE, Leaves.IMAGE, writes=True)

DECISIONS: Final[Mapping[str, Decision]] = {
    "BatchGetItem": _READ_ITEMS,
    "BatchWriteItem": _WRITE,
    "DeleteItem": _WRITE,
    "GetItem": _READ_ITEMS,
    "PutItem": _WRITE,
    "Query": _READ_PAGES,
    "Scan": _READ_PAGES,
    "TransactGetItems": Decision(Source.TABLE, Leaves.NOTHING),
    "TransactWriteItems": Decision(Source.TABLE, Leaves.REFRESHED, writes=True),
    "UpdateItem": _WRITE,
}
"""All operations that DAX serves, by name."""
