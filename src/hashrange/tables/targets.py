"""What a Query or Scan reads: a table itself, or one of its indexes. Pure.

Both are ranges of keys that begin with a hash of the partition attributes, and go on with the sort
attributes in their order.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.tables import keyspace
from hashrange.tables.indexes import entry_key
from hashrange.tables.keys import key_of, key_of_item
from hashrange.tables.opened import OpenTable

_name: Final = attrgetter("name")


class Target:
    """A table, or an index of it; it never changes.

    Attributes:
        table: that is read.
        index: None for the table itself.
        partition: the attributes that a query must name; one, but for some global indexes.
        sort: the attributes that order a partition.
        key_names: the attributes of a LastEvaluatedKey: of the index's key and of the table's.
    """

    __slots__ = ("index", "key_names", "partition", "sort", "table")

    def __init__(self, table: OpenTable, index: Index | None = None) -> None:
        own = table.table.key_attributes
        keys = own if index is None else (*index.key_attributes, *own)
        self.table = table
        self.index = index
        self.partition = own[:1] if index is None else index.partition
        self.sort = own[1:] if index is None else index.sort
        self.key_names = tuple(dict.fromkeys(map(_name, keys)))

    def prefix(
        self, partition: Sequence[AttributeValue], equal: Sequence[AttributeValue] = ()
    ) -> bytes:
        """What the keys of a partition begin with; `equal` are values of its first sort keys."""
        if self.index is not None:
            return keyspace.index_partition_prefix(
                self.table.number, self.index.number, partition, equal
            )
        assert not equal, "the one sort key of a table is compared, not gone into"
        return keyspace.partition_prefix(self.table.number, partition[0])

    def prefix_of_one(self) -> Callable[[AttributeValue], bytes]:
        """As `prefix`, of the value of the only partition attribute."""
        assert len(self.partition) == 1, "an index can have several"
        if self.index is None:
            return partial(keyspace.partition_prefix, self.table.number)
        return lambda value: self.prefix((value,))

    def whole(self) -> keyspace.Range:
        """All of it."""
        if self.index is not None:
            return keyspace.index_range(self.table.number, self.index.number)
        return keyspace.items_range(self.table.number)

    def segment(self, segment: int, total: int) -> keyspace.Range:
        """One of `total` equal shares of all partition hashes."""
        if self.index is not None:
            return keyspace.index_segment_range(
                self.table.number, self.index.number, segment, total
            )
        return keyspace.segment_range(self.table.number, segment, total)

    def hashes(self, start: bytes, end: bytes) -> tuple[bytes, bytes]:
        """The partition hashes in a range of keys; the second is empty where there is no end."""
        prefix, _ = self.whole()
        last = len(prefix) + keyspace.HASH_BYTES
        return start[len(prefix) : last], end[len(prefix) : last] if end.startswith(prefix) else b""

    def position(self, key: Item) -> bytes | None:
        """The engine key of an ExclusiveStartKey that has just `key_names`; None if it is none.

        Raises ValidationException for a bad key of the table.
        """
        if self.index is None:
            return key_of(self.table, key)
        key_of_item(self.table, key)
        return entry_key(self.table.table, self.index, key)
