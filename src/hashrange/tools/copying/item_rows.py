"""Items as rows of CSV: each column is an attribute of a declared or guessed type. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hashrange.tools.copying.item_lines import Item, ItemError, KnownTypes, parsed_json, typed_value

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
