"""Keys of auto scaling and of capacity, spaces of table 0: rows of scaling and of admission.

    0x01 address                a scalable target, with its policies and scheduled actions
    0x02 address                the activities of a scalable target, which stay when it is removed
    0x03 minute (4), table      a counter: read units that were consumed in a minute, in tenths
    0x04 minute (4), table      the same of write units
    0x05                        never stored: owns the counters, which are deleted unread

An address is a scope, a resource and a dimension with NUL between them. The scope is account ':'
region if each has tables of its own, and empty if not; the table of a counter is scope, NUL, table,
and of an index NUL and its name.

The row belongs to the table, and is deleted with it. Its value is that of `api.admission.stored`.
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

_PREFIX: Final = key_spaces.SCALING.prefix()
COUNTERS_KEY: Final = _PREFIX + b"\x05"
_minute: Final = Struct(">I").pack
_TARGET, _ACTIVITIES, _READ, _WRITE = (_PREFIX + bytes((kind,)) for kind in range(1, 5))
_SEPARATOR: Final = "\0"


def address_of(scope: str, resource: str, dimension: str) -> str:
    """The address of a target."""
    return _SEPARATOR.join((scope, resource, dimension))


def target_key(address: str) -> bytes:
    """The key of a scalable target."""
    return _TARGET + address.encode()


def targets_range(scope: str | None) -> Range:
    """The scalable targets of a scope; of all scopes if None."""
    return prefix_range(_TARGET + ("" if scope is None else scope + _SEPARATOR).encode())


def activities_key(address: str) -> bytes:
    """The key of the activities of an address."""
    return _ACTIVITIES + address.encode()


def activities_range(scope: str) -> Range:
    """The activities of a scope."""
    return prefix_range(_ACTIVITIES + (scope + _SEPARATOR).encode())


def consumed_key(minute: int, scope: str, names: tuple[str, ...], *, is_write: bool) -> bytes:
    """The key of the units that were consumed in a minute; `names` are table and index."""
    name = _SEPARATOR.join((scope, *names))
    return (_WRITE if is_write else _READ) + _minute(minute) + name.encode()


def consumed_ranges(before_minute: int) -> tuple[Range, Range]:
    """The counters of all minutes before one: of read units, and of write units."""
    end = _minute(before_minute)
    return (_READ, _READ + end), (_WRITE, _WRITE + end)


ITEM_PREFIX_BYTES: Final = 5
"""Bytes of an item's key before its partition hash: the key position begins there."""
ENTRY_PREFIX_BYTES: Final = 9
"""The same of an index entry's key."""
POSITION_BYTES: Final = 48
"""Bytes of key positions that are kept: the hash and the beginning of the sort key."""
ITEM_POSITION: Final = slice(ITEM_PREFIX_BYTES, ITEM_PREFIX_BYTES + POSITION_BYTES)
ENTRY_POSITION: Final = slice(ENTRY_PREFIX_BYTES, ENTRY_PREFIX_BYTES + POSITION_BYTES)


def capacity_key(number: int) -> bytes:
    """The key of the capacity of a table."""
    return key_spaces.CAPACITY.prefix(number)
