"""The keys of alarms, the space 0x14 of the system's table: rows of `tables.alarms`.

    0x01 scope NUL name                  an alarm, with its state
    0x02 scope NUL time (8) tie (8)      an item of the history, in milliseconds since the epoch
    0x03 time (8) tie (8)                an action that is to be done at a time
    0x04                                 a counter: grows with each change of an alarm

The scope is account ':' region if each has alarms of its own, and empty if not.
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

TIE_BYTES: Final = 8
ADDRESS_BYTES: Final = 8 + TIE_BYTES
"""Of the address of an item within its scope: its time and its tie."""

_PREFIX: Final = key_spaces.ALARMS.prefix()
_ALARM, _ITEM, _ACTION, _CHANGES = (_PREFIX + bytes((kind,)) for kind in range(1, 5))
_SEPARATOR: Final = "\0"
_time: Final = Struct(">Q").pack


def alarms_range_of_space() -> Range:
    """All rows of the space."""
    return key_spaces.ALARMS.range()


def alarm_key(scope: str, name: str) -> bytes:
    """The key of an alarm."""
    return _ALARM + f"{scope}{_SEPARATOR}{name}".encode()


def alarms_range(scope: str | None, prefix: str = "") -> Range:
    """The alarms of a scope whose names have a prefix, in their order; of all scopes if None."""
    return prefix_range(_ALARM + ("" if scope is None else scope + _SEPARATOR + prefix).encode())


def item_key(scope: str, time_ms: int, tie: bytes) -> bytes:
    """The key of an item of the history."""
    return item_at(scope, _time(time_ms) + tie)


def item_at(scope: str, address: bytes) -> bytes:
    """The key of the item with an address."""
    return _items(scope) + address


def items_range(scope: str, start_ms: int = 0, end_ms: int | None = None) -> Range:
    """The items of a scope from one time up to, but not including, another."""
    start, end = prefix_range(_items(scope))
    return start + _time(start_ms), end if end_ms is None else start + _time(end_ms)


def items_after(scope: str | None) -> Range:
    """The items of all scopes behind one; of all scopes if None."""
    start, end = prefix_range(_ITEM)
    return start if scope is None else items_range(scope)[1], end


def scope_of(key: bytes) -> str:
    """The scope of an item."""
    return key[len(_ITEM) : -ADDRESS_BYTES].decode().removesuffix(_SEPARATOR)


def action_key(due_ms: int, tie: bytes) -> bytes:
    """The key of an action."""
    return _ACTION + _time(due_ms) + tie


def actions_range(now_ms: int) -> Range:
    """The actions that are due."""
    return _ACTION, _ACTION + _time(now_ms + 1)


def changes_key() -> bytes:
    """The key of the counter of changes."""
    return _CHANGES


def _items(scope: str) -> bytes:
    return _ITEM + f"{scope}{_SEPARATOR}".encode()
