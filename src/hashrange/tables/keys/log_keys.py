"""Keys of change records: the prefix of the log, then the number of the record (8 bytes)."""

from typing import Final

from hashrange.tables.keys import key_ranges, keyspace
from hashrange.tables.keys.key_ranges import Range

_NUMBER_BYTES: Final = 8
_TABLE_BYTES: Final = 5
"""The bytes of the table's number and of the space."""
_NUMBER_OF_TABLE_BYTES: Final = 4
_LOG_BYTES: Final = 4
_HASH_BYTES: Final = 16

PARTITION_HASH: Final = slice(_TABLE_BYTES, _TABLE_BYTES + _HASH_BYTES)
"""The hash of the partition key in the key of an item."""
HASHES: Final = 1 << (8 * _HASH_BYTES)
"""The number of possible partition hashes."""


def logs_range(table: int) -> Range:
    """The records of all change logs of a table."""
    return key_ranges.prefix_range(keyspace.log_key(table, 0)[:_TABLE_BYTES])


def record_key(log: bytes, record: int) -> bytes:
    """The key of a record in the log with the prefix `log`."""
    return log + record.to_bytes(_NUMBER_BYTES, "big")


def is_record_key(key: bytes) -> bool:
    """Whether a key in the space of logs has the length of a record's key."""
    return len(key) == _TABLE_BYTES + _LOG_BYTES + _NUMBER_BYTES


def log_of_record(key: bytes) -> bytes:
    """The prefix of a record's log, from the key of the record."""
    return key[:-_NUMBER_BYTES]


def record_number(key: bytes) -> int:
    """The number of a record within its log."""
    return int.from_bytes(key[-_NUMBER_BYTES:], "big")


def table_of_log(log: bytes) -> int:
    """The number of the table of a log."""
    return int.from_bytes(log[:_NUMBER_OF_TABLE_BYTES], "big")


def log_number(key: bytes) -> int:
    """The number of a record's log, from the key of the record."""
    return int.from_bytes(key[_TABLE_BYTES:-_NUMBER_BYTES], "big")


def partition_hash(item: bytes) -> bytes:
    """The hash of an item's partition key, from its key."""
    return item[PARTITION_HASH]


def hash_bytes(number: int) -> bytes:
    """The hash with a number from 0 to `HASHES` - 1, in their order."""
    return number.to_bytes(_HASH_BYTES, "big")
