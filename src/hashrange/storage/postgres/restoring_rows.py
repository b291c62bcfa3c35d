"""Restores a schema, as NAME_restoring until all rows are loaded and verified.

Each chunk is loaded by one statement that also notes its number, so a restore that was interrupted
goes on with the chunks that are not noted.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, Self

import asyncpg

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import StorageError, StorageOpenError
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.hosts import BROKEN, Hosts, why
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.schema import TABLES, TABLES_VERSIONS, quoted
from hashrange.storage.stored_rows import RowCounts, RowKind, StoredRow

UNFINISHED: Final = "_restoring"
"""Ends the name of a schema that is not whole."""
_NAME_BYTES_MAX: Final = 63
_INT64_BYTES: Final = 8
_BEGUN: Final = -1
"""Noted before the first chunk."""

_RELATIONS: Final = """
SELECT c.relname FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1
"""
_EXISTS: Final = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1"
_MAKE_LOADED: Final = """
CREATE TABLE IF NOT EXISTS loaded (backup text NOT NULL, at int8 NOT NULL, PRIMARY KEY (backup, at))
"""
_NOTE: Final = "INSERT INTO loaded VALUES ($1, $2)"
_NOTED: Final = "SELECT backup, at FROM loaded"
_HAS_ROWS: Final = "SELECT k FROM kv LIMIT 1"
# A version identifies the value of a key, also for a server that knew an older schema of this name.
_BEGIN_VERSIONS: Final = "SELECT setval('versions', $1)"
_LOAD: Final = """
WITH noted AS (INSERT INTO loaded VALUES ($1, $2)),
pairs AS (
    INSERT INTO kv SELECT x.k, x.v, $3::int8 FROM unnest($4::bytea[], $5::bytea[]) AS x(k, v)
), counted AS (
    INSERT INTO counters SELECT x.k, 0, x.n FROM unnest($6::bytea[], $7::int8[]) AS x(k, n)
), logged AS (
    INSERT INTO logs SELECT x.log, x.last, x.time
    FROM unnest($8::bytea[], $9::int8[], $10::int8[]) AS x(log, last, time)
) SELECT 1
"""
_COUNTS: Final = f"""
SELECT {RowKind.PAIR:d} AS kind, count(*) AS n FROM kv
UNION ALL SELECT {RowKind.COUNTER:d}, count(*) FROM counters
UNION ALL SELECT {RowKind.LOG:d}, count(*) FROM logs
"""  # noqa: S608 - made of constants


class RestoringSchema:
    """`hashrange.storage.stored_rows.RowSink` of a schema that has nothing; made by `open`."""

    formats: Collection[int] = TABLES_VERSIONS

    def __init__(self, pool: Pool, url: str, version: int) -> None:
        self._pool = pool
        self._url = url
        self._address = DatabaseAddress.of(url)
        self._version = version
        self._backup_id = ""

    @classmethod
    async def open(cls, url: str, version: int) -> Self:
        """Connect, and make the schema of the restore unless it is there.

        Args:
            url: of the schema that is to be restored; it has nothing, or does not exist.
            version: of all rows that are restored; those of writes are greater.

        Raises:
            StorageOpenError: the schema has something, or cannot be made.
        """
        address = DatabaseAddress.of(url)
        unfinished = DatabaseAddress.of(_unfinished(url))
        if len(unfinished.schema.encode()) > _NAME_BYTES_MAX:
            raise StorageOpenError(
                f"the name {address.schema} is too long to restore: {unfinished.schema} is no "
                "name of a schema"
            )
        begun = "loaded" in await _relations(address, unfinished.schema)
        pool = await Pool.open(unfinished, Durability.RELAXED)
        found = cls(pool, url, version)
        try:
            if not begun:
                await found.refuse_rows()
        except BaseException:
            await pool.close()
            raise
        return found

    async def close(self) -> None:
        """Disconnect."""
        await self._pool.close()

    async def refuse_rows(self) -> None:
        """Raises StorageOpenError: the schema of the restore has data that it did not load."""
        if await self._pool.read(_HAS_ROWS, []):
            raise StorageOpenError(f"{self.shown} has data that are not of a restore")

    @property
    def place(self) -> str:
        """The URL of the schema until it is whole."""
        return _unfinished(self._url)

    @property
    def shown(self) -> str:
        """That schema, for messages."""
        return f"schema {self._address.schema}{UNFINISHED} of {self._address.shown}"

    async def begin(self, backup_id: str) -> set[int]:
        """Begin or go on; the numbers of the chunks that are loaded. Raises StorageError."""
        await self._pool.execute(_MAKE_LOADED)
        noted = await self._pool.read(_NOTED, [])
        others = {row["backup"] for row in noted} - {backup_id}
        if others:
            raise StorageError(
                f"{self.shown} has a part of backup {min(others)}: go on with --backup "
                f"{min(others)}, or drop that schema"
            )
        if not noted:
            await self._pool.read(_NOTE, [backup_id, _BEGUN])
        await self._pool.read(_BEGIN_VERSIONS, [self._version])
        self._backup_id = backup_id
        return {row["at"] for row in noted} - {_BEGUN}

    async def load(self, at: int, rows: Sequence[StoredRow]) -> None:
        """Load the rows of a chunk, or none of them. Raises StorageError."""
        pairs = [row for row in rows if row.kind == RowKind.PAIR]
        counters = [row for row in rows if row.kind == RowKind.COUNTER]
        logs = [row for row in rows if row.kind == RowKind.LOG]
        arguments: list[Any] = [self._backup_id, at, self._version]
        arguments += [[row.key for row in pairs], [row.value for row in pairs]]
        arguments += [[row.key for row in counters], [_number(row.value) for row in counters]]
        arguments += [
            [row.key for row in logs],
            [_number(row.value[:_INT64_BYTES]) for row in logs],
            [_number(row.value[_INT64_BYTES:]) for row in logs],
        ]
        try:
            await self._pool.read(_LOAD, arguments)
        except ConflictError as error:
            raise StorageError("another restore loads the same rows") from error

    async def counts(self) -> RowCounts:
        """The rows of each kind. Raises StorageError."""
        return {row["kind"]: row["n"] for row in await self._pool.read(_COUNTS, [])}

    async def publish(self) -> None:
        """Move the tables to the schema, and remove the other; in one transaction, on disk.

        Raises StorageError: nothing has moved, or the database did not answer.
        """
        old, new = quoted(self._address.schema + UNFINISHED), quoted(self._address.schema)
        moves = [f"ALTER TABLE {old}.{name} SET SCHEMA {new}" for name in TABLES]
        moves += [
            f"ALTER SEQUENCE {old}.versions SET SCHEMA {new}",
            f"DROP TABLE {old}.loaded",
            f"DROP SCHEMA {old}",
        ]
        # All that was loaded without waiting for the disk is on it once this later commit is.
        pool = await Pool.open(DatabaseAddress.of(self.place), Durability.FULL, makes=False)
        try:
            (found,) = await pool.read(_EXISTS, [self._address.schema])
            if not found["count"]:
                moves.insert(0, f"CREATE SCHEMA {new}")
            await pool.execute(";\n".join(moves))
        except ConflictError as error:
            raise StorageError("another restore ends at the same time") from error
        finally:
            await pool.close()


def _unfinished(url: str) -> str:
    return DatabaseAddress.with_schema(url, DatabaseAddress.of(url).schema + UNFINISHED)


def _number(value: bytes) -> int:
    return int.from_bytes(value, signed=True)


async def _relations(address: DatabaseAddress, unfinished: str) -> set[str]:
    """The relations of the unfinished schema. Raises StorageOpenError: the other is not empty."""
    try:
        connection = await Hosts(address).connect()
        try:
            there = await connection.fetch(_RELATIONS, address.schema)
            begun = await connection.fetch(_RELATIONS, unfinished)
        finally:
            await connection.close()
    except (asyncpg.PostgresError, ValueError, *BROKEN) as error:
        raise StorageOpenError(f"cannot open {address.shown}: {why(error)}") from error
    if there:
        raise StorageOpenError(
            f"schema {address.schema} of {address.shown} has data: restore to a schema that has "
            "nothing"
        )
    return {row["relname"] for row in begun}
