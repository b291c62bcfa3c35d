"""The keys of DAX clusters, in the space 0x0E of the system: rows of `hashrange.api.dax_clusters`.

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
