"""CSV: a row for each item, below a header. Pure.

All values are strings, but for those of key attributes, which have the types of their definitions.
Empty cells are no attributes. Source: Developer Guide, "Amazon S3 import formats".
"""

import csv
from collections.abc import Mapping, Sequence
from typing import Final

from hashrange.backups.imports.dynamodb_json import Line
from hashrange.backups.imports.lines import Refused
from hashrange.limits.backups import IMPORT_HEADERS_MAX, IMPORT_RECORD_BYTES_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.values import AttributeValue, KeyType

_BOM: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"

csv.field_size_limit(IMPORT_RECORD_BYTES_MAX)


class CsvReader:
    """Makes items of the rows of one object.

    Args:
        types: the types of key attributes, by name.
        delimiter: between cells, one character.
        headers: names of the columns; None if they are the first row.
    """

    def __init__(
        self, types: Mapping[str, KeyType], delimiter: str, headers: Sequence[str] | None
    ) -> None:
        self._types = types
        self._delimiter = delimiter
        self._is_first = True
        self._columns: list[tuple[str, KeyType]] = []
        if headers is not None:
            self._take(headers)

    def line_of(self, row: bytes) -> Line | None:
        """The item of a row; None for the header. Raises Refused."""
        cells = self._cells(row)
        if not self._columns:
            self._take(cells)
            return None
        if len(cells) != len(self._columns):
            raise Refused(messages.cells_do_not_fit(len(cells), len(self._columns)))
        pairs = zip(self._columns, cells, strict=True)
        return Line(item={name: _value(kind, cell) for (name, kind), cell in pairs if cell})

    def _cells(self, row: bytes) -> list[str]:
        try:
            text = row.decode()
        except UnicodeDecodeError as error:
            raise Refused(messages.not_utf8()) from error
        if self._is_first:
            text, self._is_first = text.removeprefix(_BOM), False
        text = text.removesuffix("\r")
        if '"' not in text and "\r" not in text:
            return text.split(self._delimiter)
        try:
            # A carriage return within quotes belongs to its cell.
            rows = list(csv.reader([text], delimiter=self._delimiter, strict=True))
        except csv.Error as error:
            raise Refused(messages.unreadable_row()) from error
        return rows[0] if len(rows) == 1 else []

    def _take(self, names: Sequence[str]) -> None:
        if not 0 < len(names) <= IMPORT_HEADERS_MAX or "" in names or len(set(names)) < len(names):
            raise Refused(messages.header_invalid(), ends_object=True)
        self._columns = [(name, self._types.get(name, "S")) for name in names]


def _value(kind: KeyType, cell: str) -> AttributeValue:
    if kind == "S":
        return {"S": cell}
    return {"N": cell.strip()} if kind == "N" else {"B": cell}
