"""DeleteItem: deletes an item, if it exists."""

from collections.abc import Iterable
from typing import ClassVar, Final

import msgspec

from hashrange.api.dynamodb.items.conditions import (
    UNGUARDED,
    Guard,
    GuardShape,
    Options,
    check_condition_presence,
    check_returns_only_old,
    check_scalar_keys,
    guard_shape,
    options_of,
)
from hashrange.api.dynamodb.items.legacy import check_legacy_write
from hashrange.api.dynamodb.items.written import Attributes, SingleItemPlan, permissions_of_write
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.constraints import KEY, WRITE_ENUMS, item_table
from hashrange.api.steps.operation import (
    CallerContext,
    Operation,
    TableMode,
    items_in_other_region,
)
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.api.steps.request_shapes import ShapeCache, has_text_values
from hashrange.model.canonical import canonical_key
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import DeleteItem
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision
from hashrange.tables.writing.writer import write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form

_ROWS: Final = rows(*WRITE_ENUMS, KEY)


class DeleteItemShape(msgspec.Struct, frozen=True):
    """Facts that hold for all requests of a shape: they are valid but for their values."""

    options: Options
    guard: GuardShape
    has_text_key: bool


class CheckedDeleteItem(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    options: Options
    key: Item
    guard: Guard


class DeleteItemPlan(SingleItemPlan, frozen=True):
    """A key to delete."""

    after: ClassVar[None] = None

    replaces: bool

    def decide(self, before: Image | None) -> Decision[Attributes]:
        """Delete the item if the condition holds. Pure."""
        self.guard.admit(before, self.table)
        return Decision(None, self.old_attributes(before))


_shapes: Final = ShapeCache[DeleteItemShape](
    DeleteItem, typed=("key", "expression_attribute_values")
)


def check(request: DeleteItem) -> CheckedDeleteItem:
    """Refuse invalid members, expressions and key values; facts of the shape are cached."""
    shape = _shapes.get(request)
    if shape is None:
        shape = _check_new_shape(request)
    # Values are checked for each request, also if its shape is cached.
    key = request.key
    assert key is not None, "required"
    if not shape.has_text_key:
        key = canonical_key(key, Wording.CURRENT)
    options, guard = shape.options, shape.guard.bound(request.expression_attribute_values)
    return CheckedDeleteItem(options.table_names, options, key, guard)


def _check_new_shape(request: DeleteItem) -> DeleteItemShape:
    """Check a request in DynamoDB's order, and cache the facts that hold for its shape."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    options = options_of(table_name, request)
    if request.expected is not None or request.conditional_operator is not None:
        check_legacy_write(request)
    check_condition_presence(request)
    assert request.key is not None, "required"
    canonical_key(request.key, Wording.CURRENT)
    check_returns_only_old(options)
    shape = DeleteItemShape(options, guard_shape(request), has_text_values(request.key))
    _shapes.keep(request, shape)
    return shape


def fit(checked: CheckedDeleteItem, table: OpenTable) -> DeleteItemPlan:
    """Encode the key; refuse a key or a condition that does not fit the table."""
    guard, options = checked.guard, checked.options
    key = table.string_key_alone(checked.key) or key_of(table, checked.key)
    if guard is not UNGUARDED:
        check_scalar_keys(guard.condition, table)
    replaces = guard is UNGUARDED and options.returns == "NONE"
    return DeleteItemPlan(table, key, options, checked.key, guard, replaces)


def permissions(_checked: object, plan: DeleteItemPlan, asked: Asked) -> Iterable[Permission]:
    """DeleteItem on the key."""
    return permissions_of_write("DeleteItem", plan, asked)


OPERATION: Final[Operation[DeleteItem, CheckedDeleteItem, DeleteItemPlan, CallerContext]] = (
    Operation(
        facts=OPERATION_FACTS["DeleteItem"],
        request=DeleteItem,
        check=check,
        accesses=on_tables("DeleteItem"),
        permissions=permissions,
        tables=TableMode.OPEN,
        elsewhere=items_in_other_region,
        fit=fit,
        charges=DeleteItemPlan.charges,
        spot=DeleteItemPlan.spot,
        keys=DeleteItemPlan.keys,
        run=write_item,
        enveloped=True,
    )
)
