"""DeleteItem: remove an item, if there is one."""

from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.messages import items as messages
from hashrange.model.canonical import canonical_key
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import (
    Guard,
    check_condition_presence,
    check_scalar_keys,
    guard_of,
)
from hashrange.operations.constraints import KEY, WRITE_ENUMS, item_table
from hashrange.operations.legacy import check_legacy_write
from hashrange.operations.operation import ItemOperation, ItemOutcome
from hashrange.operations.written import Written, larger, old_attributes, outcome
from hashrange.tables.images import Image
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.writer import Decision, ItemWrite, write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form


class DeleteItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    key: dict[str, AttributeValue] | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    conditional_operator: str | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    return_item_collection_metrics: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


_ROWS: Final = rows(*WRITE_ENUMS, KEY)


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: DeleteItem
    key: Item
    guard: Guard


class Plan(msgspec.Struct, frozen=True):
    """One key to clear."""

    table_name: str
    request: DeleteItem
    table: OpenTable
    key: bytes
    guard: Guard

    def decide(self, before: Image | None) -> Decision[Written]:
        """Remove the item if the condition holds. Pure."""
        self.guard.admit(before)
        attributes = old_attributes(before, self.request.return_values)
        return Decision(None, Written(larger(before, None), attributes))


def check(request: DeleteItem) -> Checked:
    """See `ItemOperation.check`."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    if request.expected is not None or request.conditional_operator is not None:
        check_legacy_write(request)
    check_condition_presence(request)
    assert request.key is not None
    key = canonical_key(request.key, Wording.CURRENT)
    if request.return_values not in {None, "NONE", "ALL_OLD"}:
        raise invalid(messages.return_values_old_only())
    return Checked(table_name, request, key, guard_of(request))


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    key = key_of(table, checked.key)
    check_scalar_keys(checked.guard.condition, table)
    return Plan(checked.table_name, checked.request, table, key, checked.guard)


async def run(plan: Plan, store: Store) -> ItemOutcome:
    """See `ItemOperation.run`."""
    done = await write_item(store, ItemWrite(plan.table, plan.key, plan.decide))
    return outcome(plan, done, plan.request.key)


OPERATION: Final = ItemOperation(
    request=DeleteItem,
    check=check,
    fit=fit,
    run=run,
    enveloped=True,
)
