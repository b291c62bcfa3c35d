"""The layout of every key in an engine. Keys are stored, so the layout is never changed.

A key begins with the number of its table (4 bytes; all integers are big-endian) and a byte that
names a space. `ordered` is `tables.keys.ordering`, `hash16` is below.

    Table 0, the system: `tables.keys.system_keys`.
    Every other table:
      0x01 ITEMS      hash16(partition key), ordered(sort key) if there is one
                                                           an item
      0x02 INDEX      index number (4), hash16(its partition attributes), ordered(each of its sort
                      attributes), hash16(the item's key)
                                                           what the index projects of an item
      0x03 COUNTERS   index number (4; 0 is the table itself), kind: 0x01 items, 0x02 bytes,
                      0x03 bytes that the vectors of a vector index save
      0x04 LOG        log number (4)                       a change log; its records follow it
      0x05 BUILDING   index number (4)                     how far an index is built: an item's key;
                                                           0: how far item collections are counted
      0x06 COLLECTION hash16(partition key)                bytes of items and of their local entries
      0x07 CAPACITY                                        its capacity: `tables.keys.scaling_keys`
      0x08 BEFORE     as ITEMS                             an item at the moment of a snapshot:
                                                           `tables.keys.snapshot_keys`
      0x09 TOMBSTONE  as that of the item                  its deletion: `tables.log.tombstones`
      0x0A CONSENSUS                                       the log of a group of strong tables:
                                                           `tables.keys.consensus_keys`
      0x0B VECTOR_LOG index number (4)                     the log of the changes of a vector index:
                                                           the key of an entry that has changed

`hash16` is BLAKE2b with a digest of 16 bytes over, for each of the values: its type (the byte that
`ordered` begins with), the length of its bytes (4), its bytes. The bytes of a number are its
canonical text, so equal numbers meet in one partition.
`key_ranges` has ranges of keys.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from struct import Struct
from typing import Final

from hashrange.limits.requests import SEGMENTS_MAX, SORT_KEY_BYTES_MAX
from hashrange.limits.tables import GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX
from hashrange.model.binary import decoded
from hashrange.model.values import AttributeValue
from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, key_after, prefix_range
from hashrange.tables.keys.ordering import BINARY, NUMBER, STRING, ordered

_ITEMS: Final = key_spaces.ITEMS.code
_INDEX: Final = key_spaces.INDEX.code
_COUNTERS: Final = key_spaces.COUNTERS.code
_LOG: Final = key_spaces.LOG.code
_BUILDING: Final = key_spaces.BUILDING.code
_COLLECTION: Final = key_spaces.COLLECTION.code
_VECTOR_LOG: Final = key_spaces.VECTOR_LOG.code

_ITEM_COUNT, _BYTES, _SAVED_BYTES = range(1, 4)

HASH_BYTES: Final = 16
_hashing: Final = blake2b(digest_size=HASH_BYTES).copy
"""Copying a hash object costs two thirds of creating one."""
_HASHES: Final = 1 << (8 * HASH_BYTES)
_BEYOND: Final = b"\xff" * (HASH_BYTES + 1)
"""Greater than the bytes after the prefix of a partition: a type, or a hash and nothing more."""
TABLE_ITSELF: Final = 0
"""The number of the table in place of an index number."""

_u32: Final = Struct(">I").pack
_space: Final = Struct(">IB").pack
_space_part: Final = Struct(">IBI").pack
_counter: Final = Struct(">IBIB").pack
_typed_head: Final = Struct(">BI").pack
TYPED_HEAD_BYTES: Final = 5
"""The bytes of `typed` before those of the value."""
_STRING_CODE, _NUMBER_CODE, _BINARY_CODE = STRING[0], NUMBER[0], BINARY[0]
_COLLECTION_BYTE: Final = bytes((_COLLECTION,))
_ITEM_COUNT_TAIL: Final = _counter(0, _COUNTERS, TABLE_ITSELF, _ITEM_COUNT)[4:]
_BYTES_TAIL: Final = _counter(0, _COUNTERS, TABLE_ITSELF, _BYTES)[4:]


def item_count_key(number: int, index: int = TABLE_ITSELF) -> bytes:
    """The key of the counter of a table's items, or of an index's entries."""
    return _counter(number, _COUNTERS, index, _ITEM_COUNT)


def bytes_key(number: int, index: int = TABLE_ITSELF) -> bytes:
    """The key of the counter of the bytes of a table's items, or of an index's entries."""
    return _counter(number, _COUNTERS, index, _BYTES)


def saved_bytes_key(number: int, index: int) -> bytes:
    """The key of the counter of the bytes that the vectors of a vector index save."""
    return _counter(number, _COUNTERS, index, _SAVED_BYTES)


def item_count_key_of(item: bytes) -> bytes:
    """`item_count_key` of a table, from the key of an item of it."""
    return item[:4] + _ITEM_COUNT_TAIL


def bytes_key_of(item: bytes) -> bytes:
    """`bytes_key` of a table, from the key of an item of it."""
    return item[:4] + _BYTES_TAIL


def log_key(number: int, log: int) -> bytes:
    """The prefix of the keys of a change log's records."""
    return _space_part(number, _LOG, log)


def vector_log_key(number: int, index: int) -> bytes:
    """The prefix of the keys of the log of a vector index."""
    return _space_part(number, _VECTOR_LOG, index)


def building_key(number: int, index: int) -> bytes:
    """The key of the progress of building an index."""
    return _space_part(number, _BUILDING, index)


def collection_key(item: bytes) -> bytes:
    """The key of the counter of an item collection's bytes, from the key of an item in it."""
    return item[:4] + _COLLECTION_BYTE + item[5 : 5 + HASH_BYTES]


def collections_range(number: int) -> Range:
    """The counters of all item collections of a table, in the order of their items."""
    return key_spaces.COLLECTION.range(number)


def table_range(number: int) -> Range:
    """All keys of a table."""
    return prefix_range(_u32(number))


def items_range(number: int) -> Range:
    """All items of a table."""
    return prefix_range(_space(number, _ITEMS))


def item_key(number: int, partition: AttributeValue, sort: AttributeValue | None) -> bytes:
    """The key of an item; `sort` is None for a table without sort key. See also `string_keys`."""
    prefix = partition_prefix(number, partition)
    return prefix if sort is None else prefix + ordered(sort)


def share_before(key: bytes) -> float:
    """How much of its table is before the key of an item: from 0 to 1."""
    return int.from_bytes(key[5 : 5 + HASH_BYTES]) / _HASHES


def partition_prefix(number: int, partition: AttributeValue) -> bytes:
    """The prefix of the keys of all items with a partition key."""
    text = partition.get("S")
    if text is None:
        return _space(number, _ITEMS) + digest(typed(partition))  # hash16, of one value
    # As the line above: most keys are strings, and every request has one.
    data = text.encode()
    hashing = _hashing()
    hashing.update(_typed_head(_STRING_CODE, len(data)) + data)
    return _space(number, _ITEMS) + hashing.digest()


def partition_range(prefix: bytes) -> Range:
    """All keys of a partition, of a table or of an index, from their `prefix`."""
    return prefix, prefix + _BEYOND


def index_range(number: int, index: int) -> Range:
    """All entries of an index."""
    return prefix_range(_space_part(number, _INDEX, index))


def index_partition_prefix(
    number: int, index: int, partition: Sequence[AttributeValue], equal: Sequence[AttributeValue]
) -> bytes:
    """The prefix of the keys of all index entries of a partition.

    Args:
        number: the number of the table.
        index: the number of the index.
        partition: the values of all partition attributes.
        equal: the values of the first sort attributes that the prefix includes.
    """
    prefix = _space_part(number, _INDEX, index) + hash16(partition)
    return prefix + b"".join([ordered(value) for value in equal])


def index_entry_key(prefix: bytes, primary_key: Sequence[AttributeValue]) -> bytes:
    """The key of an item's entry.

    Args:
        prefix: `index_partition_prefix` with all values.
        primary_key: the values of the table's key, which distinguish entries with equal values.
    """
    return prefix + hash16(primary_key)


def hash16(values: Iterable[AttributeValue]) -> bytes:
    """The hash of the values of a key, 16 bytes."""
    hashing = _hashing()
    hashing.update(b"".join(map(typed, values)))
    return hashing.digest()


def digest(data: bytes) -> bytes:
    """The hash of the `typed` values of a key."""
    hashing = _hashing()
    hashing.update(data)
    return hashing.digest()


def typed(value: AttributeValue) -> bytes:
    """An encoding of a value; different sequences of values have different encodings."""
    text = value.get("S")
    if text is not None:
        data = text.encode()
        return _typed_head(_STRING_CODE, len(data)) + data
    number = value.get("N")
    if number is not None:
        return _typed_head(_NUMBER_CODE, len(number)) + number.encode()
    data = decoded(value["B"])
    return _typed_head(_BINARY_CODE, len(data)) + data


def segment_range(number: int, segment: int, total: int) -> Range:
    """The items of one of `total` segments of a table: equal shares of all partition hashes."""
    return _segment(_space(number, _ITEMS), segment, total)


def index_segment_range(number: int, index: int, segment: int, total: int) -> Range:
    """The entries of one of `total` segments of an index."""
    return _segment(_space_part(number, _INDEX, index), segment, total)


def _segment(prefix: bytes, segment: int, total: int) -> Range:
    assert 0 <= segment < total <= SEGMENTS_MAX, "checked when the request came"
    start = prefix + (_HASHES * segment // total).to_bytes(HASH_BYTES, "big")
    if segment + 1 == total:
        return start, key_after(prefix)
    return start, prefix + (_HASHES * (segment + 1) // total).to_bytes(HASH_BYTES, "big")


_SORT_ATTRIBUTES_MAX: Final = GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX


def longest_key_bytes() -> int:
    """The length of the longest key: an entry in a global index with the longest sort attributes.

    Partition attributes are hashed, and keys of the system are shorter.
    """
    value: AttributeValue = {"S": "x" * SORT_KEY_BYTES_MAX}
    prefix = index_partition_prefix(1, 1, [value], [value] * _SORT_ATTRIBUTES_MAX)
    return len(index_entry_key(prefix, [value]))
