"""Pages of items to copy, in the order of their keys, and where an interrupted copy goes on."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from hashrange.storage.engine import Changes, Engine, Fences, Pair
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.backup_keys import before_range, moved
from hashrange.tables.snapshots.snapshots import PAGE_BYTES, PAGE_ROWS, Page

Keep: TypeAlias = Callable[[Sequence[Pair]], Awaitable[None]]
"""Stores the items of one page, all or nothing."""


class Source(Protocol):
    """Where the items of a copy are read."""

    async def page(self, start: bytes | None) -> Page:
        """The page that starts at a key, or the first one. Raises SnapshotLostError."""

    async def end(self) -> None:
        """Release what is kept for the copy."""


class StoredItems:
    """The items of a backup, which do not change.

    Args:
        engine: holds them.
        number: under which they are stored.
    """

    def __init__(self, engine: Engine, number: int) -> None:
        self._engine = engine
        self._number = number

    async def page(self, start: bytes | None) -> Page:
        """The page that starts at a key, or the first one."""
        first, end = keyspace.items_range(self._number)
        rows = await self._engine.scan(
            first if start is None else start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES
        )
        return Page(rows, rows[-1][0] + b"\x00" if rows else None)

    async def end(self) -> None:
        """Nothing is kept."""


async def start_of_rest(engine: Engine, *, copied: int, source: int) -> bytes | None:
    """Where a copy goes on: behind the last item that is stored; None if there is none.

    Args:
        engine: holds both.
        copied: the number under which the items of the copy are stored.
        source: that under which those are that are copied.
    """
    start, end = keyspace.items_range(copied)
    last = await engine.scan(start, end, limit=1, bytes_max=1, reverse=True)
    return moved(source, last[0][0]) + b"\x00" if last else None


async def forget_images(engine: Engine, number: int, owner: bytes, fences: Fences) -> bool:
    """Delete a page of a snapshot's images; whether there may be more.

    Args:
        engine: holds the images.
        number: under which they are stored.
        owner: the key of the row that the images belong to.
        fences: of the write.
    """
    start, end = before_range(number)
    page = await engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
    if not page:
        return False

    def decide(stored: list[bytes | None]) -> Changes[bool]:
        if stored[0] is None:
            return Changes(answer=False)
        return Changes(answer=True, deletes=[key for key, _ in page])

    return await engine.write([owner], decide, fences=fences)
