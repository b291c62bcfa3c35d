"""Columns of tables of SQL for the scalar attributes of items. Pure.

An attribute gets a column when its first value comes, of the type of that value. Values of another
type get a column of their own, so no column changes its type and no value is converted.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

import msgspec

from hashrange.tools.sinks.changes import Item

NAME_BYTES_MAX: Final = 63
"""Of PostgreSQL, which shortens longer names without an error."""
COLUMNS_MAX: Final = 200
"""Columns of attributes of one table; others are in `item` only. A row has to fit into a page."""
TYPES: Final[Mapping[str, str]] = {
    "S": "text",
    "N": "numeric",
    "BOOL": "boolean",
    "B": "bytea",
}
_TAKEN: Final = frozenset(
    ("_key", "_version", "item", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")
)
"""Our own columns, and those that PostgreSQL has in each table."""
_DIGEST_CHARS: Final = 8
_has_nul: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000").search

Columns = Mapping[tuple[str, str], str]
"""Names of columns by attribute and type."""


def with_attributes(columns: Columns, items: Iterable[Item]) -> dict[tuple[str, str], str]:
    """The columns together with those that some items need."""
    found = dict(columns)
    taken = {*_TAKEN, *found.values()}
    for item in items:
        for attribute, value in item.items():
            (kind,) = value
            if kind not in TYPES or (attribute, kind) in found or "\0" in attribute:
                continue
            if len(found) == COLUMNS_MAX:
                return found
            name = found[attribute, kind] = _free_name(attribute, kind, taken)
            taken.add(name)
    return found


def _free_name(attribute: str, kind: str, taken: set[str]) -> str:
    name, number = sql_name(attribute), 1
    while name in taken:
        name = sql_name(f"{attribute}_{kind.lower()}" + ("" if number == 1 else f"_{number}"))
        number += 1
    return name


def sql_name(text: str) -> str:
    """A text as a name; a long one is cut, and gets a digest."""
    content = text.encode()
    if len(content) <= NAME_BYTES_MAX:
        return text
    digest = sha256(content).hexdigest()[:_DIGEST_CHARS]
    return content[: NAME_BYTES_MAX - _DIGEST_CHARS - 1].decode(errors="ignore") + f"_{digest}"


def values_of(item: Item, columns: Sequence[tuple[str, str]]) -> list[Any]:
    """The values of an item in columns, by attribute and type."""
    return [_value(item.get(attribute, {}).get(kind), kind) for attribute, kind in columns]


def _value(content: Any, kind: str) -> Any:
    if content is None:
        return None
    match kind:
        case "N":
            return Decimal(content)
        case "B":
            return b64decode(content)
        case "S" if "\0" in content:
            return None  # PostgreSQL has no such text; `item` has it
        case _:
            return content


def json_of(item: Item) -> str:
    """An item as JSON that PostgreSQL can store: one with U+0000 is base64 as a whole."""
    text = msgspec.json.encode(item).decode()
    if _has_nul(text) is None:
        return text
    return msgspec.json.encode({"base64": b64encode(text.encode()).decode()}).decode()
