"""GetItem: one item by its key."""

from collections.abc import Iterable
from typing import ClassVar, Final

import msgspec

from hashrange.capacity.charges import Charge
from hashrange.capacity.consumed import ConsumedCapacity, Units, consumed
from hashrange.capacity.units import read_units
from hashrange.expressions.attributes_to_get import attributes_projection
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.model.canonical import canonical_key
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.items.conditions import check_scalar_projection
from hashrange.operations.items.legacy import ATTRIBUTES_TO_GET, Styles
from hashrange.operations.items.pages import seen
from hashrange.operations.pipeline.accesses import on_tables
from hashrange.operations.pipeline.constraints import KEY, RETURN_CONSUMED_CAPACITY, item_table
from hashrange.operations.pipeline.operation import CallerContext, Operation, Outcome, TableMode
from hashrange.operations.pipeline.request_shapes import ShapeCache, has_text_values
from hashrange.tables.images import size_of
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form


class GetItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    TYPED_VALUES: ClassVar[tuple[str, ...]] = ("key",)
    FREE_VALUES: ClassVar[tuple[str, ...]] = ()

    table_name: str | None = None
    key: dict[str, AttributeValue] | None = None
    attributes_to_get: list[str] | None = None
    consistent_read: bool | None = None
    return_consumed_capacity: str | None = None
    projection_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None


_ROWS: Final = rows(RETURN_CONSUMED_CAPACITY, ATTRIBUTES_TO_GET, KEY)
_NO_SOURCES: Final = Sources()
_STYLES: Final = Styles(
    legacy={"attributes_to_get": "AttributesToGet"},
    expressions={"projection_expression": "ProjectionExpression"},
)


class Known(msgspec.Struct, frozen=True):
    """What is known of all requests of one shape: they are right but for their values."""

    table_names: tuple[str]
    projection: Projection | None
    has_text_key: bool
    consistent: bool
    consumed_detail: str | None


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_names: tuple[str]
    known: Known
    key: Item


class Plan(msgspec.Struct, frozen=True):
    """One key to read."""

    checked: Checked
    table: OpenTable
    key: bytes


class Answer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer; no Item if there is none."""

    item: msgspec.Raw | Item | None = None
    consumed_capacity: ConsumedCapacity | None = None


_known: Final = ShapeCache[Known](GetItem)


def check(request: GetItem) -> Checked:
    """See `Operation.check`."""
    known = _known.get(request)
    if known is None:
        known = _learn(request)
    # What is checked of values is checked here, whether or not the shape was known.
    key = request.key
    assert key is not None, "required"
    if not known.has_text_key:
        key = canonical_key(key, Wording.CURRENT)
    return Checked(known.table_names, known, key)


def _learn(request: GetItem) -> Known:
    """Check all of a request in DynamoDB's order, and cache what holds for its shape."""
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
    known = Known(
        table_names=(table_name,),
        projection=projection,
        has_text_key=has_text_values(request.key),
        consistent=request.consistent_read is True,
        consumed_detail=request.return_consumed_capacity,
    )
    _known.keep(request, known)
    return known


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `Operation.fit`."""
    key = key_of(table, checked.key)
    projection = checked.known.projection
    if projection is not None:
        check_scalar_projection(projection, table)
    return Plan(checked, table, key)


def charges(plan: Plan) -> Iterable[Charge]:
    """See `Operation.charges`."""
    checked = plan.checked
    units = read_units(0, consistent=checked.known.consistent)
    partition = (checked.key[plan.table.partition_name],)
    return (Charge(checked.table_names[0], partition, read_units=units),)


async def run(plan: Plan, context: CallerContext) -> Outcome:
    """See `Operation.run`."""
    known = plan.checked.known
    (stored,) = await context.store.engine.read((plan.key,), fences=plan.table.fences)
    size = 0 if stored is None else size_of(stored)
    units = read_units(size, consistent=known.consistent)
    detail = known.consumed_detail
    capacity = (
        None if detail is None else consumed(known.table_names[0], Units(table=units), detail)
    )
    item = None if stored is None else seen(stored, known.projection)
    return Outcome(Answer(item, capacity), units)


OPERATION: Final = Operation(
    request=GetItem,
    check=check,
    accesses=on_tables("GetItem"),
    tables=TableMode.OPEN,
    fit=fit,
    charges=charges,
    run=run,
)
