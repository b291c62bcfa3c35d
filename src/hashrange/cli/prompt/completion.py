"""Words that may follow in a statement: keywords, tables, indexes, attributes. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from hashrange.expressions.functions import FUNCTIONS
from hashrange.expressions.partiql.updates import SET_FUNCTIONS

KEYWORDS: Final = (
    *(
        "SELECT",
        "FROM",
        "WHERE",
        "ORDER BY",
        "ASC",
        "DESC",
        "INSERT INTO",
        "VALUE",
        "UPDATE",
        "SET",
    ),
    *("REMOVE", "DELETE FROM", "RETURNING", "ALL", "MODIFIED", "OLD", "NEW", "EXISTS", "AND", "OR"),
    *("NOT", "IN", "BETWEEN", "IS", "MISSING", "NULL", "TRUE", "FALSE"),
    *(f"{each.name}(" for each in FUNCTIONS.values() if each.is_completed),
    *(f"{name}(" for name in SET_FUNCTIONS),
)
COMMANDS: Final = ("\\d", "\\o", "\\consistent", "\\q", "\\?")
_ATTRIBUTES_MAX: Final = 1_000
_INDEX: Final = re.compile(r'(?:"(?P<quoted>[^"]+)"|(?P<plain>[\w-]+))\."?[\w.-]*$')
_TABLE: Final = re.compile(r'(?:\b(?:FROM|INTO|UPDATE)\s+|^\\d\s+)"?[\w.-]*$', re.IGNORECASE)
_WORD: Final = re.compile(r'"?[\w.-]*$|\\\w*$')
_PLAIN: Final = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(slots=True)
class KnownNames:
    """Names that a session has met.

    Attributes:
        indexes: the names of indexes, by table; every table is a key.
        attributes: in the order in which they were met.
    """

    indexes: dict[str, list[str]] = field(default_factory=dict)
    attributes: dict[str, None] = field(default_factory=dict)

    def add_attributes(self, names: Iterable[str]) -> None:
        """Remember names, as long as there is room."""
        for name in names:
            if len(self.attributes) < _ATTRIBUTES_MAX:
                self.attributes[name] = None


def candidates(before: str, known: KnownNames) -> tuple[int, list[str]]:
    """Where the word at the end of `before` begins, and the words that it may become."""
    if index := _INDEX.search(before):
        table = index["quoted"] or index["plain"]
        if table in known.indexes:
            start = index.end("quoted") + 2 if index["quoted"] else index.end("plain") + 1
            return _beginning(before, start, map(quoted, known.indexes[table]))
    word = _WORD.search(before)
    start = len(before) if word is None else word.start()
    if before.startswith("\\") and start == 0:
        return _beginning(before, start, COMMANDS)
    if _TABLE.search(before):
        as_name = str if before.startswith("\\") else quoted
        return _beginning(before, start, map(as_name, known.indexes))
    if before.startswith("\\"):
        return start, []
    return _beginning(before, start, [*map(identifier, known.attributes), *KEYWORDS])


def quoted(name: str) -> str:
    """A name as an identifier in quotes, as tables and indexes are best written."""
    return '"{}"'.format(name.replace('"', '""'))


def identifier(name: str) -> str:
    """A name as an identifier, in quotes only where it needs them."""
    is_keyword = name.upper() in KEYWORDS
    return name if _PLAIN.match(name) and not is_keyword else quoted(name)


def _beginning(before: str, start: int, words: Iterable[str]) -> tuple[int, list[str]]:
    typed = before[start:].lower().lstrip('"')
    return start, [word for word in words if word.lower().lstrip('"').startswith(typed)]
