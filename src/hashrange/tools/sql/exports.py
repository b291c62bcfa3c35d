"""Exports of tables, as hashrange and AWS write them: their items in the files of a directory."""

import gzip
import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.backups.imports.ion_text import ion_line_of
from hashrange.backups.imports.lines import Refused
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.items import VERSION_TIME, Changes, Form, Items
from hashrange.tools.sql.loading import Lines
from hashrange.tools.sql.shapes import time_of

MANIFEST: Final = "manifest-"
"""How the names of the manifests begin."""
SUMMARY: Final = "manifest-summary.json"
FILES: Final = "manifest-files.json"
DATA: Final = "data"
_JSON: Final = "DYNAMODB_JSON"
_ION: Final = "ION"


class Export(msgspec.Struct, frozen=True):
    """An export in a directory.

    Attributes:
        folder: has its manifests.
        summary: the content of the first.
        until: the time whose state it has, or at which its changes end.
        since: that from which on it has changes; None if it has all items.
    """

    folder: Path
    summary: Mapping[str, Any]
    until: datetime
    since: datetime | None = None

    @property
    def count(self) -> int:
        """The number of its items or changes."""
        found: int = self.summary["itemCount"]
        return found

    @property
    def form(self) -> str:
        """The format of its files."""
        found: str = self.summary.get("outputFormat", _JSON)
        return found


class ExportFolder:
    """The exports below a directory.

    Args:
        folder: that of one export, or one that has several.

    Raises:
        InputError: it has no export.
        CopyError: a manifest cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.shown = str(folder)
        self._exports: dict[str, list[Export]] = {}
        for path in sorted(folder.rglob(SUMMARY)):
            summary = _decoded(path)
            table = str(summary["tableArn"]).partition(":table/")[2]
            self._exports.setdefault(table, []).append(_export_of(path, summary))
        if not self._exports:
            raise InputError(f"{folder} holds neither data of hashrange nor an export")

    def tables(self) -> list[str]:
        """The names of the tables that were exported."""
        return sorted(self._exports)

    def exports(self, table: str) -> list[Export]:
        """The exports that are read: one, or a full one and the incremental ones behind it.

        Raises InputError: there are several others, or changes are missing between them.
        """
        found = self._exports[table]
        full = [each for each in found if each.since is None]
        if len(full) > 1 or (not full and len(found) > 1):
            folders = ", ".join(str(each.folder) for each in found)
            raise InputError(f"there are several exports of {table}: give one of {folders}")
        if not full:
            return found
        chosen, until = full, full[0].until
        for each in sorted(found, key=lambda each: each.until):
            if each.since is None or each.until <= until:
                continue
            if each.since > until:
                text = f"no export has the changes from {_shown(until)} to {_shown(each.since)}"
                raise InputError(f"{table}: {text}")
            chosen, until = [*chosen, each], each.until
        return chosen

    def items(self, table: str, target: Lines) -> Items:
        """The items of a table, or its changes, if it has an incremental export only.

        Args:
            table: its name.
            target: gets the items if they are in another format than DynamoDB-JSON.

        Raises:
            InputError: the format cannot be read, or as of `exports`.
            CopyError: its files are not those listed.
        """
        first, *increments = self.exports(table)
        for each in (first, *increments):
            if each.form not in ({_JSON, _ION} if each.since is None else {_JSON}):
                kind = "items" if each.since is None else "changes"
                raise InputError(f"{each.folder} has {kind} of {table} as {each.form}: use {_JSON}")
        files = _files_of(first)
        if first.form == _ION:
            _write_json(files, target)
            files = []
        until = increments[-1].until if increments else first.until
        remark = f"{first.count:,} items of the export of {_shown(first.until)}"
        if first.since is not None:
            remark = f"{first.count:,} changes from {_shown(first.since)} to {_shown(until)}"
        elif increments:
            count = sum(each.count for each in increments)
            remark = f"{remark}, with {count:,} changes until {_shown(until)}"
        return Items(
            table=table,
            files=files,
            key=(),
            time=VERSION_TIME if first.since else time_of(int(until.timestamp() * 1000)),
            form=Form.EXPORT if first.since is None else Form.CHANGES,
            changes=[Changes(_files_of(each), each.count) for each in increments],
            count=first.count,
            remark=remark,
        )


def _export_of(path: Path, summary: Mapping[str, Any]) -> Export:
    """The export of a summary. Raises CopyError."""
    try:
        if "exportTime" in summary:
            return Export(path.parent, summary, _time(summary["exportTime"]))
        since, until = _time(summary["exportFromTime"]), _time(summary["exportToTime"])
    except (KeyError, ValueError, TypeError) as error:
        raise CopyError(f"{path} is not the summary of an export") from error
    return Export(path.parent, summary, until, since)


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _shown(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _files_of(export: Export) -> list[Path]:
    """The data files. Raises CopyError: they are not those listed."""
    # All incremental exports to a prefix have one folder of data, beside their own.
    folders = [export.folder / DATA, export.folder.parent / DATA]
    return [
        _checked([each / Path(line["dataFileS3Key"]).name for each in folders], line["md5Checksum"])
        for line in _lines(export.folder / FILES)
    ]


def _write_json(files: Sequence[Path], target: Lines) -> None:
    """Write the lines of files of Ion as DynamoDB-JSON. Raises CopyError."""
    for path in files:
        try:
            with gzip.open(path) as file:
                for line in filter(bytes.strip, file):
                    item = ion_line_of(line).item
                    target.write(msgspec.json.encode({"Item": item}) + b"\n")
        except Refused as error:
            raise CopyError(f"{path} has a line that cannot be read: {error}") from error


def data_keys(folder: Path) -> list[str]:
    """The keys of the data files of an export. Raises CopyError."""
    return [each["dataFileS3Key"] for each in _lines(folder / FILES)]


def _decoded(path: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        if not isinstance(found.get("tableArn"), str) or not isinstance(found["itemCount"], int):
            raise CopyError(f"{path} is not the summary of an export")
    except (msgspec.DecodeError, msgspec.ValidationError, KeyError) as error:
        raise CopyError(f"{path} is not the summary of an export") from error
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        lines = [line for line in path.read_bytes().splitlines() if line]
        return [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise CopyError(f"{path} is not the list of the files of an export") from error


def _checked(paths: Sequence[Path], md5: str) -> Path:
    """The path of a file that is there and has a digest. Raises CopyError, OSError."""
    path = next((each for each in paths if each.exists()), paths[0])
    with path.open("rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).digest()
    if b64encode(found).decode() != md5:
        raise CopyError(f"{path} is damaged: its checksum is not that of the manifest")
    return path
