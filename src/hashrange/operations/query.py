"""Query: items of one partition, in the order of the sort key."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.program import Bound, KeyClause, Sources, bind
from hashrange.limits import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.messages import queries as messages
from hashrange.model.values import AttributeValue, Item, KeyType
from hashrange.model.wording import Wording
from hashrange.operations.conditions import check_scalar_keys
from hashrange.operations.constraints import NAME_PATTERN, RETURN_CONSUMED_CAPACITY, item_table
from hashrange.operations.legacy import Condition
from hashrange.operations.operation import ItemOperation
from hashrange.operations.pages import PagePlan, check_select, read_view, view_of
from hashrange.operations.starting_keys import canonical_starting_key, query_starting_key
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
    one_of("select", enums.SELECT),
    RETURN_CONSUMED_CAPACITY,
)
_UNBUILT: Final = {
    "attributes_to_get": "AttributesToGet",
    "key_conditions": "KeyConditions",
    "query_filter": "QueryFilter",
    "conditional_operator": "ConditionalOperator",
}


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
    refuse_unbuilt(request, _UNBUILT)
    sources = Sources(
        projection=request.projection_expression,
        filter=request.filter_expression,
        key_condition=request.key_condition_expression,
    )
    names, values = request.expression_attribute_names, request.expression_attribute_values
    start_key = canonical_starting_key(request.exclusive_start_key, Wording.CURRENT)
    check_select(
        request.select, request.projection_expression, index=request.index_name is not None
    )
    bound = bind(sources, names, values, wording=Wording.CURRENT)
    if bound.key_condition is None:
        raise invalid(messages.no_key_condition())
    return Checked(table_name, request, bound, start_key)


def fit(checked: Checked, tables: Sequence[OpenTable]) -> PagePlan:
    """See `ItemOperation.fit`."""
    (table,) = tables
    request, bound = checked.request, checked.bound
    if request.index_name is not None:
        raise invalid(messages.no_such_index(request.index_name))
    assert bound.key_condition is not None
    keys = _key_range(table, bound.key_condition)
    _check_filter(bound, table)
    reverse = request.scan_index_forward is False
    if checked.start_key is not None:
        single = table.sort_name is None or _is_equality(bound.key_condition, table.sort_name)
        key = query_starting_key(table, checked.start_key, keys, single=single)
        keys = KeyRange(keys.start, key) if reverse else KeyRange(key + b"\x00", keys.end)
    return PagePlan(
        table_name=checked.table_name,
        table=table,
        keys=KeyRange(keys.start, keys.end, reverse),
        view=view_of(bound, request.select),
        limit=request.limit,
        consistent=request.consistent_read is True,
        consumed_detail=request.return_consumed_capacity,
    )


def _key_range(table: OpenTable, clauses: Sequence[KeyClause]) -> KeyRange:
    """The keys that a key condition selects; start and end without regard to a starting key."""
    if len(clauses) > len(table.key_names):
        raise invalid(messages.too_many_key_conditions(len(clauses), len(table.key_names)))
    by_name = {clause.attribute: clause for clause in clauses}
    partition = by_name.get(table.partition_name)
    if partition is None:
        raise invalid(messages.key_element_missed(table.partition_name))
    if partition.operator != "=":
        raise invalid(messages.key_condition_unsupported())
    (value,) = partition.operands
    _check_type(value, table.partition_type)
    check_partition_key(table.partition_name, value)
    prefix = partition_prefix(table.number, value)
    if len(clauses) == 1:
        return KeyRange(prefix, key_after(prefix))
    assert table.sort_name is not None
    assert table.sort_type is not None
    sort = by_name.get(table.sort_name)
    if sort is None:
        raise invalid(messages.key_element_missed(table.sort_name))
    for operand in sort.operands:
        _check_type(operand, table.sort_type)
        check_sort_key(table.sort_name, operand)
    start, end = sort_range(prefix, sort.operator, sort.operands)
    return KeyRange(start, end)


def _check_type(value: AttributeValue, kind: KeyType) -> None:
    if kind not in value:
        raise invalid(messages.key_condition_type())


def _is_equality(clauses: Sequence[KeyClause], name: str) -> bool:
    return any(clause.attribute == name and clause.operator == "=" for clause in clauses)


def _check_filter(bound: Bound, table: OpenTable) -> None:
    check_scalar_keys(bound.filter, table)
    if bound.filter is None:
        return
    for path in bound.filter.paths:
        if path[0] in table.key_names:
            raise invalid(messages.filter_on_key(str(path[0])))


OPERATION: Final = ItemOperation(
    request=Query,
    check=check,
    table_names=lambda checked: (checked.table_name,),
    fit=fit,
    run=read_view,
)
