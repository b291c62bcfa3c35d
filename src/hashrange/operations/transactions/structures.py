"""The structures of the requests of transactions, under the API's names."""

import msgspec

from hashrange.model.values import AttributeValue


class ConditionCheck(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """A condition that an item must meet; it is not written."""

    key: dict[str, AttributeValue] | None = None
    table_name: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


class Put(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """An item to put."""

    item: dict[str, AttributeValue] | None = None
    table_name: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


class Delete(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """The key of an item to delete."""

    key: dict[str, AttributeValue] | None = None
    table_name: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


class Update(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """The key of an item to update."""

    key: dict[str, AttributeValue] | None = None
    update_expression: str | None = None
    table_name: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


class TransactWriteItem(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    """An action: exactly one of the members."""

    condition_check: ConditionCheck | None = None
    put: Put | None = None
    delete: Delete | None = None
    update: Update | None = None


class Get(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A key to read."""

    key: dict[str, AttributeValue] | None = None
    table_name: str | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


class TransactGetItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """A get."""

    get: Get | None = None
