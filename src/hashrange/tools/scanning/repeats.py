"""Whether an update may be applied twice to an item with the result of applying it once. Pure."""

from collections.abc import Mapping
from typing import Any

from hashrange.errors import DynamoError
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.placeholders import Scope
from hashrange.expressions.syntax import (
    Action,
    Add,
    Arithmetic,
    Call,
    Constant,
    Operand,
    Path,
    Set,
    Undefined,
)
from hashrange.expressions.tokens import Cursor
from hashrange.expressions.update_grammar import update
from hashrange.model.data_types import SETS
from hashrange.tools.scanning.expressions import InputError


def is_repeatable(
    text: str, names: Mapping[str, str], values: Mapping[str, Mapping[str, Any]]
) -> bool:
    """Whether a repetition of the update changes nothing, whatever the item is.

    Values that are computed from attributes that the update writes change again, as do numbers of
    ADD and elements of lists. Raises InputError: wrong syntax.

    Args:
        text: the update expression.
        names: ExpressionAttributeNames.
        values: ExpressionAttributeValues.
    """
    try:
        actions = update(Reader(Cursor(text, "UpdateExpression"), Scope(names, values))).actions
    except DynamoError as error:
        raise InputError(error.message or error.fault.name) from error
    written = {_root(action.target) for action in actions}
    kinds = [next(iter(value)) for value in values.values()]
    return all(_is_repeatable(action, written, kinds) for action in actions)


def _is_repeatable(action: Action, written: set[object], kinds: list[str]) -> bool:
    target = action.target
    if isinstance(target, Path) and any(isinstance(each, int) for each in target.elements):
        return False
    match action:
        case Add(operand=Constant(position)):
            return kinds[position] in SETS
        case Set(value=Call("if_not_exists", (first, Constant()))) if first == target:
            return True
        case Set(value=value):
            return written.isdisjoint(_roots(value))
        case _:
            return True


def _roots(value: Operand | Arithmetic) -> set[object]:
    """The top-level attributes that a value is computed from."""
    match value:
        case Arithmetic(left=left, right=right):
            return _roots(left) | _roots(right)
        case Call(operands=operands):
            found: set[object] = set()
            return found.union(*map(_roots, operands))
        case Path() | Undefined():
            return {_root(value)}
        case _:
            return set()


def _root(path: Path | Undefined) -> object:
    return path.elements[0] if isinstance(path, Path) else path.placeholder
