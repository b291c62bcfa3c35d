"""Checks updates beyond their syntax, in DynamoDB's order, and paths that overlap.

Reserved words and depth of paths, names and places of functions, repeated sections, placeholders,
targets that overlap or conflict, operands of ADD and DELETE, and last the operands of functions.

Source: tests of public emulators that were run against the service.
"""

from collections.abc import Iterable
from typing import Final, assert_never

from hashrange.expressions.functions import CONDITION_FUNCTIONS, UPDATE_FUNCTIONS
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import Facts, Part, calls, path_text
from hashrange.expressions.placeholders import undefined
from hashrange.expressions.syntax import (
    Action,
    Add,
    Arithmetic,
    Call,
    Constant,
    Delete,
    Element,
    Operand,
    Path,
    Remove,
    Set,
    Undefined,
)
from hashrange.expressions.update_grammar import Sections
from hashrange.messages import expressions as messages
from hashrange.model.data_types import DATA_TYPES, SETS


class _Node:
    """A node in a document that paths lead to or through."""

    __slots__ = ("below", "end", "first", "first_of_kind")

    def __init__(self, first: Path) -> None:
        self.first = first
        """The first path that leads here or through here."""
        self.end: Path | None = None
        """The path that ends here."""
        self.below: dict[Element, _Node] = {}
        self.first_of_kind: dict[type, Path] = {}
        """The first path that continues here with a name (str), and with an index (int)."""


def check_overlaps(paths: Iterable[Path], facts: Facts) -> None:
    """Refuse a path that is a prefix of another, else two paths that need a map and a list.

    Takes time linear in the number of elements of all paths.

    Raises:
        DynamoError: the first pair that overlaps, else the first that conflicts.
    """
    roots: dict[Element, _Node] = {}
    conflict: tuple[Path, Path] | None = None
    for path in paths:
        below = roots
        node: _Node | None = None
        known = False
        for element in path.elements:
            if node is not None:
                conflict = conflict or _conflict(node, element, path)
            known = element in below
            node = below.setdefault(element, _Node(path))
            if node.end is not None:
                raise facts.refusal(_overlap(node.end, path))
            below = node.below
        assert node is not None, "a path has an element"
        if known:
            raise facts.refusal(_overlap(node.first, path))
        node.end = path
    if conflict is not None:
        one, two = conflict
        reason = messages.paths_conflict(path_text(one.elements), path_text(two.elements))
        raise facts.refusal(reason)


def _overlap(one: Path, two: Path) -> str:
    return messages.paths_overlap(path_text(one.elements), path_text(two.elements))


def _conflict(node: _Node, element: Element, path: Path) -> tuple[Path, Path] | None:
    """An earlier path that needs a list here where this one needs a map, or the reverse."""
    node.first_of_kind.setdefault(type(element), path)
    other = node.first_of_kind.get(str if isinstance(element, int) else int)
    return None if other is None else (other, path)


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
