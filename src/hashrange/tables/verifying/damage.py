"""Finds rows that an engine cannot read, as after damage of the disk: of which table, and where."""

import contextlib
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from hashrange.model.table import Table
from hashrange.storage.engine import Engine, Pair, StorageError
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.key_ranges import Range
from hashrange.tables.keys.key_spaces import INDEX, ITEMS, SYSTEM_SPACES, TABLE_SPACES, Copying
from hashrange.tables.verifying.verify_items import key_text

_ROWS: Final = 256
"""Of a page."""
_PAGE_BYTES: Final = 1024 * 1024
_HALVED_BYTES: Final = 64
"""Of keys: longer ones that begin alike are taken for one."""
_decode_table: Final = msgspec.json.Decoder(Table).decode


class Rows(msgspec.Struct, frozen=True):
    """Rows that belong together: what they are called, their keys, and their table.

    Attributes:
        copying: what a copy does with them.
    """

    name: str
    keys: Range
    table: Table | None = None
    copying: Copying = Copying.LEFT


async def unreadable(engine: Engine) -> list[str]:
    """A line for each range of keys in which rows cannot be read; all rows are read.

    Between two rows that can be read, the first from either end, others may be readable too.
    """
    found: list[str] = []
    for rows in await all_rows(engine):
        found += await gap(engine, rows)
    return found


async def all_rows(engine: Engine) -> list[Rows]:
    """All rows of which the catalog knows, as far as it can be read."""
    found = [
        Rows(f"the system's rows {space.name}", space.range(), copying=space.copying)
        for space in SYSTEM_SPACES
    ]
    async for table in _readable_tables(engine):
        for space in TABLE_SPACES:
            if space is not INDEX:
                kind = "items" if space is ITEMS else f"rows {space.name}"
                keys = space.range(table.number)
                found.append(Rows(f"{table.name}: {kind}", keys, table, space.copying))
        for index in table.kept_indexes:
            keys = keyspace.index_range(table.number, index.number)
            name = f"{table.name}: entries of {index.name}"
            found.append(Rows(name, keys, table, INDEX.copying))
    return found


async def located(engine: Engine, key: bytes, reason: str) -> tuple[str, Range]:
    """A line about the rows around a key that cannot be read, and their range of keys.

    From the last row that can be read before the key to the first one behind it. They are found by
    halving ranges of keys, so that little is read; rows between them may be readable.
    """
    known = [each for each in await all_rows(engine) if each.keys[0] <= key < each.keys[1]]
    rows = known[0] if known else Rows(f"the row at {key.hex()}", (key, key + b"\x00"))
    start, end = rows.keys
    last = await _nearest(engine, (start, key), reverse=True)
    first = await _nearest(engine, (key, end), reverse=False)
    gap = start if last is None else last[0], end if first is None else first[0] + b"\x00"
    return line_of_gap(rows, last, first, reason), gap


async def is_readable(engine: Engine, keys: Range) -> bool:
    """Whether all rows of a range can be read."""
    async for _, error in _pages(engine, keys, reverse=False):
        if error is not None:
            return False
    return True


def part_of(keys: Range, part: int, parts: int) -> Range:
    """One of so many parts of a range, which are equal where keys begin with hashes."""
    start, end = keys
    low, high = _number(start), _number(end)

    def bound(number: int) -> bytes:
        return (low + (high - low) * number // parts).to_bytes(_HALVED_BYTES)

    return (bound(part) if part else start, bound(part + 1) if part + 1 < parts else end)


async def _nearest(engine: Engine, keys: Range, *, reverse: bool) -> Pair | None:
    """The row that is nearest to one end of a range, of those that can be read.

    To its end with `reverse`, otherwise to its start.
    """
    start, end = keys
    good, bad = (start, end) if reverse else (end, start)
    found: Pair | None = None
    low, high = _number(good), _number(bad)
    tried = bad
    while True:
        bounds = (start, tried) if reverse else (tried, end)
        try:
            page = await engine.scan(*bounds, limit=1, bytes_max=1, reverse=reverse)
        except StorageError:
            high = _number(tried)
        else:
            found = page[0] if page else None
            low = _number(tried)
            if tried == bad:
                return found
        if abs(high - low) <= 1:
            return found
        tried = ((low + high) // 2).to_bytes(_HALVED_BYTES)


def _number(key: bytes) -> int:
    return int.from_bytes(key[:_HALVED_BYTES].ljust(_HALVED_BYTES, b"\x00"))


async def _readable_tables(engine: Engine) -> AsyncIterator[Table]:
    """The tables in the catalog, as far as it can be read from either end."""
    found: dict[bytes, bytes] = {}
    for reverse in (False, True):
        async for page, _ in _pages(engine, system_keys.catalog_range(), reverse=reverse):
            found.update(page)
    for value in found.values():
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):  # findings of others
            yield _decode_table(value)


async def gap(engine: Engine, rows: Rows) -> list[str]:
    """A line if some of the rows cannot be read; all of them are read."""
    last, error = await _last_readable(engine, rows.keys, reverse=False)
    if error is None:
        return []
    first, _ = await _last_readable(engine, rows.keys, reverse=True)
    return [line_of_gap(rows, last, first, f"cannot be read: {error}")]


def line_of_gap(rows: Rows, last: Pair | None, first: Pair | None, reason: str) -> str:
    """A line about rows that cannot be read, between two that can; None where there are none."""
    bounds = [
        f"{word} {_shown(pair, rows.table)}"
        for word, pair in (("after", last), ("before", first))
        if pair is not None
    ]
    where = f" {' and '.join(bounds)}" if bounds else ""
    return f"{rows.name}{where} {reason}"


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
