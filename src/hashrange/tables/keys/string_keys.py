"""The keys of items whose partition key is a string, as most are: `keyspace.item_key`, but faster.

Every request computes a key. What is the same for all keys of a table is computed once, when the
table is opened. The keys of entries of its indexes are made in the same way, up to the hash of the
key of the item.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from struct import Struct
from typing import Final, TypeAlias

from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.table import KeyAttribute
from hashrange.model.values import Item
from hashrange.tables.keys.keyspace import HASH_BYTES
from hashrange.tables.keys.ordering import GROUP_BYTES, STRING, grouped, ordered

StringKey: TypeAlias = Callable[[Item], bytes | None]
"""Returns the key of an item; None if one of its key attributes is missing, of another type, empty
or too long."""

_hashing: Final = blake2b(digest_size=HASH_BYTES).copy
_STRING_CODE: Final = STRING[0]
_typed_head: Final = Struct(">BI").pack


def string_key(
    start: bytes,
    partition: Sequence[KeyAttribute],
    sort: Sequence[KeyAttribute],
    *,
    is_alone: bool = False,
) -> StringKey | None:
    """The function for a table or an index; None if its keys are of other types.

    Args:
        start: of all its keys.
        partition: the partition attributes; there are keys of one only.
        sort: the sort attributes; there are keys of one at most.
        is_alone: there is no key of an item that has further attributes.
    """
    types = [each.type for each in (*partition, *sort)]
    if len(partition) != 1 or types not in (["S"], ["S", "S"], ["S", "N"]):
        return None
    count = len(types) if is_alone else 0
    if not sort:
        return _of_partition(start, partition[0].name, count)
    with_sort = _with_string if types[1] == "S" else _with_number
    return with_sort(start, partition[0].name, sort[0].name, count)


def _of_partition(start: bytes, partition: str, count: int) -> StringKey:
    def key(item: Item) -> bytes | None:
        if count and len(item) != count:
            return None
        try:
            data = item[partition]["S"].encode()
        except KeyError:
            return None
        size = len(data)
        if not data or size > PARTITION_KEY_BYTES_MAX:
            return None
        hashing = _hashing()
        hashing.update(_typed_head(_STRING_CODE, size) + data)
        return start + hashing.digest()

    return key


def _with_string(start: bytes, partition: str, sort: str, count: int) -> StringKey:
    # With a sort key of a single group, padded with zeros.
    short_key = Struct(f"{len(start)}s{HASH_BYTES}sB{GROUP_BYTES}sB").pack

    def key(item: Item) -> bytes | None:
        if count and len(item) != count:
            return None
        try:
            data, tail = item[partition]["S"].encode(), item[sort]["S"].encode()
        except KeyError:
            return None
        size, tail_size = len(data), len(tail)
        if not data or not tail or size > PARTITION_KEY_BYTES_MAX or tail_size > SORT_KEY_BYTES_MAX:
            return None
        hashing = _hashing()
        hashing.update(_typed_head(_STRING_CODE, size) + data)
        if tail_size <= GROUP_BYTES:
            return short_key(start, hashing.digest(), _STRING_CODE, tail, tail_size)
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
