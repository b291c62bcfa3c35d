"""The caches in front of a source: the tables of this server, or another endpoint.

| request | eventually consistent | strongly consistent | leaves in the item cache |
|---|---|---|---|
| gets, each key by itself | item cache | the source | what was read of the source |
| Query, Scan | query cache | the source | nothing |
| TransactGetItems | | the source | nothing |
| puts and deletes, single and in batches | | the source | the new image, or that there is none |
| UpdateItem | | the source | the new image if the answer has all of it, else no entry |
| TransactWriteItems | | the source | no entry; then what TransactGetItems reads |

Only successful writes change the item cache. Values are bytes; what they mean is the source's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import msgspec

from hashrange.dax.cache.caches import Caches, Fill
from hashrange.dax.cache.entries import CacheKey, Found, entry_bytes
from hashrange.dax.cache.reading import missing_item, missing_items

P = TypeVar("P", bound=msgspec.Struct)

Left: TypeAlias = Callable[[CacheKey, bytes | None], None]
"""Says what a write left of an item; None if it deleted it."""

_encode: Final = msgspec.json.Encoder(order="deterministic").encode


class Source(Protocol):
    """The source behind the caches."""

    @property
    def joins_pages(self) -> bool:
        """Whether callers of one missing page share the read of one of them."""

    def is_unchanged(self, error: BaseException) -> bool:
        """Whether the error of a write says that nothing was changed."""

    def note_writes(self, keys: Iterable[CacheKey]) -> None:
        """Items may have been written."""


class CacheLayer:
    """The caches of a cluster, in front of a source.

    Args:
        caches: of the cluster.
        source: behind them.
        now_ms: the time.
    """

    def __init__(self, caches: Caches[Any], source: Source, now_ms: Callable[[], int]) -> None:
        self._caches = caches
        self._source = source
        self._now_ms = now_ms
        self._reading: dict[CacheKey, asyncio.Future[Any]] = {}

    def item(self, key: CacheKey) -> Found[bytes] | None:
        """The cached item; None if it must be read."""
        return self._caches.item(key, self._now_ms())

    def knows(self, key: CacheKey) -> bool:
        """Whether `item` would find something; it does not count."""
        return self._caches.knows(key, self._now_ms())

    def knows_page(self, key: CacheKey) -> bool:
        """Whether `page` would find something; it does not count."""
        return self._caches.knows_query(key, self._now_ms())

    async def missing(
        self, key: CacheKey, read: Callable[[], Awaitable[bytes | None]]
    ) -> bytes | None:
        """As `reading.missing_item`."""
        return await missing_item(self._caches, key, read, self._now_ms)

    async def all_missing(
        self,
        keys: Sequence[CacheKey],
        read: Callable[[Sequence[CacheKey]], Awaitable[Mapping[CacheKey, bytes | None]]],
    ) -> Mapping[CacheKey, bytes | None]:
        """As `reading.missing_items`."""
        return await missing_items(self._caches, keys, read, self._now_ms)

    async def filled(
        self, keys: Sequence[CacheKey], read: Callable[[], Awaitable[list[bytes | None]]]
    ) -> list[bytes | None]:
        """Read items, whether they are known or not, and keep them."""
        caches = self._caches
        fills: list[Fill] = [caches.begin_fill(key) for key in keys]
        try:
            values = await read()
            assert len(values) == len(fills), "a value for each key"
        except BaseException:
            for fill in fills:
                caches.abandon_fill(fill)
            raise
        now_ms = self._now_ms()
        for fill, value in zip(fills, values, strict=True):
            caches.end_fill(fill, value, entry_bytes(value), now_ms)
        return values

    async def page(self, key: CacheKey, read: Callable[[], Awaitable[P]], *, is_scan: bool) -> P:
        """A page of a Query or Scan: from the cache, or read and kept.

        Args:
            key: all parameters of the request.
            read: reads it of the source; returns the answer to the request.
            is_scan: for the count of uses.
        """
        found = self._caches.query(key, self._now_ms(), is_scan=is_scan)
        if found is not None:
            kept: Any = found.value
            return kept  # type: ignore[no-any-return]
        if not self._source.joins_pages or not self._caches.lifetimes.query_ttl_ms:
            return await self._kept(key, read)
        reading: asyncio.Future[P] | None = self._reading.get(key)
        if reading is not None:
            return _free(await asyncio.shield(reading))
        reading = self._reading[key] = asyncio.ensure_future(self._kept(key, read))
        reading.add_done_callback(lambda _: self._reading.pop(key))
        return await asyncio.shield(reading)

    async def _kept(self, key: CacheKey, read: Callable[[], Awaitable[P]]) -> P:
        page = await read()
        kept = _free(page)
        self._caches.keep_query(key, kept, len(_encode(kept)), self._now_ms())
        return page

    @contextmanager
    def writing(self, keys: Sequence[CacheKey]) -> Iterator[Left]:
        """A context around a write of items; those that it says nothing of leave no entry."""
        with self._caches.writing(keys) as writing:

            def left(key: CacheKey, value: bytes | None) -> None:
                if value is None:
                    writing.delete(key, self._now_ms())
                else:
                    writing.put(key, value, entry_bytes(value), self._now_ms())

            try:
                yield left
            except BaseException as error:
                if self._source.is_unchanged(error):
                    writing.refused()
                raise
            finally:
                if not writing.is_refused:
                    self._source.note_writes(keys)


def _free(page: P) -> P:
    """A page as it is kept: it costs the caller nothing."""
    return msgspec.structs.replace(page, consumed_capacity=None)
