"""Makes operands of expressions from statements: paths, and constants by their position."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.operands import Facts
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.literals import value_of
from hashrange.expressions.partiql.tokens import place
from hashrange.expressions.syntax import Constant, Path
from hashrange.limits.requests import PATH_ELEMENTS_MAX
from hashrange.messages import expressions as expression_messages
from hashrange.model.values import AttributeValue

Slot: TypeAlias = int | AttributeValue
"""The source of a constant: the position of a parameter, or a literal's canonical value."""

_WRITTEN: Final = frozenset({"S", "N"})
TRUE: Final[AttributeValue] = {"BOOL": True}
FALSE: Final[AttributeValue] = {"BOOL": False}
UNPREFIXED: Final = ""
"""The label of a statement: its texts have no name of an expression."""


class Constants:
    """The constants of one statement, in the order of the text.

    Args:
        text: the statement.
        kinds: the types of the parameters.

    Attributes:
        slots: where each of them comes from.
        kinds: the type of each.
        literals: the positions of those that are a string or a number in the text, by where these
            begin.
    """

    def __init__(self, text: str, kinds: Sequence[str]) -> None:
        self.text = text
        self.slots: list[Slot] = []
        self.kinds: list[str] = []
        self.literals: dict[int, list[int]] = {}
        self._parameters = kinds

    def place(self, node: syntax.Expr) -> str:
        """The place of a node, in the form of the texts of faults."""
        return place(self.text, node.start, node.length)

    def parameter(self, node: syntax.Parameter) -> Constant:
        """The constant of a question mark."""
        self.slots.append(node.position)
        self.kinds.append(self._parameters[node.position])
        return Constant(len(self.slots) - 1)

    def literal(self, node: syntax.Expr) -> Constant:
        """The constant of a literal. Raises ValidationException: as `value_of`."""
        if isinstance(node, syntax.Lit) and node.kind in _WRITTEN:
            self.literals.setdefault(node.start, []).append(len(self.slots))
        return self.value(value_of(node, self.text))

    def value(self, value: AttributeValue) -> Constant:
        """A constant that is not in the statement."""
        self.slots.append(value)
        self.kinds.append(next(iter(value)))
        return Constant(len(self.slots) - 1)


def path_of(node: syntax.Id) -> Path:
    """A document path. Raises ValidationException: more than 32 elements."""
    if len(node.elements) > PATH_ELEMENTS_MAX:
        raise invalid(expression_messages.path_too_deep(len(node.elements)))
    return Path(node.elements)


def facts_of(constants: Constants, values: tuple[AttributeValue, ...]) -> Facts:
    """The facts for checks of expressions; `values` are the parameters of this request."""
    return Facts(UNPREFIXED, constants.kinds, values, [])


def too_many_operators(count: int) -> DynamoError:
    """The error for a condition with too many operators."""
    return invalid(expression_messages.too_many_operators(count))
