"""Query: items of one partition, in the order of the sort key."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.program import Bound, KeyClause, Sources, bind, check_presence
from hashrange.limits import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.messages import queries as messages
from hashrange.model.values import AttributeValue, Item, KeyType
from hashrange.model.wording import Wording
from hashrange.operations.conditions import check_scalar_projection
from hashrange.operations.constraints import NAME_PATTERN, item_table
from hashrange.operations.legacy import Condition, check_styles
from hashrange.operations.operation import ItemOperation
from hashrange.operations.pages import PagePlan, check_select, read_view, view_of
from hashrange.operations.starting_keys import (
    canonical_starting_key,
    check_starting_partition,
    check_starting_sort,
    query_starting_key,
)
from hashrange.operations.unbuilt import refuse_unbuilt
from hashrange.tables.keyspace import (
    check_partition_key,
    check_sort_key,
    key_after,
    partition_prefix,
    sort_range,
)
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import KeyRange
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
    if request.index_name is not None:
        raise invalid(messages.no_such_index(request.index_name))
    assert bound.key_condition is not None, "checked"
    keys = _key_range(
        table,
        bound.key_condition,
        checked.start_key,
        reverse=request.scan_index_forward is False,
    )
    check_scalar_projection(bound.projection, table)
    _check_filter(bound, table)
    return PagePlan(
        table_name=checked.table_name,
        table=table,
        keys=keys,
        view=view_of(bound, request.select),
        limit=request.limit,
        consistent=request.consistent_read is True,
        consumed_detail=request.return_consumed_capacity,
    )


def _key_range(
    table: OpenTable, clauses: Sequence[KeyClause], start_key: Item | None, *, reverse: bool
) -> KeyRange:
    """The keys to read.

    The service looks at one attribute of the key after the other: at what the starting key has
    for it, then at what the condition says of it. Where the starting key lies comes last.
    """
    if start_key is not None:
        check_starting_partition(table, start_key)
    if len(clauses) > len(table.key_names):
        raise invalid(messages.too_many_key_conditions(len(clauses), len(table.key_names)))
    prefix = _partition_prefix(table, clauses)
    if start_key is not None:
        check_starting_sort(table, start_key)
    sort = None
    start, end = prefix, key_after(prefix)
    if len(clauses) > 1:
        sort = _sort_clause(table, clauses)
        start, end = sort_range(prefix, sort.operator, sort.operands)
    keys = KeyRange(start, end, reverse)
    if start_key is None:
        return keys
    key = query_starting_key(table, start_key, keys, sort)
    return KeyRange(start, key, reverse) if reverse else KeyRange(key + b"\x00", end, reverse)


def _partition_prefix(table: OpenTable, clauses: Sequence[KeyClause]) -> bytes:
    clause = _clause_of(table.partition_name, clauses)
    value = clause.operands[0]
    for operand in clause.operands:
        _check_type(operand, table.partition_type)
    if clause.operator != "=":
        raise invalid(messages.key_condition_unsupported())
    check_partition_key(table.partition_name, value)
    return partition_prefix(table.number, value)


def _sort_clause(table: OpenTable, clauses: Sequence[KeyClause]) -> KeyClause:
    assert table.sort_name is not None, "there are not more conditions than attributes"
    assert table.sort_type is not None
    clause = _clause_of(table.sort_name, clauses)
    for operand in clause.operands:
        _check_type(operand, table.sort_type)
        check_sort_key(table.sort_name, operand)
    return clause


def _clause_of(name: str, clauses: Sequence[KeyClause]) -> KeyClause:
    for clause in clauses:
        if clause.attribute == name:
            return clause
    raise invalid(messages.key_element_missed(name))


def _check_type(value: AttributeValue, kind: KeyType) -> None:
    if kind not in value:
        raise invalid(messages.key_condition_type())


def _check_filter(bound: Bound, table: OpenTable) -> None:
    if bound.filter is None:
        return
    used = {path[0] for path in bound.filter.paths}
    for name in table.key_names:
        if name in used:
            raise invalid(messages.filter_on_key(name))


OPERATION: Final = ItemOperation(
    request=Query,
    check=check,
    table_names=lambda checked: (checked.table_name,),
    fit=fit,
    run=read_view,
)
