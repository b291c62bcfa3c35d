"""SearchVectors: the entries of a vector index that are nearest to a vector.

The service has an approximate index; this server's answers are exact. Source of texts and of the
order of checks: measured by users, August to October 2026.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from struct import unpack
from typing import Final

import msgspec

from hashrange.api.steps.accesses import Access, on_view
from hashrange.api.steps.constraints import item_table
from hashrange.api.steps.operation import (
    CallerContext,
    Operation,
    Outcome,
    TableMode,
    items_in_other_region,
)
from hashrange.capacity.consumed import Units
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Constants, ExpressionShape, Sources, shape_and_constants
from hashrange.limits.requests import (
    SEARCH_ANSWER_BYTES_MAX,
    TOP_K_MAX,
    VECTOR_REQUEST_BYTES_MIN,
)
from hashrange.messages import vectors as messages
from hashrange.messages.items.queries import no_such_index
from hashrange.messages.items.values import key_empty_binary, key_empty_string
from hashrange.model.numbers import canonical_number
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    SearchResultItem,
    SearchVectors,
    SearchVectorsAnswer,
    VectorCapacity,
)
from hashrange.model.table import Index
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import as_list, from_binary, packed_texts
from hashrange.tables.vectors.scores import Search, query_of
from hashrange.tables.vectors.searches import Result, VectorPlan
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import SEARCH_VECTORS_ROWS
from hashrange.wire.rules import Form

_BYTES_A_DIMENSION: Final = 17.6
"""About the charge of a search, besides the items that it finds. Source: measured by users."""

_PLAIN: Final = b"0123456789.,-e"
_PLAIN_MAX: Final = 38
"""So many characters have no more digits, and a magnitude in the range of numbers."""
_has_small_exponent: Final = re.compile(r"[^e]{1,26}e-?[0-9]{1,2}").fullmatch


class CheckedSearch(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    request: SearchVectors
    shape: ExpressionShape
    constants: Constants


class SearchPlan(msgspec.Struct, frozen=True):
    """A search, and the request that says what to answer."""

    checked: CheckedSearch
    vectors: VectorPlan


def check(request: SearchVectors) -> CheckedSearch:
    """Refuse invalid members and expressions."""
    table_name = item_table(request.table_name)
    check_constraints(request, SEARCH_VECTORS_ROWS, Form.CURRENT)
    assert request.top_k is not None, "required"
    if request.top_k > TOP_K_MAX:
        raise invalid(messages.top_k_outside(request.top_k, TOP_K_MAX), bare=True)
    sources = Sources(
        projection=request.projection_expression, search=request.search_condition_expression
    )
    names, values = request.expression_attribute_names, request.expression_attribute_values
    shape, constants = shape_and_constants(sources, names, values, wording=Wording.CURRENT)
    return CheckedSearch((table_name,), request, shape, constants)


def fit(checked: CheckedSearch, table: OpenTable) -> SearchPlan:
    """Refuse a vector and conditions that do not fit the index."""
    request = checked.request
    index = _index(table, str(request.index_name))
    vector = index.vector
    assert vector is not None, "a vector index"
    assert request.search_vector is not None, "required"
    assert request.top_k is not None, "required"
    numbers = _numbers(request.search_vector)
    if len(numbers) != vector.dimensions:
        raise invalid(messages.other_size(len(numbers), vector.dimensions))
    values = _values(checked, index)
    for attribute in (*index.partition, *vector.filters):
        value = values.get(attribute.name)
        if value is not None and attribute.type not in value:
            kind = next(iter(value))
            raise invalid(messages.other_type(attribute.name, kind, attribute.type))
    partition = None
    for attribute in index.partition:
        partition = values.pop(attribute.name)
        if partition == {"S": ""}:
            raise invalid(key_empty_string(attribute.name))
        if partition == {"B": ""}:
            raise invalid(key_empty_binary(attribute.name))
    search = Search(vector.distance, query_of(numbers), values, request.top_k)
    return SearchPlan(checked, VectorPlan(table, index, partition, search))


def _index(table: OpenTable, name: str) -> Index:
    index = table.table.vector_index(name)
    if index is None or index.state == "DELETING":
        raise invalid(no_such_index(name))
    if index.state == "BUILDING":
        raise invalid(messages.backfilling(name))
    return index


def _numbers(sent: Sequence[AttributeValue]) -> tuple[float, ...]:
    """The numbers of a vector, of 32 bits."""
    try:
        texts = [element["N"] for element in sent]
    except KeyError:
        raise invalid(messages.invalid_vector()) from None
    if not set(map(len, sent)) <= {1}:
        raise invalid(messages.invalid_vector())
    if not _are_in_range(texts):
        try:
            for text in texts:
                canonical_number(text, Wording.CURRENT)
        except DynamoError as error:
            raise invalid(messages.invalid_vector()) from error
    data = packed_texts(texts)
    if data is None:
        raise invalid(messages.invalid_vector())
    return unpack(f"<{len(sent)}f", data)


def _are_in_range(texts: Sequence[str]) -> bool:
    """Whether texts that are JSON's numbers are valid ones; False if they need another look."""
    joined = ",".join(texts)
    if not joined.isascii() or joined.encode().translate(None, _PLAIN):
        return False
    if joined.count(",") >= len(texts) or max(map(len, texts)) > _PLAIN_MAX:
        return False
    return "e" not in joined or all(_has_small_exponent(each) for each in texts if "e" in each)


def _values(checked: CheckedSearch, index: Index) -> dict[str, AttributeValue]:
    """The values that attributes of the search schema must have.

    Raises ValidationException, in the service's order.
    """
    assert index.vector is not None, "a vector index"
    clauses = checked.shape.program.search
    if clauses is None:
        if index.partition:
            raise invalid(messages.condition_missing())
        return {}
    known = {each.name for each in (*index.partition, *index.vector.filters)}
    for clause in clauses:
        if clause.path[0] not in known:
            raise invalid(messages.not_in_schema(clause.path[0]))
    if any(len(clause.path) > 1 for clause in clauses):
        raise invalid(messages.nested())
    values = {str(each.path[0]): checked.constants[each.position] for each in clauses}
    if len(values) < len(clauses):
        raise invalid(messages.condition_twice())
    if any(each.name not in values for each in index.partition):
        raise invalid(messages.hash_missing())
    return values


async def run(plan: SearchPlan, context: CallerContext) -> Outcome:
    """Search, and answer the entries."""
    request = plan.checked.request
    found = await context.store.vectors.search(context.store.engine, plan.vectors)
    results, total, with_vector = [], 0, _shows_vector(plan)
    for each in found:
        total += each.size
        if total > SEARCH_ANSWER_BYTES_MAX:
            break
        results.append(SearchResultItem(_answered(plan, each, with_vector=with_vector), each.score))
        if with_vector:
            await asyncio.sleep(0)  # its numbers take some milliseconds
    capacity, index = None, plan.vectors.index
    assert index.vector is not None, "a vector index"
    charged = round(_BYTES_A_DIMENSION * index.vector.dimensions) + total
    read = float(max(charged, VECTOR_REQUEST_BYTES_MIN))
    if request.return_consumed_capacity in {"TOTAL", "INDEXES"}:
        capacity = VectorCapacity(vector_search_request_bytes=read, vector_search_units=read)
    answer = SearchVectorsAnswer(search_results=results, consumed_capacity=capacity)
    units = Units(vector_bytes={index.name: read})
    return Outcome(answer, of_indexes=("read", {plan.checked.table_names[0]: units}))


def _shows_vector(plan: SearchPlan) -> bool:
    """Whether vectors are answered: the request names the attribute, and the index projects it."""
    index, projection = plan.vectors.index, plan.checked.shape.program.projection
    assert index.vector is not None, "a vector index"
    name = index.vector.attribute
    if projection is None or name not in projection.names:
        return False
    return index.projection == "ALL" or name in index.non_key


def _answered(plan: SearchPlan, result: Result, *, with_vector: bool) -> Item:
    """The attributes of an entry that are answered."""
    item, vector = result.entry.copy(), plan.vectors.index.vector
    assert vector is not None, "a vector index"
    value = item.pop(vector.attribute)
    if with_vector:
        item[vector.attribute] = as_list(from_binary(value))
    projection = plan.checked.shape.program.projection
    return item if projection is None else projection.apply(item)


def accesses(checked: CheckedSearch) -> Iterable[Access]:
    """SearchVectors on the index."""
    return on_view("SearchVectors", *checked.table_names, checked.request.index_name)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["SearchVectors"],
    request=SearchVectors,
    needed=("TableName", "IndexName", "SearchVector", "TopK"),
    check=check,
    accesses=accesses,
    tables=TableMode.OPEN,
    elsewhere=items_in_other_region,
    fit=fit,
    run=run,
)
