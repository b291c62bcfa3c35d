"""Items as Parquet, by DuckDB.

A column has the type that all its values have: VARCHAR, BIGINT or DECIMAL if they are exact in it,
BOOLEAN, BLOB, VARCHAR[]. Numbers that no such type holds are text with all their digits; lists,
maps and columns of several types are JSON.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.optional_packages import MissingPackageError, imported
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.columns import COLUMNS_MAX, cell, items_of, ordered
from hashrange.tools.scanning.expressions import InputError

_DECIMAL_DIGITS_MAX: Final = 38
_BIGINT_DIGITS_MAX: Final = 18
_SIMPLE: Final[Mapping[str, tuple[str, str]]] = {
    "S": ("VARCHAR", "{0}"),
    "BOOL": ("BOOLEAN", "CAST({0} AS BOOLEAN)"),
    "B": ("BLOB", "from_base64({0})"),
    "SS": ("VARCHAR[]", "CAST(CAST({0} AS JSON) AS VARCHAR[])"),
}
"""Types of columns whose values are of one type, and their expressions of the text of a cell."""


def require_duckdb() -> Any:
    """The module of DuckDB. Raises InputError: it is not installed."""
    try:
        return imported("duckdb", "duckdb>=1.1", "Parquet files need DuckDB")
    except MissingPackageError as error:
        raise InputError(str(error)) from error


class _Column:
    """The findings of a pass over all values of a column."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self._whole = 0
        self._fraction = 0

    def saw(self, value: Mapping[str, Any]) -> None:
        ((kind, content),) = value.items()
        if kind == "NULL":
            return
        self.kinds.add(kind)
        if kind == "N":
            whole, _, fraction = content.lstrip("+-").partition(".")
            # A text that is not plain digits counts as too long for a type of numbers.
            plain = whole.isdigit() and (fraction.isdigit() or not fraction)
            self._whole = max(self._whole, len(whole) if plain else _DECIMAL_DIGITS_MAX + 1)
            self._fraction = max(self._fraction, len(fraction))

    @property
    def cast(self) -> str:
        """The expression of the column, of the text of a cell."""
        if len(self.kinds) != 1:
            return "{0}"
        (kind,) = self.kinds
        if kind == "N":
            return self._number
        return _SIMPLE.get(kind, ("JSON", "{0}"))[1]

    @property
    def _number(self) -> str:
        digits = self._whole + self._fraction
        if digits > _DECIMAL_DIGITS_MAX:
            return "{0}"
        if not self._fraction and self._whole <= _BIGINT_DIGITS_MAX:
            return "CAST({0} AS BIGINT)"
        return f"CAST({{0}} AS DECIMAL({digits}, {self._fraction}))"


def write_parquet(
    source: Path, target: Path, *, key_names: Sequence[str], typed: bool
) -> list[str]:
    """Write items as Parquet. Arguments and errors are those of `write_csv`; returns remarks.

    With `typed` all columns are texts of DynamoDB-JSON.
    """
    columns = _columns(source)
    names = ordered(set(columns), key_names)
    if not names:
        # Parquet cannot have no column.
        names = [*key_names]
        columns = {name: _Column() for name in names}
    shown = _distinct(names)
    cells = target.with_name(f"{target.name}.cells")
    try:
        _write_cells(source, cells, names, columns, typed=typed)
        selected = ", ".join(
            f"{('{0}' if typed else columns[name].cast).format(f'c{number}')} AS {_quoted(title)}"
            for number, (name, title) in enumerate(zip(names, shown, strict=True))
        )
        types = ", ".join(f"c{number}: 'VARCHAR'" for number in range(len(names)))
        _run(
            f"COPY (SELECT {selected} FROM read_json('{_escaped(cells)}', columns={{{types}}}, "  # noqa: S608 - names are quoted
            f"format='newline_delimited')) TO '{_escaped(target)}' (FORMAT parquet)"
        )
    finally:
        cells.unlink(missing_ok=True)
    renamed = [pair for pair in zip(names, shown, strict=True) if pair[0] != pair[1]]
    return [f"the column of the attribute {name} is {title}" for name, title in renamed]


def _columns(source: Path) -> dict[str, _Column]:
    columns: dict[str, _Column] = {}
    for item in items_of(source):
        for name, value in item.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = _Column()
            column.saw(value)
        if len(columns) > COLUMNS_MAX:
            text = f"the items have more than {COLUMNS_MAX:,} attributes, which would be columns"
            raise CopyError(f"{text}: use .jsonl or --projection")
    return columns


def _write_cells(
    source: Path,
    target: Path,
    names: Sequence[str],
    columns: Mapping[str, _Column],
    *,
    typed: bool,
) -> None:
    """Write a line for each item: the texts of its cells, by the number of the column."""
    numbers = {name: f"c{number}" for number, name in enumerate(names)}
    with target.open("wb") as file:
        for item in items_of(source):
            cells = {
                numbers[name]: _cell(value, columns[name], typed=typed)
                for name, value in item.items()
            }
            file.write(msgspec.json.encode(cells) + b"\n")


def _cell(value: Mapping[str, Any], column: _Column, *, typed: bool) -> str | None:
    if typed:
        return cell(value, typed=True)
    if "NULL" in value:
        return None
    # Among values of other types a text is JSON, too: 1 and "1" are different.
    if len(column.kinds) > 1 and not value.keys().isdisjoint({"S", "B"}):
        return msgspec.json.encode(next(iter(value.values()))).decode()
    return cell(value, typed=False)


def _distinct(names: Sequence[str]) -> list[str]:
    """Names that differ in more than upper and lower case, as DuckDB needs them."""
    taken: set[str] = set()
    found = []
    for name in names:
        title, number = name, 1
        while title.lower() in taken:
            number += 1
            title = f"{name}_{number}"
        taken.add(title.lower())
        found.append(title)
    return found


def _run(statement: str) -> None:
    duckdb = require_duckdb()
    connection = duckdb.connect()
    try:
        # Without the order of the lines it needs no memory for it.
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(statement)
    except duckdb.Error as error:
        raise CopyError(f"DuckDB: {error}") from error
    finally:
        connection.close()


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _escaped(path: Path) -> str:
    return str(path).replace("'", "''")
