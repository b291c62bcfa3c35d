"""Keys of change records: that of the log, then the number of the record within it (8 bytes)."""

from typing import Final

from hashrange.tables import keyspace
from hashrange.tables.keyspace import Range

_NUMBER_BYTES: Final = 8
_TABLE_BYTES: Final = 5
"""Of the table's number and the space."""
_LOG_BYTES: Final = 4
_HASH_BYTES: Final = 16

HASHES: Final = 1 << (8 * _HASH_BYTES)
"""How many partition hashes there can be."""


def logs_range(table: int) -> Range:
    """The records of all change logs of a table."""
    return keyspace.prefix_range(keyspace.log_key(table, 0)[:_TABLE_BYTES])


def record_key(log: bytes, record: int) -> bytes:
    """A record of the log whose keys begin with `log`."""
    return log + record.to_bytes(_NUMBER_BYTES, "big")


def is_record_key(key: bytes) -> bool:
    """Whether a key of the space of logs is as long as that of a record."""
    return len(key) == _TABLE_BYTES + _LOG_BYTES + _NUMBER_BYTES


def log_of_record(key: bytes) -> bytes:
    """What the keys of all records of the log of one begin with."""
    return key[:-_NUMBER_BYTES]


def record_number(key: bytes) -> int:
    """The number of a record within its log."""
    return int.from_bytes(key[-_NUMBER_BYTES:], "big")


def log_number(key: bytes) -> int:
    """The number of the log that a record is of."""
    return int.from_bytes(key[_TABLE_BYTES:-_NUMBER_BYTES], "big")


def partition_hash(item: bytes) -> bytes:
    """The hash of an item's partition key, from its key."""
    return item[_TABLE_BYTES : _TABLE_BYTES + _HASH_BYTES]


def hash_bytes(number: int) -> bytes:
    """The hash that is so many hashes after the first."""
    return number.to_bytes(_HASH_BYTES, "big")
