"""The kind of value that is stored at a key, from the space of the key. Pure."""

from enum import Enum, auto
from typing import Final

from hashrange.tables import keyspace, system_keys

_TABLE_BYTES: Final = 4
_SPACE_BYTES: Final = 5


class Kind(Enum):
    """The kind of a value."""

    TABLE = auto()
    """The definition of a table, or of a dropped one."""
    IMAGE = auto()
    """An item or an index entry."""
    RECORD = auto()
    """A record of a change log."""
    OTHER = auto()


_SYSTEM: Final = {
    system_keys.catalog_key("")[:_SPACE_BYTES]: Kind.TABLE,
    system_keys.dropped_key(0)[:_SPACE_BYTES]: Kind.TABLE,
}
_SYSTEM_TABLE: Final = system_keys.catalog_key("")[:_TABLE_BYTES]
_SPACES: Final = {
    keyspace.items_range(1)[0][_TABLE_BYTES]: Kind.IMAGE,
    keyspace.index_range(1, 1)[0][_TABLE_BYTES]: Kind.IMAGE,
    keyspace.log_key(1, 1)[_TABLE_BYTES]: Kind.RECORD,
}


def kind_of(key: bytes) -> Kind:
    """The kind of the value at a key."""
    if len(key) < _SPACE_BYTES:
        return Kind.OTHER
    if key[:_TABLE_BYTES] == _SYSTEM_TABLE:
        return _SYSTEM.get(key[:_SPACE_BYTES], Kind.OTHER)
    return _SPACES.get(key[_TABLE_BYTES], Kind.OTHER)
