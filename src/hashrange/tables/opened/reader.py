"""Reads stored items: by key, and by range in pages."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.requests import PAGE_BYTES_MAX
from hashrange.model.table import Index, Table
from hashrange.storage.engine import Engine
from hashrange.tables.items.images import item_of, sizes_of
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.keyspace import TABLE_ITSELF
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import charged_sizes

FETCHED_ROWS: Final = 25
"""Items that are read at once for the entries of an index, at most 10 MB."""
_ROWS_MAX: Final = 1_000_000
"""More rows than fit into a page of 1 MB, since the smallest item has 2 bytes."""
_value: Final = itemgetter(1)
"""The value of a pair."""


Sizes: TypeAlias = Callable[[Sequence[bytes]], Sequence[int]]
"""The bytes of stored items, as a page counts them."""


class KeyRange(msgspec.Struct, frozen=True):
    """Keys from `start` up to but not including `end`, read in descending order with `reverse`."""

    start: bytes
    end: bytes
    reverse: bool = False


class Page(msgspec.Struct, frozen=True):
    """A page of stored items, in order.

    `size` is their bytes as DynamoDB counts them; `more` is whether the range may have more items.
    """

    stored: list[bytes]
    size: int
    more: bool


class TableSize(msgspec.Struct, frozen=True):
    """The number of items of a table or entries of an index, and their bytes."""

    items: int
    size: int


async def read_items(
    engine: Engine, tables: Sequence[OpenTable], keys: Sequence[bytes]
) -> list[bytes | None]:
    """The stored items at `keys` at one moment; `tables` are the tables of these items.

    Raises StaleFenceError, StorageError.
    """
    if len(tables) == 1:
        return await engine.read(keys, fences=tables[0].fences)
    fences: dict[bytes, bytes] = {}
    for table in tables:
        fences.update(table.fences)
    return await engine.read(keys, fences=fences)


async def read_page(
    engine: Engine,
    table: OpenTable,
    keys: KeyRange,
    *,
    items_max: int | None,
    page_bytes_max: int = PAGE_BYTES_MAX,
    sizes: Sizes | None = None,
) -> Page:
    """A page of a range: up to `items_max` items, or up to the item that reaches 1 MB.

    Args:
        engine: holds the items.
        table: of the range.
        keys: the range.
        items_max: the most items; None for any number.
        page_bytes_max: where a page ends.
        sizes: of stored items; None for those that they are stored with.
    """
    start, end = keys.start, keys.end
    stored: list[bytes] = []
    total = 0
    while start < end:
        limit = _ROWS_MAX if items_max is None else items_max - len(stored)
        bytes_max = page_bytes_max - total
        pairs = await engine.scan(
            start,
            end,
            limit=limit,
            bytes_max=bytes_max,
            reverse=keys.reverse,
            fences=table.fences,
        )
        values = list(map(_value, pairs))
        if sizes is None:
            # An item has more stored bytes than counted bytes, so only the last one reaches 1 MB.
            stored += values
            total += sizes_of(values)
        else:
            for value, size in zip(values, sizes(values), strict=True):
                stored.append(value)
                total += size
                if total >= page_bytes_max:
                    break
        if total >= page_bytes_max or len(stored) == items_max:
            return Page(stored, total, more=True)
        if len(pairs) < limit and sum(map(len, values)) < bytes_max:
            break
        if keys.reverse:
            end = pairs[-1][0]
        else:
            start = pairs[-1][0] + b"\x00"
    return Page(stored, total, more=False)


async def fetch_items(
    engine: Engine, table: OpenTable, page: Page, page_bytes_max: int = PAGE_BYTES_MAX
) -> tuple[Page, list[bytes]]:
    """The items of a page of entries, and the page, which is cut where the items reach 1 MB.

    For an item that was deleted meanwhile, its entry is returned.
    """
    items: list[bytes] = []
    total = 0
    for first in range(0, len(page.stored), FETCHED_ROWS):
        entries = page.stored[first : first + FETCHED_ROWS]
        keys = [key_of_item(table, item_of(entry)) for entry in entries]
        read = await read_items(engine, (table,), keys)
        found = [item or entry for item, entry in zip(read, entries, strict=True)]
        for item, size in zip(found, charged_sizes(table.table, found), strict=True):
            items.append(item)
            total += size
            if total >= page_bytes_max and len(items) < len(page.stored):
                entries = page.stored[: len(items)]
                return Page(entries, sizes_of(entries), more=True), items
    return page, items


async def read_size(engine: Engine, number: int, index: int = TABLE_ITSELF) -> TableSize:
    """Items and bytes of a table, or of one of its indexes, from the counters.

    Vectors are counted in items as lists, in entries at 4 bytes a dimension.
    """
    keys = (keyspace.item_count_key(number, index), keyspace.bytes_key(number, index))
    items, item_bytes = await engine.read(keys)
    return TableSize(_count(items), _count(item_bytes))


async def read_saved_bytes(engine: Engine, number: int, index: int) -> int:
    """The bytes that the vectors of a vector index save, from the counter."""
    (saved,) = await engine.read([keyspace.saved_bytes_key(number, index)])
    return _count(saved)


def size_keys(table: Table) -> list[bytes]:
    """The keys of the counters that `size_from` needs."""
    keys = [keyspace.item_count_key(table.number), keyspace.bytes_key(table.number)]
    for each in _kept_vectors(table):
        keys += (
            keyspace.item_count_key(table.number, each.number),
            keyspace.saved_bytes_key(table.number, each.number),
        )
    return keys


def size_from(table: Table, counters: Sequence[bytes | None]) -> TableSize:
    """The size that descriptions of a table have: vectors of its indexes at 4 bytes a dimension.

    Of the indexes of one attribute the one with the most entries decides, since an item without a
    HASH attribute has no entry. An item that has none counts with the list.
    """
    counts = list(map(_count, counters))
    saved: dict[str, tuple[int, int]] = {}
    pairs = zip(counts[2::2], counts[3::2], strict=True)
    for index, pair in zip(_kept_vectors(table), pairs, strict=True):
        assert index.vector is not None, "a vector index"
        name = index.vector.attribute
        saved[name] = max(pair, saved.get(name, pair))
    return TableSize(counts[0], counts[1] - sum(each for _, each in saved.values()))


def _kept_vectors(table: Table) -> list[Index]:
    return [index for index in table.vectors if index.state != "DELETING"]


async def read_shown_size(engine: Engine, table: Table, index: int = TABLE_ITSELF) -> TableSize:
    """The size that descriptions of a table, or of one of its indexes, have."""
    if index != TABLE_ITSELF:
        return await read_size(engine, table.number, index)
    return size_from(table, await engine.read(size_keys(table)))


def _count(value: bytes | None) -> int:
    return 0 if value is None else int.from_bytes(value, "big", signed=True)
