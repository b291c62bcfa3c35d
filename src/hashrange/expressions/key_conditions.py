"""Checks a KeyConditionExpression and splits it into clauses; it does not know the table's key."""

from typing import Final, Literal, TypeAlias, assert_never, cast

import msgspec

from hashrange.expressions.condition_checks import operands_of
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
from hashrange.messages.expressions import syntax as messages
from hashrange.model.values import AttributeValue

KeyOperator: TypeAlias = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

_MIRRORED: Final[dict[str, KeyOperator]] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
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

    def bound(self, constants: Constants) -> KeyClause:
        """The clause with the values of a request."""
        operands = tuple([constants[position] for position in self.positions])
        return KeyClause(self.attribute, self.operator, operands)


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
    operator = _operator(leaf, facts)
    operands = operands_of(leaf)
    attribute = _attribute(operands, facts)
    if not isinstance(operands[0], Path):
        operator = _MIRRORED[operator]
    positions = [operand.position for operand in operands if isinstance(operand, Constant)]
    return KeyShape(attribute, operator, tuple(positions))


def _operator(leaf: Leaf, facts: Facts) -> KeyOperator:
    match leaf:
        case Comparison("<>"):
            raise facts.refusal(messages.key_operator("<>"))
        case Comparison(comparator):
            return cast("KeyOperator", comparator)
        case In():
            raise facts.refusal(messages.key_operator("IN"))
        case Between(operand):
            _check_key_is_first(operand, "BETWEEN", facts)
            return "BETWEEN"
        case Call("begins_with", (operand, _)):
            _check_key_is_first(operand, "begins_with", facts)
            return "begins_with"
        case Call(function):
            raise facts.refusal(messages.key_operator(function))
        case _:
            assert_never(leaf)


def _check_key_is_first(operand: Operand, operator: str, facts: Facts) -> None:
    if isinstance(operand, Constant):
        raise facts.refusal(messages.key_operand_not_first(operator))


def _attribute(operands: tuple[Operand, ...], facts: Facts) -> str:
    """The one attribute that the operands name, with values beside it."""
    attribute: str | None = None
    for operand in operands:
        match operand:
            case Path((str() as name, *below)):
                if attribute is not None:
                    raise facts.refusal(messages.key_attributes_many())
                if below:
                    raise facts.refusal(messages.key_path_nested())
                attribute = name
            case Call():
                raise facts.refusal(messages.key_condition_nested())
            case _:
                assert isinstance(operand, Constant), "undefined ones are refused before"
    if attribute is None:
        raise facts.refusal(messages.key_attribute_missing())
    return attribute
