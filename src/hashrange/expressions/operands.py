"""Operands as the checks of conditions and of updates need them. No function is recursive."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.syntax import (
    Action,
    Call,
    Constant,
    Element,
    Leaf,
    Operand,
    Path,
    Undefined,
)
from hashrange.messages import expressions as messages
from hashrange.model.data_types import KEY_TYPES

Constants: TypeAlias = tuple[Any, ...]
"""The canonical values of a request by position, then the values derived from them, if any."""

ValueCheck: TypeAlias = Callable[[Constants], None]
"""A check that depends on values, not only on their types. Raises DynamoError."""

N = TypeVar("N", bound=Leaf | Action)

ORDERED_KINDS: Final = frozenset(KEY_TYPES)
"""The types that have an order."""


def refused(label: str, reason: str) -> DynamoError:
    """The error for the expression in the parameter `label`; for a statement only the reason."""
    return invalid(messages.invalid_expression(label, reason) if label else reason)


class Facts(msgspec.Struct, frozen=True):
    """The context in which one expression is checked.

    A check of values runs at once, in its place among the other checks, and is kept for later
    requests of the same shape. So it must not refer to the values of this request.
    """

    label: str
    """The parameter that holds the expression; empty for a statement of PartiQL."""
    kinds: Sequence[str]
    """The types of the constants, by position."""
    constants: Constants
    value_checks: list[ValueCheck]
    """Shared by all expressions of the request, in the order of the checks."""

    def refusal(self, reason: str) -> DynamoError:
        """The error for this expression."""
        return refused(self.label, reason)

    def kind(self, operand: Operand) -> str | None:
        """The type of an operand, if it is known without an item."""
        match operand:
            case Constant(position):
                return self.kinds[position]
            case Call("size" | "+" | "-"):
                return "N"
            case _:
                return None

    def check_value(self, check: ValueCheck) -> None:
        """Run a check of values now, and keep it for later requests of the same shape."""
        check(self.constants)
        self.value_checks.append(check)

    def check_kinds(
        self, operands: Iterable[Operand], operator: str, allowed: frozenset[str]
    ) -> None:
        """Raises DynamoError: an operand whose type is known is of a type that is not allowed."""
        for operand in operands:
            kind = self.kind(operand)
            if kind is not None and kind not in allowed:
                raise self.refusal(messages.operand_type(operator, kind))


class Part(msgspec.Struct, Generic[N], frozen=True):
    """A comparison, a function or an action, with all that the checks look for in its operands.

    A grammar notes it while it reads the text, so that no check walks the tree again.
    """

    node: N
    operands: tuple[Operand, ...]
    """Besides the target of an action."""
    calls: Sequence[Call]
    """The functions among the operands and within them, inner ones first.

    If the node is a function itself, it is the last.
    """
    undefined: Undefined | None = None
    """The first operand, or target, with a placeholder that is not defined."""


def walked(operands: Iterable[Operand]) -> list[Operand]:
    """Operands and those within them, as they stand in the text."""
    rest = list(operands)[::-1]
    found = []
    while rest:
        operand = rest.pop()
        found.append(operand)
        if isinstance(operand, Call):
            rest.extend(reversed(operand.operands))
    return found


def roots_of_nested(paths: Iterable[tuple[Element, ...]]) -> tuple[str, ...]:
    """The top-level attributes of paths with more than one element, once for each path."""
    return tuple([str(path[0]) for path in paths if len(path) > 1])


def calls(operands: Iterable[Operand]) -> list[Call]:
    """The functions among operands and within them, inner functions before outer ones."""
    rest = list(operands)
    functions = []
    while rest:
        operand = rest.pop()
        if isinstance(operand, Call):
            functions.append(operand)
            rest.extend(operand.operands)
    return functions[::-1]


def path_text(elements: Iterable[Element]) -> str:
    """A path as error texts show it: `[a, b, [1]]`."""
    shown = (f"[{element}]" if isinstance(element, int) else element for element in elements)
    return f"[{', '.join(shown)}]"


def check_path(operand: Operand, function: str, facts: Facts) -> None:
    """Raises DynamoError: the operand is not a document path, which the function requires."""
    if not isinstance(operand, Path):
        raise facts.refusal(messages.operand_not_path(function))
