"""Makes canonical attribute values of literals; faults name the place of the literal."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.syntax import Expr
from hashrange.expressions.partiql.tokens import Cursor, Kind, place
from hashrange.limits.requests import NESTING_LEVELS_MAX
from hashrange.messages import partiql as messages
from hashrange.model.canonical import canonical_value
from hashrange.model.data_types import DATA_TYPES, MEMBER_OF_SET
from hashrange.model.numbers import canonical_number
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

_ROOT = "root"
_SETS: Final = {member: code for code, member in MEMBER_OF_SET.items()}


def is_literal(node: Expr) -> bool:
    """Whether a node has the syntax of a literal; its members may be other nodes."""
    return isinstance(node, syntax.Lit | syntax.Sequence | syntax.Struct)


def value_of(node: Expr, text: str) -> AttributeValue:
    """The canonical value of a literal.

    Args:
        node: the literal.
        text: the statement.

    Raises:
        DynamoError: ValidationException, with the path in the value, or the place in the statement.
    """
    value = cast("AttributeValue", _value(node, text, _ROOT, 1))
    return canonical_value(value, Wording.OLDER)


def _value(node: Expr, text: str, path: str, level: int) -> Any:
    match node:
        case syntax.Lit(kind="N", value=str(number)):
            return {"N": _number(number, path)}
        case syntax.Lit(kind=kind, value=content):
            return {kind: content}
        case syntax.Sequence(name="Bag", members=members):
            return _bag(members, text, path)
        case syntax.Sequence(members=members):
            _check_level(members, f"{path}[0]", level)
            return {
                "L": [
                    _value(member, text, f"{path}[{position}]", level + 1)
                    for position, member in enumerate(members)
                ]
            }
        case syntax.Struct():
            return {"M": _members(node, text, path, level)}
        case _:
            raise unsupported(node, text, path)


def _members(node: syntax.Struct, text: str, path: str, level: int) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in named(node, text, path):
        _check_level((name,), f"{path}.{name}", level)
        content[name] = _value(value, text, f"{path}.{name}", level + 1)
    return content


def named(node: syntax.Struct, text: str, path: str = _ROOT) -> Iterable[tuple[str, Expr]]:
    """The members of a document. Raises ValidationException: a duplicate name, or no string."""
    seen: set[str] = set()
    for name, value in node.members:
        if not isinstance(name, syntax.Lit):
            raise unsupported(name, text, path)
        if name.kind != "S":
            raise invalid(messages.key_not_text(name.kind, path))
        key = str(name.value)
        if key in seen:
            raise invalid(messages.key_repeated(key, path))
        seen.add(key)
        yield key, value


def _check_level(members: tuple[object, ...], path: str, level: int) -> None:
    if members and level >= NESTING_LEVELS_MAX:
        raise invalid(messages.nesting_too_deep(path))


def _number(number: str, path: str) -> str:
    try:
        return canonical_number(number, Wording.OLDER)
    except DynamoError as error:
        raise invalid(messages.number_in(str(error.message), path)) from error


def _bag(members: tuple[Expr, ...], text: str, path: str) -> dict[str, Any]:
    if not members:
        raise invalid(messages.empty_bag())
    kinds = set()
    for position, member in enumerate(members):
        if isinstance(member, syntax.Parameter):
            raise unsupported(member, text, f"{path}[{position}]")
        kinds.add(member.kind if isinstance(member, syntax.Lit) else "")
    if kinds not in ({"S"}, {"N"}):
        raise invalid(messages.bag_members())
    written = [str(member.value) for member in members if isinstance(member, syntax.Lit)]
    (kind,) = kinds
    if kind == "S":
        return {_SETS[kind]: written}
    numbers = [_number(number, path) for number in written]
    if len(set(numbers)) < len(numbers):
        raise invalid(messages.number_bag_repeats(written))
    return {_SETS[kind]: numbers}


def unsupported(node: Expr, text: str, path: str) -> DynamoError:
    """The error for a node that is not a literal."""
    name = node.function if isinstance(node, syntax.Call) else type(node).__name__
    at = place(text, node.start, node.length)
    return invalid(messages.unsupported_data_type(name, path, at))


_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "MISSING": (),
    **{
        name: tuple(code for code, other in DATA_TYPES.items() if name in other.partiql)
        for each in DATA_TYPES.values()
        for name in each.partiql
    },
}
_SECOND_WORDS: Final = {"DOUBLE": "PRECISION", "CHARACTER": "VARYING"}
_WORDS: Final = frozenset({Kind.NAME, Kind.KEYWORD})


def type_named(cursor: Cursor) -> tuple[str, ...]:
    """Parse the name of a type: its types in DynamoDB, none for MISSING.

    Raises ValidationException: no name of a type comes next.
    """
    token = cursor.token
    name = token.value.upper()
    if token.kind not in _WORDS or name not in _TYPES:
        raise invalid(messages.expected_type_name())
    cursor.advance()
    second = _SECOND_WORDS.get(name)
    if second is not None and not cursor.take(second) and name == "DOUBLE":
        raise invalid(messages.expected_type_name())
    return _TYPES[name]
