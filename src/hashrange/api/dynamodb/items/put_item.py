"""PutItem: creates an item, or replaces it as a whole."""

from collections.abc import Iterable
from typing import Final

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
from hashrange.api.steps.constraints import WRITE_ENUMS, item_table
from hashrange.api.steps.operation import (
    CallerContext,
    Operation,
    TableMode,
    items_in_other_region,
)
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.api.steps.request_shapes import ShapeCache
from hashrange.errors import invalid
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.canonical import Encoded, encoded_item
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import PutItem
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.opened.indexes import check_keys_of_put, is_too_large
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision
from hashrange.tables.writing.writer import write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import required, rows
from hashrange.wire.rules import Form

_ROWS: Final = rows(*WRITE_ENUMS, required("item"))


class PutItemShape(msgspec.Struct, frozen=True):
    """Facts that hold for all requests of a shape: they are valid but for their values."""

    options: Options
    guard: GuardShape


class CheckedPutItem(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    options: Options
    sized: Encoded
    guard: Guard


class PutItemPlan(SingleItemPlan, frozen=True):
    """An image to put under a key."""

    after: Image
    replaces: bool

    def decide(self, before: Image | None) -> Decision[Attributes]:
        """Put the image if the condition holds. Pure."""
        if self.guard is not UNGUARDED:
            self.guard.admit(before, self.table)
        if self.options.returns == "NONE":
            return Decision(self.after, None, self.item)
        return Decision(self.after, self.old_attributes(before), self.item)


_shapes: Final = ShapeCache[PutItemShape](
    PutItem, typed=("expression_attribute_values",), free=("item",)
)


def check(request: PutItem) -> CheckedPutItem:
    """Refuse invalid members, expressions and values, and an item that is too large."""
    shape = _shapes.get(request)
    if shape is None or request.item is None:
        shape = _check_new_shape(request)
    # Values are checked for each request, also if its shape is cached.
    assert request.item is not None, "required"
    sized = encoded_item(request.item, Wording.CURRENT)
    if sized.size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large(), bare=True)
    options, guard = shape.options, shape.guard.guard
    if shape.guard.plan is not None:
        guard = shape.guard.bound(request.expression_attribute_values)
    return CheckedPutItem(options.table_names, options, sized, guard)


def _check_new_shape(request: PutItem) -> PutItemShape:
    """Check a request in DynamoDB's order, and cache the facts that hold for its shape."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    options = options_of(table_name, request)
    if request.expected is not None or request.conditional_operator is not None:
        check_legacy_write(request)
    check_condition_presence(request)
    assert request.item is not None, "required"
    sized = encoded_item(request.item, Wording.CURRENT)
    check_returns_only_old(options)
    if sized.size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large(), bare=True)
    shape = PutItemShape(options, guard_shape(request))
    _shapes.keep(request, shape)
    return shape


def fit(checked: CheckedPutItem, table: OpenTable) -> PutItemPlan:
    """Encode key and image; refuse an item or a condition that does not fit the table."""
    sized, guard, options = checked.sized, checked.guard, checked.options
    item = sized.item
    key = table.string_key(item) or key_of_item(table, item)
    if guard is not UNGUARDED:
        check_scalar_keys(guard.condition, table)
    if table.has_indexes:
        check_keys_of_put(table, item)
        if is_too_large(table, item, sized.size):
            raise invalid(messages.item_too_large(), bare=True)
    replaces = guard is UNGUARDED and options.returns == "NONE"
    return PutItemPlan(table, key, options, item, guard, Image(sized.size, sized.json), replaces)


def permissions(_checked: object, plan: PutItemPlan, asked: Asked) -> Iterable[Permission]:
    """PutItem on the key."""
    return permissions_of_write("PutItem", plan, asked)


OPERATION: Final[Operation[PutItem, CheckedPutItem, PutItemPlan, CallerContext]] = Operation(
    facts=OPERATION_FACTS["PutItem"],
    request=PutItem,
    check=check,
    accesses=on_tables("PutItem"),
    permissions=permissions,
    tables=TableMode.OPEN,
    elsewhere=items_in_other_region,
    fit=fit,
    charges=PutItemPlan.charges,
    spot=PutItemPlan.spot,
    keys=PutItemPlan.keys,
    run=write_item,
    enveloped=True,
)
