"""Finds rows that an engine cannot read, as after damage of the disk: of which table, and where."""

import contextlib
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.storage.engine import Engine, Pair, StorageError
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.key_ranges import Range
from hashrange.tables.keys.key_spaces import INDEX, ITEMS, SYSTEM_SPACES, TABLE_SPACES
from hashrange.tables.verifying.verify_items import key_text

_ROWS: Final = 256
"""Of a page."""
_PAGE_BYTES: Final = 1024 * 1024
_decode_table: Final = msgspec.json.Decoder(Table).decode


async def unreadable(engine: Engine) -> list[str]:
    """A line for each range of keys in which rows cannot be read; all rows are read.

    Between two rows that can be read, the first from either end, others may be readable too.
    """
    found: list[str] = []
    tables = [table async for table in _readable_tables(engine)]
    for space in SYSTEM_SPACES:
        found += await _gap(engine, f"the system's rows {space.name}", space.range(), None)
    for table in tables:
        for space in TABLE_SPACES:
            if space is not INDEX:
                rows = "items" if space is ITEMS else f"rows {space.name}"
                keys = space.range(table.number)
                found += await _gap(engine, f"{table.name}: {rows}", keys, table)
        for index in table.kept_indexes:
            keys = keyspace.index_range(table.number, index.number)
            found += await _gap(engine, f"{table.name}: entries of {index.name}", keys, table)
    return found


async def _readable_tables(engine: Engine) -> AsyncIterator[Table]:
    """The tables in the catalog, as far as it can be read from either end."""
    found: dict[bytes, bytes] = {}
    for reverse in (False, True):
        async for page, _ in _pages(engine, system_keys.catalog_range(), reverse=reverse):
            found.update(page)
    for value in found.values():
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):  # findings of others
            yield _decode_table(value)


async def _gap(engine: Engine, rows: str, keys: Range, table: Table | None) -> list[str]:
    last, error = await _last_readable(engine, keys, reverse=False)
    if error is None:
        return []
    first, _ = await _last_readable(engine, keys, reverse=True)
    bounds = [
        f"{word} {_shown(pair, table)}"
        for word, pair in (("after", last), ("before", first))
        if pair is not None
    ]
    where = f" {' and '.join(bounds)}" if bounds else ""
    return [f"{rows}{where} cannot be read: {error}"]


async def _last_readable(
    engine: Engine, keys: Range, *, reverse: bool
) -> tuple[Pair | None, str | None]:
    """The last pair before the first that cannot be read, and why; no reason if all can."""
    last: Pair | None = None
    async for page, error in _pages(engine, keys, reverse=reverse):
        last = page[-1] if page else last
        if error is not None:
            return last, error
    return last, None


async def _pages(
    engine: Engine, keys: Range, *, reverse: bool
) -> AsyncIterator[tuple[list[Pair], str | None]]:
    """Pages of a range, and with the last one why the next row cannot be read."""
    (start, end), rows = keys, _ROWS
    while True:
        try:
            page = await engine.scan(start, end, limit=rows, bytes_max=_PAGE_BYTES, reverse=reverse)
        except StorageError as error:
            if rows == 1:
                yield [], str(error)
                return
            rows = 1
            continue
        yield page, None
        if not page:
            return
        if reverse:
            end = page[-1][0]
        else:
            start = page[-1][0] + b"\x00"


def _shown(pair: Pair, table: Table | None) -> str:
    key, value = pair
    text = "" if table is None else key_text(table, value)
    return text or f"the key {key.hex()}"
