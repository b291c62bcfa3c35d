"""Verifies that the entries of indexes are those of the items.

Reads every item and every entry once, and looks up the item of each entry. Only counts are kept in
memory, so tables may be of any size.
"""

from typing import Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.storage.engine import Engine, Pair
from hashrange.tables.items import images
from hashrange.tables.items.images import image_from
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.index_entries import IndexEntries
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize, read_size

_FINDINGS_MAX: Final = 1000


async def index_findings(engine: Engine, table: OpenTable) -> list[str]:
    """Wrong entries and counters of a table's indexes; only ACTIVE ones are verified."""
    found: list[str] = []
    for made in table.entries:
        if made.index.state == "ACTIVE":
            found += await _findings(engine, table, made)
    return found


async def _findings(engine: Engine, table: OpenTable, made: IndexEntries) -> list[str]:
    index = made.index
    name = f"{table.table.name}, index {index.name}"
    found: list[str] = []
    entries = entry_bytes = 0
    keys = keyspace.index_range(table.number, index.number)
    async for key, value in pairs(engine, keys):
        entries += 1
        try:
            images.check(value)
            entry_bytes += image_from(value).size
            fault = await _entry_fault(engine, table, made, (key, value))
        except (msgspec.MsgspecError, UnicodeError, AssertionError, DynamoError, KeyError) as error:
            fault = f"cannot be read: {error}"
        if fault is not None and len(found) < _FINDINGS_MAX:
            found.append(f"{name}: the entry at {key.hex()} {fault}")
    expected = await _expected(engine, table, made)
    if expected != entries:
        found.append(f"{name}: {expected} items belong into it, but it has {entries} entries")
    counted = TableSize(entries, entry_bytes)
    kept = await read_size(engine, table.number, index.number)
    if counted != kept:
        found.append(
            f"{name}: counters say {kept.items} entries of {kept.size} bytes, "
            f"there are {counted.items} of {counted.size}"
        )
    return found


async def _entry_fault(
    engine: Engine, table: OpenTable, made: IndexEntries, pair: Pair
) -> str | None:
    key, value = pair
    entry = image_from(value)
    (stored,) = await engine.read([key_of_item(table, entry.item())])
    if stored is None:
        return "is of no item"
    image = image_from(stored)
    right = made.entry(image.item(), image)
    if right is None or right.key != key:
        return "is not where its item has it"
    return None if right.image == entry else "is not what its item has"


async def _expected(engine: Engine, table: OpenTable, made: IndexEntries) -> int:
    """How many items belong into the index."""
    expected = 0
    async for _, value in pairs(engine, keyspace.items_range(table.number)):
        try:
            item = image_from(value).item()
        except (msgspec.MsgspecError, UnicodeError, AssertionError):
            continue  # reported with the items
        key = made.key(item)
        expected += key is not None and len(key) <= engine.key_bytes_max
    return expected
