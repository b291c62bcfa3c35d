"""The list of dropped tables: definitions whose rows are still to be deleted.

A table moves to it with `Catalog.drop`. Its streams are readable, and its items are there for a
backup, until `background/dropper.py` has deleted the rows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.model.namespaces import namespace_prefix
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys.system_keys import catalog_key, dropped_key, dropped_range
from hashrange.tables.opened.open_table import OpenTable

PAGE_ROWS: Final = 500
PAGE_BYTES: Final = 4 * 1024 * 1024
"""Pages of entries that are read at once."""

decode_table: Final = msgspec.json.Decoder(Table).decode
encode_table: Final = msgspec.json.Encoder().encode


class ExtraRows(msgspec.Struct, frozen=True):
    """Rows that are written together with a catalog entry.

    Attributes:
        keys: of rows to read.
        puts: the rows to write, from the values of those keys and the new entry; None deletes one.
            Pure; may run again; raises to refuse all.
    """

    keys: Sequence[bytes]
    puts: Callable[[Sequence[bytes | None], Table], Mapping[bytes, bytes | None]]


NO_EXTRA_ROWS: Final = ExtraRows((), lambda _values, _table: {})


def opened_entry(engine: Engine, key: bytes, entry: bytes) -> OpenTable:
    """The table of an entry, with the entry as its fence."""
    return OpenTable(decode_table(entry), {key: entry}, engine.key_bytes_max, catalog_key=key)


def is_at(table: Table, key: bytes) -> bool:
    """Whether a catalog key is that of the table, with or without a namespace."""
    prefix = namespace_prefix(table.account, table.region)
    return key in {catalog_key(table.name), catalog_key(prefix + table.name)}


class DroppedTables:
    """The dropped tables of a catalog, or of a namespace of it.

    Args:
        engine: where they are stored.
        prefix: of the names in the namespace; empty for all tables.
        page_bytes: read at a time.
    """

    def __init__(self, engine: Engine, prefix: str, page_bytes: int = PAGE_BYTES) -> None:
        self._engine = engine
        self._prefix = prefix
        self._page_bytes = page_bytes

    async def tables(self) -> list[Table]:
        """The dropped tables whose rows are not all deleted, in the order of their numbers."""
        return [opened.table for opened in await self.opened()]

    async def opened(self) -> list[OpenTable]:
        """As `tables`, with their rows of the list as fences."""
        start, end = dropped_range()
        dropped: list[OpenTable] = []
        while True:
            page = await self._engine.scan(start, end, limit=PAGE_ROWS, bytes_max=self._page_bytes)
            if not page:
                return dropped
            tables = [opened_entry(self._engine, key, entry) for key, entry in page]
            dropped += [opened for opened in tables if self._is_within(opened.table)]
            start = page[-1][0] + b"\x00"

    def _is_within(self, table: Table) -> bool:
        return self._prefix in {"", namespace_prefix(table.account, table.region)}

    async def change(self, number: int, change: Callable[[Table], Table]) -> None:
        """Replace the definition of a dropped table, unless its rows are already deleted."""
        key = dropped_key(number)

        def decide(stored: list[bytes | None]) -> Changes[None]:
            (entry,) = stored
            if entry is None:
                return Changes(answer=None)
            return Changes(answer=None, puts={key: encode_table(change(decode_table(entry)))})

        await self._engine.write([key], decide)
