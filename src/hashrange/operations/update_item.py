"""UpdateItem: change attributes of an item, or create it."""

from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.attribute_updates import attribute_update
from hashrange.expressions.expected import expected_condition
from hashrange.expressions.program import Sources, Update, bind
from hashrange.limits import TABLE_ARN_CHARS_MAX
from hashrange.messages import items as messages
from hashrange.model.canonical import canonical_key
from hashrange.model.legacy import AttributeValueUpdate, ExpectedAttributeValue
from hashrange.model.sizes import item_bytes
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import (
    Guard,
    check_condition_presence,
    check_scalar_keys,
    check_scalar_projection,
    check_scalar_reads,
)
from hashrange.operations.constraints import (
    KEY,
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
    RETURN_VALUES,
    WRITE_ENUMS,
    item_table,
)
from hashrange.operations.legacy import (
    CONDITION_STYLES,
    CONDITIONAL_OPERATOR,
    EXPECTED,
    Styles,
    check_legacy_write,
)
from hashrange.operations.operation import ItemOperation, ItemOutcome
from hashrange.operations.updated_items import updated
from hashrange.operations.written import Written, larger, outcome
from hashrange.tables.images import Image, image_of
from hashrange.tables.indexes import check_keys_of_update, is_too_large
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.writer import Decision, ItemWrite, write_item
from hashrange.wire import enums
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each_value, length, one_of, required, rows
from hashrange.wire.rules import Form


class UpdateItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    key: dict[str, AttributeValue] | None = None
    attribute_updates: dict[str, AttributeValueUpdate] | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    conditional_operator: str | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    return_item_collection_metrics: str | None = None
    update_expression: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


# Told alone, unlike in the other writes. Source: captures of the service, October 2026.
_FIRST_ROWS: Final = rows(RETURN_VALUES)
_ROWS: Final = rows(*(row for row in WRITE_ENUMS if row is not RETURN_VALUES), KEY)
# Without a key the request is refused by the older layer, which tells all at once in this order.
_ROWS_WITHOUT_KEY: Final = rows(
    RETURN_CONSUMED_CAPACITY,
    required("table_name"),
    length("table_name", 1, TABLE_ARN_CHARS_MAX),
    CONDITIONAL_OPERATOR,
    RETURN_ITEM_COLLECTION_METRICS,
    RETURN_VALUES,
    KEY,
)
_LEGACY_ROWS: Final = rows(
    CONDITIONAL_OPERATOR,
    each_value("attribute_updates", one_of("action", enums.ATTRIBUTE_ACTION)),
    EXPECTED,
)
_STYLES: Final = Styles(
    legacy={"attribute_updates": "AttributeUpdates", **CONDITION_STYLES.legacy},
    expressions={"update_expression": "UpdateExpression", **CONDITION_STYLES.expressions},
)


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: UpdateItem
    key: Item
    guard: Guard
    update: Update | None


class Plan(msgspec.Struct, frozen=True):
    """One item to change."""

    table_name: str
    request: UpdateItem
    table: OpenTable
    key: bytes
    key_item: Item
    guard: Guard
    update: Update | None

    def decide(self, before: Image | None) -> Decision[Written]:
        """The item with the update applied, if the condition holds. Pure."""
        old = self.guard.admit(before)
        update = self.update
        if update is None:
            after = before or image_of(self.key_item, item_bytes(self.key_item))
            return Decision(after, self._written(before, after, {}, {}))
        change = updated(update, before, old, self.key_item)
        if change is None:
            return Decision(None, self._written(None, None, {}, {}))
        if self.table.table.indexes:
            check_keys_of_update(self.table.table, change.new, update.targets)
            if is_too_large(self.table.table, change.new, change.size):
                raise invalid(messages.item_too_large_after_update())
        after = change.image()
        return Decision(after, self._written(before, after, change.old, change.new))

    def _written(self, before: Image | None, after: Image | None, old: Item, new: Item) -> Written:
        attributes: msgspec.Raw | Item | None = None
        match self.request.return_values:
            case "ALL_OLD":
                attributes = None if before is None else msgspec.Raw(before.json)
            case "ALL_NEW":
                attributes = None if after is None else msgspec.Raw(after.json)
            case "UPDATED_OLD" if self.update is not None:
                attributes = self.update.fragments(old) or None
            case "UPDATED_NEW" if self.update is not None:
                attributes = self.update.fragments(new) or None
        return Written(larger(before, after), attributes)


def check(request: UpdateItem) -> Checked:
    """See `ItemOperation.check`."""
    table_name = _checked_table(request)
    if request.return_values is not None:
        check_constraints(request, _FIRST_ROWS, Form.CURRENT)
    check_constraints(request, _ROWS, Form.CURRENT)
    updates, expected = request.attribute_updates, request.expected
    operator = request.conditional_operator
    if updates is not None or expected is not None or operator is not None:
        check_legacy_write(request, _LEGACY_ROWS, _STYLES)
    if request.update_expression is None:
        check_condition_presence(request)
    assert request.key is not None
    key = canonical_key(request.key, Wording.CURRENT)
    sources = Sources(update=request.update_expression, condition=request.condition_expression)
    names, values = request.expression_attribute_names, request.expression_attribute_values
    bound = bind(sources, names, values, wording=Wording.CURRENT)
    update = bound.update if updates is None else attribute_update(updates)
    condition = bound.condition if expected is None else expected_condition(expected, operator)
    return_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    return Checked(table_name, request, key, Guard(condition, return_old), update)


def _checked_table(request: UpdateItem) -> str:
    if request.key is None:
        check_constraints(request, _ROWS_WITHOUT_KEY, Form.MODEL)
    return item_table(request.table_name)


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    update = checked.update
    key = key_of(table, checked.key)
    if update is not None:
        for name in table.key_names:
            if name in update.targets:
                raise invalid(messages.key_attribute_updated(name))
        check_scalar_projection(update.written, table)
        check_scalar_reads(update, table)
    check_scalar_keys(checked.guard.condition, table)
    return Plan(checked.table_name, checked.request, table, key, checked.key, checked.guard, update)


async def run(plan: Plan, store: Store) -> ItemOutcome:
    """See `ItemOperation.run`."""
    done = await write_item(store, ItemWrite(plan.table, plan.key, plan.decide))
    return outcome(plan, done, plan.request.key)


OPERATION: Final = ItemOperation(
    request=UpdateItem,
    check=check,
    fit=fit,
    run=run,
    enveloped=True,
)
