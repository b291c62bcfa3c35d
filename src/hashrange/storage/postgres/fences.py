"""Versions that stand for the bytes of fences, so that 8 bytes are sent and not a definition.

A version never comes twice for a key: one that is known to have held certain bytes stands for them.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from hashrange.storage.engine import Fences

KEPT_MAX: Final = 20_000
"""Fence keys kept: two for each of the most tables that there may be."""


class FenceVersions:
    """What this server knows of keys that were used as fences."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[bytes, int]] = {}

    def of(self, fences: Fences) -> dict[bytes, int] | None:
        """The versions that hold the bytes of all fences, or None if one is not known."""
        versions: dict[bytes, int] = {}
        for key, value in fences.items():
            known = self._known.get(key)
            if known is None or (known[0] is not value and known[0] != value):
                return None
            versions[key] = known[1]
        return versions

    def forget(self, keys: Iterable[bytes]) -> None:
        """Of these something else is true now."""
        for key in keys:
            self._known.pop(key, None)

    def learn(self, stored: Mapping[bytes, tuple[bytes, int]]) -> None:
        """Take over what was read."""
        if len(self._known) + len(stored) > KEPT_MAX:
            self._known.clear()
        self._known.update(stored)
