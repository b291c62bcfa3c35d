"""The rows of DAX's operations, for the caches of one cluster."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hashrange.dax_cache.caches import Caches
from hashrange.dax_cache.decisions import DECISIONS
from hashrange.operations.cached.pages import CachedPages
from hashrange.operations.cached.reads import CachedBatchGet, CachedGet, filling
from hashrange.operations.cached.writes import (
    CachedBatchWrite,
    CachedTransactWrite,
    CachedWrite,
    Refresh,
    Refreshed,
)
from hashrange.operations.pipeline.operation import AnyOperation
from hashrange.operations.registry import OPERATIONS


def cached_rows(
    caches: Caches[Any], now_ms: Callable[[], int], refresh: Refresh
) -> Mapping[str, AnyOperation]:
    """The rows, by the names of `DECISIONS`.

    Args:
        caches: of the cluster.
        now_ms: the time.
        refresh: begins to perform TransactGetItems with `refresh_rows`.
    """
    get, batch_get = CachedGet(caches, now_ms), CachedBatchGet(caches, now_ms)
    rows = {name: OPERATIONS[name] for name in DECISIONS}
    rows["GetItem"] = replace(rows["GetItem"], charges=get.charges, spot=get.spot, run=get.run)
    rows["BatchGetItem"] = replace(
        rows["BatchGetItem"], charges=batch_get.charges, run=batch_get.run
    )
    for name in ("Query", "Scan"):
        row = rows[name]
        pages = CachedPages(caches, now_ms, row.fit, is_scan=name == "Scan")
        spot = None if name == "Scan" else pages.spot
        rows[name] = replace(row, fit=pages.fit, charges=pages.charges, spot=spot, run=pages.run)
    for name in ("PutItem", "DeleteItem", "UpdateItem"):
        leaves_image = name != "UpdateItem"
        write = CachedWrite(caches, now_ms, rows[name].run, leaves_image=leaves_image)
        rows[name] = replace(rows[name], run=write.run)
    batch_write = CachedBatchWrite(caches, now_ms)
    rows["BatchWriteItem"] = replace(rows["BatchWriteItem"], run=batch_write.run)
    transact = CachedTransactWrite(caches, refresh)
    rows["TransactWriteItems"] = replace(rows["TransactWriteItems"], run=transact.run)
    return rows


def refresh_rows(caches: Caches[Any]) -> Mapping[str, AnyOperation]:
    """The row by which a cluster reads what a transaction has written."""
    refreshed = Refreshed(lambda context: filling(caches, context))
    name = "TransactGetItems"
    return {name: replace(OPERATIONS[name], run=refreshed.run)}
