"""What the checks of conditions and of updates ask of operands. Nothing here calls itself."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.placeholders import undefined
from hashrange.expressions.syntax import Call, Constant, Element, Operand, Path, Undefined
from hashrange.messages.expressions import syntax as messages

Constants: TypeAlias = tuple[Any, ...]
"""The canonical values of a request by position; what is derived from them may follow."""

ValueCheck: TypeAlias = Callable[[Constants], None]
"""A check that looks at values, not only at their types. Raises DynamoError."""

ORDERED_KINDS: Final = frozenset({"S", "N", "B"})
"""The types that have an order."""


def refused(label: str, reason: str) -> DynamoError:
    """A fault of the expression in this parameter."""
    return invalid(messages.invalid_expression(label, reason))


class Facts(msgspec.Struct, frozen=True):
    """What is known of one expression while it is checked.

    Checks of values are made at once, in their place among the others, and kept for the next
    request of the same shape: they must not hold on to the values of this one.
    """

    label: str
    """The parameter that holds it."""
    kinds: Sequence[str]
    """The types of the constants."""
    constants: Constants
    value_checks: list[ValueCheck]

    def refusal(self, reason: str) -> DynamoError:
        """A fault of this expression."""
        return refused(self.label, reason)

    def kind(self, operand: Operand) -> str | None:
        """The type of an operand, if it is known without an item."""
        match operand:
            case Constant(position):
                return self.kinds[position]
            case Call("size"):
                return "N"
            case _:
                return None

    def check_value(self, check: ValueCheck) -> None:
        """Make a check of values now and for each later request."""
        check(self.constants)
        self.value_checks.append(check)

    def check_defined(self, operands: Iterable[Operand]) -> None:
        """Raises DynamoError: a placeholder that is not defined, the first in the text."""
        for operand in walked(operands):
            if isinstance(operand, Undefined):
                raise self.refusal(undefined(operand))


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
    """The top-level attributes below which document paths lead, once for each path."""
    return tuple([str(path[0]) for path in paths if len(path) > 1])


def calls(operands: Iterable[Operand]) -> list[Call]:
    """Functions, those within others first: in the order in which they are complete."""
    rest = list(operands)
    found = []
    while rest:
        operand = rest.pop()
        if isinstance(operand, Call):
            found.append(operand)
            rest.extend(operand.operands)
    return found[::-1]


def path_text(elements: Iterable[Element]) -> str:
    """A path as error texts show it: `[a, b, [1]]`."""
    shown = (f"[{element}]" if isinstance(element, int) else element for element in elements)
    return f"[{', '.join(shown)}]"


def check_path(operand: Operand, function: str, facts: Facts) -> None:
    """Raises DynamoError: the function needs a document path, and this is none."""
    if not isinstance(operand, Path):
        raise facts.refusal(messages.operand_not_path(function))
