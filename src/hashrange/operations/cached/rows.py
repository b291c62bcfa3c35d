"""The rows of DAX's operations, for the caches of one cluster."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hashrange.dax_cache.caches import Caches
from hashrange.operations.cached.pages import CachedPages
from hashrange.operations.cached.reads import CachedBatchGet, CachedGet, filling
from hashrange.operations.cached.writes import (
    CachedBatchWrite,
    CachedTransactWrite,
    CachedWrite,
    Refresh,
    Refreshed,
)
from hashrange.operations.items import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    update_item,
)
from hashrange.operations.pipeline.operation import AnyOperation
from hashrange.operations.transactions import transact_get_items, transact_write_items


def cached_rows(
    caches: Caches[Any], now_ms: Callable[[], int], refresh: Refresh
) -> Mapping[str, AnyOperation]:
    """The rows of the operations that have an `OperationFacts.dax_metric`, by name.

    Args:
        caches: of the cluster.
        now_ms: the time.
        refresh: begins to perform TransactGetItems with `refresh_rows`.
    """
    get, batch_get = CachedGet(caches, now_ms), CachedBatchGet(caches, now_ms)
    put = CachedWrite(caches, now_ms, put_item.OPERATION.run, leaves_image=True)
    delete = CachedWrite(caches, now_ms, delete_item.OPERATION.run, leaves_image=True)
    update = CachedWrite(caches, now_ms, update_item.OPERATION.run, leaves_image=False)
    rows: tuple[AnyOperation, ...] = (
        replace(get_item.OPERATION, charges=get.charges, spot=get.spot, run=get.run),
        replace(batch_get_item.OPERATION, charges=batch_get.charges, run=batch_get.run),
        _of_pages(query.OPERATION, CachedPages(caches, now_ms, query.fit, is_scan=False)),
        _of_pages(scan.OPERATION, CachedPages(caches, now_ms, scan.fit, is_scan=True)),
        replace(put_item.OPERATION, run=put.run),
        replace(delete_item.OPERATION, run=delete.run),
        replace(update_item.OPERATION, run=update.run),
        replace(batch_write_item.OPERATION, run=CachedBatchWrite(caches, now_ms).run),
        transact_get_items.OPERATION,
        replace(transact_write_items.OPERATION, run=CachedTransactWrite(caches, refresh).run),
    )
    return {row.facts.name: row for row in rows}


def _of_pages(row: AnyOperation, pages: CachedPages) -> AnyOperation:
    spot = None if row.spot is None else pages.spot
    return replace(row, fit=pages.fit, charges=pages.charges, spot=spot, run=pages.run)


def refresh_rows(caches: Caches[Any]) -> Mapping[str, AnyOperation]:
    """The row by which a cluster reads what a transaction has written."""
    row = transact_get_items.OPERATION
    refreshed = Refreshed(lambda context: filling(caches, context))
    return {row.facts.name: replace(row, run=refreshed.run)}
