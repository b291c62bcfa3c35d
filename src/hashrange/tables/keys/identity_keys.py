"""Keys of identities, a space of table 0: users, roles, policies of `hashrange.access.identities`.

    0x01                                 the revision: how often identities have changed (8)
    0x02                                 the keys that the last changes touched
    0x03 account ':' name                a user, with its access keys
    0x04 account ':' name                a role
    0x05 account ':' name                a managed policy

Names are in lower case, because IAM does not distinguish names by case.

`tables.keys.system_keys` has the layout of that table.
"""

from enum import IntEnum
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range

_PREFIX: Final = key_spaces.IDENTITIES.prefix()
REVISION_KEY: Final = _PREFIX + b"\x01"
CHANGES_KEY: Final = _PREFIX + b"\x02"


class IdentityKind(IntEnum):
    """The kinds of entities, by the byte of their keys."""

    USER = 3
    ROLE = 4
    POLICY = 5


def identity_key(kind: IdentityKind, account: str, name: str) -> bytes:
    """The key of an entity; names are distinguished without their case."""
    return _PREFIX + bytes((kind,)) + f"{account}:{name.lower()}".encode()


def kind_of(key: bytes) -> IdentityKind | None:
    """The kind of the entity that a key of this space belongs to; None for other rows."""
    code = key[len(_PREFIX)]
    return IdentityKind(code) if code in set(IdentityKind) else None


def entities_range() -> Range:
    """All entities, by kind, account and name."""
    start, end = key_spaces.IDENTITIES.range()
    return start + bytes((min(IdentityKind),)), end


_AUDIT_PREFIX: Final = key_spaces.AUDIT.prefix()


def audit_key(chain: str) -> bytes:
    """The key of the head of a chain, by the chain's id."""
    return _AUDIT_PREFIX + chain.encode()


def chain_of_key(key: bytes) -> str:
    """The id of the chain of a key."""
    return key[len(_AUDIT_PREFIX) :].decode()


def audit_range() -> Range:
    """The heads of all chains."""
    return key_spaces.AUDIT.range()
