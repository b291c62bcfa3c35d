"""Members of the API from before expressions, which are refused so far."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.messages.expressions import styles_mixed
from hashrange.model.values import AttributeValue


class ExpectedAttributeValue(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """One entry of Expected."""

    value: AttributeValue | None = None
    exists: bool | None = None
    comparison_operator: str | None = None
    attribute_value_list: list[AttributeValue] | None = None


class AttributeValueUpdate(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """One entry of AttributeUpdates."""

    value: AttributeValue | None = None
    action: str | None = None


class Condition(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """One entry of KeyConditions, QueryFilter or ScanFilter."""

    attribute_value_list: list[AttributeValue] | None = None
    comparison_operator: str | None = None


LEGACY_CONDITION: Final = {
    "expected": "Expected",
    "conditional_operator": "ConditionalOperator",
}


def check_condition_styles(request: object) -> None:
    """Refuse a write with Expected and a ConditionExpression."""
    check_styles(request, {"expected": "Expected"}, {"condition_expression": "ConditionExpression"})


def check_styles(
    request: object, legacy: Mapping[str, str], expressions: Mapping[str, str]
) -> None:
    """Refuse parameters of both styles in one request.

    Args:
        request: a Struct.
        legacy: parameters from before expressions, field → member, in the order they are told in.
        expressions: likewise, those that they exclude.
    """
    old = [name for field, name in legacy.items() if getattr(request, field) is not None]
    new = [name for field, name in expressions.items() if getattr(request, field) is not None]
    if old and new:
        raise invalid(styles_mixed(old, new))
