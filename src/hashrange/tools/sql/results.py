"""Rows of SQL as CSV, lines of JSON, or text; numbers keep all their digits."""

import csv
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, TextIO

import msgspec

ROWS_AT_ONCE: Final = 10_000
_JSON_INTEGERS: Final = range(-(2**63), 2**64)
_encode: Final = msgspec.json.Encoder().encode


def pages_of(cursor: Any) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of a cursor, some at a time."""
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        yield rows


def names_of(cursor: Any) -> list[str]:
    """The names of the columns; those that are there twice are numbered."""
    taken: set[str] = set()
    found = []
    for name, *_ in cursor.description:
        title, number = name, 1
        while title in taken:
            number += 1
            title = f"{name}_{number}"
        taken.add(title)
        found.append(title)
    return found


def write_csv(cursor: Any, target: TextIO) -> int:
    """Write rows with a header; NULL is an empty cell. Returns the number of rows."""
    rows = csv.writer(target, lineterminator="\n")
    rows.writerow(names_of(cursor))
    count = 0
    for page in pages_of(cursor):
        rows.writerows([text_of(value) for value in row] for row in page)
        count += len(page)
    return count


def write_json(cursor: Any, target: TextIO) -> int:
    """Write an object of JSON on a line for each row. Returns the number of rows."""
    names, count = names_of(cursor), 0
    are_json = [str(each[1]) == "JSON" for each in cursor.description]
    for page in pages_of(cursor):
        for row in page:
            values = [
                msgspec.Raw(value.encode()) if is_json and value is not None else value
                for value, is_json in zip(row, are_json, strict=True)
            ]
            target.write(json_of(dict(zip(names, values, strict=True))) + "\n")
        count += len(page)
    return count


def json_of(value: Any) -> str:
    """The JSON of a value; binary values are base64."""
    return _encode(_plain(value)).decode()


def text_of(value: Any) -> str:
    """A cell: the value itself, or JSON for lists and structs."""
    plain = _plain(value)
    match plain:
        case None:
            return ""
        case str():
            return plain
        case msgspec.Raw():
            return bytes(plain).decode()
        case _:
            return _encode(plain).decode()


def _plain(value: Any) -> Any:
    """A value of which JSON is made; numbers of any size keep their digits."""
    found: Any = value
    match value:
        case Decimal():
            found = msgspec.Raw(format(value, "f").encode())
        case bool() | None | str() | float() | msgspec.Raw():
            pass
        case int() if value not in _JSON_INTEGERS:
            found = msgspec.Raw(str(value).encode())
        case int():
            pass
        case bytes():
            found = b64encode(value).decode()
        case list() | tuple():
            found = [*map(_plain, value)]
        case dict():
            found = {str(name): _plain(each) for name, each in value.items()}
        case datetime() | date() | time():
            found = value.isoformat()
        case _:
            found = str(value)
    return found


WRITERS: Final = {"csv": write_csv, "json": write_json}
