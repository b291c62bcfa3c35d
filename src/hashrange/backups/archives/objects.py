"""The objects of archives: their names, and their content as Parquet, which DuckDB writes.

Each row is an item that expired. The name of an object has the shard of the change log whose
deletions it has. A closed shard does not change, so an object that is made again is the same.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from hashrange.limits.backups import ARCHIVE_MEMORY
from hashrange.optional_packages import imported

COLUMNS: Final[Mapping[str, str]] = {
    "version": "BIGINT",
    "time": "TIMESTAMP",
    "bytes": "BIGINT",
    "key": "VARCHAR",
    "item": "JSON",
}
"""`version` is that of the deletion: it grows with each change of an item. `bytes` is the size of
the item in DynamoDB's accounting, `time` that of the deletion; `key` and `item` are DynamoDB-JSON.
"""
_OBJECT_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of a line: the JSON of an item of 400 KB, with every character escaped."""
_match: Final = re.compile(
    r"(?P<folder>.*)/date=(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})/"
    r"(?P<table_id>[0-9a-f-]{36})-([0-9]{10}-[0-9]{13}-[0-9]{4}|[0-9a-f]{64})\.parquet",
    re.DOTALL,
).fullmatch


class ArchivedObject(msgspec.Struct, frozen=True):
    """The parts of the name of an object.

    Attributes:
        folder: the part of the key before the date, which ends in the name of the table.
        date: of the deletions, in UTC.
        table_id: the id of the table.
    """

    folder: str
    date: str
    table_id: str

    @property
    def table(self) -> str:
        """The name of the table."""
        return self.folder.rpartition("/")[2]


def object_key(folder: str, date: str, *, table: str, shard: int, closed_ms: int, part: int) -> str:
    """The key of an object.

    Args:
        folder: that of the table.
        date: of the deletions.
        table: the id of the table: another one can have its name later.
        shard: the number of the shard.
        closed_ms: when it was closed: data that were restored from a backup can have another shard
            of the number.
        part: the number of the object among those of the shard and the date.
    """
    return f"{folder}/date={date}/{table}-{shard:010}-{closed_ms:013}-{part:04}.parquet"


def compacted_key(key: str, table_id: str, digest: str) -> str:
    """The key of the object that replaces some of one date.

    Args:
        key: of one of them.
        table_id: the id of the table.
        digest: of their names: a shard that is stored again cannot replace the object.
    """
    return f"{key.rpartition('/')[0]}/{table_id}-{digest}.parquet".removeprefix("/")


def object_of(key: str) -> ArchivedObject | None:
    """The parts of a key; None if it is no object of an archive."""
    found = _match(f"/{key}")
    if found is None:
        return None
    return ArchivedObject(found["folder"].lstrip("/"), found["date"], found["table_id"])


def require_duckdb() -> Any:
    """The module of DuckDB. Raises MissingPackageError."""
    return imported("duckdb", "duckdb>=2", "Archives need DuckDB")


def parquet_of(lines: Sequence[bytes]) -> bytes:
    """A file of Parquet of rows, each a line of JSON with the members of `COLUMNS`."""
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    with TemporaryDirectory(prefix="hashrange-archive-") as folder:
        source, target = Path(folder, "rows.jsonl"), Path(folder, "rows.parquet")
        source.write_bytes(b"".join(lines))
        config = {"threads": 1, "memory_limit": ARCHIVE_MEMORY, "temp_directory": folder}
        with require_duckdb().connect(config=config) as connection:
            connection.execute(
                f"COPY (FROM read_json({_text(source)}, format = 'newline_delimited', "
                f"columns = {{{columns}}}, maximum_object_size = {_OBJECT_BYTES_MAX})) "
                f"TO {_text(target)} (FORMAT parquet, COMPRESSION zstd)"
            )
        return target.read_bytes()


def _text(path: Path) -> str:
    return "'{}'".format(str(path).replace("'", "''"))
