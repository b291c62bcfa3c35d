"""Verifies what is derived of items: entries of indexes, and counters of item collections.

Reads every item, entry and counter once, and looks up the item of each entry. Only counts are kept
in memory, so tables may be of any size. Items and counters are read in parallel, since both are in
the order of the hashes.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, TypeAlias

import msgspec

from hashrange.errors import DynamoError
from hashrange.limits.tables import VERIFY_FINDINGS_MAX
from hashrange.model.table import Table
from hashrange.storage.engine import Engine, Pair
from hashrange.tables.items import images
from hashrange.tables.items.images import image_from
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.index_entries import IndexEntries, saved_of
from hashrange.tables.opened.indexes import collection_share
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import TableSize, read_saved_bytes, read_size


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
            images.check(key, value)
            entry_bytes += image_from(value).size
            fault = await _entry_fault(engine, table, made, (key, value))
        except (msgspec.MsgspecError, UnicodeError, AssertionError, DynamoError, KeyError) as error:
            fault = f"cannot be read: {error}"
        if fault is not None and len(found) < VERIFY_FINDINGS_MAX:
            found.append(f"{name}: the entry at {key.hex()} {fault}")
    expected, saved = await _expected(engine, table, made)
    if expected != entries:
        found.append(f"{name}: {expected} items belong into it, but it has {entries} entries")
    counted = TableSize(entries, entry_bytes)
    kept = await read_size(engine, table.number, index.number)
    if counted != kept:
        found.append(
            f"{name}: counters say {kept.items} entries of {kept.size} bytes, "
            f"there are {counted.items} of {counted.size}"
        )
    said = await read_saved_bytes(engine, table.number, index.number)
    if saved != said:
        found.append(f"{name}: its vectors save {saved} bytes, but its counter says {said}")
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
    right = made.entry_of(image)
    if right is None or right.key != key:
        return "is not where its item has it"
    return None if right.image == entry else "is not what its item has"


async def _expected(engine: Engine, table: OpenTable, made: IndexEntries) -> tuple[int, int]:
    """How many items belong into the index, and how many bytes their vectors save."""
    expected = saved = 0
    async for _, value in pairs(engine, keyspace.items_range(table.number)):
        try:
            image = image_from(value)
            item = image.item()
        except (msgspec.MsgspecError, UnicodeError, AssertionError):
            continue  # reported with the items
        key = made.key(item)
        if key is not None and len(key) <= engine.key_bytes_max:
            expected += 1
            if made.vector is not None:
                saved += sum(each for _, each in saved_of((made,), image))
    return expected, saved


_Sums: TypeAlias = AsyncGenerator[tuple[bytes, int], None]

_END: Final = (b"\xff" * 32, 0)
"""After the counters of every table."""


async def collection_findings(engine: Engine, table: Table) -> list[str]:
    """Wrong counters; none for a table whose collections are not counted."""
    if not table.counts_collections:
        return []
    # Both are left before their end.
    async with (
        aclosing(_sums(engine, table)) as sums,
        aclosing(_counters(engine, table)) as counters,
    ):
        return await _differences(table, sums, counters)


async def _differences(table: Table, sums: _Sums, counters: _Sums) -> list[str]:
    found: list[str] = []
    summed, kept = await anext(sums), await anext(counters)
    while len(found) < VERIFY_FINDINGS_MAX:  # each round advances one of the two, or both
        key = min(summed[0], kept[0])
        if key == _END[0]:
            break
        there = summed[1] if summed[0] == key else 0
        said = kept[1] if kept[0] == key else 0
        if there != said:
            found.append(
                f"{table.name}: the item collection at {key.hex()} has {there} bytes, "
                f"but its counter says {said}"
            )
        if summed[0] == key:
            summed = await anext(sums)
        if kept[0] == key:
            kept = await anext(counters)
    return found


async def _sums(engine: Engine, table: Table) -> _Sums:
    """For each collection, the key of its counter and the correct value."""
    current, total = b"", 0
    async for key, value in pairs(engine, keyspace.items_range(table.number)):
        counter = keyspace.collection_key(key)
        if counter != current:
            if current:
                yield current, total
            current, total = counter, 0
        try:
            total += collection_share(table, value)
        except (msgspec.MsgspecError, UnicodeError, AssertionError, DynamoError):
            continue  # reported with the items
    if current:
        yield current, total
    yield _END


async def _counters(engine: Engine, table: Table) -> _Sums:
    async for key, value in pairs(engine, keyspace.collections_range(table.number)):
        yield key, int.from_bytes(value, "big", signed=True)
    yield _END
