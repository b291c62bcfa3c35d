"""Names of attributes in expressions. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from hashrange.expressions.tokens import Cursor, Kind, Token

_LENGTH_MAX: Final = 4096
"""DynamoDB refuses longer expressions."""


def names_in_expression(text: str, names: Mapping[str, str]) -> list[str]:
    """The attributes that an expression has, without those inside of maps and lists."""
    found: list[str] = []
    last = ""
    for token in _tokens(text):
        if last != ".":
            if token.kind is Kind.WORD:
                found.append(token.text)
            elif token.kind is Kind.NAME and token.text in names:
                found.append(names[token.text])
        last = token.text
    return list(dict.fromkeys(found))


def _tokens(text: str) -> Iterator[Token]:
    cursor = Cursor(text[:_LENGTH_MAX], "")
    while cursor.token.kind is not Kind.END:
        yield cursor.advance()
