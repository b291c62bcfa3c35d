"""GetItem: reads an item by its key."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.charged import key_values
from hashrange.api.dynamodb.items.conditions import check_scalar_projection
from hashrange.api.dynamodb.items.legacy import ATTRIBUTES_TO_GET, Styles
from hashrange.api.dynamodb.items.pages import answered_item
from hashrange.api.steps.accesses import on_tables
from hashrange.api.steps.constraints import KEY, RETURN_CONSUMED_CAPACITY, item_table
from hashrange.api.steps.operation import (
    CallerContext,
    Operation,
    Outcome,
    TableMode,
    items_in_other_region,
)
from hashrange.api.steps.permissions import (
    Asked,
    Permission,
    consumed_option,
    permission_on_table,
    projected,
    selection,
)
from hashrange.api.steps.request_shapes import ShapeCache, has_text_values
from hashrange.capacity.consumed import Units, consumed
from hashrange.capacity.units import LEAST_READ_UNITS, Charge, KeyValues, read_units
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.expressions.projections import attributes_projection
from hashrange.model.canonical import canonical_key
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import GetItem, GetItemAnswer
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import size_of
from hashrange.tables.keys.scaling_keys import ITEM_POSITION
from hashrange.tables.opened.access_paths import key_of
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import charged_sizes
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form

_ROWS: Final = rows(RETURN_CONSUMED_CAPACITY, ATTRIBUTES_TO_GET, KEY)
_NO_SOURCES: Final = Sources()
_STYLES: Final = Styles(
    legacy={"attributes_to_get": "AttributesToGet"},
    expressions={"projection_expression": "ProjectionExpression"},
)


class GetItemShape(msgspec.Struct, frozen=True):
    """Facts that hold for all requests of a shape: they are valid but for their values."""

    table_names: tuple[str]
    projection: Projection | None
    has_text_key: bool
    consistent: bool
    consumed_detail: str | None


class CheckedGetItem(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    shape: GetItemShape
    key: Item


class GetItemPlan(msgspec.Struct, frozen=True):
    """A key to read."""

    checked: CheckedGetItem
    table: OpenTable
    key: bytes


_shapes: Final = ShapeCache[GetItemShape](GetItem, typed=("key",))


def check(request: GetItem) -> CheckedGetItem:
    """Refuse invalid members, expressions and key values; facts of the shape are cached."""
    shape = _shapes.get(request)
    if shape is None:
        shape = _check_new_shape(request)
    # Values are checked for each request, also if its shape is cached.
    key = request.key
    assert key is not None, "required"
    if not shape.has_text_key:
        key = canonical_key(key, Wording.CURRENT)
    return CheckedGetItem(shape.table_names, shape, key)


def _check_new_shape(request: GetItem) -> GetItemShape:
    """Check a request in DynamoDB's order, and cache the facts that hold for its shape."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    attributes = request.attributes_to_get
    if attributes is not None:
        _STYLES.check(request)
    text, names = request.projection_expression, request.expression_attribute_names
    if text is None:
        check_presence(_NO_SOURCES, names, None)
    assert request.key is not None, "required"
    canonical_key(request.key, Wording.CURRENT)
    projection = None
    if text is not None:
        projection = bind(Sources(projection=text), names, None, wording=Wording.CURRENT).projection
    elif attributes is not None:
        projection = attributes_projection(attributes)
    shape = GetItemShape(
        table_names=(table_name,),
        projection=projection,
        has_text_key=has_text_values(request.key),
        consistent=request.consistent_read is True,
        consumed_detail=request.return_consumed_capacity,
    )
    _shapes.keep(request, shape)
    return shape


def fit(checked: CheckedGetItem, table: OpenTable) -> GetItemPlan:
    """Encode the key; refuse a key or a projection that does not fit the table."""
    key = table.string_key_alone(checked.key) or key_of(table, checked.key)
    projection = checked.shape.projection
    if projection is not None:
        check_scalar_projection(projection, table)
    return GetItemPlan(checked, table, key)


def charges(plan: GetItemPlan) -> Sequence[Charge]:
    """The least read units of the key: those of a missing item."""
    checked, position = plan.checked, plan.key[ITEM_POSITION]
    partition = (checked.key[plan.table.partition_name],)
    units = LEAST_READ_UNITS[checked.shape.consistent]
    return (Charge(checked.table_names[0], partition, read_units=units, position=position),)


def spot(plan: GetItemPlan) -> Charge:
    """The charge of `charges`, without the partition key."""
    shape = plan.checked.shape
    units = LEAST_READ_UNITS[shape.consistent]
    return Charge(shape.table_names[0], None, None, units, 0.0, plan.key[ITEM_POSITION])


def keys(plan: GetItemPlan) -> Sequence[KeyValues]:
    """The key."""
    return (key_values(plan.table, plan.checked.key),)


def is_eventual(plan: GetItemPlan) -> bool:
    """Whether ConsistentRead is not set."""
    return not plan.checked.shape.consistent


async def run(plan: GetItemPlan, context: CallerContext) -> Outcome:
    """Read the item and apply the projection."""
    shape = plan.checked.shape
    (stored,) = await context.store.engine.read((plan.key,), fences=plan.table.fences)
    size = 0 if stored is None else size_of(stored)
    if plan.table.vector_names:
        (size,) = charged_sizes(plan.table.table, [stored])
    units = read_units(size, consistent=shape.consistent)
    detail = shape.consumed_detail
    capacity = (
        None if detail is None else consumed(shape.table_names[0], Units(table=units), detail)
    )
    item = None if stored is None else answered_item(stored, shape.projection)
    return Outcome(GetItemAnswer(item, capacity), units)


def permissions(checked: CheckedGetItem, plan: GetItemPlan, asked: Asked) -> Iterable[Permission]:
    """GetItem on the key."""
    key, shape = checked.key, checked.shape
    permission = permission_on_table(
        "GetItem",
        shape.table_names[0],
        asked,
        partitions=[(key[plan.table.partition_name],)],
        names=chain(key, projected(shape.projection)),
        options={
            "dynamodb:select": (selection(shape.projection),),
            "dynamodb:returnconsumedcapacity": (consumed_option(shape.consumed_detail),),
        },
    )
    return (permission,)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["GetItem"],
    request=GetItem,
    check=check,
    accesses=on_tables("GetItem"),
    permissions=permissions,
    tables=TableMode.OPEN,
    elsewhere=items_in_other_region,
    fit=fit,
    charges=charges,
    spot=spot,
    keys=keys,
    is_eventual=is_eventual,
    run=run,
)
