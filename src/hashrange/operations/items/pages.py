"""What Query and Scan share: Select, filter, projection, and the page that they answer."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from hashrange.capacity.charges import Charge, HashRange, Partition
from hashrange.capacity.consumed import ConsumedCapacity, Units, consumed
from hashrange.capacity.units import read_units, units_of_reads
from hashrange.errors import invalid
from hashrange.expressions.program import Bound, Condition, Constants, Projection
from hashrange.messages.items import queries as messages
from hashrange.messages.requests.constraints import enveloped
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.operations.pipeline.operation import CallerContext, Outcome
from hashrange.tables.images import item_of, json_list_of, json_of, size_of
from hashrange.tables.indexes import names_of
from hashrange.tables.reader import KeyRange, Page, fetch_items, read_page
from hashrange.tables.targets import Target


class View(msgspec.Struct, frozen=True):
    """What becomes of the items of a page: cut, counted or listed."""

    projection: Projection | None
    count_only: bool
    fetch: bool = False
    """A local index lacks what is asked for: each item is read from the table."""


class Reading(msgspec.Struct, frozen=True):
    """What all requests of one shape have in common that read pages of one table."""

    table_names: tuple[str]
    target: Target
    view: View
    consistent: bool
    consumed_detail: str | None
    partition: tuple[int, ...] = ()
    """Positions of the values of the one partition that is read; none for more than one."""


class PagePlan(msgspec.Struct, frozen=True):
    """A range to read one page of; the filter tests its items.

    `constants` has the values of the partition key at the positions of `Reading.partition`.
    """

    reading: Reading
    keys: KeyRange
    limit: int | None
    filter: Condition | None
    constants: Constants = ()


class PageAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """The answer to Query and Scan; whole items are one list that is spliced in."""

    # Not optional, and so never omitted: both are answered even if they are 0.
    count: int
    items: msgspec.Raw | list[Item] | None = None
    scanned_count: int
    last_evaluated_key: Item | None = None
    consumed_capacity: ConsumedCapacity | None = None


class Selecting(Protocol):
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


def check_select(request: Selecting, wording: Wording) -> None:
    """Refuse a Select that contradicts the projection or needs an index."""
    text = None if request.select is None else _select_fault(request, request.select)
    if text is not None:
        raise invalid(enveloped(text) if wording is Wording.CURRENT else text)


def _select_fault(request: Selecting, select: str) -> str | None:
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


def view_of(target: Target, bound: Bound, select: str | None, *, scans: bool = False) -> View:
    """How a request wants to see the items.

    Args:
        target: what is read.
        bound: filter and projection.
        select: Select as sent.
        scans: a filter may name attributes that an index lacks: its entries do not have them.

    Raises:
        DynamoError: ValidationException, an index lacks what is asked for.
    """
    view = View(bound.projection, select == "COUNT")
    index = target.index
    names = None if index is None else names_of(target.table.table, index)
    if index is None or names is None:
        return view
    filtered = () if bound.filter is None else (str(path[0]) for path in bound.filter.paths)
    unfilterable = _lacking(names, filtered)
    if unfilterable and not scans:
        raise invalid(messages.index_lacks_filter(index.name, unfilterable))
    wanted = () if bound.projection is None else bound.projection.names
    lacking = _lacking(names, wanted)
    if not lacking and select != "ALL_ATTRIBUTES":
        return view
    if index.is_local:
        if unfilterable:
            # Whether a filter sees the entry or the whole item is not known.
            raise invalid(messages.index_lacks_filter(index.name, unfilterable))
        return msgspec.structs.replace(view, fetch=True)
    if lacking:
        raise invalid(messages.global_index_lacks(index.name, lacking))
    raise invalid(messages.select_all_of_global_index(index.name))


def _lacking(names: frozenset[str], wanted: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(wanted) if name not in names]


def charges(plan: PagePlan) -> Iterable[Charge]:
    """See `Operation.charges`."""
    reading, keys = plan.reading, plan.keys
    partition: Partition = tuple([plan.constants[position] for position in reading.partition])
    if not partition:
        partition = HashRange(*reading.target.hashes(keys.start, keys.end))
    index = reading.target.index
    name = None if index is None else index.name
    units = read_units(0, consistent=reading.consistent)
    return (Charge(reading.table_names[0], partition, name, read_units=units),)


async def read_view(plan: PagePlan, context: CallerContext) -> Outcome:
    """Read one page and answer it. The filter comes after the limit, and after the charge."""
    reading = plan.reading
    view = reading.view
    page = await read_page(
        context.store.engine, reading.target.table, plan.keys, items_max=plan.limit
    )
    stored, fetched = page.stored, 0.0
    if view.fetch:
        page, stored = await fetch_items(context.store.engine, reading.target.table, page)
        fetched = units_of_reads(map(size_of, stored), consistent=reading.consistent)
    units = read_units(page.size, consistent=reading.consistent)
    capacity = None
    if reading.consumed_detail is not None:
        charged = _units(reading.target, units).plus(Units(table=fetched))
        capacity = consumed(reading.table_names[0], charged, reading.consumed_detail)
    count, items = _told(stored, plan.filter, view)
    answer = PageAnswer(
        count=count,
        items=items,
        scanned_count=len(stored),
        last_evaluated_key=_last_key(page, reading.target) if page.more else None,
        consumed_capacity=capacity,
    )
    return Outcome(answer, units + fetched)


def _units(target: Target, units: float) -> Units:
    """Whom a page is charged to."""
    if target.index is None:
        return Units(table=units)
    if target.index.is_local:
        return Units(local_indexes={target.index.name: units})
    return Units(global_indexes={target.index.name: units})


def seen(stored: bytes, projection: Projection | None) -> msgspec.Raw | Item:
    """An item as it is answered: spliced where it is whole."""
    return json_of(stored) if projection is None else projection.apply(item_of(stored))


def listed(stored: list[bytes], projection: Projection | None) -> msgspec.Raw | list[Item]:
    """Items as they are answered: one list that is spliced where they are whole."""
    if projection is None:
        return json_list_of(stored)
    return [projection.apply(item_of(item)) for item in stored]


def _told(
    stored: list[bytes], test: Condition | None, view: View
) -> tuple[int, msgspec.Raw | list[Item] | None]:
    """How many items pass the filter, and these as they are answered."""
    if view.projection is None or view.count_only:
        if test is not None:
            stored = [item for item in stored if test.holds(item_of(item))]
        return len(stored), None if view.count_only else json_list_of(stored)
    items = map(item_of, stored)
    projected = [view.projection.apply(item) for item in items if test is None or test.holds(item)]
    return len(projected), projected


def _last_key(page: Page, target: Target) -> Item:
    item = item_of(page.stored[-1])
    return {name: item[name] for name in target.key_names}
