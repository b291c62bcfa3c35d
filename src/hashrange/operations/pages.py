"""What Query and Scan share: Select, filter, projection, and the page that they answer."""

from typing import Any

import msgspec

from hashrange.capacity.consumed import ConsumedCapacity, consumed
from hashrange.capacity.units import read_units
from hashrange.errors import invalid
from hashrange.expressions.program import Bound, Condition, Projection
from hashrange.messages import queries as messages
from hashrange.messages.constraints import enveloped
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.operations.operation import Outcome, Spent
from hashrange.storage.engine import Engine
from hashrange.tables.images import Image
from hashrange.tables.keys import key_attributes_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.reader import KeyRange, Page, read_page


class View(msgspec.Struct, frozen=True):
    """What becomes of the items of a page: tested, cut, counted or listed."""

    filter: Condition | None
    projection: Projection | None
    count_only: bool


class PagePlan(msgspec.Struct, frozen=True, kw_only=True):
    """A range of one table to read one page of."""

    table_name: str
    table: OpenTable
    keys: KeyRange
    view: View
    limit: int | None
    consistent: bool
    consumed_detail: str | None


class PageAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """The answer to Query and Scan."""

    # Not optional, and so never omitted: both are answered even if they are 0.
    count: int
    items: list[Any] | None = None
    scanned_count: int
    last_evaluated_key: Item | None = None
    consumed_capacity: ConsumedCapacity | None = None


def check_select(
    select: str | None, projection: str | None, wording: Wording, *, index: bool
) -> None:
    """Refuse a Select that contradicts the projection or needs an index."""
    text = None if select is None else _select_fault(select, projection, index=index)
    if text is not None:
        raise invalid(enveloped(text) if wording is Wording.CURRENT else text)


def _select_fault(select: str, projection: str | None, *, index: bool) -> str | None:
    if select == "SPECIFIC_ATTRIBUTES":
        return messages.select_needs_projection() if projection is None else None
    if projection is not None:
        return messages.select_excludes_projection(select)
    if select == "ALL_PROJECTED_ATTRIBUTES" and not index:
        return messages.select_needs_index()
    return None


def view_of(bound: Bound, select: str | None) -> View:
    """How a request wants to see the items."""
    return View(bound.filter, bound.projection, select == "COUNT")


async def read_view(plan: PagePlan, engine: Engine) -> Outcome:
    """Read one page and answer it. The filter comes after the limit, and after the charge."""
    page = await read_page(engine, plan.table, plan.keys, items_max=plan.limit)
    units = read_units(page.size, consistent=plan.consistent)
    detail = plan.consumed_detail
    view = plan.view
    items = _listed(page.images, view)
    answer = PageAnswer(
        count=len(items),
        items=None if view.count_only else items,
        scanned_count=len(page.images),
        last_evaluated_key=_last_key(page, plan.table),
        consumed_capacity=None if detail is None else consumed(plan.table_name, units, detail),
    )
    return Outcome(answer, (Spent(plan.table_name, read_units=units),))


def seen(image: Image, projection: Projection | None) -> msgspec.Raw | Item:
    """An item as it is answered: spliced where it is whole."""
    return msgspec.Raw(image.json) if projection is None else projection.apply(image.item())


def _listed(images: list[Image], view: View) -> list[Any]:
    if view.filter is None and (view.projection is None or view.count_only):
        return [msgspec.Raw(image.json) for image in images]
    listed: list[Any] = []
    for image in images:
        item = image.item()
        if view.filter is not None and not view.filter.holds(item):
            continue
        if view.projection is None:
            listed.append(msgspec.Raw(image.json))
        else:
            listed.append(view.projection.apply(item))
    return listed


def _last_key(page: Page, table: OpenTable) -> Item | None:
    if not page.more:
        return None
    return key_attributes_of(table, page.images[-1].item())
