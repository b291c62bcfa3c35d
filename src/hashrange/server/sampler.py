"""Samples the partition keys of requests, while `/top.json` is being watched."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.api.requests.pipeline import Observer
from hashrange.api.steps.operation import AnyOperation
from hashrange.capacity.units import Charge, HashRange
from hashrange.model.namespaces import stored_name
from hashrange.model.values import AttributeValue
from hashrange.observe.hot_keys import KEYS_MAX, HotKey, HotKeys
from hashrange.tables.keys.keyspace import HASH_BYTES, hash16

EVERY: Final = 32
"""One request in this many is sampled, on average; a sample costs some microseconds."""
_MULTIPLIER: Final = 1_103_515_245
_INCREMENT: Final = 12_345
_BITS: Final = 31
_LOW_BITS: Final = 16
"""Bits of the linear congruential generator's state that are dropped: they hardly vary."""
WATCHED_NS: Final = 10_000_000_000
"""Sampling ends this long after the last call of `Sampler.watch`."""
_HASHES_MAX: Final = 4 * KEYS_MAX
"""Hashes of sampled keys that are kept."""
_SHOWN: Final = 20
"""Keys that `Sampler.watch` returns."""


class Sampler:
    """Samples plans while it is watched.

    Attributes:
        is_watched: the pipeline passes its plans to `see`.

    Args:
        observe: sets the observer of the pipeline's plans; None removes it.
        monotonic_ns: the clock.
    """

    __slots__ = (
        "_hashes",
        "_keys",
        "_left",
        "_monotonic_ns",
        "_observe",
        "_state",
        "_until_ns",
        "is_watched",
    )

    def __init__(
        self, observe: Callable[[Observer | None], None], monotonic_ns: Callable[[], int]
    ) -> None:
        self._observe = observe
        self._monotonic_ns = monotonic_ns
        self._keys = HotKeys()
        self._hashes: dict[HotKey, str] = {}
        self._left = 1
        self._state = 1
        self._until_ns = 0
        self.is_watched = False

    def see(self, operation: AnyOperation, plan: Any, namespace: str) -> None:
        """Count the partitions of every so many plans; end if nobody watches any more."""
        self._left -= 1
        if self._left:
            return
        self._left = self._gap()
        if self._monotonic_ns() >= self._until_ns:
            self.end()
            return
        for charge in operation.charges(plan):
            if charge.partition is not None and not isinstance(charge.partition, HashRange):
                place, key = _place(charge, namespace), ", ".join(map(_text, charge.partition))
                self._keys.add(place, key)
                if len(self._hashes) >= _HASHES_MAX:
                    self._hashes.clear()  # those of hot keys are soon there again
                self._hashes[place, key] = (charge.position or hash16(charge.partition)).hex()

    def end(self) -> None:
        """Stop sampling and clear the counts."""
        self.is_watched = False
        self._observe(None)
        self._keys.clear()
        self._hashes.clear()

    def _gap(self) -> int:
        """Requests up to the next sample, drawn from 1 to 2 * EVERY - 1.

        A constant gap would sample the same request in each round of a program's loop.
        """
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & ((1 << _BITS) - 1)
        return 1 + (self._state >> _LOW_BITS) % (2 * EVERY - 1)

    def hash_of(self, key: HotKey) -> str:
        """The partition hash of a key that was sampled, in hexadecimal digits; empty if unknown."""
        return self._hashes.get(key, "")[: 2 * HASH_BYTES]

    def watch(self) -> tuple[int, list[tuple[HotKey, int]]]:
        """Sample for ten more seconds.

        Returns:
            How many keys were counted until now, and the keys counted most, descending.
        """
        self._until_ns = self._monotonic_ns() + WATCHED_NS
        self.is_watched = True
        self._observe(self)
        return self._keys.total, self._keys.hottest(_SHOWN)


def _place(charge: Charge, namespace: str) -> str:
    """`table`, or `table/index`, as metrics name them."""
    name = stored_name(charge.table, namespace)
    return name if charge.index is None else f"{name}/{charge.index}"


def _text(value: AttributeValue) -> str:
    (content,) = [*value.values()][:1]
    return content if isinstance(content, str) else msgspec.json.encode(content).decode()
