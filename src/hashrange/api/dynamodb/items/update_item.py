"""UpdateItem: change attributes of an item, or create it."""

from collections.abc import Iterable
from typing import ClassVar, Final

import msgspec

from hashrange.api.dynamodb.items.conditions import (
    UNGUARDED,
    Guard,
    Options,
    check_condition_presence,
    check_scalar_keys,
    check_scalar_projection,
    check_scalar_reads,
    options_of,
)
from hashrange.api.dynamodb.items.legacy import (
    CONDITION_STYLES,
    CONDITIONAL_OPERATOR,
    EXPECTED,
    Styles,
    check_legacy_write,
)
from hashrange.api.dynamodb.items.written import (
    Attributes,
    SingleItemPlan,
    permissions_of_write,
    updated,
)
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.constraints import (
    KEY,
    RETURN_CONSUMED_CAPACITY,
    RETURN_ITEM_COLLECTION_METRICS,
    RETURN_VALUES,
    WRITE_ENUMS,
    item_table,
)
from hashrange.api.steps.operation import (
    CallerContext,
    Operation,
    TableMode,
    items_in_other_region,
)
from hashrange.api.steps.permissions import Asked, Permission, named_by_update
from hashrange.api.steps.request_shapes import ShapeCache, has_text_values
from hashrange.errors import invalid
from hashrange.expressions.attribute_updates import attribute_update, expected_condition
from hashrange.expressions.program import ExpressionShape, Sources, Update, shape_and_constants
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.limits.tables import TABLE_ARN_CHARS_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.canonical import canonical_key
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.sizes import item_bytes
from hashrange.model.structures.dynamodb import (
    UpdateItem,
)
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image, image_of
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.indexes import (
    check_keys_of_update,
    check_kinds_of_update,
    is_too_large,
)
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision
from hashrange.tables.writing.writer import write_item
from hashrange.wire import enums
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import each_value, length, one_of, required, rows
from hashrange.wire.rules import Form

# Checked before the others, unlike in other writes. Source: captures of the service, October 2026.
_FIRST_ROWS: Final = rows(RETURN_VALUES)
_ROWS: Final = rows(*(row for row in WRITE_ENUMS if row is not RETURN_VALUES), KEY)
# Requests without a key are refused by the older layer, with all violations in this order.
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


class UpdateItemShape:
    """Facts that hold for all requests of a shape: they are valid but for their values.

    Attributes:
        options: ReturnValues and the like.
        plan: the compiled expressions.
        has_text_key: all values of the key are strings.
        legacy: condition and update of legacy parameters; such a shape is not cached.
        fits: the last table that the expressions were found to fit.
    """

    __slots__ = ("fits", "has_text_key", "legacy", "options", "plan")

    def __init__(
        self,
        options: Options,
        plan: ExpressionShape,
        legacy: tuple[Guard, Update | None] | None,
        *,
        has_text_key: bool,
    ) -> None:
        self.options = options
        self.plan = plan
        self.legacy = legacy
        self.has_text_key = has_text_key
        self.fits: OpenTable | None = None


class CheckedUpdateItem(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    options: Options
    key: Item
    guard: Guard
    update: Update | None
    shape: UpdateItemShape


class UpdateItemPlan(SingleItemPlan, frozen=True):
    """An item to update; `item` is its key."""

    replaces: ClassVar[bool] = False

    update: Update | None

    def decide(self, before: Image | None) -> Decision[Attributes]:
        """Apply the update if the condition holds. Pure."""
        old = None if self.guard is UNGUARDED else self.guard.admit(before, self.table)
        update, table = self.update, self.table.table
        if update is None:
            after = before or image_of(self.item, item_bytes(self.item))
            return Decision(after, self._attributes(before, after, {}, {}))
        change = updated(update, before, old, self.item)
        if change is None:
            return Decision(None, None)
        if self.table.has_indexes:
            check_keys_of_update(table, change.new, update.targets)
            if is_too_large(self.table, change.new, change.size):
                raise invalid(messages.item_too_large_after_update())
        after = image_of(change.new, change.size)
        if self.options.returns == "NONE":
            return Decision(after, None, change.new)
        attributes = self._attributes(before, after, change.old, change.new)
        return Decision(after, attributes, change.new)

    def _attributes(self, before: Image | None, after: Image, old: Item, new: Item) -> Attributes:
        match self.options.returns:
            case "UPDATED_NEW" if self.update is not None:
                return self.update.fragments(new) or None
            case "UPDATED_OLD" if self.update is not None:
                return self.update.fragments(old) or None
            case "ALL_NEW":
                return msgspec.Raw(after.json)
            case _:
                return self.old_attributes(before)


_shapes: Final = ShapeCache[UpdateItemShape](
    UpdateItem, typed=("key", "expression_attribute_values")
)


def check(request: UpdateItem) -> CheckedUpdateItem:
    """Refuse invalid members, expressions and values; facts of the shape are cached."""
    shape = _shapes.get(request)
    if shape is None:
        shape = _check_new_shape(request)
    # Values are checked for each request, also if its shape is cached.
    key, options = request.key, shape.options
    assert key is not None, "required"
    if not shape.has_text_key:
        key = canonical_key(key, Wording.CURRENT)
    plan = shape.plan
    constants = plan.constants(request.expression_attribute_values, Wording.CURRENT)
    guard, update = shape.legacy or (UNGUARDED, None)
    condition, update_shape = plan.program.condition, plan.program.update
    if condition is not None:
        guard = Guard(condition.bound(constants), options.returns_old_on_failure)
    if update_shape is not None:
        update = Update(update_shape, constants)
    return CheckedUpdateItem(options.table_names, options, key, guard, update, shape)


def _check_new_shape(request: UpdateItem) -> UpdateItemShape:
    """Check a request in DynamoDB's order, and cache the facts that hold for its shape."""
    options = _checked_options(request)
    updates, expected = request.attribute_updates, request.expected
    operator = request.conditional_operator
    is_legacy = updates is not None or expected is not None or operator is not None
    if is_legacy:
        check_legacy_write(request, _LEGACY_ROWS, _STYLES)
    if request.update_expression is None:
        check_condition_presence(request)
    assert request.key is not None, "required"
    canonical_key(request.key, Wording.CURRENT)
    sources = Sources(update=request.update_expression, condition=request.condition_expression)
    names, values = request.expression_attribute_names, request.expression_attribute_values
    plan, constants = shape_and_constants(sources, names, values, wording=Wording.CURRENT)
    legacy = None
    if is_legacy:
        bound = plan.bound(constants)
        update = bound.update if updates is None else attribute_update(updates)
        condition = bound.condition if expected is None else expected_condition(expected, operator)
        guard = Guard(condition, options.returns_old_on_failure) if condition else UNGUARDED
        legacy = (guard, update)
    shape = UpdateItemShape(options, plan, legacy, has_text_key=has_text_values(request.key))
    _shapes.keep(request, shape)
    return shape


def _checked_options(request: UpdateItem) -> Options:
    if request.key is None:
        check_constraints(request, _ROWS_WITHOUT_KEY, Form.MODEL)
    table_name = item_table(request.table_name)
    if request.return_values is not None:
        check_constraints(request, _FIRST_ROWS, Form.CURRENT)
    check_constraints(request, _ROWS, Form.CURRENT)
    return options_of(table_name, request)


def fit(checked: CheckedUpdateItem, table: OpenTable) -> UpdateItemPlan:
    """Encode the key; refuse expressions that do not fit the table, and updates too large."""
    update, guard, shape = checked.update, checked.guard, checked.shape
    key = table.string_key_alone(checked.key) or key_of(table, checked.key)
    if shape.fits is not table:
        fit_expressions(update, guard, table)
        shape.fits = table
    # Checked before the condition, as by the service; updates in transactions have no such limit.
    if update is not None:
        cost = update.shape.cost
        if cost is not None and cost(update.constants) > ITEM_BYTES_MAX:
            raise invalid(messages.item_too_large_after_update())
    return UpdateItemPlan(table, key, checked.options, checked.key, guard, update)


def fit_expressions(update: Update | None, guard: Guard, table: OpenTable) -> None:
    """Refuse expressions that update keys of the table, or do not fit keys of its indexes."""
    if update is not None:
        for name in table.key_names:
            if name in update.targets:
                raise invalid(messages.key_attribute_updated(name))
        if table.has_indexes:
            check_kinds_of_update(table.table, update.literal_kinds())
        check_scalar_projection(update.written, table)
        check_scalar_reads(update, table)
    check_scalar_keys(guard.condition, table)


def permissions(_checked: object, plan: UpdateItemPlan, asked: Asked) -> Iterable[Permission]:
    """UpdateItem on the key."""
    return permissions_of_write("UpdateItem", plan, asked, named_by_update(plan.update))


OPERATION: Final[Operation[UpdateItem, CheckedUpdateItem, UpdateItemPlan, CallerContext]] = (
    Operation(
        facts=OPERATION_FACTS["UpdateItem"],
        request=UpdateItem,
        check=check,
        accesses=on_tables("UpdateItem"),
        permissions=permissions,
        tables=TableMode.OPEN,
        elsewhere=items_in_other_region,
        fit=fit,
        charges=UpdateItemPlan.charges,
        spot=UpdateItemPlan.spot,
        keys=UpdateItemPlan.keys,
        run=write_item,
        enveloped=True,
    )
)
