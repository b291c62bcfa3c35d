"""Files by table and date as a target, with a manifest that also keeps the positions.

A file belongs to the target once the manifest names it, and the manifest is replaced together with
the position: each change is in one file. Small files are merged. Attributes are JSON in one column,
so items may have any attributes at any time. `views.sql` has a view of the current items.
"""

import contextlib
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from hashrange.clock import Clock
from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.changes import Change
from hashrange.tools.sinks.file_forms import Form
from hashrange.tools.sinks.file_locations import MANIFEST, FileLocation
from hashrange.tools.sinks.positions import TablePosition
from hashrange.tools.sinks.targets import refuse_same_name

MERGED_FILES: Final = 16
"""So many files of one level, table and date become one of the next level."""
_MS: Final = 1000
_is_ours: Final = re.compile(r"[^/]+/date=[0-9-]{10}/[0-9]{10}(-[0-9a-f]+)?\.[a-z.]+").fullmatch
"""Others may have files in the same location."""


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the manifest names.

    Attributes:
        path: its name in the location.
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
        owner: the mark of the process that has stored it.
    """

    form: str
    files: tuple[StoredFile, ...] = ()
    snapshots: Mapping[str, str] = {}
    tables: Mapping[str, TablePosition] = {}
    next_number: int = 1
    owner: str = ""


class Files:
    """Writes files of changes.

    Args:
        location: where they are.
        form: how files are written.
        clock: the date of the rows of snapshots.
    """

    def __init__(self, location: FileLocation, form: Form, clock: Clock) -> None:
        self._location = location
        self._form = form
        self._clock = clock
        self._manifest = Manifest(form=form.name)
        self._pending: list[StoredFile] = []
        self._prepared: set[str] = set()
        self._ended: dict[str, str] = {}
        self.tables: dict[str, TablePosition] = {}

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Read the manifest, and remove files that it does not name. Raises CopyError, OSError."""
        async with self._location.opened():
            await self._read()
            yield

    async def _read(self) -> None:
        content = await self._location.manifest()
        if content is not None:
            shown = f"{self._location.shown}/{MANIFEST}"
            try:
                self._manifest = msgspec.json.decode(content, type=Manifest)
            except msgspec.MsgspecError as error:
                raise CopyError(f"{shown} is not the manifest of a sink: {error}") from error
            if self._manifest.form != self._form.name:
                raise CopyError(f"{shown}: the files are {self._manifest.form}")
        self.tables = dict(self._manifest.tables)
        # Before files are removed: an earlier process that still runs may have to name them.
        await self._replace(msgspec.structs.replace(self._manifest, owner=self._location.mark))
        named = {each.path for each in self._manifest.files}
        for name in await self._location.names():
            if name not in named and _is_ours(name):
                await self._location.remove(name)

    async def prepare(self, table: str, shown: Mapping[str, Any]) -> None:  # noqa: ARG002 - as of `Target`
        """Raises CopyError: the view of another table would have the same name."""
        known = {each.table for each in self._manifest.files} | {*self.tables}
        refuse_same_name(table, known | self._prepared, "SQL: use a directory or a prefix")
        self._prepared.add(table)

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
            self._form.write(self._location.begun(file.path), rows)
            await self._location.store(file.path)
            self._pending.append(file)

    async def end_snapshot(self, table: str, version: int) -> None:
        """Note that what is older is no longer current."""
        self._ended[table] = str(version)

    async def write(self, table: str, position: TablePosition) -> None:
        """Store the position together with the files that were delivered."""
        self.tables[table] = position
        files = [*self._manifest.files, *self._pending]
        merged = await self._merged(files)
        manifest = Manifest(
            form=self._form.name,
            files=tuple(merged),
            snapshots={**self._manifest.snapshots, **self._ended},
            tables=self.tables,
            next_number=self._manifest.next_number,
            owner=self._location.mark,
        )
        await self._replace(manifest)
        self._pending.clear()
        self._ended.clear()
        for file in {*files} - {*merged}:
            with contextlib.suppress(CopyError, OSError):
                await self._location.remove(file.path)

    async def _replace(self, manifest: Manifest) -> None:
        views = self._views(manifest).encode()
        await self._location.replace(msgspec.json.encode(manifest), views)
        self._manifest = manifest

    async def _merged(self, files: list[StoredFile]) -> list[StoredFile]:
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
            parts = [await self._location.local(each.path) for each in group]
            self._form.merge(self._location.begun(file.path), parts)
            await self._location.store(file.path)
            gone = {*group}
            return await self._merged([*(each for each in files if each not in gone), file])
        return files

    def _named(
        self, table: str, date: str, *, rows: int, versions: Sequence[int], level: int = 0
    ) -> StoredFile:
        number = self._manifest.next_number
        self._manifest = msgspec.structs.replace(self._manifest, next_number=number + 1)
        return StoredFile(
            path=f"{table}/date={date}/{number:010}{self._location.mark}{self._form.suffix}",
            table=table,
            date=date,
            rows=rows,
            first=str(min(versions)),
            last=str(max(versions)),
            level=level,
        )

    def _time(self, change: Change) -> datetime:
        seconds = change.record["dynamodb"].get("ApproximateCreationDateTime")
        return datetime.fromtimestamp(
            self._clock.now_ms() / _MS if seconds is None else seconds, UTC
        )

    def _views(self, manifest: Manifest) -> str:
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for file in manifest.files:
            paths[file.table].append(self._location.source(file.path))
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
