"""Looks at one request in some for the keys that it names, as long as somebody wants to know."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.capacity.charges import Charge, HashRange
from hashrange.model.values import AttributeValue
from hashrange.observe.hot_keys import HotKey, HotKeys
from hashrange.operations.pipeline.operation import AnyOperation
from hashrange.operations.pipeline.pipeline import Observer
from hashrange.wire.arns import table_name_of

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


class Sampler:
    """Samples plans while it is watched.

    Attributes:
        is_watched: plans are to be shown.

    Args:
        observe: lets a pipeline show its plans to this sampler, or to nobody.
        monotonic_ns: the clock.
    """

    __slots__ = ("_keys", "_left", "_monotonic_ns", "_observe", "_state", "_until_ns", "is_watched")

    def __init__(
        self, observe: Callable[[Observer | None], None], monotonic_ns: Callable[[], int]
    ) -> None:
        self._observe = observe
        self._monotonic_ns = monotonic_ns
        self._keys = HotKeys()
        self._left = 1
        self._state = 1
        self._until_ns = 0
        self.is_watched = False

    def see(self, operation: AnyOperation, plan: Any) -> None:
        """Count the partitions that a plan names, if it is its turn."""
        self._left -= 1
        if self._left:
            return
        self._left = self._gap()
        if self._monotonic_ns() >= self._until_ns:
            self.end()
            return
        for charge in operation.charges(plan):
            if charge.partition is not None and not isinstance(charge.partition, HashRange):
                self._keys.add(_place(charge), ", ".join(map(_text, charge.partition)))

    def end(self) -> None:
        """Stop, and forget what was counted."""
        self.is_watched = False
        self._observe(None)
        self._keys.clear()

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
        self._observe(self)
        return self._keys.total, self._keys.hottest(_SHOWN)


def _place(charge: Charge) -> str:
    """The table, or table/index."""
    name = table_name_of(charge.table)
    return name if charge.index is None else f"{name}/{charge.index}"


def _text(value: AttributeValue) -> str:
    (content,) = [*value.values()][:1]
    return content if isinstance(content, str) else msgspec.json.encode(content).decode()
