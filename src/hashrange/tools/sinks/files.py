"""Files by table and date as a target, with a manifest that also keeps the positions.

A file belongs to the target once the manifest names it, and the manifest is replaced together with
the position: each change is in one file. Small files are merged. Attributes are JSON in one column,
so items may have any attributes at any time. `views.sql` has a view of the current items.
"""

import contextlib
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.clock import Clock
from hashrange.storage.durable_files import DIRECTORY_MODE, replace_file, sync_directory
from hashrange.storage.sqlite.directory import lock_file
from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.file_forms import Form
from hashrange.tools.sinks.positions import TablePosition

MANIFEST: Final = "manifest.json"
VIEWS: Final = "views.sql"
MERGED_FILES: Final = 16
"""So many files of one level, table and date become one of the next level."""
_MS: Final = 1000


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the manifest names.

    Attributes:
        path: relative to the directory.
        rows: how many changes it has.
        first: the least of their versions.
        last: the greatest.
        level: how often its changes were merged.
    """

    path: str
    table: str
    date: str
    rows: int
    first: str
    last: str
    level: int = 0


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the manifest.

    Attributes:
        form: of the files.
        files: those that belong to the target.
        snapshots: by table, the version of the last complete snapshot; less is no longer current.
        tables: the positions.
        next_number: of the next file.
    """

    form: str
    files: tuple[StoredFile, ...] = ()
    snapshots: Mapping[str, str] = {}
    tables: Mapping[str, TablePosition] = {}
    next_number: int = 1


class Files:
    """Writes files of changes into a directory, of which one process at a time is the owner.

    Args:
        directory: is made if it does not exist.
        form: how files are written.
        clock: the date of the rows of snapshots.
    """

    def __init__(self, directory: Path, form: Form, clock: Clock) -> None:
        self._directory = directory
        self._form = form
        self._clock = clock
        self._manifest = Manifest(form=form.name)
        self._pending: list[StoredFile] = []
        self._ended: dict[str, str] = {}
        self.tables: dict[str, TablePosition] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Read the manifest, and remove files that it does not name. Raises CopyError, OSError."""
        self._directory.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
        lock = os.open(self._directory / "lock", os.O_RDWR | os.O_CREAT)
        try:
            try:
                lock_file(lock)
            except OSError as error:
                raise CopyError(f"{self._directory}: another process uses it") from error
            self._read()
            yield
        finally:
            os.close(lock)

    def _read(self) -> None:
        path = self._directory / MANIFEST
        if path.exists():
            try:
                self._manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
            except msgspec.MsgspecError as error:
                raise CopyError(f"{path} is not the manifest of a sink: {error}") from error
            if self._manifest.form != self._form.name:
                raise CopyError(f"{path}: the files are {self._manifest.form}")
            # That of a write that did not end may name files that are removed now.
            replace_file(self._directory / VIEWS, self._views(self._manifest).encode())
        self.tables = dict(self._manifest.tables)
        self._remove_unnamed()

    def _remove_unnamed(self) -> None:
        named = {self._directory / each.path for each in self._manifest.files}
        for path in self._directory.glob("*/date=*/*"):
            if path not in named:
                path.unlink()

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:
        """As of `Target`."""

    async def deliver(self, changes: Sequence[Change]) -> None:
        """Write a file for each table and date."""
        self._pending.clear()  # of a delivery whose position was not stored
        groups: defaultdict[tuple[str, str], list[Change]] = defaultdict(list)
        for change in changes:
            groups[change.table, self._time(change).date().isoformat()].append(change)
        for (table, date), group in groups.items():
            versions = [change.version for change in group]
            file = self._named(table, date, rows=len(group), versions=versions)
            rows = [_row_of(change, self._time(change)) for change in group]
            self._form.write(self._made(file), rows)
            self._pending.append(file)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Note that what is older is no longer current."""
        self._ended[table] = str(version)

    async def write(self, table: str, position: TablePosition) -> None:
        """Store the position together with the files that were delivered."""
        self.tables[table] = position
        files = [*self._manifest.files, *self._pending]
        merged = self._merged(files)
        manifest = Manifest(
            form=self._form.name,
            files=tuple(merged),
            snapshots={**self._manifest.snapshots, **self._ended},
            tables=self.tables,
            next_number=self._manifest.next_number,
        )
        # First, since nothing may fail once the manifest has its name: it would be done again.
        replace_file(self._directory / VIEWS, self._views(manifest).encode())
        replace_file(self._directory / MANIFEST, msgspec.json.encode(manifest))
        self._manifest = manifest
        self._pending.clear()
        self._ended.clear()
        for file in {*files} - {*merged}:
            with contextlib.suppress(OSError):
                (self._directory / file.path).unlink()

    def _merged(self, files: list[StoredFile]) -> list[StoredFile]:
        """The files after those of one level, table and date were merged, if they are many."""
        groups: defaultdict[tuple[str, str, int], list[StoredFile]] = defaultdict(list)
        for file in files:
            groups[file.table, file.date, file.level].append(file)
        for (table, date, level), group in groups.items():
            if len(group) < MERGED_FILES:
                continue
            versions = [int(text) for each in group for text in (each.first, each.last)]
            rows = sum(each.rows for each in group)
            file = self._named(table, date, rows=rows, versions=versions, level=level + 1)
            self._form.merge(self._made(file), [self._directory / each.path for each in group])
            gone = {*group}
            return self._merged([*(each for each in files if each not in gone), file])
        return files

    def _named(
        self, table: str, date: str, *, rows: int, versions: Sequence[int], level: int = 0
    ) -> StoredFile:
        number = self._manifest.next_number
        self._manifest = msgspec.structs.replace(self._manifest, next_number=number + 1)
        return StoredFile(
            path=f"{table}/date={date}/{number:010}{self._form.suffix}",
            table=table,
            date=date,
            rows=rows,
            first=str(min(versions)),
            last=str(max(versions)),
            level=level,
        )

    def _made(self, file: StoredFile) -> Path:
        """The path of a new file, whose folder exists."""
        path = self._directory / file.path
        if not path.parent.exists():
            path.parent.mkdir(DIRECTORY_MODE, parents=True)
            sync_directory(path.parent.parent)
            sync_directory(self._directory)
        return path

    def _time(self, change: Change) -> datetime:
        seconds = change.record["dynamodb"].get("ApproximateCreationDateTime")
        return datetime.fromtimestamp(
            self._clock.now_ms() / _MS if seconds is None else seconds, UTC
        )

    def _views(self, manifest: Manifest) -> str:
        paths: defaultdict[str, list[Path]] = defaultdict(list)
        for file in manifest.files:
            paths[file.table].append((self._directory / file.path).absolute())
        return "".join(
            self._form.view(table, found, manifest.snapshots.get(table, "0"))
            for table, found in sorted(paths.items())
        )


def _row_of(change: Change, time: datetime) -> dict[str, Any]:
    return {
        "version": str(change.version),
        "time": time.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds"),
        "deleted": change.new is None,
        "key": change.key.decode(),
        "item": change.new,
    }
