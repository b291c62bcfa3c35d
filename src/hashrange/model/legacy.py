"""Types of the parameters from before expressions. Error texts contain the class names."""

import msgspec

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
