"""The forms of files of changes: JSON lines, and Parquet by DuckDB; and views of current items."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from hashrange.storage.durable_files import replace_file, sync_directory, sync_file
from hashrange.tools.scanning.parquet import require_duckdb

COLUMNS: Final[Mapping[str, str]] = {
    "version": "DECIMAL(38,0)",
    "time": "TIMESTAMP",
    "deleted": "BOOLEAN",
    "key": "VARCHAR",
    "item": "JSON",
}
_VIEW: Final = """\
CREATE OR REPLACE VIEW "{table}" AS
SELECT key, item, version, time FROM {source} WHERE version >= {snapshot}
QUALIFY row_number() OVER (PARTITION BY key ORDER BY version DESC) = 1 AND NOT deleted;
"""


class Form(Protocol):
    """How files are written; they are on disk afterwards. Raises OSError."""

    name: str
    suffix: str

    def write(self, path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write a file of rows."""

    def merge(self, path: Path, parts: Sequence[Path]) -> None:
        """Write a file with the rows of others."""

    def view(self, table: str, paths: Sequence[str], snapshot: str) -> str:
        """The statement of DuckDB that makes the view of the current items."""


class JsonLines:
    """A JSON object a line."""

    name = "jsonl"
    suffix = ".jsonl"

    def write(self, path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """As of `Form`."""
        replace_file(path, msgspec.json.Encoder().encode_lines(rows))

    def merge(self, path: Path, parts: Sequence[Path]) -> None:
        """As of `Form`."""
        with path.open("xb") as file:
            for part in parts:
                file.write(part.read_bytes())
        sync_file(path)
        sync_directory(path.parent)

    def view(self, table: str, paths: Sequence[str], snapshot: str) -> str:
        """As of `Form`."""
        return _VIEW.format(table=table, source=_lines_of(paths), snapshot=snapshot)


class Parquet:
    """Parquet with the columns of `COLUMNS`. Raises InputError: DuckDB is not installed."""

    name = "parquet"
    suffix = ".parquet"

    def __init__(self) -> None:
        self._duckdb = require_duckdb()

    def write(self, path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """As of `Form`."""
        lines = path.with_suffix(".lines")
        lines.write_bytes(msgspec.json.Encoder().encode_lines(rows))
        self._copy(_lines_of([str(lines)]), path)
        lines.unlink()

    def merge(self, path: Path, parts: Sequence[Path]) -> None:
        """As of `Form`."""
        self._copy(_parquet_of([*map(str, parts)]), path)

    def view(self, table: str, paths: Sequence[str], snapshot: str) -> str:
        """As of `Form`."""
        return _VIEW.format(table=table, source=_parquet_of(paths), snapshot=snapshot)

    def _copy(self, source: str, path: Path) -> None:
        with self._duckdb.connect(config={"threads": 1}) as connection:
            connection.execute(f"COPY (FROM {source}) TO {_text(str(path))} (FORMAT parquet)")
        sync_file(path)
        sync_directory(path.parent)


def _lines_of(paths: Sequence[str]) -> str:
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    return f"read_json({_list(paths)}, format = 'newline_delimited', columns = {{{columns}}})"


def _parquet_of(paths: Sequence[str]) -> str:
    return f"read_parquet({_list(paths)})"


def _list(paths: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, paths))}]"


def _text(path: str) -> str:
    return "'{}'".format(path.replace("'", "''"))


FORMS: Final[Mapping[str, Callable[[], Form]]] = {"jsonl": JsonLines, "parquet": Parquet}
