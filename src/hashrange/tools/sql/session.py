"""Statements on a source: their tables are loaded when a statement reads them."""

from collections.abc import Callable, Collection
from pathlib import Path

from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.database import Database, SqlOptions
from hashrange.tools.sql.items import Items
from hashrange.tools.sql.sources import Read, Source
from hashrange.tools.sql.statements import Statement


class Session:
    """The tables of a source in DuckDB.

    Args:
        source: the tables.
        folder: an empty folder for their items, which the caller removes.
        options: of the database.
        moment: the moment of statements that name none; None for now.
        note: shows a line to the operator.

    Attributes:
        database: reads statements that are prepared.
        shown: the source in messages.
    """

    def __init__(
        self,
        source: Source,
        folder: Path,
        options: SqlOptions,
        *,
        moment: str | None,
        note: Callable[[str], None],
    ) -> None:
        self.database = Database(folder, options)
        self.shown = source.shown
        self._source = source
        self._moment, self._note = moment, note
        self._loaded: dict[str, tuple[str | None, Items]] = {}

    async def prepare(self, statement: Statement) -> None:
        """Load the tables of a statement. Raises InputError, CopyError, OSError."""
        if not statement.tables:
            return
        names = await self._source.names()
        tables = dict.fromkeys(self._named(each, names) for each in statement.tables)
        for table in tables:
            await self._load(table, statement)

    async def _load(self, table: str, statement: Statement) -> None:
        moment = statement.moment or self._moment
        known = self._loaded.get(table)
        # A part of a table serves the statement that it was read for only.
        if known is None or known[0] != moment or known[1].key_range is not None:
            if known is not None:
                self.database.forget(table)
                del self._loaded[table]
            items = await self._read(Read(table, statement, moment))
            self._loaded[table] = moment, items
        for remark in self.database.show(self._loaded[table][1], statement.wanted):
            self._note(remark)

    async def _read(self, read: Read) -> Items:
        with self.database.lines(read.table) as lines:
            items = await self._source.items(read, lines)
        self.database.load(items, lines)
        self._note(f"{read.table}: {items.remark}")
        return items

    def _named(self, written: str, names: Collection[str]) -> str:
        """The table that a statement means; upper and lower case may differ. Raises InputError."""
        found = [name for name in names if name.lower() == written.lower()]
        if not found:
            raise InputError(f"{self._source.shown} has no table {written}")
        if len(found) > 1:
            raise InputError(f"{', '.join(sorted(found))}: SQL cannot tell these tables apart")
        return found[0]
