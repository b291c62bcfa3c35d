"""Conditions on keys of access patterns, and the keys that serve them. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.placeholders import Scope
from hashrange.expressions.syntax import Path
from hashrange.expressions.tokens import Cursor, Kind, Token
from hashrange.expressions.update_grammar import update
from hashrange.tools.models.table_parts import indexes_of, keys_of

EQUAL: Final = "="
OPERATORS: Final = (EQUAL, "<", "<=", ">", ">=", "between", "begins_with")
"""The operators of conditions on keys."""


class Condition(msgspec.Struct, frozen=True):
    """A condition on a key attribute.

    Attributes:
        name: the attribute.
        operator: one of `OPERATORS`, or an unknown one.
        values: a value; two of `between`.
    """

    name: str
    operator: str
    values: tuple[Any, ...]


def conditions_of(key: Mapping[str, Any]) -> list[Condition]:
    """The conditions of the member `key` of a pattern."""
    return list(_conditions(key))


def _conditions(key: Mapping[str, Any]) -> Iterator[Condition]:
    for name, wanted in key.items():
        if not isinstance(wanted, Mapping):
            yield Condition(name, EQUAL, (wanted,))
            continue
        if len(wanted) != 1:
            yield Condition(name, " ".join(map(str, wanted)) or "nothing", ())
            continue
        ((operator, value),) = wanted.items()
        values = tuple(value) if operator == "between" and isinstance(value, list) else (value,)
        expected = 2 if operator == "between" else 1
        known = operator in OPERATORS and len(values) == expected
        yield Condition(name, operator if known else f"{operator} of {value}"[:60], values)


def serves(part: Mapping[str, Any], conditions: list[Condition]) -> bool:
    """Whether a Query of a table or an index can have these conditions."""
    return next(faults(part, conditions), None) is None


def faults(part: Mapping[str, Any], conditions: list[Condition]) -> Iterator[tuple[str, str]]:
    """The kinds and texts of findings for conditions of a Query on a table or an index."""
    partition, sort = keys_of(part)
    given = {condition.name: condition for condition in conditions}
    for condition in conditions:
        if condition.operator not in OPERATORS:
            yield (
                "unknown-condition",
                f"{condition.name}: there is no condition {condition.operator}",
            )
        elif condition.name not in {*partition, *sort}:
            yield "condition-on-no-key", f"{condition.name} is not an attribute of this key"
    for name in partition:
        if name not in given:
            yield "partition-key-missing", f"the partition key {name} has no condition"
        elif given[name].operator != EQUAL:
            text = f"the partition key {name} has the condition {given[name].operator}: it needs ="
            yield "partition-key-range", text
    yield from _sort_faults(sort, given)


def _sort_faults(sort: list[str], given: Mapping[str, Condition]) -> Iterator[tuple[str, str]]:
    """Conditions on the sort key: equality from the left, another one last."""
    ended: str | None = None
    for name in sort:
        if name not in given:
            ended = ended or f"{name} before it has none"
        elif ended is not None:
            yield "sort-key-gap", f"the sort key {name} has a condition, but {ended}"
        elif given[name].operator != EQUAL:
            ended = f"that of {name} before it is not ="


def serving(request: Mapping[str, Any], conditions: list[Condition]) -> list[str]:
    """The names of the indexes that serve the conditions."""
    return [name for name, index in indexes_of(request).items() if serves(index, conditions)]


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
