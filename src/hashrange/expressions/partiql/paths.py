"""Parses the document paths of statements."""

from typing import Final

from hashrange.errors import invalid
from hashrange.expressions.partiql.syntax import Id
from hashrange.expressions.partiql.tokens import Cursor, Kind
from hashrange.expressions.syntax import Element
from hashrange.limits.requests import STATEMENT_LIST_INDEX_MAX
from hashrange.messages import partiql as messages

NAMES: Final = frozenset({Kind.NAME, Kind.QUOTED})
"""Tokens at the beginning of a path."""
_INDEX_DIGITS_MAX: Final = len(str(STATEMENT_LIST_INDEX_MAX))


def simple_path(cursor: Cursor) -> Id:
    """Parse a path. Raises ValidationException: the next token begins none."""
    if cursor.token.kind not in NAMES:
        raise invalid(messages.expected_simple_path())
    return path(cursor, is_simple=True)


def path(cursor: Cursor, *, is_simple: bool = False) -> Id:
    """Parse a document path that begins with a name. Raises ValidationException."""
    token = cursor.advance()
    elements: list[Element] = [token.value]
    while True:  # each turn reads an element
        if cursor.take("."):
            if is_simple and cursor.at("*"):
                raise invalid(messages.unpivot_of_target())
            if cursor.token.kind not in NAMES:
                raise invalid(messages.invalid_dot_component())
            elements.append(cursor.advance().value)
        elif cursor.take("["):
            elements.append(_index(cursor))
            cursor.expect("]")
        else:
            break
    return Id(start=token.start, length=token.length, elements=tuple(elements))


def _index(cursor: Cursor) -> Element:
    if cursor.token.kind is Kind.TEXT:
        return cursor.advance().value
    negative = cursor.take("-")
    token = cursor.token
    at = cursor.place(token.start, token.length)
    if token.kind is not Kind.NUMBER or not token.value.isdigit():
        raise invalid(messages.unexpected_path_component(at))
    cursor.advance()
    digits = token.value.lstrip("0") or "0"
    too_large = len(digits) > _INDEX_DIGITS_MAX or int(digits) > STATEMENT_LIST_INDEX_MAX
    if too_large or (negative and digits != "0"):
        raise invalid(messages.list_index(f"-{token.value}" if negative else token.value, at))
    return int(digits)
