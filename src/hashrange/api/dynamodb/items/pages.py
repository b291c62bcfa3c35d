"""Select, filter and projection of Query and Scan, and the page that they answer."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Protocol

import msgspec

from hashrange.api.dynamodb.items.scanned import charges_of_scan, position_in, sizes_in
from hashrange.api.steps.accesses import on_view
from hashrange.api.steps.operation import CallerContext, OfIndexes, Outcome
from hashrange.api.steps.permissions import (
    Asked,
    Permission,
    consumed_option,
    context_of,
    projected,
    selection,
    tested,
)
from hashrange.capacity.consumed import Units, consumed
from hashrange.capacity.units import (
    LEAST_READ_UNITS,
    Charge,
    HashRange,
    KeyValues,
    Partition,
    read_units,
    units_of_reads,
)
from hashrange.errors import invalid
from hashrange.expressions.program import Bound, Condition, Constants, Projection
from hashrange.messages.items import queries as messages
from hashrange.messages.wire import enveloped
from hashrange.model.structures.dynamodb import PageAnswer
from hashrange.model.values import AttributeValue, Item, in_hash_order
from hashrange.model.wording import Wording
from hashrange.tables.items.images import item_of, json_list_of, json_of
from hashrange.tables.keys.scaling_keys import ENTRY_POSITION, ITEM_POSITION
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.index_entries import names_of
from hashrange.tables.opened.reader import KeyRange, Page, fetch_items, read_page
from hashrange.tables.opened.vector_entries import charged_sizes


class View(msgspec.Struct, frozen=True):
    """The treatment of a page's items: projected, only counted, or fetched from the table."""

    projection: Projection | None
    count_only: bool
    fetch: bool = False
    """The local index lacks attributes of the projection: each item is read from the table."""


class PageSource(msgspec.Struct, frozen=True):
    """The table or index that requests of a shape read pages of, and the options of the reads."""

    table_names: tuple[str]
    access_path: AccessPath
    view: View
    consistent: bool
    consumed_detail: str | None
    partition: tuple[int, ...] = ()
    """Positions of the partition key's values among the constants; empty for a scan."""


class PagePlan(msgspec.Struct, frozen=True):
    """A range of keys to read a page of, and the filter of its items.

    `constants` has the values of the partition key at the positions of `PageSource.partition`.
    """

    source: PageSource
    keys: KeyRange
    limit: int | None
    filter: Condition | None
    constants: Constants = ()


class PageRequest(Protocol):
    """A request for a page."""

    @property
    def select(self) -> str | None:
        """As sent."""

    @property
    def index_name(self) -> str | None:
        """As sent."""

    @property
    def attributes_to_get(self) -> list[str] | None:
        """As sent."""

    @property
    def projection_expression(self) -> str | None:
        """As sent."""


def check_select(request: PageRequest, wording: Wording) -> None:
    """Refuse a Select that contradicts the projection or needs an index."""
    text = None if request.select is None else _select_fault(request, request.select)
    if text is not None:
        raise invalid(enveloped(text) if wording is Wording.CURRENT else text)


def _select_fault(request: PageRequest, select: str) -> str | None:
    projection = None
    if request.projection_expression is not None:
        projection = "ProjectionExpression"
    elif request.attributes_to_get is not None:
        projection = "AttributesToGet"
    if select == "SPECIFIC_ATTRIBUTES":
        return messages.select_needs_projection() if projection is None else None
    if projection is not None:
        return messages.select_excludes_projection(projection, select)
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        return messages.select_needs_index()
    return None


def check_all_attributes(access_path: AccessPath) -> None:
    """Refuse ALL_ATTRIBUTES of a global index that does not have all attributes."""
    index = access_path.index
    if index is None or index.is_local:
        return
    if names_of(access_path.table.table, index) is not None:
        raise invalid(messages.select_all_of_global_index(index.name))


def view_of(
    access_path: AccessPath, bound: Bound, select: str | None, *, scans: bool = False
) -> View:
    """The view of a request that passed `check_all_attributes`, checked against its index.

    Args:
        access_path: the table or index.
        bound: filter and projection.
        select: Select as sent.
        scans: whether the filter may name attributes that an index lacks, as that of a Scan.

    Raises:
        DynamoError: ValidationException if the index lacks attributes of the request.
    """
    view = View(bound.projection, select == "COUNT")
    index = access_path.index
    names = None if index is None else names_of(access_path.table.table, index)
    if index is None or names is None:
        return view
    filtered = () if bound.filter is None else (str(path[0]) for path in bound.filter.paths)
    unfilterable = in_hash_order(_lacking(names, filtered))
    if unfilterable and not scans:
        raise invalid(messages.index_lacks_filter(index.name, unfilterable))
    projected = () if bound.projection is None else bound.projection.names
    lacking = _lacking(names, projected)
    if not lacking and select != "ALL_ATTRIBUTES":
        return view
    if index.is_local:
        if unfilterable:
            # It is not known whether the service filters the entry or the whole item.
            raise invalid(messages.index_lacks_filter(index.name, unfilterable))
        return msgspec.structs.replace(view, fetch=True)
    assert lacking, "ALL_ATTRIBUTES of such an index was refused"
    raise invalid(messages.global_index_lacks(index.name, lacking))


def _lacking(names: frozenset[str], projected: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(projected) if name not in names]


def charges(plan: PagePlan) -> Sequence[Charge]:
    """The least read units of a page, for its partition, or its range of partitions."""
    source, keys, path = plan.source, plan.keys, plan.source.access_path
    partition: Partition = tuple([plan.constants[position] for position in source.partition])
    if not partition:
        partition = HashRange(*path.hashes(keys.start, keys.end))
    name = None if path.index is None else path.index.name
    units, place = LEAST_READ_UNITS[source.consistent], position_in(path, keys.start)
    return (Charge(source.table_names[0], partition, name, read_units=units, position=place),)


def spot(plan: PagePlan) -> Charge:
    """The charge of `charges` of a query, without the partition key."""
    source = plan.source
    index, start = source.access_path.index, plan.keys.start
    units = LEAST_READ_UNITS[source.consistent]
    if index is None:
        return Charge(source.table_names[0], None, None, units, 0.0, start[ITEM_POSITION])
    return Charge(source.table_names[0], None, index.name, units, 0.0, start[ENTRY_POSITION])


def keys(plan: PagePlan) -> Sequence[KeyValues]:
    """The partition key of a query, however many items it reads; none of a scan."""
    values = [plan.constants[position] for position in plan.source.partition]
    return ((values, None),) if values else ()


def is_eventual(plan: PagePlan) -> bool:
    """Whether ConsistentRead is not set; it cannot be for a global index."""
    return not plan.source.consistent


def permission_of_page(
    action: str,
    request: PageRequest,
    plan: PagePlan,
    asked: Asked,
    *,
    partitions: Sequence[Sequence[AttributeValue]] = (),
) -> Permission:
    """The attributes are those of keys, too: LastEvaluatedKey shows them."""
    source = plan.source
    projection = source.view.projection
    (access,) = on_view(action, source.table_names[0], request.index_name)
    context = context_of(
        asked,
        partitions,
        chain(source.access_path.key_names, tested(plan.filter), projected(projection)),
        {
            "dynamodb:select": (request.select or _selection(request, projection),),
            "dynamodb:returnconsumedcapacity": (consumed_option(source.consumed_detail),),
        },
    )
    return Permission(access, context)


def _selection(request: PageRequest, projection: Projection | None) -> str:
    if request.index_name is not None and projection is None:
        return "ALL_PROJECTED_ATTRIBUTES"
    return selection(projection)


async def read_view(plan: PagePlan, context: CallerContext) -> Outcome:
    """Read and answer a page. Limit and charge are of the items before the filter."""
    source = plan.source
    view = source.view
    store, table = context.store, source.access_path.table
    page = await read_page(
        store.engine,
        table,
        plan.keys,
        items_max=plan.limit,
        page_bytes_max=store.page_bytes_max,
        # Few tables have vectors, and each request makes the call.
        sizes=sizes_in(source.access_path) if table.vector_names else None,
    )
    stored, fetched = page.stored, 0.0
    if view.fetch:
        page, stored = await fetch_items(store.engine, table, page, store.page_bytes_max)
        fetched = units_of_reads(charged_sizes(table.table, stored), consistent=source.consistent)
    units = read_units(page.size, consistent=source.consistent)
    charged: Sequence[Charge] = ()
    if not source.partition and source.access_path.table.limiter is not None:
        name, consistent = source.table_names[0], source.consistent
        charged = charges_of_scan(name, source.access_path, plan.keys, page, consistent=consistent)
        units = sum([charge.read_units for charge in charged])
        charged = [*charged, Charge(name, read_units=fetched)] if fetched else charged
    capacity = None
    if source.consumed_detail is not None:
        levels = units_of_page(source.access_path, units).plus(Units(table=fetched))
        capacity = consumed(source.table_names[0], levels, source.consumed_detail)
    count, items = filtered(stored, plan.filter, view)
    context.units[source.table_names[0]].items += count
    answer = PageAnswer(
        count=count,
        items=items,
        scanned_count=len(stored),
        last_evaluated_key=last_key(page, source.access_path) if page.more else None,
        consumed_capacity=capacity,
    )
    of_indexes: OfIndexes = None
    if source.access_path.index is not None:
        of_page = units_of_page(source.access_path, units)
        of_indexes = ("read", {source.table_names[0]: of_page})
    return Outcome(answer, units + fetched, charges=charged, of_indexes=of_indexes)


def units_of_page(access_path: AccessPath, units: float) -> Units:
    """The units of a page, charged to the table or the index."""
    if access_path.index is None:
        return Units(table=units)
    if access_path.index.is_local:
        return Units(local_indexes={access_path.index.name: units})
    return Units(global_indexes={access_path.index.name: units})


def answered_item(stored: bytes, projection: Projection | None) -> msgspec.Raw | Item:
    """An item of an answer: its stored JSON if there is no projection."""
    return json_of(stored) if projection is None else projection.apply(item_of(stored))


def answered_items(stored: list[bytes], projection: Projection | None) -> msgspec.Raw | list[Item]:
    """Items of an answer: their stored JSON as one list if there is no projection."""
    if projection is None:
        return json_list_of(stored)
    return [projection.apply(item_of(item)) for item in stored]


def filtered(
    stored: list[bytes], test: Condition | None, view: View
) -> tuple[int, msgspec.Raw | list[Item] | None]:
    """How many items pass the filter, and these items in the form of the answer."""
    if view.projection is None or view.count_only:
        if test is not None:
            stored = [item for item in stored if test.holds(item_of(item))]
        return len(stored), None if view.count_only else json_list_of(stored)
    items = map(item_of, stored)
    projected = [view.projection.apply(item) for item in items if test is None or test.holds(item)]
    return len(projected), projected


def last_key(page: Page, access_path: AccessPath) -> Item:
    """The LastEvaluatedKey of a page that has items."""
    item = item_of(page.stored[-1])
    return {name: item[name] for name in access_path.key_names}
