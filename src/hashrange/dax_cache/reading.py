"""Reads through the item cache: many callers of one missing key cause one read."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from hashrange.dax_cache.caches import Caches
from hashrange.dax_cache.entries import CacheKey

V = TypeVar("V")


async def item_through(
    caches: Caches[V],
    key: CacheKey,
    read: Callable[[], Awaitable[tuple[V | None, int]]],
    now_ms: Callable[[], int],
) -> V | None:
    """An item from the cache, or from its table; None if it does not exist.

    A caller that is cancelled does not end the read, for others may wait for it. A caller that
    comes after a write of the key has ended does not join a read that began before.

    Args:
        caches: of the cluster.
        key: of the item.
        read: reads the table; returns the item and its bytes. What it raises reaches all callers
            that wait, and nothing is kept.
        now_ms: the time.
    """
    found = caches.item(key, now_ms())
    if found is not None:
        return found.value
    fill = caches.begin_fill(key)
    try:
        reading: asyncio.Future[tuple[V | None, int]] | None = fill.reading
        if reading is None:
            reading = fill.reading = asyncio.ensure_future(read())
        item: V | None
        item, size = await asyncio.shield(reading)
    except BaseException:
        caches.abandon_fill(fill)
        raise
    caches.end_fill(fill, item, size, now_ms())
    return item
