"""The access paths of Query and Scan: a table, or one of its indexes. Pure.

Both are ranges of keys, which begin with a hash of the partition attributes and continue with the
sort attributes in order.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

from hashrange.errors import DynamoError, invalid
from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.messages.items import values as messages
from hashrange.model.binary import binary_bytes
from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.keyspace import item_key
from hashrange.tables.opened.index_entries import IndexEntries
from hashrange.tables.opened.open_table import OpenTable


def key_of(table: OpenTable, key: Item) -> bytes:
    """The engine key of a Key member, which must be exactly the table's key.

    Raises ValidationException: wrong attributes or types; then empty or too long values.
    """
    if len(key) != table.key_count:
        raise invalid(messages.key_schema_mismatch())
    return table.string_key(key) or _checked_key(table, key, is_whole=False)


def key_of_item(table: OpenTable, item: Item) -> bytes:
    """The engine key of a whole item.

    Raises ValidationException, which names the attribute that is missing or of another type; then
    as `key_of`.
    """
    return table.string_key(item) or _checked_key(table, item, is_whole=True)


def _checked_key(table: OpenTable, item: Item, *, is_whole: bool) -> bytes:
    partition = item.get(table.partition_name)
    sort = None if table.sort_name is None else item.get(table.sort_name)
    if (
        partition is None
        or table.partition_type not in partition
        or (table.sort_name is not None and (sort is None or table.sort_type not in sort))
    ):
        raise _misfit(table, item) if is_whole else invalid(messages.key_schema_mismatch())
    check_partition_key(table.partition_name, partition)
    if table.sort_name is not None and sort is not None:
        check_sort_key(table.sort_name, sort)
    return item_key(table.number, partition, sort)


def check_partition_key(name: str, value: AttributeValue) -> None:
    """Refuse an empty partition key and one of more than 2,048 bytes.

    Args:
        name: the name of the attribute.
        value: canonical, of the declared type.
    """
    if _key_bytes(name, value) > PARTITION_KEY_BYTES_MAX:
        raise invalid(messages.partition_key_too_large(), bare=True)


def check_sort_key(name: str, value: AttributeValue) -> None:
    """Refuse an empty sort key and one of more than 1,024 bytes; see `check_partition_key`."""
    if _key_bytes(name, value) > SORT_KEY_BYTES_MAX:
        raise invalid(messages.sort_key_too_large(), bare=True)


def _key_bytes(name: str, value: AttributeValue) -> int:
    text = value.get("S")
    if text is not None:
        if not text:
            raise invalid(messages.key_empty_string(name), bare=True)
        return len(text.encode())
    binary = value.get("B")
    if binary is not None:
        if not binary:
            raise invalid(messages.key_empty_binary(name), bare=True)
        return binary_bytes(binary)
    return 0  # no number comes near the limits


def _misfit(table: OpenTable, item: Item) -> DynamoError:
    """The error for the first key attribute that is missing or of another type."""
    for attribute in table.table.key_attributes:
        value = item.get(attribute.name)
        if value is None:
            return invalid(messages.key_missing(attribute.name))
        if attribute.type not in value:
            kind = next(iter(value))
            return invalid(messages.key_type_mismatch(attribute.name, attribute.type, kind))
    raise AssertionError("the item has the key of its table")


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
