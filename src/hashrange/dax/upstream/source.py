"""Another endpoint of DynamoDB, as the source behind the caches."""

from collections.abc import Callable, Iterable

from hashrange.bounded_cache import BoundedCache
from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.upstream.refusals import UpstreamError
from hashrange.dax.upstream.sender import Sender
from hashrange.dax.upstream.tables import UpstreamTables
from hashrange.limits.dax import (
    UPSTREAM_RECENT_BYTES_MAX,
    UPSTREAM_RECENT_MS,
    UPSTREAM_RECENT_WRITES_MAX,
)


class RecentWrites:
    """The keys of the writes of the last seconds, or so many of them as there is room for.

    Eventually consistent reads of the upstream may not have these writes yet.

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


class UpstreamSource:
    """The upstream.

    Args:
        sender: performs operations at the upstream.
        tables: the upstream's.
        now_ms: the time.

    Attributes:
        perform: as `Sender.perform`.
        table: a table by its name or ARN as sent.
        is_recent: whether a key was written a moment ago, so that only strongly consistent reads
            see it.
        note_writes: keys may have been written.
    """

    joins_pages = True

    def __init__(self, sender: Sender, tables: UpstreamTables, now_ms: Callable[[], int]) -> None:
        recent = RecentWrites(now_ms)
        self.perform = sender.perform
        self.table = tables.get
        self.is_recent, self.note_writes = recent.has, recent.add

    def is_unchanged(self, error: BaseException) -> bool:
        """Whether the error of a write says that nothing was changed."""
        return isinstance(error, UpstreamError) and error.is_unchanged
