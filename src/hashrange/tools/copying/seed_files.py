"""Reads files of items line by line or row by row, with a bounded number of them in memory."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO, Final

import msgspec

from hashrange.tools.copying.item_lines import (
    Item,
    ItemError,
    KnownTypes,
    item_of_line,
    parsed_json,
    typed_value,
)
from hashrange.tools.copying.place import CopyError

_DIGITS_MAX: Final = 38
_SHOWN_CHARS_MAX: Final = 60
_is_plain_number: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", re.ASCII).fullmatch


def guessed_type(cells: Iterable[str]) -> str:
    """The type of a column of CSV, guessed from some of its cells.

    N if all are numbers without leading zeros (which codes have), BOOL if all are `true` or
    `false`, else S. Empty cells are ignored.
    """
    filled = [cell for cell in cells if cell]
    for kind in ("N", "BOOL"):
        if filled and all(_fits(cell, kind) for cell in filled):
            return kind
    return "S"


def _fits(cell: str, kind: str) -> bool:
    match kind:
        case "N":
            return bool(_is_plain_number(cell)) and sum(map(str.isdigit, cell)) <= _DIGITS_MAX
        case "BOOL":
            return cell.lower() in {"true", "false"}
        case _:
            return True


class Columns:
    """The columns of a file of CSV.

    Args:
        names: the cells of the header.
        known_types: the key of the table and the declared types.
        sample: the rows from which the types of other columns are guessed.
    """

    def __init__(
        self, names: Sequence[str], known_types: KnownTypes, sample: Sequence[Sequence[str]]
    ) -> None:
        self._names = names
        self._keyed = known_types
        self.guesses = {
            name: guessed_type(row[place] for row in sample if place < len(row))
            for place, name in enumerate(names)
            if name not in known_types.types
        }
        """The guessed types, by the names of the columns."""

    def item_of(self, row: Sequence[str]) -> Item:
        """The item of a row; empty cells are left out. Raises ItemError."""
        if len(row) != len(self._names):
            raise ItemError(f"it has {len(row)} cells, and the header has {len(self._names)}")
        cells = {name: cell for name, cell in zip(self._names, row, strict=True) if cell}
        self._keyed.check_keys(cells)
        return {name: self._value(name, cell) for name, cell in cells.items()}

    def _value(self, name: str, cell: str) -> dict[str, Any]:
        guess = self.guesses.get(name)
        if guess is not None and not _fits(cell, guess):
            raise ItemError(
                f"{name} is {_shown(cell)}, and the rows before have type {guess} there: "
                f"say which type is meant, as --types {name}=S"
            )
        kind = guess or self._keyed.types[name]
        match kind:
            case "S" | "N" | "B":
                return {kind: cell}
            case "BOOL":
                if not _fits(cell, kind):
                    raise ItemError(f"{name} is {_shown(cell)}, and not true or false")
                return {kind: cell.lower() == "true"}
            case _:
                return self._of_json(name, cell, kind)

    def _of_json(self, name: str, cell: str, kind: str) -> dict[str, Any]:
        try:
            return typed_value(name, parsed_json(cell), {name: kind})
        except ItemError as error:
            form = '{"a": 1}' if kind == "M" else '["a", "b"]'
            raise ItemError(f"{name} of type {kind} wants JSON like {form}: {error}") from error


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= _SHOWN_CHARS_MAX else f"{cell[:_SHOWN_CHARS_MAX]}…")


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
