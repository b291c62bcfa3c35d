"""Checks a KeyConditionExpression and splits it into clauses; it does not know the table's key."""

from collections.abc import Iterable
from typing import Final, assert_never, get_args

import msgspec

from hashrange.expressions.operands import Constants, Facts
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Condition,
    Constant,
    In,
    Leaf,
    Not,
    Operand,
    Or,
    Path,
)
from hashrange.messages import expressions as messages
from hashrange.model.values import AttributeValue, KeyOperator

KEY_OPERATORS: Final[dict[str, KeyOperator]] = {each: each for each in get_args(KeyOperator)}
"""By their names."""
MIRRORED: Final[dict[str, KeyOperator]] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparator that replaces each one when the operands are exchanged."""


class KeyClause(msgspec.Struct, frozen=True):
    """The condition on one key attribute."""

    attribute: str
    operator: KeyOperator
    operands: tuple[AttributeValue, ...]
    """One value, or the two bounds of BETWEEN."""


class KeyShape(msgspec.Struct, frozen=True):
    """A clause with the positions of its values instead of the values."""

    attribute: str
    operator: KeyOperator
    positions: tuple[int, ...]


def key_clauses(shapes: Iterable[KeyShape], constants: Constants) -> tuple[KeyClause, ...]:
    """The clauses with the values of a request."""
    clauses = []
    for shape in shapes:
        operands = tuple(map(constants.__getitem__, shape.positions))
        clauses.append(KeyClause(shape.attribute, shape.operator, operands))
    return tuple(clauses)


def key_shapes(condition: Condition, facts: Facts) -> tuple[KeyShape, ...]:
    """The clauses of a condition that `check_condition` has accepted, in the order of the text.

    Raises:
        DynamoError: an operator or an operand that no key condition may have, or two clauses for
            one attribute.
    """
    shapes: dict[str, KeyShape] = {}
    rest = [condition]
    while rest:
        inner = rest.pop()
        match inner:
            case And(conditions):
                rest.extend(reversed(conditions))
            case Or():
                raise facts.refusal(messages.key_operator("OR"))
            case Not():
                raise facts.refusal(messages.key_operator("NOT"))
            case Comparison() | Between() | In() | Call():
                shape = _shape(inner, facts)
                if shape.attribute in shapes:
                    raise facts.refusal(messages.key_conditioned_twice())
                shapes[shape.attribute] = shape
            case _:
                assert_never(inner)
    return tuple(shapes.values())


def _shape(leaf: Leaf, facts: Facts) -> KeyShape:
    operands: tuple[Operand, ...]
    match leaf:
        case Comparison(name, left, right):
            operands = (left, right)
        case Between(first, lower, upper):
            name, operands = "BETWEEN", (first, lower, upper)
        case In():
            name, operands = "IN", ()
        case Call(name, operands):
            pass
        case _:
            assert_never(leaf)
    operator = KEY_OPERATORS.get(name)
    if operator is None:
        raise facts.refusal(messages.key_operator(name))
    if isinstance(operands[0], Constant):
        if operator not in MIRRORED:
            raise facts.refusal(messages.key_operand_not_first(operator))
        operator = MIRRORED[operator]
    attribute, positions = _attribute_and_values(operands, facts)
    return KeyShape(attribute, operator, positions)


def _attribute_and_values(
    operands: tuple[Operand, ...], facts: Facts
) -> tuple[str, tuple[int, ...]]:
    """The one attribute that the operands name, and the positions of the values beside it."""
    attribute: str | None = None
    positions = []
    for operand in operands:
        match operand:
            case Constant(position):
                positions.append(position)
            case Path((str() as name, *below)):
                if attribute is not None:
                    raise facts.refusal(messages.key_attributes_many())
                if below:
                    raise facts.refusal(messages.key_path_nested())
                attribute = name
            case _:
                assert isinstance(operand, Call), "undefined ones are refused before"
                raise facts.refusal(messages.key_condition_nested())
    if attribute is None:
        raise facts.refusal(messages.key_attribute_missing())
    return attribute, tuple(positions)
