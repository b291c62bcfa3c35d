"""The rows of DAX's operations, for the caches of one cluster."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hashrange.api.dynamodb.items import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    update_item,
)
from hashrange.api.dynamodb.transactions import transact_get_items, transact_write_items
from hashrange.api.pipeline.operation import AnyOperation
from hashrange.dax.cache.caches import Caches
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cached.pages import CachedPages
from hashrange.dax.cached.reads import CachedBatchGet, CachedGet, OwnTables
from hashrange.dax.cached.writes import (
    Refresh,
    cached_batch_write,
    cached_transact_write,
    cached_write,
    refreshing,
)


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
        replace(get_item.OPERATION, charges=get.charges, spot=get.spot, run=get.run),
        replace(batch_get_item.OPERATION, charges=batch_get.charges, run=batch_get.run),
        _of_pages(query.OPERATION, CachedPages(layer, query.fit, is_scan=False)),
        _of_pages(scan.OPERATION, CachedPages(layer, scan.fit, is_scan=True)),
        replace(put_item.OPERATION, run=put),
        replace(delete_item.OPERATION, run=delete),
        replace(update_item.OPERATION, run=update),
        replace(batch_write_item.OPERATION, run=cached_batch_write(layer)),
        transact_get_items.OPERATION,
        replace(transact_write_items.OPERATION, run=cached_transact_write(layer, refresh)),
    )
    return {row.facts.name: row for row in rows}


def _of_pages(row: AnyOperation, pages: CachedPages) -> AnyOperation:
    spot = None if row.spot is None else pages.spot
    return replace(row, fit=pages.fit, charges=pages.charges, spot=spot, run=pages.run)


def refresh_rows(caches: Caches[Any], now_ms: Callable[[], int]) -> Mapping[str, AnyOperation]:
    """The row by which a cluster reads what a transaction has written."""
    row = transact_get_items.OPERATION
    return {row.facts.name: replace(row, run=refreshing(CacheLayer(caches, OwnTables(), now_ms)))}
