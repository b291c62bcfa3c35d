"""Performs the operations of DAX at the upstream, with the caches in front of it."""

from collections.abc import Callable
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
from hashrange.api.dynamodb.transactions import transact_get_items
from hashrange.api.pipeline.operation import AnyOperation, Caller, Performer
from hashrange.dax.cache.caches import Caches
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cached.writes import Refresh
from hashrange.dax.upstream.pages import CachedPages
from hashrange.dax.upstream.reads import CachedBatchGet, CachedGet
from hashrange.dax.upstream.source import UpstreamSource
from hashrange.dax.upstream.transactions import Transactions
from hashrange.dax.upstream.writes import CachedWrites


class UpstreamPerformers:
    """Performers of operations, the same for all callers but for who refreshes.

    Args:
        source: the upstream.
        caches: in front of it.
        now_ms: the time.
        refresh: begins `refreshed` in the background.

    Attributes:
        refreshed: performs TransactGetItems, and keeps what it reads.
    """

    def __init__(
        self,
        source: UpstreamSource,
        caches: Caches[Any],
        *,
        now_ms: Callable[[], int],
        refresh: Refresh,
    ) -> None:
        layer = CacheLayer(caches, source, now_ms)
        writes = CachedWrites(source, layer)
        self._transactions = Transactions(source, layer, refresh)
        self.refreshed = self._transactions.refreshed
        performers: tuple[tuple[AnyOperation, Performer], ...] = (
            (get_item.OPERATION, CachedGet(source, layer).perform),
            (batch_get_item.OPERATION, CachedBatchGet(source, layer).perform),
            (query.OPERATION, CachedPages("Query", source, layer).perform),
            (scan.OPERATION, CachedPages("Scan", source, layer).perform),
            (put_item.OPERATION, writes.put),
            (delete_item.OPERATION, writes.delete),
            (update_item.OPERATION, writes.update),
            (batch_write_item.OPERATION, writes.batch),
            (transact_get_items.OPERATION, self._transactions.get),
        )
        self._performers = {row.facts.name: perform for row, perform in performers}

    def __call__(self, operation: str, caller: Caller) -> Performer:
        """The performer of an operation for a caller."""
        if operation == "TransactWriteItems":
            return lambda request: self._transactions.write(request, caller)
        return self._performers[operation]
