"""Keys of the witnesses on this server, in the space 0x11 of the system: `tables.witnesses`.

0x11 WITNESS    id of a strong group                 its witness here
"""

from struct import Struct
from typing import Final

from hashrange.tables.key_ranges import Range, prefix_range

_PREFIX: Final = Struct(">IB").pack(0, 0x11)


def witness_key(group: str) -> bytes:
    """The key of the witness of a group."""
    return _PREFIX + group.encode()


def witnesses_range() -> Range:
    """All witnesses, in the order of their groups' ids."""
    return prefix_range(_PREFIX)
