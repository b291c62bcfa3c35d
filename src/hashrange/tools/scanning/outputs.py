"""Files of items: written page by page behind a checkpoint, and finished in their format."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from hashrange.storage.sqlite.directory import lock_file
from hashrange.tools.copying.item_lines import plain_json_of
from hashrange.tools.copying.seeding import line_of
from hashrange.tools.scanning.columns import write_csv
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.scanning.parquet import require_duckdb, write_parquet

Line = Callable[[bytes | msgspec.Raw], bytes]
"""An item in DynamoDB-JSON as the JSON of one line."""
_decode_item: Final = msgspec.json.Decoder(dict[str, dict[str, object]]).decode


class Format(msgspec.Struct, frozen=True):
    """How items become a file.

    Attributes:
        first: bytes before the first item.
        between: bytes before each further item.
        last: bytes after the last item.
        empty: the file without items.
        converted: writes the file from lines of DynamoDB-JSON; None if the lines are the file.
    """

    first: bytes = b""
    between: bytes = b"\n"
    last: bytes = b"\n"
    empty: bytes = b""
    converted: Callable[..., list[str]] | None = None


LINES: Final = Format()
_ARRAY: Final = Format(b"[\n", b",\n", b"\n]\n", b"[]\n")
FORMATS: Final[Mapping[str, Format]] = {
    ".json": _ARRAY,
    ".jsonl": LINES,
    ".csv": Format(converted=write_csv),
    ".parquet": Format(converted=write_parquet),
}
"""The formats by the ending of a file's name."""


def format_of(path: Path) -> Format:
    """The format of a file. Raises InputError."""
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(f"{path}: the name must end in {', '.join(FORMATS)}")
    if path.suffix.lower() == ".parquet":
        require_duckdb()
    return form


def line_form(*, typed: bool) -> Line:
    """The form of an item on a line: DynamoDB-JSON, or plain JSON with exact numbers."""
    return typed_line if typed else plain_line


def typed_line(item: bytes | msgspec.Raw) -> bytes:
    """An item in DynamoDB-JSON."""
    return line_of(msgspec.Raw(item))


def plain_line(item: bytes | msgspec.Raw) -> bytes:
    """An item in plain JSON: sets are arrays, binary values are base64."""
    return plain_json_of(_decode_item(item), keeps_types=False)


class ItemWriter:
    """Writes items to a stream in a format.

    Args:
        file: where to write.
        form: the format.
        line: the form of each item.
        offset: bytes that were written before.
    """

    def __init__(self, file: BinaryIO, form: Format, line: Line, *, offset: int = 0) -> None:
        self._file = file
        self._form = form
        self._line = line
        self.offset = offset

    def write(self, items: Iterable[bytes | msgspec.Raw]) -> None:
        """Write items. Raises OSError."""
        form = self._form
        parts: list[bytes] = []
        for item in items:
            parts += [form.between if self.offset or parts else form.first, self._line(item)]
        text = b"".join(parts)
        self._file.write(text)
        self.offset += len(text)

    def synced(self) -> int:
        """Make all items durable; the bytes so far. Raises OSError."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self.offset

    def end(self) -> None:
        """Write what follows the last item. Raises OSError."""
        self._file.write(self._form.last if self.offset else self._form.empty)
        self._file.flush()


class OutputFile:
    """A file of items, and the unfinished file beside it.

    Args:
        path: the file.
        typed: items are DynamoDB-JSON, and not plain.

    Raises:
        InputError: the ending of the name is none of a format.
    """

    def __init__(self, path: Path, *, typed: bool) -> None:
        self.path = path
        self.part = path.with_name(f"{path.name}.part")
        self._typed = typed
        self._form = format_of(path)

    def opened(self, offset: int | None) -> BinaryIO:
        """The unfinished file, cut to `offset` bytes; new if None.

        Raises InputError: another process writes it, or it is gone. OSError.
        """
        try:
            file = self.part.open("w+b" if offset is None else "r+b")
        except FileNotFoundError as error:
            if offset is None:
                raise
            text = f"{self.part} is gone; --overwrite starts from the beginning"
            raise InputError(text) from error
        try:
            lock_file(file.fileno())
        except OSError as error:
            file.close()
            raise InputError(f"{self.part} is being written by another process") from error
        if offset is not None:
            if file.seek(0, os.SEEK_END) < offset:
                file.close()
                text = f"{self.part} is shorter than its checkpoint says"
                raise InputError(f"{text}; --overwrite starts from the beginning")
            file.truncate(offset)
            file.seek(offset)
        return file

    def writer(self, file: BinaryIO, offset: int) -> ItemWriter:
        """Writes items to the unfinished file."""
        # Files that are converted need the types of values, whatever form they have at the end.
        typed = self._typed or self._form.converted is not None
        return ItemWriter(file, self._form, line_form(typed=typed), offset=offset)

    def finish(self, writer: ItemWriter, key_names: Sequence[str]) -> list[str]:
        """Make the unfinished file the file; remarks for the operator. Raises CopyError, OSError.

        It can be repeated after a kill, with the unfinished file cut to its items. Columns of the
        key attributes come first.
        """
        writer.end()
        remarks: list[str] = []
        if self._form.converted is not None:
            made = self.part.with_name(f"{self.part.name}.converted")
            try:
                remarks = self._form.converted(
                    self.part, made, key_names=key_names, typed=self._typed
                )
                made.replace(self.path)
            finally:
                made.unlink(missing_ok=True)
        else:
            writer.synced()
            self.part.replace(self.path)
        return remarks

    def remove_part(self) -> None:
        """Delete the unfinished file, if it is there. Raises OSError."""
        self.part.unlink(missing_ok=True)

    def check_new(self, checkpoint: Path, *, overwrite: bool) -> None:
        """Refuse to begin anew beside files of an earlier run. Raises InputError."""
        if overwrite:
            return
        if checkpoint.exists():
            raise InputError(
                f"{checkpoint} is of a scan that was stopped: --resume continues it, --overwrite "
                "starts from the beginning"
            )
        if self.path.exists():
            raise InputError(f"{self.path} exists; --overwrite replaces it")
        if not self.path.parent.is_dir():
            raise InputError(f"{self.path}: there is no folder {self.path.parent}")
