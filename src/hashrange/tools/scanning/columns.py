"""Items as rows: the columns of a file of items, and CSV."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.tools.copying.item_lines import plain_of
from hashrange.tools.copying.place import CopyError

COLUMNS_MAX: Final = 10_000
"""Attributes that are names of columns; a table with more is not a table of rows."""
_decode: Final = msgspec.json.Decoder(dict[str, dict[str, Any]]).decode
_decode_names: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.encode


def items_of(source: Path) -> Iterator[dict[str, dict[str, Any]]]:
    """The items of a file of lines of DynamoDB-JSON. Raises OSError."""
    with source.open("rb") as file:
        for line in file:
            if line != b"\n":
                yield _decode(line)


def column_names(source: Path, key_names: Sequence[str]) -> list[str]:
    """The names of all attributes in a file: keys first, the others sorted.

    Raises CopyError: there are more than `COLUMNS_MAX`.
    """
    names: set[str] = set()
    with source.open("rb") as file:
        for line in file:
            if line != b"\n":
                names.update(_decode_names(line))
            if len(names) > COLUMNS_MAX:
                raise CopyError(
                    f"the items have more than {COLUMNS_MAX:,} attributes, which would be columns: "
                    "use .jsonl or --projection"
                )
    return ordered(names, key_names)


def ordered(names: set[str], key_names: Sequence[str]) -> list[str]:
    """Names of columns: keys first, the others sorted."""
    keys = [name for name in key_names if name in names]
    return [*keys, *sorted(names.difference(keys))]


def cell(value: Mapping[str, Any], *, typed: bool) -> str:
    """The text of a value: itself if it is a scalar, else its plain JSON; a null is `null`."""
    if typed:
        return _encode(value).decode()
    ((kind, content),) = value.items()
    if kind in {"S", "N", "B"}:
        return str(content)
    return _encode(plain_of("", value, False)).decode()  # noqa: FBT003 - as its docstring says


def write_csv(source: Path, target: Path, *, key_names: Sequence[str], typed: bool) -> list[str]:
    """Write items as CSV with a header; a missing attribute is an empty cell.

    Args:
        source: lines of DynamoDB-JSON.
        target: the new file.
        key_names: the columns that come first.
        typed: cells are DynamoDB-JSON.

    Returns:
        Remarks for the operator: none.

    Raises:
        CopyError: there are too many columns.
        OSError: a file cannot be read or written.
    """
    names = column_names(source, key_names)
    with target.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if names:
            rows.writerow(names)
        for item in items_of(source):
            row = [cell(item[name], typed=typed) if name in item else "" for name in names]
            # A single empty cell would be an empty line, which readers skip.
            rows.writerow(row)
    return []
