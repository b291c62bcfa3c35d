"""The keys of the attribute lists of DAX, in the space 0x0E of the system's table.

0x01, scope ':' number (8): the names of a list; 0x02, scope ':' hash (32) of the names: its number;
0x03: the number of the last list. The scope is an account, or empty if all callers share the lists.
`tables.keys.system_keys` has the layout of that table.
"""

from typing import Final

from hashrange.tables.keys import key_spaces

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
