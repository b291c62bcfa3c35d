"""How large a statement may be: Python's stack is not endless, and DynamoDB counts operators."""

from hashrange.errors import invalid
from hashrange.limits import (
    EXPRESSION_OPERATORS_MAX,
    STATEMENT_CHAIN_MAX,
    STATEMENT_LEVELS_MAX,
    STATEMENT_PARENTHESES_MAX,
)
from hashrange.messages.expressions.syntax import too_many_operators
from hashrange.messages.partiql.syntax import not_well_formed


class Bounds:
    """Counts what has been read of one statement. Its methods raise ValidationException."""

    __slots__ = ("_levels", "_links", "_operators", "_parentheses")

    def __init__(self) -> None:
        self._operators = 0
        self._levels = 0
        self._links = 0
        self._parentheses = 0

    def operator(self) -> None:
        """An operator or a function."""
        self._operators += 1
        if self._operators > EXPRESSION_OPERATORS_MAX:
            raise invalid(too_many_operators(EXPRESSION_OPERATORS_MAX + 1))

    def link(self) -> None:
        """An operator after another one of its expression, as in `a = b = c`."""
        self._links += 1
        if self._links > STATEMENT_CHAIN_MAX:
            raise invalid(not_well_formed())

    def enter(self, *, parenthesis: bool) -> None:
        """A parenthesis, a list or a document, or what NOT is said of."""
        self._levels += 1
        self._parentheses += parenthesis
        if self._levels > STATEMENT_LEVELS_MAX or self._parentheses > STATEMENT_PARENTHESES_MAX:
            raise invalid(not_well_formed())

    def leave(self, *, parenthesis: bool) -> None:
        """The end of it."""
        self._levels -= 1
        self._parentheses -= parenthesis
