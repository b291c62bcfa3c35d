"""The access paths of Query and Scan: a table, or one of its indexes. Pure.

Both are ranges of keys, which begin with a hash of the partition attributes and continue with the
sort attributes in order.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.opened.index_entries import IndexEntries
from hashrange.tables.opened.keys import key_of, key_of_item
from hashrange.tables.opened.open_table import OpenTable

_name: Final = attrgetter("name")


class AccessPath:
    """A table or one of its indexes, as Query and Scan read it; immutable.

    Attributes:
        table: the table.
        index: the index; None for the table itself.
        partition: the attributes that a query must name; several only in some global indexes.
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
        """The prefix of a partition's keys; `equal` are values of its first sort attributes."""
        if self.index is not None:
            return keyspace.index_partition_prefix(
                self.table.number, self.index.number, partition, equal
            )
        assert not equal, "the one sort key of a table is compared, not gone into"
        return keyspace.partition_prefix(self.table.number, partition[0])

    def prefix_of_one(self) -> Callable[[AttributeValue], bytes]:
        """`prefix` as a function of the value of the only partition attribute."""
        assert len(self.partition) == 1, "an index can have several"
        if self.index is None:
            return partial(keyspace.partition_prefix, self.table.number)
        return lambda value: self.prefix((value,))

    def whole(self) -> key_ranges.Range:
        """The range of all keys."""
        if self.index is not None:
            return keyspace.index_range(self.table.number, self.index.number)
        return keyspace.items_range(self.table.number)

    def segment(self, segment: int, total: int) -> key_ranges.Range:
        """The range of one of `total` equal shares of all partition hashes."""
        if self.index is not None:
            return keyspace.index_segment_range(
                self.table.number, self.index.number, segment, total
            )
        return keyspace.segment_range(self.table.number, segment, total)

    def hashes(self, start: bytes, end: bytes) -> tuple[bytes, bytes]:
        """The first partition hash of a range of keys, and the end; empty if there is no end."""
        prefix, _ = self.whole()
        last = len(prefix) + keyspace.HASH_BYTES
        return start[len(prefix) : last], end[len(prefix) : last] if end.startswith(prefix) else b""

    def position(self, key: Item) -> bytes | None:
        """The engine key of an ExclusiveStartKey with exactly `key_names`.

        None if an item with this key is not in the index. Raises ValidationException: an invalid
        key of the table.
        """
        if self.index is None:
            return key_of(self.table, key)
        key_of_item(self.table, key)
        return IndexEntries(self.table.table, self.index).key(key)
