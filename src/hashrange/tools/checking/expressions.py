"""Names of attributes in expressions. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from hashrange.errors import DynamoError
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.placeholders import Scope
from hashrange.expressions.syntax import Path
from hashrange.expressions.tokens import Cursor, Kind, Token
from hashrange.expressions.update_grammar import update

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


def names_written(text: str, names: Mapping[str, str]) -> set[str]:
    """The attributes that an update expression writes; none if its syntax is wrong.

    Attributes inside of maps and lists count as the attribute that has them.
    """
    reader = Reader(Cursor(text[:_LENGTH_MAX], "UpdateExpression"), Scope(names, ()))
    try:
        targets = [action.target for action in update(reader).actions]
    except DynamoError:
        return set()
    return {str(each.elements[0]) for each in targets if isinstance(each, Path)}


def _tokens(text: str) -> Iterator[Token]:
    cursor = Cursor(text[:_LENGTH_MAX], "")
    while cursor.token.kind is not Kind.END:
        yield cursor.advance()
