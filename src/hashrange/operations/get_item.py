"""GetItem: one item by its key."""

from collections.abc import Hashable
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity, Units, consumed
from hashrange.capacity.units import read_units
from hashrange.expressions.attributes_to_get import attributes_projection
from hashrange.expressions.plans import Plans
from hashrange.expressions.program import Projection, Sources, bind, check_presence
from hashrange.limits import (
    EXPRESSION_PLAN_CHARS_MAX,
    EXPRESSION_PLANS_CHARS_MAX,
    EXPRESSION_PLANS_MAX,
)
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


_shaping: Final = attrgetter(
    "table_name",
    "attributes_to_get",
    "consistent_read",
    "return_consumed_capacity",
    "projection_expression",
)
"""All members but the key and the names."""


class Known(msgspec.Struct, frozen=True):
    """What was found of a request's shape: of all members, and of the key its names and types."""

    projection: Projection | None
    has_text_key: bool
    """Strings, which are canonical as they are sent."""


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: GetItem
    key: Item
    projection: Projection | None


class Plan(msgspec.Struct, frozen=True):
    """One key to read."""

    checked: Checked
    table: OpenTable
    key: bytes


class Answer(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The answer; no Item if there is none."""

    item: msgspec.Raw | Item | None = None
    consumed_capacity: ConsumedCapacity | None = None


def check(request: GetItem) -> Checked:
    """See `ItemOperation.check`."""
    key, names = request.key, request.expression_attribute_names
    shape = (
        _shaping(request),
        names and tuple(names.items()),
        key and (tuple(key), tuple(map(tuple, key.values()))),
    )
    try:
        known = _shapes.get(shape)
    except TypeError:  # a list, or what is empty: such shapes are not kept
        known = None
    if known is None:
        return _checked(request, shape)
    assert request.table_name is not None
    assert key is not None
    if not known.has_text_key:
        key = canonical_key(key, Wording.CURRENT)
    return Checked(request.table_name, request, key, known.projection)


def _checked(request: GetItem, shape: Hashable) -> Checked:
    """Check a request of a shape that is not known, and keep it if it is good."""
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
    if key and not attributes and names != {}:
        has_text_key = all(value.keys() == {"S"} for value in request.key.values())
        texts = [table_name, text or "", *key, *(names or ()), *(names or {}).values()]
        _shapes.keep(shape, Known(projection, has_text_key), sum(map(len, texts)))
    return Checked(table_name, request, key, projection)


_shapes: Final = Plans[Hashable, Known](
    plans_max=EXPRESSION_PLANS_MAX,
    chars_max=EXPRESSION_PLANS_CHARS_MAX,
    plan_chars_max=EXPRESSION_PLAN_CHARS_MAX,
)


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    key = key_of(table, checked.key)
    if checked.projection is not None:
        check_scalar_projection(checked.projection, table)
    return Plan(checked, table, key)


async def run(plan: Plan, store: Store) -> ItemOutcome:
    """See `ItemOperation.run`."""
    checked = plan.checked
    request = checked.request
    (stored,) = await store.engine.read((plan.key,), fences=plan.table.fences)
    size = 0 if stored is None else size_of(stored)
    units = read_units(size, consistent=request.consistent_read is True)
    detail = request.return_consumed_capacity
    capacity = None if detail is None else consumed(checked.table_name, Units(table=units), detail)
    item = None if stored is None else seen(stored, checked.projection)
    return ItemOutcome(Answer(item, capacity), units)


OPERATION: Final = ItemOperation(
    request=GetItem,
    check=check,
    fit=fit,
    run=run,
)
