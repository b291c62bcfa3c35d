"""Makes operands of expressions from statements: paths, and constants by their position."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from hashrange.errors import DynamoError, invalid
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.literals import value_of
from hashrange.expressions.partiql.syntax import Id
from hashrange.expressions.partiql.tokens import Cursor, Kind, place
from hashrange.expressions.syntax import Constant, Element, Path
from hashrange.limits.requests import PATH_ELEMENTS_MAX, STATEMENT_LIST_INDEX_MAX
from hashrange.messages import expressions as expression_messages
from hashrange.messages import partiql as messages
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


def too_many_operators(count: int) -> DynamoError:
    """The error for a condition with too many operators."""
    return invalid(expression_messages.too_many_operators(count))


NAMES: Final = frozenset({Kind.NAME, Kind.QUOTED})
"""Tokens at the beginning of a path."""
_INDEX_DIGITS_MAX: Final = len(str(STATEMENT_LIST_INDEX_MAX))


def simple_path(cursor: Cursor) -> Id:
    """Parse a path. Raises ValidationException: the next token begins none."""
    if cursor.token.kind not in NAMES:
        raise invalid(messages.expected_simple_path())
    return path(cursor, is_simple=True)


def path(cursor: Cursor, *, is_simple: bool = False) -> Id:
    """Parse a document path that begins with a name. Raises ValidationException."""
    token = cursor.advance()
    elements: list[Element] = [token.value]
    while True:  # each turn reads an element
        if cursor.take("."):
            if is_simple and cursor.at("*"):
                raise invalid(messages.unpivot_of_target())
            if cursor.token.kind not in NAMES:
                raise invalid(messages.invalid_dot_component())
            elements.append(cursor.advance().value)
        elif cursor.take("["):
            elements.append(_index(cursor))
            cursor.expect("]")
        else:
            break
    return Id(start=token.start, length=token.length, elements=tuple(elements))


def _index(cursor: Cursor) -> Element:
    if cursor.token.kind is Kind.TEXT:
        return cursor.advance().value
    negative = cursor.take("-")
    token = cursor.token
    at = cursor.place(token.start, token.length)
    if token.kind is not Kind.NUMBER or not token.value.isdigit():
        raise invalid(messages.unexpected_path_component(at))
    cursor.advance()
    digits = token.value.lstrip("0") or "0"
    too_large = len(digits) > _INDEX_DIGITS_MAX or int(digits) > STATEMENT_LIST_INDEX_MAX
    if too_large or (negative and digits != "0"):
        raise invalid(messages.list_index(f"-{token.value}" if negative else token.value, at))
    return int(digits)
