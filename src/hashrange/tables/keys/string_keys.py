"""The keys of items whose partition key is a string, as most are: `keyspace.item_key`, but faster.

Every request computes a key. What is the same for all keys of a table is computed once, when the
table is opened.
"""

from collections.abc import Callable
from hashlib import blake2b
from struct import Struct
from typing import Final, TypeAlias

from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.table import KeyAttribute
from hashrange.model.values import Item
from hashrange.tables.keys.keyspace import HASH_BYTES, items_range
from hashrange.tables.keys.ordering import GROUP_BYTES, STRING, grouped, ordered

StringKey: TypeAlias = Callable[[Item], bytes | None]
"""Returns the key of an item; None if one of its key attributes is missing, of another type, empty
or too long, or if the table has keys of other types."""

_hashing: Final = blake2b(digest_size=HASH_BYTES).copy
_STRING_CODE: Final = STRING[0]
_typed_head: Final = Struct(">BI").pack
_short_key: Final = Struct(f"5s{HASH_BYTES}sB{GROUP_BYTES}sB").pack
"""The key of an item whose sort key is a single group, padded with zeros."""


def string_key(
    number: int, partition: KeyAttribute, sort: KeyAttribute | None, *, is_alone: bool = False
) -> StringKey:
    """The function for a table.

    Args:
        number: the number of the table.
        partition: its partition attribute.
        sort: its sort attribute, if it has one.
        is_alone: there is no key of an item that has further attributes.
    """
    start, count = items_range(number)[0], 0
    if is_alone:
        count = 1 if sort is None else 2
    if partition.type != "S" or (sort is not None and sort.type == "B"):
        return _never
    if sort is None:
        return _of_partition(start, partition.name, count)
    if sort.type == "S":
        return _with_string(start, partition.name, sort.name, count)
    return _with_number(start, partition.name, sort.name, count)


def _never(_item: Item) -> None:
    return None


def _of_partition(start: bytes, partition: str, count: int) -> StringKey:
    def key(item: Item) -> bytes | None:
        if count and len(item) != count:
            return None
        try:
            data = item[partition]["S"].encode()
        except KeyError:
            return None
        size = len(data)
        if not 0 < size <= PARTITION_KEY_BYTES_MAX:
            return None
        hashing = _hashing()
        hashing.update(_typed_head(_STRING_CODE, size) + data)
        return start + hashing.digest()

    return key


def _with_string(start: bytes, partition: str, sort: str, count: int) -> StringKey:
    def key(item: Item) -> bytes | None:
        if count and len(item) != count:
            return None
        try:
            data, tail = item[partition]["S"].encode(), item[sort]["S"].encode()
        except KeyError:
            return None
        size, tail_size = len(data), len(tail)
        if not (0 < size <= PARTITION_KEY_BYTES_MAX and 0 < tail_size <= SORT_KEY_BYTES_MAX):
            return None
        hashing = _hashing()
        hashing.update(_typed_head(_STRING_CODE, size) + data)
        if tail_size <= GROUP_BYTES:
            return _short_key(start, hashing.digest(), _STRING_CODE, tail, tail_size)
        return start + hashing.digest() + grouped(STRING, tail)

    return key


def _with_number(start: bytes, partition: str, sort: str, count: int) -> StringKey:
    prefix = _of_partition(start, partition, 0)

    def key(item: Item) -> bytes | None:
        if count and len(item) != count:
            return None
        before, value = prefix(item), item.get(sort)
        if before is None or value is None or "N" not in value:
            return None
        return before + ordered(value)

    return key
