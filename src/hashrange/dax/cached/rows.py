"""The rows of DAX's operations, for the caches of one cluster."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    pages,
    put_item,
    query,
    scan,
    update_item,
)
from hashrange.api.dynamodb.items.pages import PagePlan
from hashrange.api.dynamodb.transactions import transact_get_items, transact_write_items
from hashrange.api.steps.operation import AnyOperation, CallerContext, Outcome
from hashrange.capacity.units import Charge
from hashrange.dax.cache.caches import Caches
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cached.reads import CachedBatchGet, CachedGet, OwnTables
from hashrange.dax.cached.writes import (
    Refresh,
    cached_batch_write,
    cached_transact_write,
    cached_write,
    refreshing,
)
from hashrange.model.structures.dynamodb import PageAnswer
from hashrange.tables.opened.open_table import OpenTable

_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_replace: Final = msgspec.structs.replace


class CachedPagePlan(PagePlan, frozen=True):
    """A plan with the key of its page in the query cache."""

    cache_key: bytes = b""


class CachedPages:
    """The steps of Query, or of Scan, that the cache changes.

    Args:
        layer: the caches.
        fit: that of the operation.
        is_scan: which of the two it is.
    """

    def __init__(
        self, layer: CacheLayer, fit: Callable[[Any, OpenTable], PagePlan], *, is_scan: bool
    ) -> None:
        self._layer = layer
        self._fit = fit
        self._is_scan = is_scan

    def fit(self, checked: Any, table: OpenTable) -> CachedPagePlan:
        """As the operation's own; the key has the number of the table instead of its name."""
        plan = self._fit(checked, table)
        request = msgspec.structs.replace(
            checked.request, table_name=None, return_consumed_capacity=None
        )
        key = f"{self._is_scan:d}{table.number}:".encode() + _encode(request)
        return CachedPagePlan(plan.source, plan.keys, plan.limit, plan.filter, plan.constants, key)

    def charges(self, plan: CachedPagePlan) -> Sequence[Charge]:
        """Nothing for a hit."""
        return () if self._is_hit(plan) else pages.charges(plan)

    def spot(self, plan: CachedPagePlan) -> Charge | None:
        """The only charge of a query that is no hit."""
        return None if self._is_hit(plan) else pages.spot(plan)

    def _is_hit(self, plan: CachedPagePlan) -> bool:
        return pages.is_eventual(plan) and self._layer.knows_page(plan.cache_key)

    async def run(self, plan: CachedPagePlan, context: CallerContext) -> Outcome:
        """Answer from the cache, or read the page and keep it."""
        if not pages.is_eventual(plan):
            return await pages.read_view(plan, context)
        outcome: Outcome | None = None

        async def read() -> PageAnswer:
            nonlocal outcome
            outcome = await pages.read_view(plan, context)
            assert isinstance(outcome.answer, PageAnswer)
            return outcome.answer

        answer = await self._layer.page(plan.cache_key, read, is_scan=self._is_scan)
        return Outcome(answer) if outcome is None else outcome


def cached_rows(
    caches: Caches[Any], now_ms: Callable[[], int], refresh: Refresh
) -> Mapping[str, AnyOperation]:
    """The rows of the operations that have an `OperationFacts.dax_metric`, by name.

    Args:
        caches: of the cluster.
        now_ms: the time.
        refresh: begins to perform TransactGetItems with `refresh_rows`.
    """
    layer = CacheLayer(caches, OwnTables(), now_ms)
    get, batch_get = CachedGet(layer), CachedBatchGet(layer)
    put = cached_write(layer, put_item.OPERATION.run, leaves_image=True)
    delete = cached_write(layer, delete_item.OPERATION.run, leaves_image=True)
    update = cached_write(layer, update_item.OPERATION.run, leaves_image=False)
    rows: tuple[AnyOperation, ...] = (
        _replace(get_item.OPERATION, charges=get.charges, spot=get.spot, run=get.run),
        _replace(batch_get_item.OPERATION, charges=batch_get.charges, run=batch_get.run),
        _of_pages(query.OPERATION, CachedPages(layer, query.fit, is_scan=False)),
        _of_pages(scan.OPERATION, CachedPages(layer, scan.fit, is_scan=True)),
        _replace(put_item.OPERATION, run=put),
        _replace(delete_item.OPERATION, run=delete),
        _replace(update_item.OPERATION, run=update),
        _replace(batch_write_item.OPERATION, run=cached_batch_write(layer)),
        transact_get_items.OPERATION,
        _replace(transact_write_items.OPERATION, run=cached_transact_write(layer, refresh)),
    )
    return {row.facts.name: row for row in rows}


def _of_pages(row: AnyOperation, pages: CachedPages) -> AnyOperation:
    spot = None if row.spot is None else pages.spot
    return _replace(row, fit=pages.fit, charges=pages.charges, spot=spot, run=pages.run)


def refresh_rows(caches: Caches[Any], now_ms: Callable[[], int]) -> Mapping[str, AnyOperation]:
    """The row by which a cluster reads what a transaction has written."""
    row = transact_get_items.OPERATION
    return {row.facts.name: _replace(row, run=refreshing(CacheLayer(caches, OwnTables(), now_ms)))}
