"""Fences answered from memory, as the engine is the only writer of its data."""

from collections.abc import Callable, Mapping
from typing import Final

from hashrange.storage.engine import Fences, StaleFenceError

KEPT_MAX: Final = 20_000
"""Fence keys kept: two for each of the most tables that there may be."""


class FenceCache:
    """The committed values of keys that were used as fences.

    Args:
        load: the committed value of a key.
        kept_max: keys that are kept.

    Attributes:
        values: the values known; always the same dict.
    """

    def __init__(self, load: Callable[[bytes], bytes | None], kept_max: int = KEPT_MAX) -> None:
        self._load = load
        self._kept_max = kept_max
        self.values: dict[bytes, bytes | None] = {}

    def check(self, fences: Fences) -> None:
        """Raises StaleFenceError unless all fences hold on the committed state."""
        # Callers for whom a call counts make this comparison themselves. The plans of one version
        # of a table share one object, so that bytes are rarely compared.
        if not fences.items() <= self.values.items():
            for key, expected in fences.items():
                self.compare(key, expected)

    def compare(self, key: bytes, expected: bytes) -> None:
        """Raises StaleFenceError unless a fence holds on the committed state."""
        if key not in self.values:
            if len(self.values) >= self._kept_max:
                self.values.clear()
            self.values[key] = self._load(key)
        if self.values[key] != expected:
            raise StaleFenceError(key)
        self.values[key] = expected

    def committed(self, changes: Mapping[bytes, bytes | None]) -> None:
        """Take over what is now committed."""
        values = self.values
        values.update({key: changes[key] for key in values.keys() & changes.keys()})

    def forget(self) -> None:
        """Keep nothing: what is committed is not known any more."""
        self.values.clear()
