"""Keys of the positions of replication, a space of table 0.

0x0F            source (4), target (4): numbers of tables; shard (4)
                                        the next record (8) of that shard to replicate
                ...; 0 (4)              until when (8, ms) all changes of the source are in the
                                        target
                ...; 0xFFFFFFFF (4)     of a target on another server: the shard from which its log
                                        is sent (8), and the key where the next page of the copy
                                        begins

Numbers from 0x80000000 on stand for replicas on other servers; their times have the incarnation (8)
of that replica behind them.
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range

_SPACE: Final = key_spaces.REPLICATION.prefix()
_place: Final = Struct(">III").pack
_COMPLETE: Final = 0
"""In place of a shard's number, which is never 0."""
_COPY: Final = 0xFFFF_FFFF
"""In place of a shard's number, too."""


def position_key(source: int, target: int, shard: int) -> bytes:
    """The key of the position in a shard."""
    return _SPACE + _place(source, target, shard)


def complete_key(source: int, target: int) -> bytes:
    """The key of the time until when the target is complete."""
    return position_key(source, target, _COMPLETE)


def copy_key(source: int, target: int) -> bytes:
    """The key of the position of a copy for a replica on another server."""
    return position_key(source, target, _COPY)


def positions_range() -> Range:
    """All positions."""
    return key_spaces.REPLICATION.range()


def tables_of_position(key: bytes) -> tuple[int, int]:
    """The numbers of the source and of the target, from the key of a position."""
    place = len(_SPACE)
    return int.from_bytes(key[place : place + 4], "big"), int.from_bytes(
        key[place + 4 : place + 8], "big"
    )
