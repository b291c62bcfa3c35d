"""GetItem: one item by its key."""

from typing import Final

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity, Units, consumed
from hashrange.capacity.units import read_units
from hashrange.expressions.attributes_to_get import attributes_projection
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.model.canonical import canonical_key
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import check_scalar_projection
from hashrange.operations.constraints import KEY, RETURN_CONSUMED_CAPACITY, item_table
from hashrange.operations.legacy import ATTRIBUTES_TO_GET, Styles
from hashrange.operations.operation import ItemOperation, ItemOutcome
from hashrange.operations.pages import seen
from hashrange.tables.images import size_of
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form


class GetItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

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


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: GetItem
    key: Item
    projection: Projection | None


class Plan(msgspec.Struct, frozen=True):
    """One key to read."""

    table_name: str
    request: GetItem
    table: OpenTable
    key: bytes
    projection: Projection | None


class Answer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer; no Item if there is none."""

    item: msgspec.Raw | Item | None = None
    consumed_capacity: ConsumedCapacity | None = None


def check(request: GetItem) -> Checked:
    """See `ItemOperation.check`."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    attributes = request.attributes_to_get
    if attributes is not None:
        _STYLES.check(request)
    text, names = request.projection_expression, request.expression_attribute_names
    if text is None:
        check_presence(_NO_SOURCES, names, None)
    assert request.key is not None
    key = canonical_key(request.key, Wording.CURRENT)
    projection = None
    if text is not None:
        projection = bind(Sources(projection=text), names, None, wording=Wording.CURRENT).projection
    elif attributes is not None:
        projection = attributes_projection(attributes)
    return Checked(table_name, request, key, projection)


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    key = key_of(table, checked.key)
    check_scalar_projection(checked.projection, table)
    return Plan(checked.table_name, checked.request, table, key, checked.projection)


async def run(plan: Plan, store: Store) -> ItemOutcome:
    """See `ItemOperation.run`."""
    request = plan.request
    (stored,) = await store.engine.read((plan.key,), fences=plan.table.fences)
    units = read_units(
        0 if stored is None else size_of(stored), consistent=request.consistent_read is True
    )
    detail = request.return_consumed_capacity
    capacity = None if detail is None else consumed(plan.table_name, Units(table=units), detail)
    item = None if stored is None else seen(stored, plan.projection)
    return ItemOutcome(Answer(item, capacity), units)


OPERATION: Final = ItemOperation(
    request=GetItem,
    check=check,
    fit=fit,
    run=run,
)
