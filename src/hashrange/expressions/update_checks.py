"""Checks updates beyond their syntax, in DynamoDB's order.

Reserved words and depth of paths, names and places of functions, repeated sections, placeholders,
targets that overlap or conflict, operands of ADD and DELETE, and last the operands of functions.

Source: tests of public emulators that were run against the service.
"""

from typing import Final, assert_never

from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import Facts, calls, check_path
from hashrange.expressions.overlaps import check_overlaps
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
from hashrange.messages.expressions import syntax as messages
from hashrange.messages.expressions import updates as update_messages
from hashrange.model.wording import Wording

_OPERAND_COUNTS: Final = {"if_not_exists": 2, "list_append": 2}
_CONDITION_FUNCTIONS: Final = frozenset(
    {
        "attribute_exists",
        "attribute_not_exists",
        "attribute_type",
        "begins_with",
        "contains",
        "size",
    }
)
_SET_KINDS: Final = frozenset({"SS", "NS", "BS"})
_LONG_NAMES: Final = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}


def check_update(sections: Sections, reader: Reader, facts: Facts, wording: Wording) -> None:
    """Raises DynamoError: the first fault of the update that `reader` has read."""
    actions = sections.actions
    reader.check_paths()
    found = list(map(_Parts, actions))
    for parts in found:
        _check_functions(parts, facts)
    for parts in found:
        _check_places(parts, facts)
    if sections.repeated is not None:
        raise facts.refusal(update_messages.section_repeated(sections.repeated))
    for parts in found:
        facts.check_defined([parts.action.target, *parts.operands])
    check_overlaps(targets(actions), facts)
    for action in actions:
        _check_section_operand(action, facts, wording)
    for parts in found:
        _check_operands(parts, facts)


def check_operands(action: Action, facts: Facts) -> None:
    """Raises DynamoError: operands of a function or of arithmetic that it does not take."""
    _check_operands(_Parts(action), facts)


class _Parts:
    """An action, its operands besides its target, and the functions in these, inner ones first."""

    __slots__ = ("action", "calls", "operands")

    def __init__(self, action: Action) -> None:
        self.action = action
        self.operands = operands_of(action)
        self.calls = calls(self.operands)


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


def _check_functions(parts: _Parts, facts: Facts) -> None:
    for call in parts.calls:
        if call.function in _CONDITION_FUNCTIONS:
            raise facts.refusal(update_messages.function_not_for_updates(call.function))
        if call.function not in _OPERAND_COUNTS:
            raise facts.refusal(messages.function_unknown(call.function))


def _check_places(parts: _Parts, facts: Facts) -> None:
    """Within anything else only if_not_exists may stand."""
    if not parts.calls:
        return
    inner = [operand for call in parts.calls for operand in call.operands]
    if isinstance(parts.action, Set) and isinstance(parts.action.value, Arithmetic):
        inner += parts.operands
    for operand in inner:
        if isinstance(operand, Call) and operand.function == "list_append":
            raise facts.refusal(messages.function_misplaced(operand.function))


def _check_section_operand(action: Action, facts: Facts, wording: Wording) -> None:
    match action:
        case Add(_, Constant(position)):
            section, allowed = "ADD", _SET_KINDS | {"N"}
        case Delete(_, Constant(position)):
            section, allowed = "DELETE", _SET_KINDS
        case _:
            return
    kind = facts.kinds[position]
    if kind in allowed:
        return
    match wording:
        case Wording.CURRENT:
            reason = update_messages.operand_type(section, _LONG_NAMES[kind])
        case Wording.OLDER:
            reason = update_messages.operand_type_older(section, _LONG_NAMES[kind])
        case _:
            assert_never(wording)
    raise facts.refusal(reason)


def _check_operands(parts: _Parts, facts: Facts) -> None:
    action = parts.action
    for call in parts.calls:
        if len(call.operands) != _OPERAND_COUNTS[call.function]:
            raise facts.refusal(messages.operand_count(call.function, len(call.operands)))
        if call.function == "if_not_exists":
            check_path(call.operands[0], call.function, facts)
        else:
            _check_kinds(call.operands, call.function, "L", facts)
    if isinstance(action, Set) and isinstance(action.value, Arithmetic):
        _check_kinds(parts.operands, action.value.operator, "N", facts)


def _check_kinds(operands: tuple[Operand, ...], operator: str, allowed: str, facts: Facts) -> None:
    """Refuse constants of another type; types of paths and functions depend on the item."""
    for operand in operands:
        kind = facts.kind(operand)
        if kind is not None and kind != allowed:
            raise facts.refusal(messages.operand_type(operator, kind))
