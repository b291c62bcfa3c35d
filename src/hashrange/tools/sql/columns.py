"""The columns of the view of a table. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.shapes import (
    TEXT_SUFFIX,
    Numbers,
    Shape,
    escaped,
    expression,
    fits_into,
    literal,
    quoted,
    refused,
    text_at,
    texts_of_set,
    union,
)

EXTRA_COLUMNS: Final = ("_pk", "_time", "item", "value")
"""Columns that are no attributes."""
_is_decimal: Final = re.compile(r"DECIMAL\(([0-9]+),([0-9]+)\)").fullmatch
_KINDS: Final[Mapping[str, Sequence[str]]] = {
    "VARCHAR": ("S", "N"),
    "BIGINT": ("N",),
    "DOUBLE": ("N",),
    "BOOLEAN": ("BOOL",),
    "BLOB": ("B",),
    "JSON": (),
}
"""The types that the operator can fix, and the types of the values that become them."""
_SCALARS: Final = frozenset({"S", "N", "B", "BOOL"})
_TEXTS: Final = "texts"
_TOGETHER_MAX: Final = 32
_BIGINT: Final = Numbers(18, 0)


class Unnest(StrEnum):
    """The values that become columns, in the words of AWS's zero-ETL integrations."""

    TOP_LEVEL = "TOP_LEVEL"
    """Each attribute."""
    FULL = "FULL"
    """Each attribute, and each field of maps, named by its path."""
    NO_UNNEST = "NO_UNNEST"
    """The key; all other attributes are one value of JSON."""


class Column(msgspec.Struct, frozen=True):
    """A column of a view.

    Attributes:
        name: as the attribute, where no other column has it.
        sql: its expression.
    """

    name: str
    sql: str


class View(msgspec.Struct, frozen=True):
    """The columns of a view.

    Attributes:
        columns: the columns.
        remarks: lines for the operator about them.
        pointers: of texts that the columns read together: an item is parsed once for all of them.
    """

    columns: Sequence[Column]
    remarks: Sequence[str] = ()
    pointers: Sequence[str] = ()

    def select_from(self, stored: str) -> str:
        """The SELECT of the view of a stored table."""
        columns = ", ".join(f"{each.sql} AS {quoted(each.name)}" for each in self.columns)
        source = stored
        if self.pointers:
            listed = ", ".join(map(literal, self.pointers))
            source = f"(SELECT *, json_extract_string(item, [{listed}]) AS {_TEXTS} FROM {stored})"  # noqa: S608 - quoted
        return f"SELECT {columns} FROM {source}"  # noqa: S608 - names are quoted


def view_of(
    shapes: Mapping[str, Sequence[Shape] | None],
    key_names: Sequence[str],
    fixed: Mapping[str, str],
    *,
    root: str,
    time: str,
    unnest: Unnest,
) -> View:
    """The view of a table.

    Args:
        shapes: the types of the values of each attribute; None for one that is not to be read.
        key_names: the key, the partition key first; empty if it is not known.
        fixed: types of SQL that the operator gives, by attribute.
        root: where in `item` the attributes are, a JSON pointer.
        time: the SQL of the time of the items.
        unnest: what becomes a column.
    """
    item = f"item->{literal(root)}" if root else "item"
    names = [*key_names, *sorted(set(shapes) - set(key_names))]
    found: list[Column] = []
    for name in names if unnest != Unnest.NO_UNNEST else key_names:
        if name in fixed:
            found.append(Column(name, _fixed(name, fixed[name], root)))
        else:
            found += _columns(name, shapes[name], root, full=unnest == Unnest.FULL)
    if unnest == Unnest.NO_UNNEST:
        found.append(Column("value", item))
    if key_names:
        members = ", ".join(
            f"{literal(name)}, item->{literal(f'{root}/{escaped(name)}')}" for name in key_names
        )
        found.append(Column("_pk", f"CAST(json_object({members}) AS VARCHAR)"))
    found.append(Column("_time", time))
    found.append(Column("item", item))
    return _distinct(*_read_together(found, shapes, root))


def _read_together(
    columns: Sequence[Column], shapes: Mapping[str, Sequence[Shape] | None], root: str
) -> tuple[list[Column], Sequence[str]]:
    """The columns with texts of scalar attributes from one list, and the pointers of that.

    With very many, a statement that needs few would read too much.
    """
    pointers = [
        f"{root}/{escaped(name)}/{each.kind}"
        for name, found in shapes.items()
        for each in found or ()
        if each.kind in _SCALARS
    ]
    if not 1 < len(pointers) <= _TOGETHER_MAX:
        return [*columns], ()
    changed = []
    for column in columns:
        sql = column.sql
        for number, pointer in enumerate(pointers, 1):
            # It is in no string, where its quotes would be doubled.
            sql = sql.replace(text_at("item", pointer), f"{_TEXTS}[{number}]")
        changed.append(Column(column.name, sql))
    return changed, pointers


def _columns(name: str, shapes: Sequence[Shape] | None, root: str, *, full: bool) -> list[Column]:
    pointer = f"{root}/{escaped(name)}"
    if shapes is None:
        return [Column(name, refused("left(CAST(item AS VARCHAR), 0)", f"{name} is not read"))]
    if not shapes:
        return [Column(name, "NULL")]  # of any type
    if len(shapes) > 1:
        plain = [Shape(each.kind, each.numbers) for each in shapes]
        found = [Column(name, union(plain, "item", pointer, name))]
    elif full and shapes[0].fields:
        found = list(_flat(shapes[0], pointer, name))
    else:
        found = [Column(name, expression(shapes[0], "item", pointer, name))]
    for each in shapes:
        if not each.numbers.fits:
            content = f"(item->{literal(f'{pointer}/{each.kind}')})"
            text = f"(item->>{literal(f'{pointer}/{each.kind}')})"
            found.append(
                Column(name + TEXT_SUFFIX, text if each.kind == "N" else texts_of_set(content))
            )
    return found


def _flat(shape: Shape, pointer: str, path: str) -> Iterable[Column]:
    for name, each in shape.fields.items():
        here, named = f"{pointer}/M/{escaped(name)}", f"{path}.{name}"
        if each.fields:
            yield from _flat(each, here, named)
        else:
            yield Column(named, expression(each, "item", here, named))


def fixed_type(text: str) -> str:
    """A type that the operator gives. Raises InputError."""
    found = text.upper().replace(" ", "")
    decimal = _is_decimal(found)
    if found not in _KINDS and (
        decimal is None or not int(decimal[2]) <= int(decimal[1]) <= 38 or decimal[1] == "0"  # noqa: PLR2004 - DuckDB's limit
    ):
        raise InputError(f"{text}: a type is {', '.join(_KINDS)} or DECIMAL(digits, fraction)")
    return found


def _fixed(name: str, sql_type: str, root: str) -> str:
    """A column of a type that the operator gives; a value that it does not hold is an error."""
    pointer = f"{root}/{escaped(name)}"
    whole = f"(item->{literal(pointer)})"
    if sql_type == "JSON":
        return whole
    kinds = _KINDS.get(sql_type, ("N",))
    cases = [f"WHEN {whole} IS NULL OR json_keys({whole})[1] = 'NULL' THEN NULL"]
    for kind in kinds:
        text = f"(item->>{literal(f'{pointer}/{kind}')})"
        held = f"{text} IS NOT NULL"
        decimal = _is_decimal(sql_type)
        if decimal is not None:
            digits, fraction = int(decimal[1]), int(decimal[2])
            held += f" AND {fits_into(text, Numbers(digits - fraction, fraction))}"
        elif sql_type == "BIGINT":
            held += f" AND {fits_into(text, _BIGINT)}"
        value = f"from_base64({text})" if sql_type == "BLOB" else f"CAST({text} AS {sql_type})"
        cases.append(f"WHEN {held} THEN {value}")
    refusal = refused(f"CAST({whole} AS VARCHAR)", f"the attribute {name} is not {sql_type}")
    return f"CASE {' '.join(cases)} ELSE {refusal} END"


def _distinct(columns: Sequence[Column], pointers: Sequence[str]) -> View:
    """Columns whose names differ in more than upper and lower case, as SQL needs them.

    Names that do not are all numbered, so that none of them is meant by accident.
    """
    counts: dict[str, int] = {}
    for each in columns:
        counts[each.name.lower()] = counts.get(each.name.lower(), 0) + 1
    taken, found, remarks = set(counts), [], []
    for each in columns:
        title, number = each.name, 0
        while counts[each.name.lower()] > 1 and title.lower() in taken:
            number += 1
            title = f"{each.name}_{number}"
        if title != each.name:
            taken.add(title.lower())
            remarks.append(f"the column of {each.name} is {quoted(title)}: several have that name")
        found.append(Column(title, each.sql))
    return View(found, remarks, pointers)
