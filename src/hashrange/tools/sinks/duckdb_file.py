"""A file of DuckDB as a target, which other processes open read-only meanwhile.

DuckDB lets no process read a file that another one writes. Items and positions are therefore in a
file of our own, `FILE.items`, and FILE is replaced as a whole: a process that has opened it keeps
the one that it opened. FILE has a table for each table, with the columns of `hashrange sql`.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.clock import Clock
from hashrange.storage.durable_files import sync_directory, sync_file
from hashrange.storage.sqlite.directory import lock_file
from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.positions import TablePosition
from hashrange.tools.sinks.targets import TargetError, TransactionalTarget, refuse_same_name
from hashrange.tools.sql.columns import Unnest, view_of
from hashrange.tools.sql.profiles import Profiler
from hashrange.tools.sql.shapes import literal, quoted, time_of
from hashrange.tools.sql.statements import require_duckdb

ITEMS_SUFFIX: Final = ".items"
_CONFIG: Final = {"memory_limit": "1GB", "preserve_insertion_order": False}
"""Beyond that memory it uses a folder beside the file."""
_SCHEMA: Final = """\
CREATE SCHEMA IF NOT EXISTS stored;
CREATE TABLE IF NOT EXISTS positions (name VARCHAR, position VARCHAR, keys VARCHAR);
"""
_LINES: Final = (
    "read_json({file}, format = 'newline_delimited', maximum_object_size = 67108864, columns = "
    "{{key: 'VARCHAR', version: 'DECIMAL(38,0)', item: 'JSON'}})"
)
_CHANGE: Final = (
    "DELETE FROM {stored} t USING changed c WHERE t.key = c.key AND t.version < c.version",
    # An item that is there already is newer, or the same.
    (
        "INSERT INTO {stored} SELECT * FROM changed c WHERE json_type(item) = 'OBJECT' "
        "AND NOT EXISTS (SELECT 1 FROM {stored} t WHERE t.key = c.key)"
    ),
)
_Key = list[tuple[str, str]]


class DuckDbFile(TransactionalTarget):
    """Keeps a file of DuckDB up to date, of which one process at a time is the owner.

    Args:
        path: of the file.
        publish_seconds: the time between the end of a replacement and the next one.
        clock: the time of the items in the file.

    Attributes:
        tables: the positions.

    Raises:
        InputError: DuckDB is not installed, or too old.
    """

    def __init__(self, path: Path, publish_seconds: float, clock: Clock) -> None:
        super().__init__()
        self._path = path
        self._seconds = publish_seconds
        self._clock = clock
        self._duckdb = require_duckdb()
        self._connection: Any = None
        self._keys: dict[str, _Key] = {}
        self._is_published = False
        self.tables: dict[str, TablePosition] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Read the positions, and replace the file from time to time. Raises CopyError, OSError."""
        lock = os.open(self._with(".lock"), os.O_RDWR | os.O_CREAT)
        try:
            try:
                lock_file(lock)
            except OSError as error:
                raise CopyError(f"{self._path}: another process uses it") from error
            self._open()
            publishing = asyncio.create_task(self._publish_again_and_again())
            try:
                yield
            finally:
                publishing.cancel()
            self._publish()
        finally:
            if self._connection is not None:
                self._connection.close()
            os.close(lock)

    def _with(self, suffix: str) -> Path:
        return self._path.with_name(self._path.name + suffix)

    def _open(self) -> None:
        try:
            self._connection = self._duckdb.connect(str(self._with(ITEMS_SUFFIX)), config=_CONFIG)
            self._connection.execute(_SCHEMA)
            rows = self._connection.execute("FROM positions").fetchall()
        except self._duckdb.Error as error:
            raise CopyError(f"{self._with(ITEMS_SUFFIX)}: {error}") from error
        try:
            for name, position, keys in rows:
                self.tables[name] = msgspec.json.decode(position, type=TablePosition)
                self._keys[name] = msgspec.json.decode(keys, type=_Key)
        except msgspec.MsgspecError as error:
            raise CopyError(f"{self._with(ITEMS_SUFFIX)}: a position is damaged") from error

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:
        """Create the table if there is none. Raises CopyError."""
        refuse_same_name(table, self._keys, "SQL: use a file")
        types = {each["AttributeName"]: each["AttributeType"] for each in _attributes(shown)}
        names = [each["AttributeName"] for each in shown["KeySchema"]]
        self._keys[table] = [(name, types[name]) for name in names]
        columns = "key VARCHAR, version DECIMAL(38, 0), item JSON"
        with self._failures():
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS {_stored(table)} ({columns})")

    async def write(self, table: str, position: TablePosition) -> None:
        """Store the position together with the changes. Raises TargetError, OSError."""
        with self._failures():
            self._connection.begin()
            try:
                self._store(table)
                self._connection.execute("DELETE FROM positions WHERE name = ?", [table])
                texts = [
                    msgspec.json.encode(each).decode() for each in (position, self._keys[table])
                ]
                self._connection.execute("INSERT INTO positions VALUES (?, ?, ?)", [table, *texts])
                self._connection.commit()
            except BaseException:
                with contextlib.suppress(self._duckdb.Error):
                    self._connection.rollback()
                raise
        self.tables[table] = position
        self.stored()
        self._is_published = False

    def _store(self, table: str) -> None:
        stored, lines = _stored(table), self._with(".lines")
        run = self._connection.execute
        if self.pending:
            rows = [
                {"version": str(each.version), "key": each.key.decode(), "item": each.new}
                for each in self.pending
            ]
            lines.write_bytes(msgspec.json.Encoder().encode_lines(rows))
            source = _LINES.format(file=literal(str(lines)))
            run(f"CREATE OR REPLACE TEMP TABLE changed AS FROM {source}")
            lines.unlink()
            for statement in _CHANGE:
                run(statement.format(stored=stored))
        if table in self.ended:
            run(f"DELETE FROM {stored} WHERE version < ?", [self.ended[table]])  # noqa: S608 - quoted

    async def _publish_again_and_again(self) -> None:
        while True:
            with contextlib.suppress(TargetError, OSError):  # it is tried again
                self._publish()
            await asyncio.sleep(self._seconds)

    def _publish(self) -> None:
        """Replace the file, unless nothing has changed, or a snapshot is not complete."""
        tables = self.tables
        if self._is_published or not tables or not all(each.is_copied for each in tables.values()):
            return
        unfinished = self._with(".new")
        for path in (unfinished, self._with(".new.wal")):
            path.unlink(missing_ok=True)
        with self._failures():
            self._connection.execute(f"ATTACH {literal(str(unfinished))} AS published")
            try:
                for table in tables:
                    self._copy(table)
            finally:
                self._connection.execute("DETACH published")
        sync_file(unfinished)
        unfinished.replace(self._path)
        sync_directory(self._path.parent)
        self._is_published = True

    def _copy(self, table: str) -> None:
        stored, key = _stored(table), self._keys[table]
        profiler = Profiler(self._connection, stored, "")
        shapes = profiler.shapes(profiler.names(), dict(key))
        names = [name for name, _ in key]
        time = time_of(self._clock.now_ms())
        # A table cannot refuse single values, as the views of `hashrange sql` do.
        texts = {
            name: "VARCHAR" if {each.kind for each in found} <= {"S", "N"} else "JSON"
            for name, found in shapes.items()
            if not all(each.numbers.fits for each in found)
        }
        view = view_of(shapes, names, texts, root="", time=time, unnest=Unnest.TOP_LEVEL)
        self._connection.execute(
            f"CREATE TABLE published.main.{quoted(table)} AS {view.select_from(stored)}"
        )

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except self._duckdb.Error as error:
            raise TargetError(f"DuckDB: {error}") from error


def _attributes(shown: Mapping[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = shown["AttributeDefinitions"]
    return found


def _stored(table: str) -> str:
    return f"stored.{quoted(table)}"
