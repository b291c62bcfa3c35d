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
from hashrange.expressions.operands import Part
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
from hashrange.limits.requests import EXPRESSION_OPERATORS_MAX
from hashrange.messages import expressions as messages


class Sections(msgspec.Struct, frozen=True):
    """The actions of an update in the order of the text, and the first repeated section."""

    actions: tuple[Action, ...]
    parts: list[Part[Action]]
    repeated: str | None


def update(reader: Reader) -> Sections:
    """The whole expression as an update. Raises DynamoError: wrong syntax or too large."""
    cursor = reader.cursor
    parts: list[Part[Action]] = []
    seen: set[str] = set()
    repeated: str | None = None
    while True:
        section = cursor.symbol
        _read_section(reader, parts)
        if section in seen and repeated is None:
            repeated = section
        seen.add(section)
        if cursor.symbol not in _SECTIONS:
            break
    reader.end()
    if reader.operators > EXPRESSION_OPERATORS_MAX:
        raise reader.too_many_operators()
    return Sections(tuple([part.node for part in parts]), parts, repeated)


def projection(reader: Reader) -> "list[Path | Undefined]":
    """The whole expression as paths. Raises DynamoError: wrong syntax."""
    paths = reader.paths()
    reader.end()
    return paths


def _read_section(reader: Reader, parts: list[Part[Action]]) -> None:
    cursor = reader.cursor
    action = _SECTIONS.get(cursor.symbol)
    if action is None:
        raise cursor.unexpected()
    cursor.advance()
    parts.append(action(reader))
    while cursor.symbol == ",":
        cursor.advance()
        parts.append(action(reader))


def _remove(reader: Reader) -> Part[Action]:
    return reader.part(Remove(reader.path()), ())


def _set(reader: Reader) -> Part[Action]:
    target = reader.path()
    reader.cursor.expect("=")
    value = _sum(reader)
    operands = (value.left, value.right) if isinstance(value, Arithmetic) else (value,)
    return reader.part(Set(target, value), operands)


def _add(reader: Reader) -> Part[Action]:
    target, value = reader.path(), reader.value()
    return reader.part(Add(target, value), (value,))


def _delete(reader: Reader) -> Part[Action]:
    target, value = reader.path(), reader.value()
    return reader.part(Delete(target, value), (value,))


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


_SECTIONS: Final[dict[str, Callable[[Reader], Part[Action]]]] = {
    "SET": _set,
    "REMOVE": _remove,
    "ADD": _add,
    "DELETE": _delete,
}
_SIGNS: Final[dict[str, Literal["+", "-"]]] = {"+": "+", "-": "-"}
