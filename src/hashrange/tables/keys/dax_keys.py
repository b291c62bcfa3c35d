"""The keys of the attribute lists of DAX, in the space 0x0E of the system's table.

0x01, scope ':' number (8): the names of a list; 0x02, scope ':' hash (32) of the names: its number;
0x03: the number of the last list. The scope is an account, or empty if all callers share the lists.
`tables.keys.system_keys` has the layout of that table.

0x11 scope NUL name         a cluster
    0x12 scope NUL name         a parameter group
    0x13 scope NUL name         a subnet group
    0x14 scope                  the events of all of them

The scope is account ':' region if each has tables of its own, and empty if not. What begins with a
smaller byte belongs to the attribute lists of the protocol.
"""

from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

_PREFIX: Final = key_spaces.DAX.prefix()
_NUMBER_BYTES: Final = 8


def attribute_list_key(scope: str, number: int) -> bytes:
    """The key of the names of a list."""
    return _PREFIX + b"\x01" + scope.encode() + b":" + number.to_bytes(_NUMBER_BYTES, "big")


def attribute_names_key(scope: str, digest: bytes) -> bytes:
    """The key of the number of a list, by a hash of its names."""
    return _PREFIX + b"\x02" + scope.encode() + b":" + digest


def attribute_list_sequence_key() -> bytes:
    """The key of the number of the last list."""
    return _PREFIX + b"\x03"


CLUSTERS, PARAMETER_GROUPS, SUBNET_GROUPS = (_PREFIX + bytes((kind,)) for kind in (17, 18, 19))
_EVENTS: Final = _PREFIX + bytes((20,))
_SEPARATOR: Final = "\0"


def named_key(kind: bytes, scope: str, name: str) -> bytes:
    """The key of a cluster or group; `kind` is one of the constants of this module."""
    return kind + f"{scope}{_SEPARATOR}{name}".encode()


def named_range(kind: bytes, scope: str | None) -> Range:
    """The clusters or groups of a scope, in the order of their names; of all scopes if None."""
    return prefix_range(kind + ("" if scope is None else scope + _SEPARATOR).encode())


def events_key(scope: str) -> bytes:
    """The key of the events of a scope."""
    return _EVENTS + scope.encode()
