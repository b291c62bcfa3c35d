"""Keys of the group of a strong table, a space that is dropped with it, and of witnesses.

The number of the space continues those in `tables.keys.keyspace`. Integers are big-endian.

  0x0A CONSENSUS  0x00                     the term, the vote, the snapshot, the last index
                  0x01                     the index of the last entry that is applied (8)
                  0x02, index (8)          an entry: its term (8), its data
                  0x03, index (8)          region, key, version of a write that took effect
                  0x04                     how often this member has been started (8)

0x11 WITNESS    id of a strong group                 its witness here
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

_CONSENSUS: Final = key_spaces.CONSENSUS.code
_STATE, _APPLIED, _ENTRY, _WRITE, _STARTS = range(5)
_row: Final = Struct(">IBB").pack
_INDEX: Final = Struct(">Q")


def consensus_range(number: int) -> Range:
    """All rows of a group."""
    return key_spaces.CONSENSUS.range(number)


def state_key(number: int) -> bytes:
    """The key of the term, the vote, the snapshot and the last index."""
    return _row(number, _CONSENSUS, _STATE)


def applied_key(number: int) -> bytes:
    """The key of the index of the last entry that is applied."""
    return _row(number, _CONSENSUS, _APPLIED)


def entry_key(number: int, index: int) -> bytes:
    """The key of an entry."""
    return _row(number, _CONSENSUS, _ENTRY) + _INDEX.pack(index)


def entries_range(number: int) -> Range:
    """All entries."""
    return prefix_range(_row(number, _CONSENSUS, _ENTRY))


def written_key(number: int, index: int) -> bytes:
    """The key of the row of a write that took effect, by the index of its entry."""
    return _row(number, _CONSENSUS, _WRITE) + _INDEX.pack(index)


def starts_key(number: int) -> bytes:
    """The key of the count of starts of a member."""
    return _row(number, _CONSENSUS, _STARTS)


def index_of(entry: bytes) -> int:
    """The index of an entry or a write, from its key."""
    index: int = _INDEX.unpack_from(entry, len(entry) - _INDEX.size)[0]
    return index


def index_row(index: int) -> bytes:
    """The value of a row that has an index, or a count."""
    return _INDEX.pack(index)


def index_in(row: bytes | None) -> int:
    """The index or count in such a row; 0 if there is none."""
    return 0 if row is None else int.from_bytes(row, "big")


_PREFIX: Final = key_spaces.WITNESS.prefix()


def witness_key(group: str) -> bytes:
    """The key of the witness of a group."""
    return _PREFIX + group.encode()


def witnesses_range() -> Range:
    """All witnesses, in the order of their groups' ids."""
    return key_spaces.WITNESS.range()
