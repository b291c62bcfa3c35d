"""A database of DuckDB in a temporary folder: items, views of them, and statements that read them.

Statements run in a connection that writes nothing, reads no file and loads no extension.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.columns import EXTRA_COLUMNS, Unnest, view_of
from hashrange.tools.sql.items import Items, change, damaged, fill, fill_lines, reading
from hashrange.tools.sql.loading import Lines
from hashrange.tools.sql.profiles import Profiler
from hashrange.tools.sql.shapes import TEXT_SUFFIX, Shape, literal, quoted
from hashrange.tools.sql.statements import Statement, line_of_error, require_duckdb

_SCHEMA: Final = "stored"
_PARTS: Final = "parts"
_NO_EXTENSIONS: Final = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}


class SqlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a database.

    Attributes:
        fixed: types of columns that the operator gives, by attribute.
        unnest: what becomes a column.
        memory: the most memory, as DuckDB writes it; beyond it, it uses files.
        allow_files: statements may read and write files.
    """

    fixed: Mapping[str, str] = {}
    unnest: Unnest = Unnest.TOP_LEVEL
    memory: str = "1GB"
    allow_files: bool = False


class Database:
    """Items and views of them.

    Args:
        folder: an empty folder, which the caller removes.
        options: the options.
    """

    def __init__(self, folder: Path, options: SqlOptions) -> None:
        self._duckdb = require_duckdb()
        self._folder = folder
        self._path = folder / "sql.duckdb"
        self._spills = folder / "spills"
        self._options = options
        self._shapes: dict[str, dict[str, list[Shape] | None]] = {}
        """By table and attribute; None for attributes that no statement has read."""
        self._parts: dict[str, list[str]] = {}
        """By table, the SQL names of the tables that have its items."""
        self._numbers = count()
        self._shown: set[str] = set()
        self._reader: Any = None
        with self._connected() as connection:
            connection.execute(f"CREATE SCHEMA {_SCHEMA}")
            connection.execute(f"CREATE SCHEMA {_PARTS}")

    @contextmanager
    def lines(self, table: str) -> Iterator[Lines]:
        """Lines of a table, which the caller writes before `load`. Raises CopyError, OSError."""
        with self._connected() as connection:
            parts: list[str] = []

            def load(path: Path) -> int:
                with reading(table):
                    return fill_lines(connection, self._new_part(parts), path)

            with closing(Lines(self._folder, load)) as lines:
                yield lines
                lines.end()
        self._parts[table] = parts

    def load(self, items: Items, lines: Lines | None = None) -> None:
        """Load a table, whose lines were written or are in files.

        Raises CopyError: the files are damaged, or have too many attributes.
        """
        stored, parts = _stored(items.table), self._parts.setdefault(items.table, [])
        with self._connected() as connection, reading(items.table):
            rows = 0 if lines is None else lines.rows
            if not parts:
                rows = fill(connection, self._new_part(parts), items)
            if items.count is not None and rows != items.count:
                raise damaged(items, f"{rows:,} lines, and {items.count:,} are expected")
            change(connection, parts, items)
            selects = " UNION ALL ".join(f"FROM {part}" for part in parts)
            connection.execute(f"CREATE VIEW {stored} AS {selects}")
            names = Profiler(connection, stored, items.root).names()
        known = {name.lower() for name in [*names, *EXTRA_COLUMNS]}
        known |= {f"{name}{TEXT_SUFFIX}" for name in known}
        asked = [name for name in items.asked if name.lower() not in known]
        if self._options.unnest != Unnest.TOP_LEVEL:
            asked = []  # columns have other names than attributes
        every = dict.fromkeys([*names, *dict(items.key), *self._options.fixed, *asked])
        self._shapes[items.table] = dict.fromkeys(every)

    def show(self, items: Items, wanted: frozenset[str] | None) -> list[str]:
        """Make the view of a table that was loaded; returns remarks.

        Args:
            items: the items.
            wanted: the lower-case names of the columns that are read; None for all.
        """
        known, fixed = self._shapes[items.table], self._options.fixed
        titles = {name.lower() for name in [*known, *EXTRA_COLUMNS]}
        if (
            self._options.unnest == Unnest.FULL
            or len(titles) < len(known) + len(EXTRA_COLUMNS)
            or wanted is None
        ):
            new = [name for name in known if name not in fixed]  # columns have names of their own
        else:
            new = [
                name
                for name in known
                if name not in fixed and wanted & {name.lower(), f"{name}{TEXT_SUFFIX}".lower()}
            ]
        new = [name for name in new if known[name] is None]
        if items.table in self._shown and not new:
            return []
        stored = _stored(items.table)
        with self._connected() as connection:
            known.update(Profiler(connection, stored, items.root).shapes(new, dict(items.key)))
            view = view_of(
                known,
                [name for name, _ in items.key],
                fixed,
                root=items.root,
                time=items.time,
                unnest=self._options.unnest,
            )
            connection.execute(
                f"CREATE OR REPLACE VIEW main.{quoted(items.table)} AS {view.select_from(stored)}"
            )
        self._shown.add(items.table)
        return [f"{items.table}: {remark}" for remark in view.remarks]

    def forget(self, table: str) -> None:
        """Remove a table."""
        with self._connected() as connection:
            connection.execute(f"DROP VIEW IF EXISTS main.{quoted(table)}")
            connection.execute(f"DROP VIEW {_stored(table)}")
            for part in self._parts.pop(table):
                connection.execute(f"DROP TABLE {part}")
        del self._shapes[table]
        self._shown.discard(table)

    @contextmanager
    def answers(self, statement: Statement) -> Iterator[Any]:
        """The rows of a statement, as a cursor. Raises InputError."""
        if self._reader is None:
            self._reader = self._opened(read_only=True)
            self._lock(self._reader, ())
        with self._refusals(statement):
            yield self._reader.execute(statement.sql)

    def write_parquet(self, statement: Statement, target: Path) -> None:
        """Write the rows of a statement to a file of Parquet. Raises InputError."""
        self.close()
        with closing(self._opened(read_only=True)) as connection, self._refusals(statement):
            self._lock(connection, [target])
            connection.execute(
                f"COPY ({statement.sql}) TO {literal(str(target))} "
                "(FORMAT parquet, USE_TMP_FILE false)"
            )

    def close(self) -> None:
        """Close the file; the next statement opens it again."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _lock(self, connection: Any, written: Sequence[Path]) -> None:
        """Make a connection one that reads no file, and writes only those given."""
        if not self._options.allow_files:
            paths = ", ".join(literal(str(path)) for path in written)
            connection.execute(f"SET allowed_paths = [{paths}]")
            connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")

    def _opened(self, *, read_only: bool = False) -> Any:
        config = {
            **_NO_EXTENSIONS,
            "memory_limit": self._options.memory,
            "temp_directory": str(self._spills),
            "preserve_insertion_order": False,
        }
        try:
            return self._duckdb.connect(str(self._path), read_only=read_only, config=config)
        except self._duckdb.Error as error:
            raise InputError(line_of_error(error)) from error

    def _new_part(self, parts: list[str]) -> str:
        parts.append(f'{_PARTS}."{next(self._numbers)}"')
        return parts[-1]

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """A connection that writes; there is no other meanwhile."""
        self.close()
        with closing(self._opened()) as connection:
            # Each statement reads the items a few times: expanding them would cost more than disk.
            connection.execute("SET force_compression = 'uncompressed'")
            yield connection

    @contextmanager
    def _refusals(self, statement: Statement) -> Iterator[None]:
        try:
            yield
        except self._duckdb.Error as error:
            text = line_of_error(error)
            named = (rf"\b{re.escape(name)}\b" for name in statement.columns)
            if statement.columns and not any(re.search(name, text) for name in named):
                text = f"{text} The statement reads {', '.join(statement.columns)}"
            raise InputError(text) from error


def _stored(table: str) -> str:
    """The SQL name of the items of a table."""
    return f"{_SCHEMA}.{quoted(table)}"
