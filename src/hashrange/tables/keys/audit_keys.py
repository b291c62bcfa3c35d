"""The keys of the heads of audit chains, in the space 0x10 of the system's table.

`tables.keys.system_keys` has the layout of that table.
"""

from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range

_PREFIX: Final = key_spaces.AUDIT.prefix()


def audit_key(chain: str) -> bytes:
    """The key of the head of a chain, by the chain's id."""
    return _PREFIX + chain.encode()


def chain_of_key(key: bytes) -> str:
    """The id of the chain of a key."""
    return key[len(_PREFIX) :].decode()


def audit_range() -> Range:
    """The heads of all chains."""
    return key_spaces.AUDIT.range()
