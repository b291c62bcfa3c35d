"""Items as text: tables for people, lines of JSON for programs. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from rich.table import Table
from rich.text import Text

from hashrange.model.data_types import MEMBER_OF_SET
from hashrange.tools.copying.item_lines import ItemError, plain_json_of

Item: TypeAlias = Mapping[str, Mapping[str, Any]]
"""In DynamoDB-JSON."""

FORMS: Final = ("table", "json", "plain")
"""Tables; lines of DynamoDB-JSON; lines of plain JSON where that loses no type."""


def table_of(items: Sequence[Item]) -> Table:
    """A row for each item, a column for each attribute that one of them has."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = list(dict.fromkeys(name for item in items for name in item))
    for name in columns:
        is_number = all("N" in item[name] for item in items if name in item)
        table.add_column(printable(name), justify="right" if is_number else "left", overflow="fold")
    for item in items:
        table.add_row(*(cell_of(item[name]) if name in item else Text("") for name in columns))
    return table


def lines_of(items: Iterable[Item], form: str) -> Iterable[str]:
    """A line of JSON for each item; DynamoDB-JSON also where plain JSON would lose a type."""
    for item in items:
        if form == "plain":
            try:
                yield plain_json_of(item).decode()
                continue
            except ItemError:
                pass
        yield msgspec.json.encode(item).decode()


def cell_of(value: Mapping[str, Any]) -> Text:
    """A value for a cell: strings as they are, everything else as a literal."""
    ((kind, content),) = value.items()
    return printable(content if kind == "S" else literal_of(value))


def literal_of(value: Mapping[str, Any]) -> str:
    """A value as PartiQL writes it; binary values, which have no literal, as Base64."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            text = "'{}'".format(content.replace("'", "''"))
        case "BOOL":
            text = "true" if content else "false"
        case "NULL":
            text = "null"
        case "L":
            text = "[{}]".format(", ".join(map(literal_of, content)))
        case "M":
            members = (
                f"{literal_of({'S': name})}: {literal_of(content[name])}" for name in content
            )
            text = "{{{}}}".format(", ".join(members))
        case "B":
            text = f"base64 {content}"
        case _ if kind in MEMBER_OF_SET:
            member = MEMBER_OF_SET[kind]
            text = "<<{}>>".format(", ".join(literal_of({member: each}) for each in content))
        case _:
            text = str(content)
    return text


def printable(text: str) -> Text:
    """Data for a terminal: control characters, which could move its cursor, are replaced."""
    replaced = "\N{REPLACEMENT CHARACTER}"
    return Text("".join(sign if sign.isprintable() else replaced for sign in text))
