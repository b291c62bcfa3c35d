"""The items of a table in files, and the table of DuckDB that they fill, with a column `item`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.tools.copying.place import CopyError
from hashrange.tools.sql.shapes import escaped, literal
from hashrange.tools.sql.statements import KeyRange, line_of_error, require_duckdb

VERSION_TIME: Final = "make_timestamp(version)"
"""The time of a row in SQL: its version are microseconds since the epoch."""
_ITEM_BYTES_MAX: Final = 8 * 1024 * 1024
"""JSON of one item: 400 KB, with every character escaped, or of empty values only. DuckDB takes two
times as much memory for each thread."""
_CHANGE_BYTES_MAX: Final = 2 * _ITEM_BYTES_MAX
"""Two images."""
_CHANGED: Final = "changed"
ONCE: Final = "QUALIFY row_number() OVER (PARTITION BY key, version) = 1"
"""Of rows of an archive: each deletion once, although several objects may have it."""


class Form(StrEnum):
    """The content of files."""

    ITEMS = "items"
    EXPORT = "export"
    """Each line has the item in the member Item."""
    CHANGES = "changes"
    """Of an incremental export: keys, and images of the item."""
    ARCHIVE = "archive"
    """Objects of an archive, of Parquet."""


class Changes(msgspec.Struct, frozen=True):
    """The changes of an incremental export.

    Attributes:
        files: lines, compressed if the name ends in `.gz`.
        count: the number of the lines.
    """

    files: Sequence[Path]
    count: int


class Items(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a table in files.

    Attributes:
        table: the name of the table.
        files: lines of DynamoDB-JSON, compressed if the name ends in `.gz`; none if `Lines` have
            the items.
        key: the names and types of the key attributes, the partition key first; empty if unknown.
        time: the SQL of the time whose state they are.
        form: of the files.
        changes: of the items of an export, the oldest first.
        count: the number of the items that were read; None if it is not known.
        remark: how they were read, for the operator.
        key_range: the part of the table that they are; None for the whole.
        asked: columns that are there, and NULL, if no item of the part has the attribute.
    """

    table: str
    files: Sequence[Path]
    key: Sequence[tuple[str, str]]
    time: str
    form: Form = Form.ITEMS
    changes: Sequence[Changes] = ()
    count: int | None = None
    remark: str
    key_range: KeyRange | None = None
    asked: Sequence[str] = ()

    @property
    def root(self) -> str:
        """Where in an item the attributes are, a JSON pointer."""
        return "/Item" if self.form == Form.EXPORT else ""


def fill(connection: Any, part: str, items: Items) -> int:
    """Make a table of the items in the files; returns their number. Raises errors of DuckDB.

    Args:
        connection: of DuckDB.
        part: the SQL name of the table.
        items: the files.
    """
    ((rows,),) = connection.execute(f"CREATE TABLE {part} AS {_source(items)}").fetchall()
    return int(rows)


def fill_lines(connection: Any, part: str, path: Path) -> int:
    """Make a table of the items in a file of lines, as `fill`."""
    source = f"SELECT json AS item FROM {_lines([path], _ITEM_BYTES_MAX)}"  # noqa: S608 - quoted
    ((rows,),) = connection.execute(f"CREATE TABLE {part} AS {source}").fetchall()
    return int(rows)


@contextmanager
def reading(table: str) -> Iterator[None]:
    """Raises CopyError for errors of DuckDB."""
    try:
        yield
    except require_duckdb().Error as error:
        raise CopyError(f"{table}: {line_of_error(error)}") from error


def damaged(items: Items, reason: str) -> CopyError:
    """The error of files that are not what they should be."""
    return CopyError(f"{items.table}: the files are damaged: {reason}")


def _source(items: Items) -> str:
    if not items.files:
        return "SELECT CAST(NULL AS JSON) AS item LIMIT 0"
    match items.form:
        case Form.ARCHIVE:
            return f"SELECT item, version FROM read_parquet([{_listed(items.files)}]) {ONCE}"  # noqa: S608 - quoted
        case Form.CHANGES:
            images = " || ".join(
                f"""coalesce(',"{name}":{{"M":' || (json->'/{name}') || '}}', '')"""
                for name in ("OldImage", "NewImage")
            )
            item = f"""'{{"Keys":{{"M":' || (json->'/Keys') || '}}' || {images} || '}}'"""
            written = "CAST(json->>'/Metadata/WriteTimestampMicros/N' AS BIGINT)"
            lines = _lines(items.files, _CHANGE_BYTES_MAX)
            return f"SELECT CAST({item} AS JSON) AS item, {written} AS version FROM {lines}"  # noqa: S608 - quoted
        case _:
            return f"SELECT json AS item FROM {_lines(items.files, _ITEM_BYTES_MAX)}"  # noqa: S608 - quoted


def change(connection: Any, parts: Sequence[str], items: Items) -> None:
    """Make the items those after their changes. Raises CopyError, and errors of DuckDB.

    Args:
        connection: of DuckDB.
        parts: the SQL names of the tables that have the items.
        items: the changes.
    """
    if not items.changes:
        return
    connection.execute(f"CREATE TEMP TABLE {_CHANGED} (number INTEGER, json JSON)")
    for number, each in enumerate(items.changes):
        if each.files:
            lines = _lines(each.files, _CHANGE_BYTES_MAX)
            connection.execute(f"INSERT INTO {_CHANGED} SELECT {number}, json FROM {lines}")  # noqa: S608 - quoted
        ((rows,),) = connection.execute(
            f"SELECT count(json->'/Keys') FROM {_CHANGED} WHERE number = {number}"  # noqa: S608
        ).fetchall()
        if rows != each.count:
            raise damaged(items, f"{rows:,} changes, and {each.count:,} are expected")
    keys = connection.execute(
        f"SELECT DISTINCT list_sort(json_keys(json, '/Keys')) FROM {_CHANGED}"  # noqa: S608
    ).fetchall()
    if len(keys) > 1:
        raise damaged(items, "the changes have different keys")
    for (names,) in keys:
        connection.execute(
            f"CREATE TEMP TABLE newest AS SELECT {_key('json', '/Keys', names)} AS key, "  # noqa: S608
            f"json->'/NewImage' AS image FROM {_CHANGED} "
            "QUALIFY row_number() OVER (PARTITION BY key ORDER BY number DESC) = 1"
        )
        key = _key("item", "/Item", names)
        for part in parts:
            connection.execute(f"DELETE FROM {part} USING newest WHERE {key} = newest.key")  # noqa: S608
        connection.execute(
            f"""INSERT INTO {parts[-1]} SELECT CAST('{{"Item":' || image || '}}' AS JSON) """  # noqa: S608
            "FROM newest WHERE image IS NOT NULL"
        )
        connection.execute("DROP TABLE newest")
    connection.execute(f"DROP TABLE {_CHANGED}")


def _key(json: str, root: str, names: Sequence[str]) -> str:
    """The SQL of the key in an item, as a text."""
    pointers = ", ".join(literal(f"{root}/{escaped(name)}") for name in names)
    return f"CAST(json_extract({json}, [{pointers}]) AS VARCHAR)"


def _lines(files: Sequence[Path], bytes_max: int) -> str:
    return f"read_ndjson_objects([{_listed(files)}], maximum_object_size = {bytes_max})"


def _listed(files: Sequence[Path]) -> str:
    return ", ".join(literal(str(path)) for path in files)
