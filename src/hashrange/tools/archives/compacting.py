"""Compaction of archives: the small objects of a date become one, which has each deletion once.

The new object is stored and read again before the others are deleted. After a kill both are there:
readers count each deletion once, and the next compaction goes on.
"""

import filecmp
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from hashrange.backups.archives.objects import compacted_key, require_duckdb
from hashrange.backups.objects.bucket import Bucket, BucketError, chunks_of
from hashrange.optional_packages import MissingPackageError
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.archives import PARQUET, StoredObject
from hashrange.tools.sql.items import ONCE, reading
from hashrange.tools.sql.shapes import literal
from hashrange.tools.sql.sources import fetch_file

_SMALL_BYTES: Final = 64 * 1024**2
"""Objects of so many bytes stay as they are."""
_OBJECT_BYTES_MAX: Final = 256 * 1024**2
_MEMORY: Final = "1GB"


class Compacted(msgspec.Struct, frozen=True):
    """Objects of a table and date that became one.

    Attributes:
        table: the name of the table.
        date: of the deletions.
        objects: the number of the objects.
        rows: the number of their deletions.
    """

    table: str
    date: str
    objects: int
    rows: int


async def compact(
    bucket: Bucket, objects: Sequence[StoredObject], folder: Path
) -> AsyncIterator[Compacted]:
    """Make one object of the small ones of each table and date.

    Args:
        bucket: has the objects.
        objects: those that it has.
        folder: an empty folder for files, which the caller removes.

    Raises:
        InputError: DuckDB is not installed.
        CopyError: the bucket, or an object, cannot be read or written; nothing is lost.
    """
    for group in _groups(objects):
        try:
            rows = await _compact(bucket, group, folder)
        except BucketError as error:
            raise CopyError(str(error)) from error
        yield Compacted(group[0].name.table, group[0].name.date, len(group), rows)


def _groups(objects: Sequence[StoredObject]) -> list[list[StoredObject]]:
    """Small objects of one table, date and id of the table, which together are not too large."""
    found: defaultdict[tuple[str, str, str], list[list[StoredObject]]] = defaultdict(list)
    for each in sorted(objects, key=lambda each: each.key):
        if each.size_bytes >= _SMALL_BYTES:
            continue
        groups = found[each.name.folder, each.name.date, each.name.table_id]
        if not groups or _size(groups[-1]) + each.size_bytes > _OBJECT_BYTES_MAX:
            groups.append([])
        groups[-1].append(each)
    return [group for groups in found.values() for group in groups if len(group) > 1]


def _size(group: Sequence[StoredObject]) -> int:
    return sum(each.size_bytes for each in group)


async def _compact(bucket: Bucket, group: Sequence[StoredObject], folder: Path) -> int:
    """Replace the objects of a group by one; returns the number of its rows."""
    digest = sha256("\n".join(each.key.rpartition("/")[2] for each in group).encode()).hexdigest()
    key = compacted_key(group[0].key, group[0].name.table_id, digest)
    parts = [folder / f"{number}{PARQUET}" for number in range(len(group))]
    written, again = folder / f"written{PARQUET}", folder / f"again{PARQUET}"
    try:
        for each, path in zip(group, parts, strict=True):
            await fetch_file(bucket, each.key, path)
        rows = _merge(parts, written, group[0].name.table)
        await bucket.put(key, chunks_of(written))
        await fetch_file(bucket, key, again)
        if not filecmp.cmp(again, written, shallow=False):
            raise CopyError(f"{key} is not what was written: the other objects stay")
    finally:
        for path in (*parts, written, again):
            path.unlink(missing_ok=True)
    for each in group:
        await bucket.delete(each.key)
    return rows


def _merge(parts: Sequence[Path], target: Path, table: str) -> int:
    """Write a file with the rows of others, each once. Raises InputError, CopyError."""
    try:
        duckdb = require_duckdb()
    except MissingPackageError as error:
        raise InputError(str(error)) from error
    source = f"read_parquet([{', '.join(literal(str(path)) for path in parts)}])"
    config = {"memory_limit": _MEMORY, "temp_directory": str(target.parent / "spills")}
    with reading(table), duckdb.connect(config=config) as connection:
        ((rows,),) = connection.execute(
            f"COPY (FROM {source} {ONCE}) TO {literal(str(target))} "
            "(FORMAT parquet, COMPRESSION zstd)"
        ).fetchall()
    return int(rows)
