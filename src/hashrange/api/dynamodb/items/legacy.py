"""Checks of the parameters that preceded expressions, and of mixing them with expressions."""

from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.legacy_conditions import check_conditional_operator
from hashrange.expressions.program import Sources, check_presence
from hashrange.limits.requests import ATTRIBUTES_TO_GET_MAX
from hashrange.messages.expressions import styles_mixed
from hashrange.model.structures.dynamodb import ExpectedAttributeValue
from hashrange.model.values import AttributeValue
from hashrange.wire import enums
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each_value, length, one_of, required, rows
from hashrange.wire.rules import Form, Row, Rows

CONDITIONAL_OPERATOR: Final = one_of("conditional_operator", enums.CONDITIONAL_OPERATOR)
ATTRIBUTES_TO_GET: Final = length("attributes_to_get", 1, ATTRIBUTES_TO_GET_MAX)
EXPECTED: Final = each_value("expected", one_of("comparison_operator", enums.COMPARISON_OPERATOR))
_NO_SOURCES: Final = Sources()


def conditions(name: str, *, form: Form | None = None) -> Row:
    """The entries of KeyConditions, QueryFilter or ScanFilter: each has a known operator."""
    operator = one_of("comparison_operator", enums.COMPARISON_OPERATOR, form=form)
    return each_value(name, required("comparison_operator"), operator)


class Styles(msgspec.Struct, frozen=True):
    """Parameters of an operation by style: field → member, in the order of the error text.

    A request may not have parameters of both styles.
    """

    legacy: Mapping[str, str]
    expressions: Mapping[str, str]

    def check(self, request: object) -> None:
        """Refuse a request, a Struct, with parameters of both styles."""
        old = _present(request, self.legacy)
        new = _present(request, self.expressions)
        if old and new:
            raise invalid(styles_mixed(old, new))


def _present(request: object, members: Mapping[str, str]) -> list[str]:
    return [name for field, name in members.items() if getattr(request, field) is not None]


class LegacyWrite(Protocol):
    """A write with legacy parameters."""

    @property
    def expected(self) -> Mapping[str, ExpectedAttributeValue] | None:
        """As sent."""

    @property
    def conditional_operator(self) -> str | None:
        """As sent."""

    @property
    def expression_attribute_names(self) -> Mapping[str, str] | None:
        """As sent."""

    @property
    def expression_attribute_values(self) -> Mapping[str, AttributeValue] | None:
        """As sent."""


CONDITION_ROWS: Final = rows(CONDITIONAL_OPERATOR, EXPECTED)
CONDITION_STYLES: Final = Styles(
    legacy={"expected": "Expected", "conditional_operator": "ConditionalOperator"},
    expressions={"condition_expression": "ConditionExpression"},
)


def check_legacy_write(
    request: LegacyWrite, members: Rows = CONDITION_ROWS, styles: Styles = CONDITION_STYLES
) -> None:
    """Check the legacy parameters of a write; before item and key are checked.

    Args:
        request: a Struct.
        members: constraints of the legacy parameters.
        styles: the parameters by style.
    """
    check_constraints(request, members, Form.CURRENT)
    styles.check(request)
    # There is no expression that could use names or values.
    names, values = request.expression_attribute_names, request.expression_attribute_values
    check_presence(_NO_SOURCES, names, values)
    check_conditional_operator(request.conditional_operator, request.expected)
