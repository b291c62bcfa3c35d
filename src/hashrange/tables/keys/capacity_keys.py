"""The key of the row that holds the capacity of a table: its buckets and partitions.

The row belongs to the table, and is deleted with it. Its value is that of `api.admission.stored`.
"""

from typing import Final

from hashrange.tables.keys import key_spaces

ITEM_PREFIX_BYTES: Final = 5
"""Bytes of an item's key before its partition hash: the key position begins there."""
ENTRY_PREFIX_BYTES: Final = 9
"""The same of an index entry's key."""
POSITION_BYTES: Final = 48
"""Bytes of key positions that are kept: the hash and the beginning of the sort key."""
ITEM_POSITION: Final = slice(ITEM_PREFIX_BYTES, ITEM_PREFIX_BYTES + POSITION_BYTES)
ENTRY_POSITION: Final = slice(ENTRY_PREFIX_BYTES, ENTRY_PREFIX_BYTES + POSITION_BYTES)


def capacity_key(number: int) -> bytes:
    """The key of the capacity of a table."""
    return key_spaces.CAPACITY.prefix(number)
