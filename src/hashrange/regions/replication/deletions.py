"""Copies the tombstones of a replica to a new one.

The items of the new replica are a copy. Changes that are older than a deletion may still come from
other regions, and must lose in the new replica too.
"""

from typing import Final

from hashrange.model.snapshot import Restore
from hashrange.storage.engine import Pair
from hashrange.tables.keys.key_ranges import is_full
from hashrange.tables.keys.snapshot_keys import moved
from hashrange.tables.log.tombstones import GlobalVersion, tombstones_range, version_and_region
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import ItemWrite, replicated_write
from hashrange.tables.writing.writer import write_items

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
