"""Checks a SearchConditionExpression and splits it into clauses; it does not know the index."""

from typing import assert_never

import msgspec

from hashrange.expressions.operands import Facts
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    Constant,
    Element,
    In,
    Not,
    Or,
    Path,
)
from hashrange.messages import vectors as messages


class SearchClause(msgspec.Struct, frozen=True):
    """An attribute, and the position of the value that it must have."""

    path: tuple[Element, ...]
    position: int


def search_clauses(condition: Condition, facts: Facts) -> tuple[SearchClause, ...]:
    """The clauses of a condition that `check_condition` has accepted, in the order of the text.

    Raises DynamoError: another operator than = and AND, or other operands than an attribute and a
    value.
    """
    clauses: list[SearchClause] = []
    rest = [condition]
    while rest:
        inner = rest.pop()
        match inner:
            case And(conditions):
                rest.extend(reversed(conditions))
            case Or() | Not() | Between() | In() | Call():
                raise facts.refusal(messages.operator())
            case Comparison(comparator, left, right):
                if comparator != "=":
                    raise facts.refusal(messages.comparator())
                match (left, right):
                    case (Path(path), Constant(position)) | (Constant(position), Path(path)):
                        clauses.append(SearchClause(path, position))
                    case _:
                        raise facts.refusal(messages.operator())
            case _:
                assert_never(inner)
    return tuple(clauses)
