"""Items of imports in CSV, a row for each below a header, and in DynamoDB JSON. Pure.

All values are strings, but for those of key attributes, which have the types of their definitions.
Empty cells are no attributes. Source: Developer Guide, "Amazon S3 import formats".

After a record that is no such object the rest of the file is skipped, as on the service
(measured by ScyllaDB's tests).
"""

import csv
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hashrange.backups.imports.lines import Refused
from hashrange.errors import DynamoError
from hashrange.limits.backups import IMPORT_HEADERS_MAX, IMPORT_RECORD_BYTES_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.values import AttributeValue, KeyType
from hashrange.wire.codec import DECODE_ERRORS, Decoder
from hashrange.wire.depth import DEEP_BYTES_MIN


class Line(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A line; other members are ignored. Those beside the item are of bulk operations."""

    item: dict[str, AttributeValue] | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


_decoder: Final = Decoder(Line)
_usual: Final = _decoder.decode_usual


def line_of(data: bytes) -> Line:
    """The members of a line. Raises Refused."""
    try:
        line = _usual(data) if len(data) < DEEP_BYTES_MIN else _decoder.decode(data)
    except DECODE_ERRORS:
        line = _reread(data)
    except DynamoError as error:
        raise _refused(error) from error
    if line.item is None:
        raise Refused(messages.record_without_item(), ends_object=True)
    return line


def _reread(data: bytes) -> Line:
    """A line as the service converts it. Raises Refused."""
    try:
        return _decoder.decode(data)
    except DynamoError as error:
        raise _refused(error) from error


def _refused(error: DynamoError) -> Refused:
    if error.message is None:
        return Refused(messages.unreadable_record(), ends_object=True)
    return Refused(error.message)


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
