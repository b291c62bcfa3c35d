"""The layout of every key in an engine. Keys are stored, so the layout is never changed.

A key begins with the number of its table (4 bytes; all integers are big-endian) and a byte that
names a space. `ordered` is `tables.ordering`, `hash16` is below.

    Table 0, the system:
      0x01 CATALOG    name of a table; in a namespace of its own account ':' region ':' name
                                                           its catalog entry
      0x02 SEQUENCE                                        the number of the next table
      0x03 DROPPED    table number (4)                     a table whose rows are to be deleted
      0x04 TOKEN      period (4), namespace ':' ClientRequestToken; the namespace is account ':'
                      region, or nothing                   a transaction that is complete
      0x05 TRIGGER    table number (4), log number (4), name of a trigger
                                                           the number (8) of the next record of that
                                                           log that it has not delivered
                      0 (4), name of a trigger ':' name that it knows its table by
                                                           since when (8, ms) it reads that table
      0x06 LEASE      0x01, name of some work              which server does it: `tables.leases`
                      0x02, that name                      how often that one said that it lives (8)
      0x07 CHANGES                                         a counter of changes of the catalog
      0x08 FORMAT                                          the format of all rows (4): 2
      0x09 SECRET, 0x0A IDENTITIES, 0x0B SCALING, 0x0C BACKUP, 0x10 AUDIT
                                                           `tables.secrets`, `.._keys` of the others
    Every other table:
      0x01 ITEMS      hash16(partition key), ordered(sort key) if there is one
                                                           an item
      0x02 INDEX      index number (4), hash16(its partition attributes), ordered(each of its sort
                      attributes), hash16(the item's key)
                                                           what the index projects of an item
      0x03 COUNTERS   index number (4; 0 is the table itself), kind: 0x01 items, 0x02 bytes
      0x04 LOG        log number (4)                       a change log; its records follow it
      0x05 BUILDING   index number (4)                     how far an index is built: an item's key;
                                                           0: how far item collections are counted
      0x06 COLLECTION hash16(partition key)                bytes of items and of their local entries
      0x07 CAPACITY                                        its capacity: `tables.capacity_keys`

`hash16` is BLAKE2b with a digest of 16 bytes over, for each of the values: its type (the byte that
`ordered` begins with), the length of its bytes (4), its bytes. The bytes of a number are its
canonical text, so equal numbers meet in one partition.
Ranges are pairs (start, end): start <= key < end. `key_lengths` has the longest key.
"""

from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct
from typing import Final, Literal, TypeAlias, assert_never

from hashrange.limits import SEGMENTS_MAX
from hashrange.model.binary import decoded
from hashrange.model.values import AttributeValue
from hashrange.tables.ordering import BINARY, GROUP_BYTES, NUMBER, STRING, grouped, ordered, type_of

Range: TypeAlias = tuple[bytes, bytes]
"""Start, inclusive, and end, exclusive."""

SortOperator: TypeAlias = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

_SYSTEM: Final = 0
_CATALOG, _SEQUENCE, _DROPPED, _TOKEN, _TRIGGER, _LEASE, _CHANGES, _FORMAT, _SECRET = range(1, 10)

_ITEMS: Final = 1
_INDEX: Final = 2
_COUNTERS: Final = 3
_LOG: Final = 4
_BUILDING: Final = 5
_COLLECTION: Final = 6

_ITEM_COUNT, _BYTES = range(1, 3)

HASH_BYTES: Final = 16
_hashing: Final = blake2b(digest_size=HASH_BYTES).copy
"""Copying a hash object costs two thirds of creating one."""
_BYTE_MAX: Final = 0xFF
_HASHES: Final = 1 << (8 * HASH_BYTES)
_BEYOND: Final = b"\xff" * (HASH_BYTES + 1)
"""Greater than the bytes after the prefix of a partition: a type, or a hash and nothing more."""
TABLE_ITSELF: Final = 0
"""The number of the table in place of an index number."""

_u32: Final = Struct(">I").pack
_space: Final = Struct(">IB").pack
_space_part: Final = Struct(">IBI").pack
_short_item: Final = Struct(f">IB{HASH_BYTES}sB{GROUP_BYTES}sB").pack
"""The key of an item whose sort key is a single group, padded with zeros."""
_counter: Final = Struct(">IBIB").pack
_typed_head: Final = Struct(">BI").pack
_STRING_CODE, _NUMBER_CODE, _BINARY_CODE = STRING[0], NUMBER[0], BINARY[0]
_CATALOG_PREFIX: Final = _space(_SYSTEM, _CATALOG)
_COLLECTION_BYTE: Final = bytes((_COLLECTION,))


def catalog_key(name: str) -> bytes:
    """The key of the catalog entry of a table."""
    return _CATALOG_PREFIX + name.encode()


def name_of_catalog_key(key: bytes) -> str:
    """The inverse of `catalog_key`."""
    return key[len(_CATALOG_PREFIX) :].decode()


def catalog_range(prefix: str = "") -> Range:
    """The catalog entries of names with a prefix, in the order of the names' UTF-8 bytes."""
    return prefix_range(_CATALOG_PREFIX + prefix.encode())


def sequence_key() -> bytes:
    """The key of the number of the next table."""
    return _space(_SYSTEM, _SEQUENCE)


def dropped_key(number: int) -> bytes:
    """The key of a dropped table, whose rows are to be deleted."""
    return _space_part(_SYSTEM, _DROPPED, number)


def dropped_range() -> Range:
    """All dropped tables whose rows are to be deleted."""
    return prefix_range(_space(_SYSTEM, _DROPPED))


def token_key(period: int, token: str) -> bytes:
    """The key of the token of a transaction that was completed in a period of time."""
    return _space_part(_SYSTEM, _TOKEN, period) + token.encode()


def tokens_range(before: int | None = None) -> Range:
    """Tokens of all periods, or of those before one."""
    whole = prefix_range(_space(_SYSTEM, _TOKEN))
    return whole if before is None else (whole[0], _space_part(_SYSTEM, _TOKEN, before))


def trigger_begun_key(trigger: str, table: str) -> bytes:
    """The key of the time since which a trigger reads a table; names of triggers have no colon."""
    return _space_part(_SYSTEM, _TRIGGER, _SYSTEM) + f"{trigger}:{table}".encode()


def trigger_key(number: int, log: int, trigger: str) -> bytes:
    """The key of the position of a trigger in a shard of a table's log."""
    return _space_part(_SYSTEM, _TRIGGER, number) + _u32(log) + trigger.encode()


def trigger_place(key: bytes) -> tuple[int, int]:
    """The number of the table and of the log in a `trigger_key`."""
    place = key[len(_CATALOG_PREFIX) :]
    return int.from_bytes(place[:4], "big"), int.from_bytes(place[4:8], "big")


def triggers_range(*, positions: bool = False) -> Range:
    """All rows of triggers, or only their positions."""
    start, end = prefix_range(_space(_SYSTEM, _TRIGGER))
    return (_space_part(_SYSTEM, _TRIGGER, 1), end) if positions else (start, end)


def lease_key(work: str) -> bytes:
    """The key of the lease of some work: its owner and term."""
    return _space(_SYSTEM, _LEASE) + b"\x01" + work.encode()


def beat_key(work: str) -> bytes:
    """The key of the heartbeat counter of a lease."""
    return _space(_SYSTEM, _LEASE) + b"\x02" + work.encode()


def leases_range() -> Range:
    """All leases, with their heartbeats."""
    return prefix_range(_space(_SYSTEM, _LEASE))


def changes_key() -> bytes:
    """The key of the counter of catalog changes."""
    return _space(_SYSTEM, _CHANGES)


def format_key() -> bytes:
    """The key of the format of all rows."""
    return _space(_SYSTEM, _FORMAT)


def secret_key() -> bytes:
    """The key of the secret of all servers of the engine."""
    return _space(_SYSTEM, _SECRET)


def item_count_key(number: int, index: int = TABLE_ITSELF) -> bytes:
    """The key of the counter of a table's items, or of an index's entries."""
    return _counter(number, _COUNTERS, index, _ITEM_COUNT)


def bytes_key(number: int, index: int = TABLE_ITSELF) -> bytes:
    """The key of the counter of the bytes of a table's items, or of an index's entries."""
    return _counter(number, _COUNTERS, index, _BYTES)


def log_key(number: int, log: int) -> bytes:
    """The prefix of the keys of a change log's records."""
    return _space_part(number, _LOG, log)


def building_key(number: int, index: int) -> bytes:
    """The key of the progress of building an index."""
    return _space_part(number, _BUILDING, index)


def collection_key(item: bytes) -> bytes:
    """The key of the counter of an item collection's bytes, from the key of an item in it."""
    return item[:4] + _COLLECTION_BYTE + item[5 : 5 + HASH_BYTES]


def collections_range(number: int) -> Range:
    """The counters of all item collections of a table, in the order of their items."""
    return prefix_range(_space(number, _COLLECTION))


def collection_items(counter: bytes) -> Range:
    """The items of a collection, from the key of its counter."""
    return prefix_range(counter[:4] + bytes((_ITEMS,)) + counter[5:])


def table_range(number: int) -> Range:
    """All keys of a table."""
    return prefix_range(_u32(number))


def items_range(number: int) -> Range:
    """All items of a table."""
    return prefix_range(_space(number, _ITEMS))


def item_key(number: int, partition: AttributeValue, sort: AttributeValue | None) -> bytes:
    """The key of an item; `sort` is None for a table without sort key."""
    prefix = partition_prefix(number, partition)
    return prefix if sort is None else prefix + ordered(sort)


def text_item_key(number: int, partition: str, sort: str) -> bytes:
    """`item_key` for two strings, which most keys are."""
    data, tail = partition.encode(), sort.encode()
    hashing = _hashing()
    hashing.update(_typed_head(_STRING_CODE, len(data)) + data)
    count = len(tail)
    if count <= GROUP_BYTES:
        return _short_item(number, _ITEMS, hashing.digest(), _STRING_CODE, tail, count)
    return _space(number, _ITEMS) + hashing.digest() + grouped(STRING, tail)


def partition_prefix(number: int, partition: AttributeValue) -> bytes:
    """The prefix of the keys of all items with a partition key."""
    text = partition.get("S")
    if text is None:
        return _space(number, _ITEMS) + _hashed(_typed(partition))  # hash16, of one value
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


def hash16(values: Sequence[AttributeValue]) -> bytes:
    """The hash of the values of a key, 16 bytes."""
    return _hashed(b"".join(map(_typed, values)))


def _hashed(data: bytes) -> bytes:
    hashing = _hashing()
    hashing.update(data)
    return hashing.digest()


def _typed(value: AttributeValue) -> bytes:
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


def prefix_range(prefix: bytes) -> Range:
    """All keys that begin with `prefix`."""
    return prefix, key_after(prefix)


def key_after(key: bytes) -> bytes:
    """The first key that is greater than every key that begins with `key`.

    Every key has one, because no table has the number 2**32 - 1.
    """
    last = key[-1]
    if last < _BYTE_MAX:
        return key[:-1] + bytes((last + 1,))
    successor = _successor(key)
    assert successor, "a key begins with the number of a table"
    return successor


def _successor(data: bytes) -> bytes:
    """The first bytes greater than all that begin with `data`; empty if there are none."""
    rest = data.rstrip(b"\xff")
    return rest[:-1] + bytes((rest[-1] + 1,)) if rest else b""


def sort_range(prefix: bytes, operator: SortOperator, operands: Sequence[AttributeValue]) -> Range:
    """The keys under `prefix` whose next ordered value meets a condition.

    Also correct if keys continue after that value, as those of index entries do.

    Args:
        prefix: the prefix of a partition, with the values before the one that is compared.
        operator: the operator of the key condition.
        operands: one value, for BETWEEN two (an empty range if the first is greater), all of the
            attribute's type; for begins_with a string or binary.
    """
    operand = operands[0]
    kind = prefix + type_of(operand)
    bound = prefix + ordered(operand)
    match operator:
        case "=":
            return prefix_range(bound)
        case "<" | "<=":
            return kind, bound if operator == "<" else key_after(bound)
        case ">":
            return key_after(bound), key_after(kind)
        case ">=":
            return bound, key_after(kind)
        case "BETWEEN":
            return bound, max(bound, key_after(prefix + ordered(operands[1])))
        case "begins_with":
            return bound, _end_of_beginning(prefix, operand)
        case _:  # pragma: no cover - the set is closed
            assert_never(operator)


def _end_of_beginning(prefix: bytes, operand: AttributeValue) -> bytes:
    """The encoding of the first value that is greater than all that begin with `operand`.

    It is not a byte prefix, since the last group of the operand is padded and marked. The successor
    of a string need not be UTF-8.
    """
    kind = type_of(operand)
    assert kind != NUMBER, "begins_with is for strings and binary"
    successor = _successor(operand["S"].encode() if "S" in operand else decoded(operand["B"]))
    return prefix + grouped(kind, successor) if successor else key_after(prefix + kind)


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
