"""Query: items of one partition, in the order of the sort key."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.program import Bound, Sources, bind, check_presence
from hashrange.limits import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.messages import queries as messages
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import check_scalar_projection
from hashrange.operations.constraints import NAME_PATTERN, item_table
from hashrange.operations.key_ranges import key_range
from hashrange.operations.legacy import Condition, check_styles
from hashrange.operations.operation import ItemOperation
from hashrange.operations.pages import PagePlan, check_select, read_view, view_of
from hashrange.operations.starting_keys import canonical_starting_key
from hashrange.operations.targets import target_of
from hashrange.operations.unbuilt import refuse_unbuilt
from hashrange.tables.opened import OpenTable
from hashrange.tables.targets import Target
from hashrange.wire import enums
from hashrange.wire.constraints import between, length, matches, one_of, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.rules import Form
from hashrange.wire.shapes import Integer


class Query(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    index_name: str | None = None
    select: str | None = None
    attributes_to_get: list[str] | None = None
    limit: Integer | None = None
    consistent_read: bool | None = None
    key_conditions: dict[str, Condition] | None = None
    query_filter: dict[str, Condition] | None = None
    conditional_operator: str | None = None
    scan_index_forward: bool | None = None
    exclusive_start_key: dict[str, AttributeValue] | None = None
    return_consumed_capacity: str | None = None
    projection_expression: str | None = None
    filter_expression: str | None = None
    key_condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


_ROWS: Final = rows(
    length("index_name", INDEX_NAME_CHARS_MIN, INDEX_NAME_CHARS_MAX),
    matches("index_name", NAME_PATTERN),
    between("limit", 1, None),
    one_of("select", enums.SELECT, form=Form.MODEL),
    one_of("return_consumed_capacity", enums.RETURN_CONSUMED_CAPACITY, form=Form.MODEL),
)
_LEGACY: Final = {
    "attributes_to_get": "AttributesToGet",
    "query_filter": "QueryFilter",
    "conditional_operator": "ConditionalOperator",
    "key_conditions": "KeyConditions",
}
_EXPRESSIONS: Final = {
    "projection_expression": "ProjectionExpression",
    "filter_expression": "FilterExpression",
    "key_condition_expression": "KeyConditionExpression",
}
_legacy: Final = attrgetter(*_LEGACY)
_NO_LEGACY: Final = (None,) * len(_LEGACY)


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: Query
    bound: Bound
    start_key: Item | None


def check(request: Query) -> Checked:
    """See `ItemOperation.check`."""
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    if _legacy(request) != _NO_LEGACY:
        _refuse_legacy(request)
    sources = Sources(
        projection=request.projection_expression,
        filter=request.filter_expression,
        key_condition=request.key_condition_expression,
    )
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if sources.key_condition is None:
        check_presence(sources, names, values)
    start_key = canonical_starting_key(request.exclusive_start_key, Wording.CURRENT)
    if sources.key_condition is None:
        raise invalid(messages.no_key_condition())
    check_select(
        request.select,
        request.projection_expression,
        Wording.CURRENT,
        index=request.index_name is not None,
    )
    bound = bind(sources, names, values, wording=Wording.CURRENT)
    return Checked(table_name, request, bound, start_key)


def _refuse_legacy(request: Query) -> None:
    legacy = dict(_LEGACY)
    if request.key_condition_expression is None:
        del legacy["key_conditions"]  # goes with the other expressions
    check_styles(request, legacy, _EXPRESSIONS)
    refuse_unbuilt(request, _LEGACY)


def fit(checked: Checked, tables: Sequence[OpenTable]) -> PagePlan:
    """See `ItemOperation.fit`."""
    (table,) = tables
    request, bound = checked.request, checked.bound
    target = target_of(table, request.index_name, consistent=request.consistent_read is True)
    assert bound.key_condition is not None, "checked"
    keys = key_range(
        target,
        bound.key_condition,
        checked.start_key,
        reverse=request.scan_index_forward is False,
    )
    check_scalar_projection(bound.projection, table)
    _check_filter(bound, target)
    return PagePlan(
        table_name=checked.table_name,
        target=target,
        keys=keys,
        view=view_of(target, bound, request.select),
        limit=request.limit,
        consistent=request.consistent_read is True,
        consumed_detail=request.return_consumed_capacity,
    )


def _check_filter(bound: Bound, target: Target) -> None:
    if bound.filter is None:
        return
    used = {path[0] for path in bound.filter.paths}
    for attribute in (*target.partition, *target.sort):
        if attribute.name in used:
            raise invalid(messages.filter_on_key(attribute.name))


OPERATION: Final = ItemOperation(
    request=Query,
    check=check,
    table_names=lambda checked: (checked.table_name,),
    fit=fit,
    run=read_view,
)
