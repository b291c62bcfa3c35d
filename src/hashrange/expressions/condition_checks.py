"""Checks conditions beyond their syntax, in DynamoDB's order.

First over the whole expression: names of functions, number of operators, places of functions,
reserved words and depth of paths. Then for each comparison or function, in the order of the text:
placeholders, number of operands, distinct operands, types of operands.

Source: tests of public emulators that were run against the service.
"""

from typing import Final, assert_never

from hashrange.expressions.condition_grammar import ReadCondition
from hashrange.expressions.functions import CONDITION_FUNCTIONS, TESTS, UPDATE_FUNCTIONS
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import (
    ORDERED_KINDS,
    Constants,
    Facts,
    Part,
    ValueCheck,
    calls,
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
from hashrange.limits.requests import EXPRESSION_OPERATORS_MAX, IN_OPERANDS_MAX
from hashrange.messages import expressions as messages
from hashrange.model.data_types import ORDER_KEYS

ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})
"""Comparators that need an order."""


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
        if call.function in UPDATE_FUNCTIONS:
            raise facts.refusal(messages.function_not_for_conditions(call.function))
        if call.function not in CONDITION_FUNCTIONS:
            raise facts.refusal(messages.function_unknown(call.function))


def _check_places(part: Part[Leaf], facts: Facts) -> None:
    """Conditions are no operands; a function with a value is no condition."""
    leaf = part.node
    inner = [operand for call in part.calls for operand in call.operands]
    for operand in [*inner, *part.operands]:
        if isinstance(operand, Call) and operand.function in TESTS:
            raise facts.refusal(messages.function_misplaced(operand.function))
    if isinstance(leaf, Call) and leaf.function not in TESTS:
        raise facts.refusal(messages.function_misplaced(leaf.function))


def _check_leaf(part: Part[Leaf], facts: Facts) -> None:
    if part.undefined is not None:
        raise facts.refusal(undefined(part.undefined))
    leaf = part.node
    for call in part.calls:
        if len(call.operands) != CONDITION_FUNCTIONS[call.function].operands:
            raise facts.refusal(messages.operand_count(call.function, len(call.operands)))
    if isinstance(leaf, In) and len(leaf.members) > IN_OPERANDS_MAX:
        raise facts.refusal(messages.too_many_members(len(leaf.members)))
    first, *others = part.operands
    if isinstance(first, Path) and first in others:
        shown = path_text(first.elements)
        raise facts.refusal(messages.operands_not_distinct(_operator(leaf), shown))
    for call in part.calls:
        CONDITION_FUNCTIONS[call.function].check(call, facts)
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
