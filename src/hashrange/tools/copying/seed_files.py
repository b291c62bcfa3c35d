"""Reads files of items line by line or row by row, with a bounded number of them in memory."""

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, Final

import msgspec

from hashrange.tools.copying.item_lines import Item, ItemError, KnownTypes, item_of_line
from hashrange.tools.copying.item_rows import Columns
from hashrange.tools.copying.place import CopyError

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""An item has at most 400 KB; its JSON may be several times as large."""
SAMPLE_ROWS: Final = 1000
"""The number of rows from which the types of columns are guessed."""
_SAMPLE_BYTES_MAX: Final = 4 * 1024 * 1024
_CELL_CHARS_MAX: Final = 1024 * 1024
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class LineError(CopyError):
    """A line of a file has no valid item."""


class LineItem(msgspec.Struct, frozen=True):
    """An item and the number of its line in the file, from 1."""

    line: int
    item: Item


def items_of_json(file: BinaryIO, name: str, known_types: KnownTypes) -> Iterator[LineItem]:
    """The items of a file of JSON lines; empty lines are skipped. Raises LineError."""
    for number, line in enumerate(_lines(file, name), start=1):
        if number == 1 and line.lstrip().startswith(b"["):
            text = f"{name}: it is one JSON array; one item a line is wanted: jq -c '.[]' {name}"
            raise LineError(text)
        if not line.isspace():
            try:
                yield LineItem(number, item_of_line(line, known_types))
            except ItemError as error:
                raise line_error(name, number, error) from error


def _lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """All lines, without a byte order mark. Raises LineError: a line is too long."""
    number = 0
    while line := file.readline(LINE_BYTES_MAX + 1):
        number += 1
        if len(line) > LINE_BYTES_MAX:
            text = f"it is longer than {LINE_BYTES_MAX} bytes, which no item is"
            raise line_error(name, number, text)
        yield line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line


class CsvFile:
    """The rows of a file of CSV.

    Args:
        file: UTF-8 with commas and double quotes.
        name: the name of the file, for error texts.
        known_types: the key of the table and the declared types.

    Attributes:
        columns: the columns, with guessed types.

    Raises:
        LineError: the header is missing or invalid.
    """

    def __init__(self, file: BinaryIO, name: str, known_types: KnownTypes) -> None:
        self._name = name
        # This limit is of the process, which reads no other CSV.
        csv.field_size_limit(_CELL_CHARS_MAX)
        self._reader = csv.reader(self._texts(file), strict=True)
        self._rows = self._placed()
        first = next(self._rows, None)
        if first is None:
            raise LineError(f"{name}: it has no header")
        self._check_header(first[1], known_types)
        self._sample = [*_sampled(islice(self._rows, SAMPLE_ROWS))]
        self.columns = Columns(first[1], known_types, [row for _, row in self._sample])

    def items(self) -> Iterator[LineItem]:
        """All items; rows without cells are skipped. Raises LineError."""
        for number, row in chain(self._sample, self._rows):
            try:
                yield LineItem(number, self.columns.item_of(row))
            except ItemError as error:
                raise line_error(self._name, number, error) from error

    def _texts(self, file: BinaryIO) -> Iterator[str]:
        for number, line in enumerate(_lines(file, self._name), start=1):
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                text = f"it is not UTF-8 at byte {error.start + 1} of the line"
                raise line_error(self._name, number, text) from error

    def _placed(self) -> Iterator[tuple[int, list[str]]]:
        """The rows that have cells, with the numbers of their first lines."""
        while True:
            number = self._reader.line_num + 1
            try:
                row = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise line_error(self._name, number, f"it is not CSV: {error}") from error
            if row:
                yield number, row

    def _check_header(self, names: list[str], known_types: KnownTypes) -> None:
        fault = None
        if "" in names:
            fault = "a column has no name"
        elif len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            fault = f"the column {twice} stands twice"
        elif missing := [key for key in known_types.keys if key not in names]:
            fault = (
                f"the first line is the header, and has no column for the key attribute "
                f"{missing[0]}; it has {', '.join(names[:10])}"
            )
        elif unknown := [name for name in known_types.given if name not in names]:
            fault = f"there is no column {unknown[0]}, for which a type is given"
        if fault is not None:
            raise LineError(f"{self._name}: {fault}")


def _sampled(rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    size = 0
    for row in rows:
        yield row
        size += sum(map(len, row[1]))
        if size > _SAMPLE_BYTES_MAX:
            return


def line_error(name: str, line: int, reason: object) -> LineError:
    """The error of a line, with a text for the operator."""
    return LineError(f"{name} line {line}: {reason}")
