"""Looks at one request in some for the keys that it names, as long as somebody wants to know."""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.model.values import AttributeValue
from hashrange.observe.hot_keys import HotKey, HotKeys
from hashrange.operations.operation import Caller
from hashrange.operations.touched import Touched, touched
from hashrange.tables.opened import OpenTable

EVERY: Final = 32
"""One request in so many, on average: one that is looked at costs some microseconds more."""
_MULTIPLIER: Final = 1_103_515_245
_INCREMENT: Final = 12_345
_BITS: Final = 31
_LOW_BITS: Final = 16
"""Of a linear congruential generator, whose low bits are of no use."""
WATCHED_NS: Final = 10_000_000_000
"""How long is gone on after somebody has asked."""
_SHOWN: Final = 20

Lookup = Callable[[str, Caller], OpenTable | None]
"""A table by the name that a caller has for it, if it is in memory."""


class Sampler:
    """Samples while it is watched.

    Attributes:
        is_watched: requests are to be handed to `see`; the only thing that a request that is not
            looked at pays for.

    Args:
        lookup: finds tables.
        monotonic_ns: the clock.
    """

    __slots__ = ("_keys", "_left", "_lookup", "_monotonic_ns", "_state", "_until_ns", "is_watched")

    def __init__(self, lookup: Lookup, monotonic_ns: Callable[[], int]) -> None:
        self._lookup = lookup
        self._monotonic_ns = monotonic_ns
        self._keys = HotKeys()
        self._left = 1
        self._state = 1
        self._until_ns = 0
        self.is_watched = False

    def see(self, request: object, caller: Caller) -> None:
        """Count the keys of a decoded request, if it is its turn."""
        self._left -= 1
        if self._left:
            return
        self._left = self._gap()
        if self._monotonic_ns() >= self._until_ns:
            self.is_watched = False
            self._keys.clear()
            return
        for each in touched(request):
            table = self._lookup(each.table or "", caller)
            if table is not None and (key := _partition_key(table, each)) is not None:
                name = table.table.name
                self._keys.add(name if each.index is None else f"{name}/{each.index}", key)

    def _gap(self) -> int:
        """Requests to the next one that is looked at.

        Not always as many: of a program's loop of eight requests always the same one would be seen.
        """
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & ((1 << _BITS) - 1)
        return 1 + (self._state >> _LOW_BITS) % (2 * EVERY - 1)

    def watch(self) -> tuple[int, list[tuple[HotKey, int]]]:
        """Go on for a while; what was counted until now: all, and the keys counted most."""
        self._until_ns = self._monotonic_ns() + WATCHED_NS
        self.is_watched = True
        return self._keys.total, self._keys.hottest(_SHOWN)


def _partition_key(table: OpenTable, item: Touched) -> str | None:
    """As text; None if the request does not have it."""
    if item.index is None:
        names = [table.partition_name]
    else:
        index = table.table.index(item.index)
        names = [] if index is None else [attribute.name for attribute in index.partition]
    values = [item.values.get(name) for name in names]
    texts = [_text(value) for value in values if value]
    return ", ".join(texts) if texts and len(texts) == len(names) else None


def _text(value: AttributeValue) -> str:
    (content,) = [*value.values()][:1]
    return content if isinstance(content, str) else msgspec.json.encode(content).decode()
