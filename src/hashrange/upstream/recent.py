"""Keys that were written a moment ago: eventually consistent reads may not have the write yet."""

from collections.abc import Callable, Iterable

from hashrange.bounded_cache import BoundedCache
from hashrange.dax_cache.entries import CacheKey
from hashrange.limits.upstream import (
    UPSTREAM_RECENT_BYTES_MAX,
    UPSTREAM_RECENT_MS,
    UPSTREAM_RECENT_WRITES_MAX,
)


class RecentWrites:
    """The writes of the last seconds, or so many of them as there is room for.

    Args:
        now_ms: the time.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._written_ms = BoundedCache[CacheKey, int](
            entries_max=UPSTREAM_RECENT_WRITES_MAX,
            chars_max=UPSTREAM_RECENT_BYTES_MAX,
            entry_chars_max=UPSTREAM_RECENT_BYTES_MAX,
        )

    def add(self, keys: Iterable[CacheKey]) -> None:
        """Keys may have been written."""
        now_ms = self._now_ms()
        for key in keys:
            self._written_ms.keep(key, now_ms, len(key))

    def has(self, key: CacheKey) -> bool:
        """Whether a key may have been written a moment ago."""
        written_ms = self._written_ms.get(key)
        return written_ms is not None and self._now_ms() - written_ms < UPSTREAM_RECENT_MS
