"""The item cache and the query cache of a cluster.

    read    `item` ── found ─► answer
                   └─ None ──► `begin_fill` ─► read the table ─► `end_fill`
    write   `with writing(keys)` ─► write the table ─► `put`, `delete` or `refused`

A read never overwrites a newer write: what was read of a key is kept only if no write of the key
ended since the read began. Two writes of a key at once have no order that is known here, so both
leave no entry. Queries are kept by their parameters, and no write changes them.

Behaviour: DAX.consistency and DAX.concepts of the Developer Guide.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import msgspec

from hashrange.dax.cache.entries import CacheKey, Entries, Found, Kind
from hashrange.limits.dax import TTL_MS_DEFAULT
from hashrange.observe.figures import Figures

V = TypeVar("V")


class Lifetimes(msgspec.Struct, frozen=True):
    """Times to live of entries, in milliseconds: the parameters of a parameter group.

    Attributes:
        record_ttl_ms: of items; 0 for no end.
        query_ttl_ms: of pages of Query and Scan; 0 for none is kept.
    """

    record_ttl_ms: int = TTL_MS_DEFAULT
    query_ttl_ms: int = TTL_MS_DEFAULT


class Uses:
    """How often a cache had what was asked for, and how often it had not."""

    __slots__ = ("hits", "misses")

    def __init__(self) -> None:
        self.hits = 0
        self.misses = 0

    def count(self, found: object) -> None:
        """Count a request; `found` is None for a miss."""
        if found is None:
            self.misses += 1
        else:
            self.hits += 1


class Fill:
    """A read of a missing item that is under way; all callers that wait for one key share it.

    Attributes:
        key: that is read.
        current: no write of the key has ended since the read began.
        readers: how many callers have begun it and not ended it.
        reading: free for the callers, for example the task that reads.
    """

    __slots__ = ("current", "key", "readers", "reading")

    def __init__(self, key: CacheKey) -> None:
        self.key = key
        self.current = True
        self.readers = 0
        self.reading: Any = None


class _Pending:
    """Writes of a key that have begun and not ended."""

    __slots__ = ("count", "overlapped")

    def __init__(self) -> None:
        self.count = 0
        self.overlapped = False


class _Image(msgspec.Struct, Generic[V], frozen=True):
    """The item after a write; `value` is None if it deleted it."""

    value: V | None
    size: int
    now_ms: int


class Writing(Generic[V]):
    """A write that is under way: called with what it left of its items.

    Attributes:
        keys: of its items, with what is known of them.
        is_refused: it changed nothing.
    """

    __slots__ = ("is_refused", "keys")

    def __init__(self, keys: Iterable[CacheKey]) -> None:
        self.keys: dict[CacheKey, _Image[V] | None] = dict.fromkeys(keys)
        self.is_refused = False

    def put(self, key: CacheKey, value: V, size: int, now_ms: int) -> None:
        """The item is stored, and this is all of it."""
        self.keys[key] = _Image(value, size, now_ms)

    def delete(self, key: CacheKey, now_ms: int) -> None:
        """There is no item any more: reads find that in the cache."""
        self.keys[key] = _Image(None, 0, now_ms)

    def refused(self) -> None:
        """Nothing was changed: a failed condition, throttled, invalid. The cache stays as it is."""
        self.is_refused = True


class Caches(Generic[V]):
    """The item cache and the query cache of a cluster, in one bound of bytes.

    Attributes:
        lifetimes: of entries that are kept from now on.
        entries: the memory, and what was evicted from it.
        items: uses of the item cache.
        queries: uses of the query cache by Query.
        scans: uses of the query cache by Scan.

    Args:
        bytes_max: bound of all entries together.
        lifetimes: times to live.
    """

    def __init__(self, bytes_max: int, lifetimes: Lifetimes = Lifetimes()) -> None:  # noqa: B008
        self.lifetimes = lifetimes
        self.entries = Entries[V](bytes_max)
        self.items, self.queries, self.scans = Uses(), Uses(), Uses()
        self._fills: dict[CacheKey, Fill] = {}
        self._pending: dict[CacheKey, _Pending] = {}

    def item(self, key: CacheKey, now_ms: int) -> Found[V] | None:
        """The cached item; None if it must be read."""
        found = self.entries.get(Kind.ITEM, key, now_ms)
        self.items.count(found)
        return found

    @property
    def uses(self) -> Mapping[str, Uses]:
        """The uses of all caches by the names of what they serve."""
        return {"item": self.items, "query": self.queries, "scan": self.scans}

    def knows(self, key: CacheKey, now_ms: int) -> bool:
        """Whether `item` would find something; it does not count."""
        return self.entries.get(Kind.ITEM, key, now_ms) is not None

    def knows_query(self, key: CacheKey, now_ms: int) -> bool:
        """Whether `query` would find something; it does not count."""
        return self.entries.get(Kind.QUERY, key, now_ms) is not None

    def begin_fill(self, key: CacheKey) -> Fill:
        """Call before the table is read; `end_fill` or `abandon_fill` must follow."""
        fill = self._fills.get(key)
        if fill is None:
            fill = self._fills[key] = Fill(key)
        fill.readers += 1
        return fill

    def end_fill(self, fill: Fill, value: V | None, size: int, now_ms: int) -> None:
        """Keep what was read, unless it may be older than a write; None if there is no item."""
        self.abandon_fill(fill)
        if fill.current:
            self._keep_item(fill.key, value, size, now_ms)

    def abandon_fill(self, fill: Fill) -> None:
        """The table could not be read, or another caller keeps what was read."""
        fill.readers -= 1
        if not fill.readers and self._fills.get(fill.key) is fill:
            del self._fills[fill.key]

    @contextmanager
    def writing(self, keys: Iterable[CacheKey]) -> Iterator[Writing[V]]:
        """A context around a write of items; what it says nothing of leaves no entry.

        So an entry is dropped if the outcome of its write is unknown, or its new image.
        """
        write = Writing[V](keys)
        for key in write.keys:
            pending = self._pending.setdefault(key, _Pending())
            pending.overlapped |= pending.count > 0
            pending.count += 1
        try:
            yield write
        finally:
            for key, outcome in write.keys.items():
                self._end_write(key, outcome, is_refused=write.is_refused)

    def query(self, key: CacheKey, now_ms: int, *, is_scan: bool = False) -> Found[V] | None:
        """A page that was kept for the same parameters; None if the table must be read."""
        found = self.entries.get(Kind.QUERY, key, now_ms)
        (self.scans if is_scan else self.queries).count(found)
        return found

    def keep_query(self, key: CacheKey, value: V, size: int, now_ms: int) -> None:
        """Keep a page of a Query or Scan."""
        ttl_ms = self.lifetimes.query_ttl_ms
        if ttl_ms:
            self.entries.keep(Kind.QUERY, key, value, size=size, now_ms=now_ms, ttl_ms=ttl_ms)

    def clear(self) -> None:
        """Remove all entries; reads that are under way are not kept."""
        self.entries.clear()
        for fill in self._fills.values():
            fill.current = False
        self._fills.clear()

    def _keep_item(self, key: CacheKey, value: V | None, size: int, now_ms: int) -> None:
        ttl_ms = self.lifetimes.record_ttl_ms
        self.entries.keep(Kind.ITEM, key, value, size=size, now_ms=now_ms, ttl_ms=ttl_ms)

    def _end_write(self, key: CacheKey, outcome: _Image[V] | None, *, is_refused: bool) -> None:
        pending = self._pending[key]
        pending.count -= 1
        if not pending.count:
            del self._pending[key]
        if is_refused:
            return
        fill = self._fills.pop(key, None)
        if fill is not None:
            fill.current = False
        if outcome is None or pending.overlapped:
            self.entries.drop(Kind.ITEM, key)
        else:
            self._keep_item(key, outcome.value, outcome.size, outcome.now_ms)


def cache_figures(caches: Sequence[Caches[Any]]) -> Figures:
    """The figures of caches together; `SENTENCES` has their names in CloudWatch."""
    found: dict[str, float] = {}
    for kind in ("item", "query", "scan"):
        uses = [each.uses[kind] for each in caches]
        found[f"dax_{kind}_cache_hits_total"] = sum(each.hits for each in uses)
        found[f"dax_{kind}_cache_misses_total"] = sum(each.misses for each in uses)
    entries = [each.entries for each in caches]
    size, room = sum(each.size for each in entries), sum(each.bytes_max for each in entries)
    found["dax_cache_bytes"] = size
    found["dax_cache_memory_percent"] = 100 * size / room if room else 0.0
    found["dax_evicted_entries_total"] = sum(each.evicted for each in entries)
    found["dax_evicted_bytes_total"] = sum(each.evicted_bytes for each in entries)
    return found
