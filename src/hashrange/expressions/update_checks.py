"""Checks updates beyond their syntax, in DynamoDB's order.

Reserved words and depth of paths, names and places of functions, repeated sections, placeholders,
targets that overlap or conflict, operands of ADD and DELETE, and last the operands of functions.

Source: tests of public emulators that were run against the service.
"""

from typing import Final, assert_never

from hashrange.expressions.functions import CONDITION_FUNCTIONS, UPDATE_FUNCTIONS
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import Facts, Part, calls
from hashrange.expressions.overlaps import check_overlaps
from hashrange.expressions.placeholders import undefined
from hashrange.expressions.syntax import (
    Action,
    Add,
    Arithmetic,
    Call,
    Constant,
    Delete,
    Operand,
    Path,
    Remove,
    Set,
    Undefined,
)
from hashrange.expressions.update_grammar import Sections
from hashrange.messages import expressions as messages
from hashrange.model.data_types import DATA_TYPES, SETS

_NUMBER_KIND: Final = frozenset({"N"})


def check_update(sections: Sections, reader: Reader, facts: Facts) -> None:
    """Raises DynamoError: the first fault of the update that `reader` has read."""
    parts = sections.parts
    if reader.path_fault is not None:
        raise facts.refusal(reader.path_fault)
    with_calls = [part for part in parts if part.calls]
    for part in with_calls:
        _check_functions(part, facts)
    for part in with_calls:
        _check_places(part, facts)
    if sections.repeated is not None:
        raise facts.refusal(messages.section_repeated(sections.repeated))
    for part in parts:
        if part.undefined is not None:
            raise facts.refusal(undefined(part.undefined))
    check_overlaps(targets(sections.actions), facts)
    for part in parts:
        _check_section_operand(part.node, facts)
    for part in parts:
        _check_operands(part, facts)


def check_operands(action: Action, facts: Facts) -> None:
    """Raises DynamoError: operands of a function or of arithmetic that it does not take."""
    operands = operands_of(action)
    _check_operands(Part(action, operands, calls(operands)), facts)


def targets(actions: tuple[Action, ...]) -> list[Path]:
    """The paths that the actions write or remove."""
    paths = []
    for action in actions:
        assert not isinstance(action.target, Undefined), "refused before"
        paths.append(action.target)
    return paths


def operands_of(action: Action) -> tuple[Operand, ...]:
    """The operands of an action, besides its target."""
    match action:
        case Set(_, value):
            return (value.left, value.right) if isinstance(value, Arithmetic) else (value,)
        case Remove():
            return ()
        case Add(_, operand) | Delete(_, operand):
            return (operand,)
        case _:
            assert_never(action)


def _check_functions(part: Part[Action], facts: Facts) -> None:
    for call in part.calls:
        if call.function in CONDITION_FUNCTIONS:
            raise facts.refusal(messages.function_not_for_updates(call.function))
        if call.function not in UPDATE_FUNCTIONS:
            raise facts.refusal(messages.function_unknown(call.function))


def _check_places(part: Part[Action], facts: Facts) -> None:
    """Within anything else only if_not_exists may stand."""
    inner = [operand for call in part.calls for operand in call.operands]
    if isinstance(part.node, Set) and isinstance(part.node.value, Arithmetic):
        inner += part.operands
    for operand in inner:
        if isinstance(operand, Call) and operand.function == "list_append":
            raise facts.refusal(messages.function_misplaced(operand.function))


def _check_section_operand(action: Action, facts: Facts) -> None:
    match action:
        case Add(_, Constant(position)):
            section, allowed = "ADD", SETS | {"N"}
        case Delete(_, Constant(position)):
            section, allowed = "DELETE", SETS
        case _:
            return
    kind = facts.kinds[position]
    if kind not in allowed:
        raise facts.refusal(messages.addend_type(section, DATA_TYPES[kind].name))


def _check_operands(part: Part[Action], facts: Facts) -> None:
    action = part.node
    for call in part.calls:
        function = UPDATE_FUNCTIONS[call.function]
        if len(call.operands) != function.operands:
            raise facts.refusal(messages.operand_count(call.function, len(call.operands)))
        function.check(call, facts)
    if isinstance(action, Set) and isinstance(action.value, Arithmetic):
        facts.check_kinds(part.operands, action.value.operator, _NUMBER_KIND)
