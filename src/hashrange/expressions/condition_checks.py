"""Checks conditions beyond their syntax, in DynamoDB's order.

First over the whole expression: names of functions, number of operators, places of functions,
reserved words and depth of paths. Then for each comparison or function, in the order of the text:
placeholders, number of operands, distinct operands, types of operands.

Source: tests of public emulators that were run against the service.
"""

from collections.abc import Callable
from typing import Any, Final, assert_never

from hashrange.expressions.condition_grammar import ReadCondition
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import (
    ORDERED_KINDS,
    Constants,
    Facts,
    Part,
    ValueCheck,
    calls,
    check_path,
    path_text,
    refused,
)
from hashrange.expressions.placeholders import undefined
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
from hashrange.limits.expressions import EXPRESSION_OPERATORS_MAX, IN_OPERANDS_MAX
from hashrange.messages.expressions import syntax as messages
from hashrange.model.binary import decoded
from hashrange.model.data_types import DATA_TYPES
from hashrange.model.numbers import sort_key

_OPERAND_COUNTS: Final = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
_UPDATE_FUNCTIONS: Final = frozenset({"if_not_exists", "list_append"})
_PREFIX_KINDS: Final = frozenset({"S", "B"})
_SIZED_KINDS: Final = frozenset(code for code, kind in DATA_TYPES.items() if kind.has_size)
_KIND_OF_A_PATH: Final = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
"""The type that the service prints for a path where only a constant is allowed: every type."""
ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})
"""Comparators that need an order."""

ORDER_KEYS: Final[dict[str, Callable[[str], Any]]] = {"S": str, "N": sort_key, "B": decoded}
"""The sort key of each ordered type. Python orders text by code point, as UTF-8 bytes do."""


def check_condition(read: ReadCondition, reader: Reader, facts: Facts) -> None:
    """Raises DynamoError: the first fault of the condition that `reader` has read."""
    for part in read.leaves:
        if part.calls:
            _check_functions(part, facts)
    # The service names an unknown function that is one of too many operators. Source: measured
    # against the service by users of another server's test suite.
    if reader.operators > EXPRESSION_OPERATORS_MAX:
        raise reader.too_many_operators()
    for part in read.leaves:
        if part.calls:
            _check_places(part, facts)
    if reader.path_fault is not None:
        raise facts.refusal(reader.path_fault)
    for part in read.leaves:
        _check_leaf(part, facts)


def check_operands(leaf: Leaf, facts: Facts) -> None:
    """Raises DynamoError: a wrong number of operands, or operands that do not go together."""
    operands = operands_of(leaf)
    _check_leaf(Part(leaf, operands, calls([leaf] if isinstance(leaf, Call) else operands)), facts)


def leaves(condition: Condition) -> list[Leaf]:
    """The comparisons and functions of a condition, in the order of the text."""
    rest = [condition]
    found: list[Leaf] = []
    while rest:
        inner = rest.pop()
        match inner:
            case And(conditions) | Or(conditions):
                rest.extend(reversed(conditions))
            case Not(negated):
                rest.append(negated)
            case Comparison() | Between() | In() | Call():
                found.append(inner)
            case _:
                assert_never(inner)
    return found


def operands_of(leaf: Leaf) -> tuple[Operand, ...]:
    """The operands of a comparison or function, in the order of the text."""
    match leaf:
        case Comparison(_, left, right):
            return (left, right)
        case Between(operand, lower, upper):
            return (operand, lower, upper)
        case In(operand, members):
            return (operand, *members)
        case Call(_, operands):
            return operands
        case _:
            assert_never(leaf)


def _check_functions(part: Part[Leaf], facts: Facts) -> None:
    for call in part.calls:
        if call.function in _UPDATE_FUNCTIONS:
            raise facts.refusal(messages.function_not_for_conditions(call.function))
        if call.function not in _OPERAND_COUNTS:
            raise facts.refusal(messages.function_unknown(call.function))


def _check_places(part: Part[Leaf], facts: Facts) -> None:
    """Only size has a value, and it has no truth."""
    leaf = part.node
    inner = [operand for call in part.calls for operand in call.operands]
    for operand in [*inner, *part.operands]:
        if isinstance(operand, Call) and operand.function != "size":
            raise facts.refusal(messages.function_misplaced(operand.function))
    if isinstance(leaf, Call) and leaf.function == "size":
        raise facts.refusal(messages.function_misplaced(leaf.function))


def _check_leaf(part: Part[Leaf], facts: Facts) -> None:
    if part.undefined is not None:
        raise facts.refusal(undefined(part.undefined))
    leaf = part.node
    for call in part.calls:
        if len(call.operands) != _OPERAND_COUNTS[call.function]:
            raise facts.refusal(messages.operand_count(call.function, len(call.operands)))
    if isinstance(leaf, In) and len(leaf.members) > IN_OPERANDS_MAX:
        raise facts.refusal(messages.too_many_members(len(leaf.members)))
    first, *others = part.operands
    if isinstance(first, Path) and first in others:
        shown = path_text(first.elements)
        raise facts.refusal(messages.operands_not_distinct(_operator(leaf), shown))
    for call in part.calls:
        _check_call(call, facts)
    if isinstance(leaf, Between):
        facts.check_kinds(part.operands, "BETWEEN", ORDERED_KINDS)
        _check_bounds(leaf, facts)
    elif isinstance(leaf, Comparison) and leaf.comparator in ORDERINGS:
        facts.check_kinds(part.operands, leaf.comparator, ORDERED_KINDS)


def _operator(leaf: Leaf) -> str:
    """The operator as error texts name it."""
    match leaf:
        case Comparison(comparator):
            return comparator
        case Between():
            return "BETWEEN"
        case In():
            return "IN"
        case Call(function):
            return function
        case _:
            assert_never(leaf)


def _check_call(call: Call, facts: Facts) -> None:
    match call:
        case Call(("attribute_exists" | "attribute_not_exists") as function, (operand,)):
            check_path(operand, function, facts)
        case Call("attribute_type", (_, operand)):
            _check_type_name(operand, facts)
        case Call("begins_with", operands):
            facts.check_kinds(operands, "begins_with", _PREFIX_KINDS)
        case Call("size", operands):
            facts.check_kinds(operands, "size", _SIZED_KINDS)
        case _:
            assert call.function == "contains", "it takes operands of all types"


def _check_type_name(operand: Operand, facts: Facts) -> None:
    kind = facts.kind(operand)
    if kind != "S" or not isinstance(operand, Constant):
        raise facts.refusal(messages.operand_type("attribute_type", kind or _KIND_OF_A_PATH))
    facts.check_value(_type_name_check(facts.label, operand.position))


def _type_name_check(label: str, position: int) -> ValueCheck:
    text = messages.type_name_unknown if label else messages.type_name_unknown_in_statement

    def check(constants: Constants) -> None:
        name = constants[position]["S"]
        if name not in DATA_TYPES:
            raise refused(label, text(name))

    return check


def _check_bounds(leaf: Between, facts: Facts) -> None:
    match leaf:
        case Between(_, Constant(lower), Constant(upper)):
            facts.check_value(_bounds_check(facts.label, lower, upper))
        case _:
            pass


def _bounds_check(label: str, lower: int, upper: int) -> ValueCheck:
    def check(constants: Constants) -> None:
        ((lower_kind, low),) = constants[lower].items()
        ((upper_kind, high),) = constants[upper].items()
        shown = f"{{{lower_kind}:{low}}}", f"{{{upper_kind}:{high}}}"
        if lower_kind != upper_kind:
            raise refused(label, messages.bounds_of_types(*shown))
        key = ORDER_KEYS[lower_kind]
        if key(low) > key(high):
            raise refused(label, messages.bounds_reversed(*shown))

    return check
