"""Keys of what is kept for snapshots: backups, and images of items before later changes.

The numbers of the spaces continue those in `tables.keys.system_keys` and `tables.keys.keyspace`.

Table 0, the system:
  0x0C BACKUP     ARN of a backup                      its description: `tables.jobs.backups`
Every other table:
  0x08 BEFORE     hash16(partition key), ordered(sort key) if there is one
                                                       the item at the moment of a snapshot,
                                                       or ABSENT
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range

ABSENT: Final = b"\x00"
"""The value for an item that did not exist; stored items begin with another byte."""

_ITEMS: Final = key_spaces.ITEMS.code
_BEFORE: Final = key_spaces.BEFORE.code
_space: Final = Struct(">IB").pack
_SPACE_BYTES: Final = 5


def backup_key(arn: str) -> bytes:
    """The key of the description of a backup."""
    return key_spaces.BACKUP.prefix() + arn.encode()


def before_range(number: int) -> Range:
    """All images of a snapshot that is stored under a number."""
    return key_spaces.BEFORE.range(number)


def before_key(number: int, item: bytes) -> bytes:
    """The key of the image of an item, or a bound of a range of them, from that of the item."""
    return _space(number, _BEFORE) + item[_SPACE_BYTES:]


def moved(number: int, key: bytes) -> bytes:
    """The key of the same item in the table with another number."""
    return _space(number, _ITEMS) + key[_SPACE_BYTES:]
