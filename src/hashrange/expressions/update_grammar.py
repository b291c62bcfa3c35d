"""Reads update expressions, and the paths of projection expressions.

    update = ( SET set (',' set)* | REMOVE path (',' path)*
             | ADD path value (',' path value)* | DELETE path value (',' path value)* )+
    set    = path '=' ( operand | sum )
    sum    = operand ('+' | '-') operand | '(' sum ')'

Source: the grammar that AWS publishes with its DAX clients.
"""

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.syntax import (
    Action,
    Add,
    Arithmetic,
    Delete,
    Operand,
    Path,
    Remove,
    Set,
    Undefined,
)
from hashrange.messages.expressions import syntax as messages


class Sections(msgspec.Struct, frozen=True):
    """The actions of an update in the order of the text, and the first repeated section."""

    actions: tuple[Action, ...]
    repeated: str | None


def update(reader: Reader) -> Sections:
    """The whole expression as an update. Raises DynamoError: wrong syntax or too large."""
    cursor = reader.cursor
    actions: list[Action] = []
    seen: set[str] = set()
    repeated: str | None = None
    while True:
        section = cursor.symbol
        actions += _section(reader)
        if section in seen and repeated is None:
            repeated = section
        seen.add(section)
        if cursor.symbol not in _SECTIONS:
            break
    reader.end()
    return Sections(tuple(actions), repeated)


def projection(reader: Reader) -> "list[Path | Undefined]":
    """The whole expression as paths. Raises DynamoError: wrong syntax."""
    paths = reader.paths()
    reader.end()
    return paths


def _section(reader: Reader) -> list[Action]:
    cursor = reader.cursor
    action = _SECTIONS.get(cursor.symbol)
    if action is None:
        raise cursor.unexpected()
    cursor.advance()
    actions = [action(reader)]
    while cursor.symbol == ",":
        cursor.advance()
        actions.append(action(reader))
    return actions


def _remove(reader: Reader) -> Action:
    return Remove(reader.path())


def _set(reader: Reader) -> Action:
    target = reader.path()
    reader.cursor.expect("=")
    return Set(target, _sum(reader))


def _add(reader: Reader) -> Action:
    return Add(reader.path(), reader.value())


def _delete(reader: Reader) -> Action:
    return Delete(reader.path(), reader.value())


def _sum(reader: Reader) -> Operand | Arithmetic:
    """Read an operand or a sum; a parenthesis may hold either, so it is decided afterwards."""
    cursor = reader.cursor
    opened = 0
    while cursor.symbol == "(":
        cursor.advance()
        opened += 1
    in_parentheses = False
    value: Operand | Arithmetic = reader.operand()
    while True:
        operator = _SIGNS.get(cursor.symbol)
        if operator is not None and not isinstance(value, Arithmetic):
            cursor.advance()
            reader.operators += 1
            value = Arithmetic(operator, value, reader.operand())
            in_parentheses = False
        elif opened:
            cursor.expect(")")
            if in_parentheses:
                raise cursor.refusal(messages.redundant_parentheses())
            in_parentheses = True
            opened -= 1
        else:
            return value


_SECTIONS: Final[dict[str, Callable[[Reader], Action]]] = {
    "SET": _set,
    "REMOVE": _remove,
    "ADD": _add,
    "DELETE": _delete,
}
_SIGNS: Final[dict[str, Literal["+", "-"]]] = {"+": "+", "-": "-"}
