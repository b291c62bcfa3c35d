"""One step of building or removing an index; both consist of many small writes.

An index is added in the steps of Google's F1: first all writes maintain its entries (BUILDING),
then the entries of older items are added page by page, then it is read (ACTIVE). The progress is
stored, so that building continues after a stop or a crash.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.capacity.units import write_units
from hashrange.model.table import Index
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.items import images
from hashrange.tables.items.images import ItemChanges, image_from
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import Range, prefix_range
from hashrange.tables.opened.index_entries import Entry, IndexEntries
from hashrange.tables.opened.open_table import OpenTable

PAGE_ROWS: Final = 25
PAGE_BYTES: Final = 256 * 1024
"""About a millisecond of work; requests are served between two pages."""


class _Found(msgspec.Struct, frozen=True):
    """An item that was read, and its entry."""

    key: bytes
    stored: bytes
    entry: Entry


class _Page(msgspec.Struct, frozen=True):
    """The items of a page that have entries in the index, and the key of the last item read."""

    last_key: bytes
    found: Sequence[_Found]


class BuiltPage(msgspec.Struct, frozen=True):
    """A page of items whose entries are there.

    Attributes:
        last_key: the key of the last item.
        units: write units of the entries that were added; of a vector index 0.
    """

    last_key: bytes
    units: float


async def build_page(
    engine: Engine, table: OpenTable, index: Index, end: bytes
) -> BuiltPage | None:
    """Add the entries of the next page of items.

    Args:
        engine: holds the items.
        table: with the index.
        index: which is being built.
        end: behind the last item, as `end_of` found it at some time since the index was added.

    Returns None if there are no more. Raises StaleFenceError: the table changed.
    """
    progress = keyspace.building_key(table.number, index.number)
    start, _ = keyspace.items_range(table.number)
    (last_key,) = await engine.read([progress], fences=table.fences)
    if last_key is not None:
        start = last_key + b"\x00"
    pairs = await engine.scan(
        start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES, fences=table.fences
    )
    if not pairs:
        return None
    entries = IndexEntries(table.table, index)
    found = [
        _Found(key, value, entry)
        for key, value in pairs
        if (entry := entries.entry_of(image_from(value))) is not None
        and len(entry.key) <= engine.key_bytes_max
    ]
    keys = [progress, *(each.key for each in found), *(each.entry.key for each in found)]
    page = _Page(pairs[-1][0], found)
    decide = partial(_entries, entries, progress, page)
    units = await engine.write(keys, decide, fences=table.fences)
    return BuiltPage(page.last_key, units)


def _entries(
    index: IndexEntries, progress: bytes, page: _Page, stored: Sequence[bytes | None]
) -> Changes[float]:
    """The missing entries of the items, with their write units.

    An item that changed since has its entry already.
    """
    found, changes, units = page.found, ItemChanges(), 0.0
    items, entries = stored[1 : len(found) + 1], stored[len(found) + 1 :]
    for each, item, present in zip(found, items, entries, strict=True):
        if item is None or present is not None:
            continue
        entry = each.entry if item == each.stored else index.entry_of(image_from(item))
        if entry is None or entry.key != each.entry.key:
            continue
        changes.puts[entry.key] = images.stored(entry.image, entry.key)
        changes.count(index, 1, entry.image.size)
        changes.add(index.saved_key, entry.saved)
        if index.has_units and index.log is None:
            units += write_units(entry.image.size)
    return changes.changes(units, {progress: page.last_key})


async def clear_page(engine: Engine, table: OpenTable, index: Index) -> bool:
    """Delete a page of entries of an index in state DELETING; whether there may be more.

    Raises StaleFenceError: the table changed.
    """
    rows: list[bytes] = []
    for start, end in _rows_of(table.number, index):
        rows = rows or [
            key
            for key, _ in await engine.scan(
                start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES, fences=table.fences
            )
        ]
    is_empty = not rows
    if is_empty:
        rows = [
            keyspace.item_count_key(table.number, index.number),
            keyspace.bytes_key(table.number, index.number),
            keyspace.saved_bytes_key(table.number, index.number),
            keyspace.building_key(table.number, index.number),
        ]
    # Writes no longer maintain these rows, so the table's catalog entry owns them.
    owner = table.catalog_key
    await engine.write([owner], lambda _: Changes(answer=None, deletes=rows), fences=table.fences)
    return not is_empty


def _rows_of(number: int, index: Index) -> Iterator[Range]:
    """The entries of an index, and the log of a vector index."""
    yield keyspace.index_range(number, index.number)
    if index.vector is not None:
        yield prefix_range(keyspace.vector_log_key(number, index.number))
