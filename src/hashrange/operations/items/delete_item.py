"""DeleteItem: remove an item, if there is one."""

from typing import ClassVar, Final

import msgspec

from hashrange.model.canonical import canonical_key
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.items.conditions import (
    UNGUARDED,
    Guard,
    KnownGuard,
    check_condition_presence,
    check_scalar_keys,
    known_guard,
)
from hashrange.operations.items.legacy import check_legacy_write
from hashrange.operations.items.write_options import Options, check_returns_only_old, options_of
from hashrange.operations.items.written import Attributes, SingleItemPlan
from hashrange.operations.pipeline.accesses import on_tables
from hashrange.operations.pipeline.constraints import KEY, WRITE_ENUMS, item_table
from hashrange.operations.pipeline.operation import CallerContext, Operation, TableMode
from hashrange.operations.pipeline.request_shapes import ShapeCache, has_text_values
from hashrange.tables.images import Image
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.writer import Decision, write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form


class DeleteItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    TYPED_VALUES: ClassVar[tuple[str, ...]] = ("key", "expression_attribute_values")
    FREE_VALUES: ClassVar[tuple[str, ...]] = ()

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


class Known(msgspec.Struct, frozen=True):
    """What is known of all requests of one shape: they are right but for their values."""

    options: Options
    guard: KnownGuard
    has_text_key: bool


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_names: tuple[str]
    options: Options
    key: Item
    guard: Guard


class Plan(SingleItemPlan, frozen=True):
    """One key to clear."""

    def decide(self, before: Image | None) -> Decision[Attributes]:
        """Remove the item if the condition holds. Pure."""
        self.guard.admit(before)
        return Decision(None, self.old_attributes(before))


_known: Final = ShapeCache[Known](DeleteItem)


def check(request: DeleteItem) -> Checked:
    """See `Operation.check`."""
    known = _known.get(request)
    if known is None:
        known = _learn(request)
    # What is checked of values is checked here, whether or not the shape was known.
    key = request.key
    assert key is not None, "required"
    if not known.has_text_key:
        key = canonical_key(key, Wording.CURRENT)
    options, guard = known.options, known.guard.bound(request.expression_attribute_values)
    return Checked(options.table_names, options, key, guard)


def _learn(request: DeleteItem) -> Known:
    """Check all of a request in DynamoDB's order, and cache what holds for its shape."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    options = options_of(table_name, request)
    if request.expected is not None or request.conditional_operator is not None:
        check_legacy_write(request)
    check_condition_presence(request)
    assert request.key is not None, "required"
    canonical_key(request.key, Wording.CURRENT)
    check_returns_only_old(options)
    known = Known(options, known_guard(request), has_text_values(request.key))
    _known.keep(request, known)
    return known


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `Operation.fit`."""
    key, guard = key_of(table, checked.key), checked.guard
    if guard is not UNGUARDED:
        check_scalar_keys(guard.condition, table)
    return Plan(table, key, checked.options, checked.key, guard)


OPERATION: Final[Operation[DeleteItem, Checked, Plan, CallerContext]] = Operation(
    request=DeleteItem,
    check=check,
    accesses=on_tables("DeleteItem"),
    tables=TableMode.OPEN,
    fit=fit,
    charges=Plan.charges,
    run=write_item,
    enveloped=True,
)
