"""Tables of PostgreSQL as a target: a row an item, stored together with the position.

A table has the columns `_key`, `_version`, `item` (JSONB), and a column for each scalar attribute.
Changes and the position are one transaction, and each transaction begins with a look whether the
position is still the one that it follows: nothing is stored twice, also by a second process.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import asyncpg
import msgspec

from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.attribute_columns import (
    TYPES,
    json_of,
    sql_name,
    values_of,
    with_attributes,
)
from hashrange.tools.sinks.changes import Change, document_id
from hashrange.tools.sinks.positions import TablePosition
from hashrange.tools.sinks.targets import TargetError, TransactionalTarget
from hashrange.tools.sql.shapes import quoted

CONNECT_SECONDS: Final = 10
COMMAND_SECONDS: Final = 600
KEY_BYTES_MAX: Final = 2000
"""A row of an index of PostgreSQL has at most a third of a page."""
_ERRORS: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError)
_SCHEMA: Final = """\
CREATE TABLE IF NOT EXISTS hashrange_sink_tables (
    table_name text PRIMARY KEY, sql_name text NOT NULL UNIQUE, position text
);
CREATE TABLE IF NOT EXISTS hashrange_sink_columns (
    table_name text NOT NULL REFERENCES hashrange_sink_tables ON DELETE CASCADE,
    attribute text NOT NULL, type text NOT NULL, column_name text NOT NULL,
    PRIMARY KEY (table_name, attribute, type)
);
"""
_Columns = dict[tuple[str, str], str]


class Postgres(TransactionalTarget):
    """Writes items into tables of the same names, and keeps the positions beside them.

    Args:
        url: of the database; what it leaves out is that of the environment.

    Attributes:
        tables: the positions, after `prepare`.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._connection: Any = None
        self._columns: dict[str, _Columns] = {}
        self.tables: dict[str, TablePosition] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Connect. Raises CopyError."""
        try:
            async with self._transaction() as connection:
                await connection.execute(_SCHEMA)
        except TargetError as error:
            raise CopyError(str(error)) from error
        try:
            yield
        finally:
            await self._disconnect()

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:  # noqa: ARG002 - as of `Target`
        """Create the table if there is none, and read its position. Raises CopyError."""
        try:
            async with self._transaction() as connection:
                await self._prepared(connection, table)
        except TargetError as error:
            raise CopyError(str(error)) from error

    async def _prepared(self, connection: Any, table: str) -> None:
        name = sql_name(table)
        known = "SELECT position FROM hashrange_sink_tables WHERE table_name = $1"
        row = await connection.fetchrow(known, table)
        if row is None:
            if await connection.fetchval("SELECT to_regclass($1)", quoted(name)) is not None:
                raise CopyError(f"the database has a table {name} that is not of a sink")
            await connection.execute(
                f"CREATE TABLE {quoted(name)} (_key text PRIMARY KEY, "
                "_version numeric(38) NOT NULL, item jsonb NOT NULL)"
            )
            insertion = "INSERT INTO hashrange_sink_tables (table_name, sql_name) VALUES ($1, $2)"
            await connection.execute(insertion, table, name)
        elif row["position"] is not None:
            self.tables[table] = _decoded(row["position"])
        columns = await connection.fetch(
            "SELECT attribute, type, column_name FROM hashrange_sink_columns WHERE table_name = $1",
            table,
        )
        self._columns[table] = {
            (each["attribute"], each["type"]): each["column_name"] for each in columns
        }

    async def write(self, table: str, position: TablePosition) -> None:
        """Store the position together with the changes. Raises TargetError, CopyError."""
        changed = [each for each in self.pending if each.new is not None]
        columns = with_attributes(self._columns[table], (each.new or {} for each in changed))
        async with self._transaction() as connection:
            if await self._follows(connection, table, position):
                await self._add_columns(connection, table, columns)
                await _upsert(connection, table, changed, columns)
                await connection.executemany(
                    f"DELETE FROM {_named(table)} WHERE _key = $1 AND _version < $2",  # noqa: S608 - quoted
                    [
                        (_key(each), Decimal(each.version))
                        for each in self.pending
                        if each.new is None
                    ],
                )
                if table in self.ended:
                    deletion = f"DELETE FROM {_named(table)} WHERE _version < $1"  # noqa: S608
                    await connection.execute(deletion, Decimal(self.ended[table]))
                await connection.execute(
                    "UPDATE hashrange_sink_tables SET position = $2 WHERE table_name = $1",
                    table,
                    msgspec.json.encode(position).decode(),
                )
        self.tables[table] = position
        self._columns[table] = columns
        self.stored()

    async def _follows(self, connection: Any, table: str, position: TablePosition) -> bool:
        """Whether the position is to be stored: not if an earlier try was committed.

        Raises CopyError: the stored one is neither that before nor this one.
        """
        statement = "SELECT position FROM hashrange_sink_tables WHERE table_name = $1 FOR UPDATE"
        row = await connection.fetchrow(statement, table)
        if row is None:
            raise CopyError(f"the database no longer knows the table {table}")
        stored = None if row["position"] is None else _decoded(row["position"])
        if stored == position:
            return False
        if stored != self.tables.get(table):
            raise CopyError(f"another process writes the table {table} of the database")
        return True

    async def _add_columns(self, connection: Any, table: str, columns: _Columns) -> None:
        for (attribute, kind), name in columns.items():
            if (attribute, kind) not in self._columns[table]:
                added = f"ALTER TABLE {_named(table)} ADD COLUMN {quoted(name)} {TYPES[kind]}"
                await connection.execute(added)
                await connection.execute(
                    "INSERT INTO hashrange_sink_columns VALUES ($1, $2, $3, $4)",
                    *(table, attribute, kind, name),
                )

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Any]:
        """A transaction; after an error the next one has a connection of its own."""
        try:
            if self._connection is None:
                self._connection = await asyncpg.connect(
                    self._url, timeout=CONNECT_SECONDS, command_timeout=COMMAND_SECONDS
                )
            async with self._connection.transaction():
                yield self._connection
        except _ERRORS as error:
            await self._disconnect()
            reason = str(error) or type(error).__name__
            raise TargetError(f"PostgreSQL: {reason}") from error

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(*_ERRORS):
                await connection.close(timeout=CONNECT_SECONDS)


async def _upsert(
    connection: Any, table: str, changed: Sequence[Change], columns: Mapping[tuple[str, str], str]
) -> None:
    names = ["_key", "_version", "item", *map(quoted, columns.values())]
    values = ", ".join(f"${number}" for number in range(1, len(names) + 1))
    updated = ", ".join(f"{name} = EXCLUDED.{name}" for name in names[1:])
    named = _named(table)
    statement = (
        f"INSERT INTO {named} ({', '.join(names)}) VALUES ({values}) "  # noqa: S608 - quoted
        f"ON CONFLICT (_key) DO UPDATE SET {updated} WHERE {named}._version < EXCLUDED._version"
    )
    await connection.executemany(
        statement,
        [
            (_key(each), Decimal(each.version), json_of(item), *values_of(item, [*columns]))
            for each in changed
            if (item := each.new) is not None
        ],
    )


def _key(change: Change) -> str:
    return document_id(change.key, KEY_BYTES_MAX)


def _decoded(position: str) -> TablePosition:
    try:
        return msgspec.json.decode(position, type=TablePosition)
    except msgspec.MsgspecError as error:
        raise CopyError(f"the database has a position that is damaged: {error}") from error


def _named(table: str) -> str:
    return quoted(sql_name(table))
