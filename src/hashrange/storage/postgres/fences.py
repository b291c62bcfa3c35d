"""A cache of the versions of fences, so that 8 bytes are sent instead of a table's definition.

A version is used only once for a key, so it identifies the bytes that the key had with it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from hashrange.storage.engine import Fences

KEPT_MAX: Final = 20_000
"""Fence keys in the cache: two for each table, with the most tables that are allowed."""


class FenceVersions:
    """The values and versions of keys that were used as fences."""

    def __init__(self) -> None:
        self._cached: dict[bytes, tuple[bytes, int]] = {}

    def of(self, fences: Fences) -> dict[bytes, int] | None:
        """The versions of all fences; None if one of these values is not cached."""
        versions: dict[bytes, int] = {}
        for key, value in fences.items():
            cached = self._cached.get(key)
            if cached is None or (cached[0] is not value and cached[0] != value):
                return None
            versions[key] = cached[1]
        return versions

    def forget(self, keys: Iterable[bytes]) -> None:
        """Remove keys that have changed from the cache."""
        for key in keys:
            self._cached.pop(key, None)

    def learn(self, stored: Mapping[bytes, tuple[bytes, int]]) -> None:
        """Add values and versions that were read; the cache is cleared when it is full."""
        if len(self._cached) + len(stored) > KEPT_MAX:
            self._cached.clear()
        self._cached.update(stored)
