"""Bounds on the nesting of a statement, for Python's stack is limited, and on its operators."""

from hashrange.errors import invalid
from hashrange.limits.requests import (
    EXPRESSION_OPERATORS_MAX,
    STATEMENT_CHAIN_MAX,
    STATEMENT_LEVELS_MAX,
    STATEMENT_PARENTHESES_MAX,
)
from hashrange.messages.expressions import too_many_operators
from hashrange.messages.partiql import not_well_formed


class Bounds:
    """Counts levels and operators of one statement. Its methods raise ValidationException."""

    __slots__ = ("_levels", "_links", "_operators", "_parentheses")

    def __init__(self) -> None:
        self._operators = 0
        self._levels = 0
        self._links = 0
        self._parentheses = 0

    def operator(self) -> None:
        """Count an operator or a function."""
        self._operators += 1
        if self._operators > EXPRESSION_OPERATORS_MAX:
            raise invalid(too_many_operators(EXPRESSION_OPERATORS_MAX + 1))

    def link(self) -> None:
        """Count an operator that follows another one of its expression, as in `a = b = c`."""
        self._links += 1
        if self._links > STATEMENT_CHAIN_MAX:
            raise invalid(not_well_formed())

    def enter(self, *, parenthesis: bool) -> None:
        """Begin a parenthesis, a list, a document or the operand of NOT."""
        self._levels += 1
        self._parentheses += parenthesis
        if self._levels > STATEMENT_LEVELS_MAX or self._parentheses > STATEMENT_PARENTHESES_MAX:
            raise invalid(not_well_formed())

    def leave(self, *, parenthesis: bool) -> None:
        """End it."""
        self._levels -= 1
        self._parentheses -= parenthesis
