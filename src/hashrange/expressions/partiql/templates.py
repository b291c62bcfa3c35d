"""Templates: one of the statements that differ only in literals is prepared.

A text is cut at its literals and quoted names. Two texts with the same pieces between, and literals
of the same types in the same places, have the same tokens but for the contents of literals. What
is known of one holds for the other if a literal is just a value that the statement uses; literals
that are more, as the names in a document, or less, as those in a comment, must be equal.
"""

import re
from collections.abc import Hashable
from typing import Any, Final

import msgspec

from hashrange.expressions.partiql.prepared import Prepared
from hashrange.model.numbers import canonical_number
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

_cut: Final = re.compile(
    r"""
    ( "(?:[^"]++|"")*+"
    | '(?:[^']++|'')*+'
    | (?<![\w$.]) (?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++) (?:[eE][+-]?[0-9]++)? (?![\w$]) )
    """,
    re.VERBOSE | re.ASCII,
).split


class Template(msgspec.Struct, frozen=True):
    """A statement whose literals come with each request.

    Attributes:
        statement: prepared; its literals follow the parameters.
        free: the places of the literals among the pieces.
        fixed: pieces that must be equal, by their places.
    """

    statement: Prepared
    free: tuple[int, ...]
    fixed: tuple[tuple[int, str], ...]

    def literals(self, pieces: list[str]) -> tuple[AttributeValue, ...] | None:
        """The literals of a text of the same outline; None if the statement differs otherwise.

        Raises DynamoError: a number that is none, for which the statement has other words.
        """
        for place, text in self.fixed:
            if pieces[place] != text:
                return None
        return tuple([_value(pieces[place]) for place in self.free])


def pieces_of(text: str) -> list[str]:
    """The pieces of a text: every second piece is a literal or a quoted name."""
    return _cut(text)


def outline_of(pieces: list[str]) -> tuple[Hashable, ...]:
    """The parts that are equal in all texts of a template."""
    return (*pieces[::2], *[_mark(piece) for piece in pieces[1::2]])


def _mark(piece: str) -> str:
    """A quoted name, or the type of a literal."""
    head = piece[0]
    return piece if head == '"' else "'" if head == "'" else ""


def template_of(statement: Prepared, pieces: list[str], parameters: int) -> Template | None:
    """The template of a statement; None if none of its literals can be replaced.

    Args:
        statement: prepared.
        pieces: of its text.
        parameters: how many it has.
    """
    slots: list[Any] = list(statement.slots)
    free: list[int] = []
    fixed: list[tuple[int, str]] = []
    start = 0
    for place, piece in enumerate(pieces):
        found = statement.literals.get(start) if place % 2 else None
        if found is not None:
            for slot in found:
                slots[slot] = parameters + len(free)
            free.append(place)
        elif place % 2 and piece[0] != '"':
            fixed.append((place, piece))
        start += len(piece)
    if not free:
        return None
    is_plain = slots == list(range(parameters + len(free)))
    filled = msgspec.structs.replace(statement, slots=tuple(slots), is_plain=is_plain)
    return Template(filled, tuple(free), tuple(fixed))


def _value(piece: str) -> AttributeValue:
    if piece[0] == "'":
        text = piece[1:-1]
        return {"S": text.replace("''", "'") if "'" in text else text}
    return {"N": canonical_number(piece, Wording.OLDER)}
