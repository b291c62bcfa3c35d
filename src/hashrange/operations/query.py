"""Query: items of one partition, in the order of the sort key."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.attributes_to_get import attributes_projection
from hashrange.expressions.filters import filter_condition
from hashrange.expressions.legacy_conditions import check_conditional_operator
from hashrange.expressions.legacy_key_conditions import KeyCondition, key_conditions
from hashrange.expressions.program import Bound, Sources, bind, check_presence
from hashrange.limits import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.messages import legacy as legacy_messages
from hashrange.messages import queries as messages
from hashrange.model.legacy import Condition
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import check_scalar_keys, check_scalar_projection
from hashrange.operations.constraints import NAME_PATTERN, item_table
from hashrange.operations.key_ranges import is_of_one_item, key_range
from hashrange.operations.legacy import (
    ATTRIBUTES_TO_GET,
    CONDITIONAL_OPERATOR,
    Styles,
    conditions,
)
from hashrange.operations.operation import ItemOperation
from hashrange.operations.pages import PagePlan, Reading, check_select, read_view, view_of
from hashrange.operations.starting_keys import canonical_starting_key
from hashrange.operations.targets import target_of
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
_OPERATOR_ROWS: Final = rows(CONDITIONAL_OPERATOR)
_LEGACY_ROWS: Final = rows(
    ATTRIBUTES_TO_GET,
    conditions("query_filter", form=Form.MODEL),
    conditions("key_conditions", form=Form.MODEL),
)
_STYLES: Final = Styles(
    legacy={
        "attributes_to_get": "AttributesToGet",
        "query_filter": "QueryFilter",
        "conditional_operator": "ConditionalOperator",
        "key_conditions": "KeyConditions",
    },
    expressions={
        "projection_expression": "ProjectionExpression",
        "filter_expression": "FilterExpression",
        "key_condition_expression": "KeyConditionExpression",
    },
)
_legacy: Final = attrgetter(*_STYLES.legacy)
_NO_LEGACY: Final = (None,) * len(_STYLES.legacy)


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    request: Query
    bound: Bound
    keys: Sequence[KeyCondition]
    start_key: Item | None


def check(request: Query) -> Checked:
    """See `ItemOperation.check`."""
    table_name = item_table(request.table_name)
    is_legacy = _legacy(request) != _NO_LEGACY
    if is_legacy:
        check_constraints(request, _OPERATOR_ROWS, Form.CURRENT, enveloped=False)
    check_constraints(request, _ROWS, Form.CURRENT)
    if is_legacy:
        _check_legacy_members(request)
    sources = Sources(
        projection=request.projection_expression,
        filter=request.filter_expression,
        key_condition=request.key_condition_expression,
    )
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if sources.key_condition is None:
        check_presence(sources, names, values)
    legacy = _legacy_view(request) if is_legacy else None
    start_key = canonical_starting_key(request.exclusive_start_key, Wording.CURRENT)
    if sources.key_condition is None and request.key_conditions is None:
        raise invalid(messages.no_key_condition())
    check_select(request, Wording.CURRENT)
    bound = bind(sources, names, values, wording=Wording.CURRENT)
    keys: Sequence[KeyCondition] = bound.key_condition or ()
    if request.key_conditions is not None:
        keys = key_conditions(request.key_conditions)
    return Checked(table_name, request, legacy or bound, keys, start_key)


def _check_legacy_members(request: Query) -> None:
    check_constraints(request, _LEGACY_ROWS, Form.CURRENT)
    if request.key_condition_expression is not None:
        _STYLES.check(request)
    else:
        # KeyConditions goes with the other expressions.
        _STYLES.check(msgspec.structs.replace(request, key_conditions=None))


def _legacy_view(request: Query) -> Bound | None:
    """What QueryFilter and AttributesToGet ask for; None if there is neither."""
    entries, attributes = request.query_filter, request.attributes_to_get
    operator = request.conditional_operator
    check_conditional_operator(operator, entries)
    if entries is None and attributes is None:
        return None
    condition = filter_condition(entries or {}, operator, Wording.CURRENT)
    projection = None if attributes is None else attributes_projection(attributes)
    return Bound(None, condition, None, None, projection)


def fit(checked: Checked, table: OpenTable) -> PagePlan:
    """See `ItemOperation.fit`."""
    request, bound = checked.request, checked.bound
    target = target_of(table, request.index_name, consistent=request.consistent_read is True)
    keys = key_range(
        target, checked.keys, checked.start_key, reverse=request.scan_index_forward is False
    )
    check_scalar_projection(bound.projection, table)
    _check_filter(request, bound, target)
    check_scalar_keys(bound.filter, table)
    limit = request.limit
    if limit is not None and is_of_one_item(target, checked.keys):
        limit = None  # a page that ended at it would name a key that nobody may go on after
    reading = Reading(
        checked.table_name,
        target,
        view_of(target, bound, request.select),
        request.consistent_read is True,
        request.return_consumed_capacity,
    )
    return PagePlan(reading, keys, limit, bound.filter)


def _check_filter(request: Query, bound: Bound, target: Target) -> None:
    if bound.filter is None:
        return
    used = {path[0] for path in bound.filter.paths}
    for attribute in (*target.partition, *target.sort):
        if attribute.name in used:
            is_legacy = request.query_filter is not None
            text = legacy_messages.filter_on_key if is_legacy else messages.filter_on_key
            raise invalid(text(attribute.name))


OPERATION: Final = ItemOperation(
    request=Query,
    check=check,
    fit=fit,
    run=read_view,
)
