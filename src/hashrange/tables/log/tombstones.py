"""Tombstones: what deleted items of global tables leave, until every replica has the deletion.

A change from another region wins if its version is greater than that of the item, or of its
tombstone. The key of a tombstone is that of the item in a space of its own; its value is, in
big-endian integers:

    version (8)     of the deletion, as in `tables.items.images`
    region (2)      where the item was deleted, as there
"""

from struct import Struct
from typing import Final

import msgspec

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range

_TOMBSTONE: Final = key_spaces.TOMBSTONE.code
_SPACE_BYTES: Final = 5
_VALUE: Final = Struct(">QH")


class GlobalVersion(msgspec.Struct, frozen=True, order=True):
    """The version of a change of an item, and its region; no two changes have equal versions."""

    version: int
    region: str


def tombstones_range(number: int) -> Range:
    """All tombstones of a table."""
    return key_spaces.TOMBSTONE.range(number)


def tombstone_key(item: bytes) -> bytes:
    """The key of the tombstone of an item, from that of the item."""
    return item[: _SPACE_BYTES - 1] + bytes((_TOMBSTONE,)) + item[_SPACE_BYTES:]


def tombstone(version: int, region: int) -> bytes:
    """The value of a tombstone."""
    return _VALUE.pack(version, region)


def is_tombstone(value: bytes) -> bool:
    """Whether a value has the form of a tombstone."""
    return len(value) == _VALUE.size


def version_and_region(value: bytes) -> tuple[int, int]:
    """The version and the number of the region in a tombstone."""
    version, region = _VALUE.unpack(value)
    return version, region
