"""The keys of the heads of audit chains, in the space 0x10 of the system's table.

`tables.system_keys` has the layout of that table.
"""

from struct import Struct
from typing import Final

from hashrange.tables.key_ranges import Range, prefix_range

_PREFIX: Final = Struct(">IB").pack(0, 0x10)


def audit_key(chain: str) -> bytes:
    """The key of the head of a chain, by the chain's id."""
    return _PREFIX + chain.encode()


def chain_of_key(key: bytes) -> str:
    """The id of the chain of a key."""
    return key[len(_PREFIX) :].decode()


def audit_range() -> Range:
    """The heads of all chains."""
    return prefix_range(_PREFIX)
