"""Verifies that the counters of item collections equal the bytes of items and local entries.

Reads items and counters once, in parallel, since both are in the order of the hashes.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, TypeAlias

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.opened.indexes import collection_share

_Sums: TypeAlias = AsyncGenerator[tuple[bytes, int], None]

_FINDINGS_MAX: Final = 1000
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
    while len(found) < _FINDINGS_MAX:  # each round advances one of the two, or both
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
