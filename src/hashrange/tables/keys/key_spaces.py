"""The spaces of keys, a row each: what is stored in them, who verifies and who copies it.

A key begins with the number of its table and the code of a space. `tables.keys.keyspace` has the
layout of the keys of tables, `tables.keys.system_keys` that of table 0, the system. A new space has
a row here, its layout in one of these docstrings, and its ranges in `tables.verifying.verify`; a
test holds each column.

Backups of directories and databases have the rows of all spaces: they copy the pages of a file, or
all rows of a schema. `hashrange copy` has no access to keys, since it speaks the operations of the
API: docs/internals/adr/0008-copies-speak-the-operations.md.
"""

from enum import Enum, auto
from struct import Struct
from typing import Final

import msgspec

from hashrange.tables.keys.key_ranges import Range, prefix_range

SYSTEM: Final = 0
"""The number in place of a table's."""
_TABLE_BYTES: Final = 4
_prefix: Final = Struct(">IB").pack


class Kind(Enum):
    """The kind of a value."""

    TABLE = auto()
    """The definition of a table, or of a dropped one."""
    IMAGE = auto()
    """An item or an index entry."""
    RECORD = auto()
    """A record of a change log."""
    OTHER = auto()


class Copying(Enum):
    """The treatment of the rows of a space by `hashrange copy`."""

    COPIED = auto()
    """The target has them afterwards: the definitions of tables, and items."""
    MADE = auto()
    """The target makes its own, of definitions and items."""
    LEFT = auto()
    """They belong to the servers of the source, to its past, or to work in progress."""


class Space(msgspec.Struct, frozen=True):
    """A space of keys.

    Attributes:
        code: the byte behind the number of the table.
        name: in the layouts of keys.
        copying: what a copy does with its rows.
        is_verified: `hashrange verify` reads its values; of others it knows the ranges of keys.
        kind: the kind of its values.
    """

    code: int
    name: str
    copying: Copying
    is_verified: bool
    kind: Kind = Kind.OTHER

    def prefix(self, table: int = SYSTEM) -> bytes:
        """The prefix of its keys in a table."""
        return _prefix(table, self.code)

    def range(self, table: int = SYSTEM) -> Range:
        """All its keys in a table."""
        return prefix_range(self.prefix(table))


_COPIED, _MADE, _LEFT = Copying

SYSTEM_SPACES: Final = (
    CATALOG := Space(0x01, "CATALOG", _COPIED, is_verified=True, kind=Kind.TABLE),
    SEQUENCE := Space(0x02, "SEQUENCE", _MADE, is_verified=True),
    DROPPED := Space(0x03, "DROPPED", _LEFT, is_verified=True, kind=Kind.TABLE),
    TOKEN := Space(0x04, "TOKEN", _LEFT, is_verified=True),
    TRIGGER := Space(0x05, "TRIGGER", _LEFT, is_verified=True),
    LEASE := Space(0x06, "LEASE", _LEFT, is_verified=False),
    CHANGES := Space(0x07, "CHANGES", _MADE, is_verified=False),
    FORMAT := Space(0x08, "FORMAT", _MADE, is_verified=False),
    SECRET := Space(0x09, "SECRET", _LEFT, is_verified=True),
    IDENTITIES := Space(0x0A, "IDENTITIES", _LEFT, is_verified=True),
    SCALING := Space(0x0B, "SCALING", _LEFT, is_verified=False),
    BACKUP := Space(0x0C, "BACKUP", _LEFT, is_verified=True),
    JOB := Space(0x0D, "JOB", _LEFT, is_verified=True),
    DAX := Space(0x0E, "DAX", _LEFT, is_verified=False),
    REPLICATION := Space(0x0F, "REPLICATION", _LEFT, is_verified=False),
    AUDIT := Space(0x10, "AUDIT", _LEFT, is_verified=False),
    WITNESS := Space(0x11, "WITNESS", _LEFT, is_verified=True),
    KINESIS := Space(0x12, "KINESIS", _LEFT, is_verified=True),
    METRICS := Space(0x13, "METRICS", _LEFT, is_verified=False),
    ALARMS := Space(0x14, "ALARMS", _LEFT, is_verified=False),
)
"""The spaces of table 0, in the order of their codes."""
TABLE_SPACES: Final = (
    ITEMS := Space(0x01, "ITEMS", _COPIED, is_verified=True, kind=Kind.IMAGE),
    INDEX := Space(0x02, "INDEX", _MADE, is_verified=True, kind=Kind.IMAGE),
    COUNTERS := Space(0x03, "COUNTERS", _MADE, is_verified=True),
    LOG := Space(0x04, "LOG", _LEFT, is_verified=True, kind=Kind.RECORD),
    BUILDING := Space(0x05, "BUILDING", _MADE, is_verified=False),
    COLLECTION := Space(0x06, "COLLECTION", _MADE, is_verified=True),
    CAPACITY := Space(0x07, "CAPACITY", _LEFT, is_verified=False),
    BEFORE := Space(0x08, "BEFORE", _LEFT, is_verified=False),
    TOMBSTONE := Space(0x09, "TOMBSTONE", _LEFT, is_verified=True),
    CONSENSUS := Space(0x0A, "CONSENSUS", _LEFT, is_verified=True),
    VECTOR_LOG := Space(0x0B, "VECTOR_LOG", _LEFT, is_verified=False),
)
"""The spaces of every other table, likewise."""

_SYSTEM_KINDS: Final = {each.code: each.kind for each in SYSTEM_SPACES}
_TABLE_KINDS: Final = {each.code: each.kind for each in TABLE_SPACES}


def kind_of(key: bytes) -> Kind:
    """The kind of the value at a key."""
    if len(key) <= _TABLE_BYTES:
        return Kind.OTHER
    is_system = int.from_bytes(key[:_TABLE_BYTES]) == SYSTEM
    kinds = _SYSTEM_KINDS if is_system else _TABLE_KINDS
    return kinds.get(key[_TABLE_BYTES], Kind.OTHER)
