"""Counts the item collections of tables of older builds, which had no counters for them.

This is done once, before requests are accepted, so there are no concurrent writes. It reads every
item of those tables and stores its progress, so that it continues after a crash.
"""

import logging
from collections import defaultdict
from functools import partial
from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.items.images import image_from
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.keyspace import TABLE_ITSELF
from hashrange.tables.opened.index_entries import IndexEntries

PAGE_ROWS: Final = 5000
PAGE_BYTES: Final = 4 * 1024 * 1024

_log: Final = logging.getLogger(__name__)
_decode_table: Final = msgspec.json.Decoder(Table).decode
_encode: Final = msgspec.json.Encoder().encode


async def count_collections(engine: Engine) -> None:
    """Count the item collections of all tables with local indexes that have no counters yet."""
    async for key, entry in pairs(engine, system_keys.catalog_range()):
        table = _decode_table(entry)
        if table.counts_collections or not any(index.is_local for index in table.indexes):
            continue
        _log.info("counting the item collections of %s", table.name)
        while await _count_page(engine, table):
            pass
        counted = msgspec.structs.replace(table, counts_collections=True)
        puts = {key: _encode(counted)}
        deletes = [keyspace.building_key(table.number, TABLE_ITSELF)]
        changes = Changes(answer=None, puts=puts, deletes=deletes)
        await engine.write([key, *deletes], partial(_always, changes))


async def _count_page(engine: Engine, table: Table) -> bool:
    """Count a page of items; whether there may be more."""
    progress = keyspace.building_key(table.number, TABLE_ITSELF)
    start, end = keyspace.items_range(table.number)
    (last_key,) = await engine.read([progress])
    if last_key is not None:
        start = last_key + b"\x00"
    page = await engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
    if not page:
        return False
    adds: dict[bytes, int] = defaultdict(int)
    for key, value in page:
        adds[keyspace.collection_key(key)] += collection_share(table, value)
    changes = Changes(answer=None, puts={progress: page[-1][0]}, adds=adds)
    await engine.write([progress], partial(_always, changes))
    return True


def collection_share(table: Table, stored: bytes) -> int:
    """The bytes of a stored item and of its entries in local indexes."""
    image = image_from(stored)
    item = image.item()
    local = [IndexEntries(table, index) for index in table.indexes if index.is_local]
    entries = [each.entry(item, image) for each in local]
    return image.size + sum(entry.image.size for entry in entries if entry is not None)


def _always(changes: Changes[None], _: object) -> Changes[None]:
    return changes
