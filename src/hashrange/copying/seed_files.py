"""Files of items, read line by line or row by row: never more in memory than a few of them."""

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, Final

import msgspec

from hashrange.copying.item_lines import Item, ItemError, Keyed, item_of_line
from hashrange.copying.item_rows import Columns
from hashrange.copying.place import CopyError

LINE_BYTES_MAX: Final = 16 * 1024 * 1024
"""An item has 400 KB at most; its JSON may take several times as many."""
SAMPLE_ROWS: Final = 1000
"""From which the types of columns are guessed."""
_SAMPLE_BYTES_MAX: Final = 4 * 1024 * 1024
_CELL_CHARS_MAX: Final = 1024 * 1024
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class LineError(CopyError):
    """A line of a file has no item that can be put."""


class Placed(msgspec.Struct, frozen=True):
    """An item, and where it stands in its file: the number of its line, from 1."""

    line: int
    item: Item


def items_of_json(file: BinaryIO, name: str, keyed: Keyed) -> Iterator[Placed]:
    """The items of a file of JSON lines; empty lines are skipped. Raises LineError."""
    for number, line in enumerate(_lines(file, name), start=1):
        if number == 1 and line.lstrip().startswith(b"["):
            text = f"{name}: it is one JSON array; one item a line is wanted: jq -c '.[]' {name}"
            raise LineError(text)
        if not line.isspace():
            try:
                yield Placed(number, item_of_line(line, keyed))
            except ItemError as error:
                raise line_error(name, number, error) from error


def _lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """All lines, none of them long. Raises LineError."""
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
        file: the bytes: UTF-8, comma, double quote.
        name: as people know it.
        keyed: of the table.

    Attributes:
        columns: with the types that were guessed.

    Raises:
        LineError: it has no header that can be used.
    """

    def __init__(self, file: BinaryIO, name: str, keyed: Keyed) -> None:
        self._name = name
        # For the whole program, which reads no other CSV.
        csv.field_size_limit(_CELL_CHARS_MAX)
        self._reader = csv.reader(self._texts(file), strict=True)
        self._rows = self._placed()
        first = next(self._rows, None)
        if first is None:
            raise LineError(f"{name}: it has no header")
        self._check_header(first[1], keyed)
        self._sample = [*_sampled(islice(self._rows, SAMPLE_ROWS))]
        self.columns = Columns(first[1], keyed, [row for _, row in self._sample])

    def items(self) -> Iterator[Placed]:
        """All items; rows without cells are skipped. Raises LineError."""
        for number, row in chain(self._sample, self._rows):
            try:
                yield Placed(number, self.columns.item_of(row))
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
        """The rows that have cells, and the lines in which they begin."""
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

    def _check_header(self, names: list[str], keyed: Keyed) -> None:
        fault = None
        if "" in names:
            fault = "a column has no name"
        elif len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            fault = f"the column {twice} stands twice"
        elif missing := [key for key in keyed.keys if key not in names]:
            fault = (
                f"the first line is the header, and has no column for the key attribute "
                f"{missing[0]}; it has {', '.join(names[:10])}"
            )
        elif unknown := [name for name in keyed.given if name not in names]:
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
    """What is wrong with a line, for people."""
    return LineError(f"{name} line {line}: {reason}")
