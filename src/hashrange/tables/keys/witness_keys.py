"""Keys of the witnesses on this server, in the space 0x11 of the system: `tables.jobs.witnesses`.

0x11 WITNESS    id of a strong group                 its witness here
"""

from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range

_PREFIX: Final = key_spaces.WITNESS.prefix()


def witness_key(group: str) -> bytes:
    """The key of the witness of a group."""
    return _PREFIX + group.encode()


def witnesses_range() -> Range:
    """All witnesses, in the order of their groups' ids."""
    return key_spaces.WITNESS.range()
