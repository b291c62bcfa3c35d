"""Conditions from before expressions: an attribute, the name of an operator, and its arguments.

Shared by Expected, KeyConditions, QueryFilter and ScanFilter. They become the same trees as
expressions, with each argument as a constant.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import invalid
from hashrange.expressions.conditions import Condition, ConditionShape, condition_shape
from hashrange.expressions.functions import TESTS
from hashrange.expressions.key_conditions import KEY_OPERATORS, KeyClause
from hashrange.expressions.operands import ORDERED_KINDS, Constants
from hashrange.expressions.readers import Derivations
from hashrange.expressions.reserved import check_name
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparator,
    Comparison,
    Constant,
    In,
    Not,
    Or,
    Path,
)
from hashrange.expressions.syntax import Condition as Tree
from hashrange.limits.requests import (
    EXPRESSION_SHAPE_CHARS_MAX,
    EXPRESSION_SHAPES_CHARS_MAX,
    FILTER_CONDITIONS_MAX,
    IN_OPERANDS_MAX,
    LEGACY_SHAPES_MAX,
)
from hashrange.messages import expressions as messages
from hashrange.model.canonical import canonical_value
from hashrange.model.data_types import DATA_TYPES, ORDER_KEYS
from hashrange.model.structures.dynamodb import Condition as Entry
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

_NONE, _ONE, _TWO, _MANY = (0, 0), (1, 1), (2, 2), (1, IN_OPERANDS_MAX)
_ANY_KINDS: Final = frozenset(DATA_TYPES)
_MEMBER_KINDS: Final = ORDERED_KINDS | {"BOOL", "NULL"}
_PREFIX_KINDS: Final = frozenset({"S", "B"})


class _Operator(NamedTuple):
    """A comparison operator."""

    counts: tuple[int, int]
    """The least and the most arguments."""
    kinds: frozenset[str]
    """The types of arguments."""
    expression: str = ""
    """The comparator or function of expressions that it is; empty if it is none."""


OPERATORS: Final = {
    "EQ": _Operator(_ONE, _ANY_KINDS, "="),
    "NE": _Operator(_ONE, _ANY_KINDS, "<>"),
    "LE": _Operator(_ONE, ORDERED_KINDS, "<="),
    "LT": _Operator(_ONE, ORDERED_KINDS, "<"),
    "GE": _Operator(_ONE, ORDERED_KINDS, ">="),
    "GT": _Operator(_ONE, ORDERED_KINDS, ">"),
    "NULL": _Operator(_NONE, _ANY_KINDS, "attribute_not_exists"),
    "NOT_NULL": _Operator(_NONE, _ANY_KINDS, "attribute_exists"),
    "CONTAINS": _Operator(_ONE, _MEMBER_KINDS, "contains"),
    "NOT_CONTAINS": _Operator(_ONE, _MEMBER_KINDS),
    "BEGINS_WITH": _Operator(_ONE, _PREFIX_KINDS, "begins_with"),
    "IN": _Operator(_MANY, ORDERED_KINDS),
    "BETWEEN": _Operator(_TWO, ORDERED_KINDS, "BETWEEN"),
}
"""The comparison operators by name.

Source: Developer Guide, "Legacy conditional parameters"; types from public tests that were run
against the service.
"""

_Row: TypeAlias = tuple[str, str, int]
"""An attribute, an operator, and the number of its arguments."""


def canonical_arguments(
    operator: str,
    values: Sequence[AttributeValue],
    wording: Wording,
    *,
    in_operands_max: int | None = IN_OPERANDS_MAX,
) -> list[AttributeValue]:
    """The canonical arguments of a comparison operator.

    Args:
        operator: a known one.
        values: as sent.
        wording: the validation layer that speaks for the operation.
        in_operands_max: the most arguments of IN; None for any number.

    Raises:
        DynamoError: the first fault: a value, then the number of arguments, their types, the
            order of the bounds of BETWEEN.
    """
    arguments = [canonical_value(value, wording) for value in values]
    (least, most), kinds, _ = OPERATORS[operator]
    if operator == "IN":
        most = in_operands_max or len(arguments)
    if not least <= len(arguments) <= most:
        raise invalid(messages.argument_count(operator))
    if arguments:
        kind = next(iter(arguments[0]))
        if len(arguments) > 1 and any(kind not in argument for argument in arguments):
            raise invalid(messages.argument_types_differ())
        if kind not in kinds:
            raise invalid(messages.argument_type(operator, kind))
    if operator == "BETWEEN":
        _check_bounds(*arguments)
    return arguments


def _check_bounds(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> None:
    ((kind, low),) = lower.items()
    key = ORDER_KEYS[kind]
    if key(low) > key(upper[kind]):
        raise invalid(messages.range_reversed())


def check_conditional_operator(
    operator: str | None, conditions: Mapping[str, object] | None
) -> None:
    """Refuse a ConditionalOperator that has fewer than two conditions to combine.

    Args:
        operator: ConditionalOperator as sent.
        conditions: Expected, QueryFilter or ScanFilter as sent.
    """
    if operator is None:
        return
    if not conditions:
        raise invalid(messages.operator_of_no_condition())
    if len(conditions) == 1:
        raise invalid(messages.operator_of_one_condition())


class Conditions:
    """Collects conditions on attributes and joins them into one condition."""

    __slots__ = ("_constants", "_rows")

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._constants: list[AttributeValue] = []

    def add(self, attribute: str, operator: str, arguments: Sequence[AttributeValue]) -> None:
        """Add a condition on an attribute; `arguments` come from `canonical_arguments`."""
        self._rows.append((attribute, operator, len(arguments)))
        self._constants += arguments

    def joined(self, conditional_operator: str | None) -> Condition | None:
        """The conditions joined with AND, or with OR if `conditional_operator` says so.

        None if no condition was added.
        """
        if not self._rows:
            return None
        constants = tuple(self._constants)
        kinds = tuple([next(iter(constant)) for constant in constants])
        key = (tuple(self._rows), kinds, conditional_operator)
        compiled = _compiled_conditions.get(key)
        if compiled is None:
            compiled = _compiled(*key)
            chars = sum(len(attribute) + len(operator) for attribute, operator, _ in self._rows)
            _compiled_conditions.keep(key, compiled, chars + sum(map(len, kinds)))
        extend = compiled.extend
        return compiled.shape.bound(constants if extend is None else extend(constants))


class _Compiled(msgspec.Struct, frozen=True):
    """A compiled condition."""

    shape: ConditionShape
    extend: Callable[[Constants], Constants] | None
    """Appends the derived constants, such as sort keys, to those of a request; None for none."""


_CacheKey: TypeAlias = tuple[tuple[_Row, ...], tuple[str, ...], str | None]
"""The rows, the types of the constants, and ConditionalOperator."""
_compiled_conditions: Final = BoundedCache[_CacheKey, _Compiled](
    entries_max=LEGACY_SHAPES_MAX,
    chars_max=EXPRESSION_SHAPES_CHARS_MAX,
    entry_chars_max=EXPRESSION_SHAPE_CHARS_MAX,
)


def _compiled(
    rows: tuple[_Row, ...], kinds: tuple[str, ...], conditional_operator: str | None
) -> _Compiled:
    """Compile a condition for all requests with the same cache key; values are not used."""
    position = 0
    trees: list[Tree] = []
    for attribute, operator, count in rows:
        arguments = [Constant(position + number) for number in range(count)]
        trees.append(_tree(Path((attribute,)), operator, arguments))
        position += count
    tree = trees[0]
    if len(trees) > 1:
        tree = (Or if conditional_operator == "OR" else And)(tuple(trees))
    derivations = Derivations(kinds)
    shape = condition_shape(tree, derivations)
    return _Compiled(shape, derivations.extend())


def _tree(path: Path, operator: str, arguments: list[Constant]) -> Tree:
    """The tree of the expression that is equivalent to the operator."""
    tree: Tree
    match operator, arguments:
        case "IN", members:
            tree = In(path, tuple(members))
        case "BETWEEN", [lower, upper]:
            tree = Between(path, lower, upper)
        case "NOT_CONTAINS", [part]:
            # Unlike NE, NOT_CONTAINS is false for a missing attribute.
            exists = Call("attribute_exists", (path,))
            tree = And((exists, Not(Call("contains", (path, part)))))
        case _ if (name := OPERATORS[operator].expression) in TESTS:
            tree = Call(name, (path, *arguments))
        case _:
            (argument,) = arguments
            tree = Comparison(cast("Comparator", name), path, argument)
    return tree


def filter_condition(
    entries: Mapping[str, Entry],
    conditional_operator: str | None,
    wording: Wording,
    *,
    arguments_max: int | None = None,
) -> Condition | None:
    """The condition that an item must fulfil to be returned.

    Args:
        entries: as sent; each with a known operator.
        conditional_operator: AND, OR, or None for AND.
        wording: the validation layer that speaks for the operation.
        arguments_max: the most arguments of all entries together, for operations that do not
            limit those of a single IN; None for operations that do.

    Returns:
        None if there are no entries.

    Raises:
        DynamoError: the first fault in the order as sent, else more than
            `FILTER_CONDITIONS_MAX` entries.
    """
    conditions = Conditions()
    in_operands_max = IN_OPERANDS_MAX if arguments_max is None else None
    count = 0
    for attribute, entry in entries.items():
        check_name(attribute)
        operator = entry.comparison_operator
        assert operator is not None, "the model requires it"
        values = entry.attribute_value_list or ()
        arguments = canonical_arguments(operator, values, wording, in_operands_max=in_operands_max)
        conditions.add(attribute, operator, arguments)
        count += len(arguments)
    if len(entries) > FILTER_CONDITIONS_MAX:
        raise invalid(messages.too_many_conditions(FILTER_CONDITIONS_MAX))
    if arguments_max is not None and count > arguments_max:
        raise invalid(messages.too_many_arguments(arguments_max))
    return conditions.joined(conditional_operator)


class Unindexable(msgspec.Struct, frozen=True):
    """A condition whose operator cannot be a range of keys, such as NE.

    It is refused later, when keys are matched with the schema: DynamoDB looks up the table first.
    """

    attribute: str


KeyCondition: TypeAlias = KeyClause | Unindexable


def key_conditions(conditions: Mapping[str, Entry], most: int) -> tuple[KeyCondition, ...]:
    """The clauses of KeyConditions, in the order as sent.

    Args:
        conditions: as sent; each with a known operator.
        most: the largest number of conditions.

    Raises:
        DynamoError: the first fault of a name, an operator or its arguments; else no conditions,
            or more than `most`.
    """
    clauses = tuple([_clause(name, condition) for name, condition in conditions.items()])
    if not 1 <= len(clauses) <= most:
        raise invalid(messages.key_condition_count())
    return clauses


def _clause(attribute: str, condition: Entry) -> KeyCondition:
    check_name(attribute)
    name = condition.comparison_operator
    assert name is not None, "the model requires it"
    arguments = canonical_arguments(name, condition.attribute_value_list or (), Wording.CURRENT)
    operator = KEY_OPERATORS.get(OPERATORS[name].expression)
    if operator is None:
        return Unindexable(attribute)
    return KeyClause(attribute, operator, tuple(arguments))
