"""Archives of expired items, as a server with --archive writes them: a row for each deletion."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hashrange.backups.archives.objects import ArchivedObject, object_of
from hashrange.backups.objects.bucket import Bucket, BucketError
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.exports import SUMMARY
from hashrange.tools.sql.items import VERSION_TIME, Form, Items
from hashrange.tools.sql.loading import Lines
from hashrange.tools.sql.shapes import literal
from hashrange.tools.sql.sources import Read, fetch_file, refuse_moment
from hashrange.tools.sql.statements import line_of_error, require_duckdb

PARQUET: Final = ".parquet"
_BOTH: Final = "exports and an archive"


class StoredObject(msgspec.Struct, frozen=True):
    """An object of an archive.

    Attributes:
        key: in its bucket, or its path.
        name: the parts of the key.
        size_bytes: of the object.
    """

    key: str
    name: ArchivedObject
    size_bytes: int


Fetch = Callable[[str], Awaitable[Path]]
"""Makes an object of a key a file."""


class Archive:
    """The tables of an archive.

    Args:
        shown: where it is, in messages.
        objects: those of all tables.
        fetch: makes an object a file.
    """

    def __init__(self, shown: str, objects: Sequence[StoredObject], fetch: Fetch) -> None:
        self.shown = shown
        self.fetch = fetch
        self.objects: dict[str, list[StoredObject]] = {}
        for each in objects:
            self.objects.setdefault(each.name.table, []).append(each)

    async def names(self) -> Collection[str]:
        """The names of the tables."""
        return self.objects

    async def items(self, read: Read, target: Lines) -> Items:  # noqa: ARG002 - it has files of its own
        """The items of a table that expired, in the files of its archive."""
        refuse_moment(read, "an archive has all moments, in _time")
        found = self.objects[read.table]
        folders = sorted({each.name.folder for each in found})
        if len(folders) > 1:
            text = f"several folders have {read.table}: give one of {', '.join(folders)}"
            raise InputError(f"{self.shown}: {text}")
        files = [await self.fetch(each.key) for each in found]
        dates = sorted(each.name.date for each in found)
        return Items(
            table=read.table,
            files=files,
            key=_key_of(read.table, files),
            time=VERSION_TIME,
            form=Form.ARCHIVE,
            remark=f"{len(found):,} objects of the archive, of {dates[0]} to {dates[-1]}",
        )


def folder_objects(folder: Path) -> list[StoredObject]:
    """The objects of the archives below a directory; none if it has no archive.

    Raises InputError: it has exports, too.
    """
    found: list[StoredObject] = []
    for path in sorted(folder.absolute().rglob(f"*{PARQUET}")):
        name = object_of(path.as_posix())
        if name is not None:
            found.append(StoredObject(str(path), name, path.stat().st_size))
    if found and any(folder.rglob(SUMMARY)):
        raise InputError(f"{folder} holds {_BOTH}: give the directory of one")
    return found


def folder_archive(folder: Path, objects: Sequence[StoredObject]) -> Archive:
    """The archives below a directory."""

    async def there(key: str) -> Path:
        return Path(key)

    return Archive(str(folder), objects, there)


async def bucket_objects(bucket: Bucket, prefix: str) -> list[StoredObject]:
    """The objects of archives in a bucket; none if it has no archive.

    Raises InputError: it has exports, too. Raises CopyError.
    """
    try:
        entries = [each async for each in bucket.list(prefix)]
    except BucketError as error:
        raise CopyError(str(error)) from error
    named = [(each, object_of(each.key)) for each in entries]
    is_mixed = any(each.key.endswith(f"/{SUMMARY}") for each in entries)
    if is_mixed and any(name for _, name in named):
        raise InputError(f"the bucket holds {_BOTH}: give --prefix for one")
    return [StoredObject(each.key, name, each.size_bytes) for each, name in named if name]


def bucket_archive(
    bucket: Bucket, shown: str, objects: Sequence[StoredObject], folder: Path
) -> Archive:
    """The archives in a bucket; objects are fetched when they are read.

    Args:
        bucket: has the objects.
        shown: the bucket in messages.
        objects: those that it has.
        folder: for their files, which the caller removes.
    """
    numbers: Mapping[str, int] = {each.key: number for number, each in enumerate(objects)}

    async def fetched(key: str) -> Path:
        path = folder / f"{numbers[key]}{PARQUET}"
        await fetch_file(bucket, key, path)
        return path

    return Archive(shown, objects, fetched)


def _key_of(table: str, files: Sequence[Path]) -> list[tuple[str, str]]:
    """The key of the table; none if it had different ones. Raises CopyError."""
    duckdb = require_duckdb()
    listed = ", ".join(literal(str(path)) for path in files)
    statement = f"SELECT DISTINCT json_structure(key) FROM read_parquet([{listed}])"  # noqa: S608 - quoted
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(statement).fetchall()
    except duckdb.Error as error:
        raise CopyError(f"{table}: {line_of_error(error)}") from error
    if len(rows) != 1:
        return []
    structure: dict[str, dict[str, str]] = msgspec.json.decode(rows[0][0])
    return [(name, next(iter(types))) for name, types in structure.items()]
