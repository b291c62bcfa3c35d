"""PutItem: create an item, or replace it as a whole."""

from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.limits import ITEM_BYTES_MAX
from hashrange.messages import items as messages
from hashrange.model.canonical import Encoded, encoded_item
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording
from hashrange.operations.conditions import (
    Guard,
    check_condition_presence,
    check_scalar_keys,
    guard_of,
)
from hashrange.operations.constraints import WRITE_ENUMS, item_table
from hashrange.operations.legacy import check_legacy_write
from hashrange.operations.operation import ItemOperation, ItemOutcome
from hashrange.operations.written import Written, larger, old_attributes, outcome
from hashrange.tables.images import Image
from hashrange.tables.indexes import check_keys_of_put, is_too_large
from hashrange.tables.keys import key_of_item
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.writer import Decision, ItemWrite, write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import required, rows
from hashrange.wire.rules import Form


class PutItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    item: dict[str, AttributeValue] | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    return_item_collection_metrics: str | None = None
    conditional_operator: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


_ROWS: Final = rows(*WRITE_ENUMS, required("item"))


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: PutItem
    sized: Encoded
    guard: Guard


class Plan(msgspec.Struct, frozen=True):
    """One image to put under one key."""

    table_name: str
    request: PutItem
    table: OpenTable
    key: bytes
    after: Image
    guard: Guard

    def decide(self, before: Image | None) -> Decision[Written]:
        """Put the image if the condition holds. Pure."""
        self.guard.admit(before)
        attributes = old_attributes(before, self.request.return_values)
        return Decision(self.after, Written(larger(before, self.after), attributes))


def check(request: PutItem) -> Checked:
    """See `ItemOperation.check`."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    if request.expected is not None or request.conditional_operator is not None:
        check_legacy_write(request)
    check_condition_presence(request)
    assert request.item is not None
    sized = encoded_item(request.item, Wording.CURRENT)
    if request.return_values not in {None, "NONE", "ALL_OLD"}:
        raise invalid(messages.return_values_old_only())
    if sized.size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large(), bare=True)
    return Checked(table_name, request, sized, guard_of(request))


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    item = checked.sized.item
    key = key_of_item(table, item)
    check_scalar_keys(checked.guard.condition, table)
    if table.table.indexes:
        check_keys_of_put(table.table, item)
        if is_too_large(table.table, item, checked.sized.size):
            raise invalid(messages.item_too_large(), bare=True)
    after = Image(checked.sized.size, checked.sized.json)
    return Plan(checked.table_name, checked.request, table, key, after, checked.guard)


async def run(plan: Plan, store: Store) -> ItemOutcome:
    """See `ItemOperation.run`."""
    done = await write_item(store, ItemWrite(plan.table, plan.key, plan.decide))
    return outcome(plan, done, plan.request.item)


OPERATION: Final = ItemOperation(
    request=PutItem,
    check=check,
    fit=fit,
    run=run,
    enveloped=True,
)
