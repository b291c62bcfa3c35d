"""Exports of tables, as hashrange and AWS write them: their items in the files of a directory."""

import gzip
import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.backups.imports.lines import Refused
from hashrange.optional_packages import MissingPackageError
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.database import Items
from hashrange.tools.sql.shapes import time_of

MANIFEST: Final = "manifest-"
"""How the names of the manifests begin."""
SUMMARY: Final = "manifest-summary.json"
FILES: Final = "manifest-files.json"
DATA: Final = "data"
_JSON: Final = "DYNAMODB_JSON"
_ION: Final = "ION"


class ExportFolder:
    """The exports below a directory.

    Args:
        folder: that of one export, or one that has several.

    Raises:
        InputError: it has no export.
    """

    def __init__(self, folder: Path) -> None:
        self.shown = str(folder)
        self._exports: dict[str, list[Path]] = {}
        for path in sorted(folder.rglob(SUMMARY)):
            self._exports.setdefault(_table_of(_decoded(path)), []).append(path)
        if not self._exports:
            raise InputError(f"{folder} holds neither data of hashrange nor an export")

    def tables(self) -> list[str]:
        """The names of the tables that were exported."""
        return sorted(self._exports)

    def folder(self, table: str) -> Path:
        """The directory of the export of a table. Raises InputError: there are several."""
        paths = self._exports[table]
        if len(paths) > 1:
            folders = ", ".join(str(path.parent) for path in paths)
            raise InputError(f"there are several exports of {table}: give one of {folders}")
        return paths[0].parent

    def items(self, table: str, target: Path) -> Items:
        """The items of a table.

        Args:
            table: its name.
            target: a file for items that are in another format than DynamoDB-JSON.

        Raises:
            InputError: the format cannot be read.
            CopyError: its files are not those listed.
        """
        folder = self.folder(table)
        summary = _decoded(folder / SUMMARY)
        form = summary.get("outputFormat", _JSON)
        if form not in {_JSON, _ION}:
            raise InputError(f"{table} is exported as {form}, and not {_JSON} or {_ION}")
        if "exportTime" not in summary:
            raise InputError(f"{table}: an incremental export has changes, and not all items")
        files = [
            _checked(folder / DATA / Path(each["dataFileS3Key"]).name, each["md5Checksum"])
            for each in _lines(folder / FILES)
        ]
        time = datetime.fromisoformat(summary["exportTime"])
        if form == _ION:
            _write_json(files, target)
        return Items(
            table=table,
            files=[target] if form == _ION else files,
            key=(),
            time=time_of(int(time.timestamp() * 1000)),
            wrapped=True,
            count=summary["itemCount"],
            remark=f"{summary['itemCount']:,} items of the export of {summary['exportTime']}",
        )


def _write_json(files: Sequence[Path], target: Path) -> None:
    """Write the lines of files of Ion as DynamoDB-JSON. Raises InputError, CopyError."""
    from hashrange.backups.imports.ion_text import IonReader  # noqa: PLC0415 - few exports need it

    try:
        reader = IonReader()
    except MissingPackageError as error:
        raise InputError(str(error)) from error
    with target.open("wb") as written:
        for path in files:
            try:
                with gzip.open(path) as file:
                    for line in filter(bytes.strip, file):
                        item = reader.line_of(line).item
                        written.write(msgspec.json.encode({"Item": item}) + b"\n")
            except Refused as error:
                raise CopyError(f"{path} has a line that cannot be read: {error}") from error


def data_keys(folder: Path) -> list[str]:
    """The keys of the data files of an export. Raises CopyError."""
    return [each["dataFileS3Key"] for each in _lines(folder / FILES)]


def _table_of(summary: Mapping[str, Any]) -> str:
    return str(summary["tableArn"]).partition(":table/")[2]


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


def _checked(path: Path, md5: str) -> Path:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).digest()
    if b64encode(found).decode() != md5:
        raise CopyError(f"{path} is damaged: its checksum is not that of the manifest")
    return path
