"""Tombstones between replicas: copied to a new one, and removed when all replicas have them.

The items of a new replica are a copy. Changes that are older than a deletion may still come from
other regions, and must lose in the new replica too.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from hashrange.model.replication import Replica
from hashrange.model.table_features import Restore
from hashrange.regions.replication.groups import name_in, replicas_of
from hashrange.regions.replication.positions import Link, Positions
from hashrange.regions.replication.views import remote_number
from hashrange.storage.engine import Changes, Fences, Pair
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.backup_keys import moved
from hashrange.tables.keys.key_ranges import end_of, is_full
from hashrange.tables.log.tombstones import GlobalVersion, tombstones_range, version_and_region
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.snapshots.snapshots import CLOCKS_MS_MAX
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import ItemWrite, replicated_write
from hashrange.tables.writing.writer import write_items

_PAGE_ROWS: Final = 200
_PAGE_BYTES: Final = 1024 * 1024
_US: Final = 1000
"""Microseconds in a millisecond; versions are in us."""


class Tombstones:
    """The tombstones of the replicas of this server.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        positions: until when replicas have the changes of others.
        fences: of writes, so that nothing is written once another server does the work.
    """

    def __init__(
        self, store: Store, catalog: Catalog, positions: Positions, fences: Callable[[], Fences]
    ) -> None:
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._catalog = catalog
        self._positions = positions
        self._fences = fences

    async def remove(self, opened: OpenTable) -> None:
        """Remove the tombstones of deletions that are older than all changes to come."""
        replicas = [each for each in replicas_of(opened.table) if each.state != "CREATION_FAILED"]
        if any(replica.state != "ACTIVE" or replica.copy != "NONE" for replica in replicas):
            return  # they are in the copy that it gets
        horizon_ms = self._now_ms()
        for replica in replicas:
            if replica.is_remote:
                both = await self._complete_both(opened, replica)
                horizon_ms = min(horizon_ms, both - CLOCKS_MS_MAX)
                continue
            peer = await self._catalog.open(name_in(self._catalog, opened.table, replica.region))
            link = None if peer is None else Link(peer.number, opened.number)
            complete_ms = 0 if link is None else await self._positions.complete_ms(link)
            horizon_ms = min(horizon_ms, complete_ms - CLOCKS_MS_MAX)
        start, end = tombstones_range(opened.number)
        end = await end_of(self._engine, (start, end))
        while page := await self._engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES):
            old = {
                key: value for key, value in page if version_and_region(value)[0] < horizon_ms * _US
            }
            if old:
                await self._engine.write([*old], partial(_removed, old), fences=self._fences())
            start = page[-1][0] + b"\x00"

    async def _complete_both(self, opened: OpenTable, replica: Replica) -> int:
        """Until when a replica on another server and this one have the changes of each other.

        Without the second, the copy for one that was away could bring a deleted item back.
        """
        number, incarnation = remote_number(opened.table, replica.region), replica.incarnation
        links = (Link(number, opened.number), Link(opened.number, number))
        return min([await self._positions.complete_of(link, incarnation) for link in links])


def _removed(old: dict[bytes, bytes], stored: list[bytes | None]) -> Changes[None]:
    """The changes that remove tombstones which are still as they were read."""
    pairs = zip(old.items(), stored, strict=True)
    return Changes(answer=None, deletes=[key for (key, value), now in pairs if now == value])


PAGE_ROWS: Final = 100
PAGE_BYTES: Final = 1024 * 1024


async def copy_deletions(
    store: Store, target: OpenTable, restore: Restore, start: bytes | None
) -> bytes | None:
    """Delete a page of items in a new replica that are deleted in its source.

    Args:
        store: the items, and the clock.
        target: the new replica.
        restore: what it is copied from.
        start: where the page begins; None for the first.

    Returns:
        Where the next page begins; None if there is none.

    Raises:
        StaleFenceError: the target was changed.
    """
    assert target.is_replicated, "versions decide, not the order"
    first, end = tombstones_range(restore.source_number)
    page = await store.engine.scan(
        first if start is None else start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES
    )
    if not page:
        return None
    await write_items(store, [_deletion(target, restore, row) for row in page])
    # Later deletions come with the log.
    more = is_full(page, rows=PAGE_ROWS, bytes_max=PAGE_BYTES)
    return page[-1][0] + b"\x00" if more else None


def _deletion(target: OpenTable, restore: Restore, row: Pair) -> ItemWrite[None]:
    key, value = row
    version, region = version_and_region(value)
    origin = GlobalVersion(version, restore.regions[region])
    return replicated_write(target, moved(target.number, key), None, origin)
