"""Reads of items that are not in the cache: many callers of one missing key cause one read."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence, Sized
from typing import TypeVar

from hashrange.dax.cache.caches import Caches, Fill
from hashrange.dax.cache.entries import CacheKey, entry_bytes

V = TypeVar("V", bound=Sized)


class UnreadError(Exception):
    """A batch of another caller has asked for the item, and has not got it."""


async def missing_item(
    caches: Caches[V],
    key: CacheKey,
    read: Callable[[], Awaitable[V | None]],
    now_ms: Callable[[], int],
) -> V | None:
    """An item from its table; None if it does not exist.

    A caller that is cancelled does not end the read, for others may wait for it. A caller that
    comes after a write of the key has ended does not join a read that began before.

    Args:
        caches: of the cluster, which do not have the item.
        key: of the item.
        read: reads the table; returns the item. What it raises reaches all callers
            that wait, and nothing is kept.
        now_ms: the time.

    Raises:
        UnreadError: the read that was joined has left the item out.
    """
    fill = caches.begin_fill(key)
    try:
        reading: asyncio.Future[V | None] | None = fill.reading
        if reading is None:
            reading = fill.reading = asyncio.ensure_future(read())
        item: V | None = await asyncio.shield(reading)
    except BaseException:
        caches.abandon_fill(fill)
        raise
    caches.end_fill(fill, item, entry_bytes(item), now_ms())
    return item


async def missing_items(
    caches: Caches[V],
    keys: Sequence[CacheKey],
    read: Callable[[Sequence[CacheKey]], Awaitable[Mapping[CacheKey, V | None]]],
    now_ms: Callable[[], int],
) -> Mapping[CacheKey, V | None]:
    """Items from their tables, in one read of those that no other caller reads already.

    Args:
        caches: of the cluster, which do not have the items.
        keys: of the items, each once.
        read: reads the tables once, also if no key is left; returns items, without those that were
            not read.
        now_ms: the time.

    Returns:
        The items by key, None for those that do not exist; without those that were not read.
    """
    fills = {key: caches.begin_fill(key) for key in keys}
    own = {key: fill for key, fill in fills.items() if fill.reading is None}
    joined = {key: fill for key, fill in fills.items() if key not in own}
    for fill in own.values():
        fill.reading = asyncio.get_running_loop().create_future()
    try:
        found = await read(list(own))
    except BaseException as error:
        for fill in own.values():
            _fail(caches, fill, error)
        for fill in joined.values():
            caches.abandon_fill(fill)
        raise
    items: dict[CacheKey, V | None] = {}
    for key, fill in own.items():
        if key not in found:
            _fail(caches, fill, UnreadError())
            continue
        items[key] = found[key]
        fill.reading.set_result(found[key])
        caches.end_fill(fill, found[key], entry_bytes(found[key]), now_ms())
    await _join(caches, joined, items, now_ms)
    return items


async def _join(
    caches: Caches[V],
    joined: Mapping[CacheKey, Fill],
    items: dict[CacheKey, V | None],
    now_ms: Callable[[], int],
) -> None:
    """Add the items of reads of other callers. Raises what one of these has raised."""
    failure: BaseException | None = None
    for key, fill in joined.items():
        try:
            items[key] = await asyncio.shield(fill.reading)
        except UnreadError:
            caches.abandon_fill(fill)
        except BaseException as error:  # noqa: BLE001 - raised below: the other fills end first
            caches.abandon_fill(fill)
            failure = error
        else:
            caches.end_fill(fill, items[key], entry_bytes(items[key]), now_ms())
    if failure is not None:
        raise failure


def _fail(caches: Caches[V], fill: Fill, error: BaseException) -> None:
    """End a fill without an item, and notify those who have joined it."""
    caches.abandon_fill(fill)
    if isinstance(error, Exception):
        fill.reading.set_exception(error)
        fill.reading.exception()  # nobody may have joined: then it is not an error of the loop
    else:
        fill.reading.cancel()
