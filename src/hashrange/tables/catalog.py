"""Which tables there are.

An entry is read from the engine when its name is first used and kept; whoever plans with it hands
its bytes to the engine as a fence, so an entry that another process changed is noticed when it
matters and read anew. Nothing here assumes to be the only process.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages import tables as messages
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine
from hashrange.tables import keyspace
from hashrange.tables.keyspace import TABLE_ITSELF
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import TableSize, read_size

OPEN_TABLES_MAX: Final = 10_000
"""Entries kept in memory; more than an account may have tables."""
_PAGE_ROWS: Final = 500
_PAGE_BYTES: Final = 4 * 1024 * 1024

_decode_table: Final = msgspec.json.Decoder(Table).decode
_encode: Final = msgspec.json.Encoder().encode


class Catalog:
    """The tables of one engine.

    Attributes:
        on_drop: told the name of a table that was put on the list of those to be cleared.
        on_change: told the name of a table whose definition was replaced.
    """

    def __init__(self, engine: Engine) -> None:
        self.on_drop: Callable[[str], None] = _nobody_listens
        self.on_change: Callable[[str], None] = _nobody_listens
        self._engine = engine
        self._open: dict[str, OpenTable] = {}

    def cached(self, name: str) -> OpenTable | None:
        """The table if it was opened before; its fences tell whether it still is as it was."""
        return self._open.get(name)

    async def open(self, name: str) -> OpenTable | None:
        """The table as it is now, or None."""
        key = keyspace.catalog_key(name)
        (entry,) = await self._engine.read([key])
        if entry is None:
            self._open.pop(name, None)
            return None
        opened = OpenTable(_decode_table(entry), {key: entry})
        if len(self._open) >= OPEN_TABLES_MAX:
            self._open.clear()
        self._open[name] = opened
        return opened

    async def names(self, after: str | None, limit: int) -> list[str]:
        """At most `limit` names that are greater than `after`, ascending."""
        start, end = keyspace.catalog_range()
        if after is not None:
            start = keyspace.catalog_key(after) + b"\x00"
        found: list[str] = []
        while len(found) < limit:  # bound: each page moves `start`, and the catalog is finite
            rows = limit - len(found)
            page = await self._engine.scan(start, end, limit=rows, bytes_max=_PAGE_BYTES)
            if not page:
                break
            found += [keyspace.name_of_catalog_key(key) for key, _ in page]
            start = page[-1][0] + b"\x00"
        return found

    async def create(self, draft: Callable[[int], Table], name: str) -> Table:
        """Add a table; `draft` makes it from its number.

        Raises ResourceInUseException if the name is taken.
        """
        key = keyspace.catalog_key(name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            entry, sequence = stored
            if entry is not None:
                raise DynamoError(Fault.RESOURCE_IN_USE, messages.table_exists(name))
            number = 1 if sequence is None else int.from_bytes(sequence, "big")
            table = draft(number)
            puts = {key: _encode(table), keyspace.sequence_key(): (number + 1).to_bytes(4, "big")}
            return Changes(answer=table, puts=puts)

        return await self._engine.write([key, keyspace.sequence_key()], decide)

    async def change(self, name: str, change: Callable[[Table], Table]) -> Table:
        """Replace a definition; `change` is pure, may run again, and may refuse.

        Raises ResourceNotFoundException in the control plane's words.
        """
        key = keyspace.catalog_key(name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            (entry,) = stored
            if entry is None:
                raise not_found(name)
            table = change(_decode_table(entry))
            return Changes(answer=table, puts={key: _encode(table)})

        table = await self._engine.write([key], decide)
        self._open.pop(name, None)
        self.on_change(name)
        return table

    async def drop(self, name: str, now_ms: int, allow: Callable[[Table], None]) -> Table:
        """Remove a table from the catalog and put it on the list of tables to be cleared.

        `allow` refuses by raising. Raises ResourceNotFoundException.
        """
        key = keyspace.catalog_key(name)

        def decide(stored: list[bytes | None]) -> Changes[Table]:
            (entry,) = stored
            if entry is None:
                raise not_found(name)
            table = _decode_table(entry)
            allow(table)
            dropped = msgspec.structs.replace(table, deleted_ms=now_ms)
            # The row of the list is owned by the entry: only who removes the entry writes it.
            puts = {keyspace.dropped_key(table.number): _encode(dropped)}
            return Changes(answer=dropped, puts=puts, deletes=[key])

        table = await self._engine.write([key], decide)
        self._open.pop(name, None)
        self.on_drop(name)
        return table

    async def size(self, table: Table, index: int = TABLE_ITSELF) -> TableSize:
        """How much the table, or one of its indexes, holds."""
        return await read_size(self._engine, table.number, index)

    async def dropped(self) -> list[Table]:
        """Tables whose rows are still to be cleared, oldest number first."""
        start, end = keyspace.dropped_range()
        found: list[Table] = []
        while True:  # bound: each page moves `start`, and the list is finite
            page = await self._engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES)
            if not page:
                return found
            found += [_decode_table(entry) for _, entry in page]
            start = page[-1][0] + b"\x00"


def _nobody_listens(_name: str) -> None:
    pass


def not_found(name: str) -> DynamoError:
    """The control plane's ResourceNotFoundException, which names the table."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.table_not_found(name))
