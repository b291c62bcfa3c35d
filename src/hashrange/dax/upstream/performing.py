"""Performs the operations of DAX at the upstream, with the caches in front of it."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

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
from hashrange.api.steps.operation import AnyOperation, Caller, Performer
from hashrange.dax.cache.caches import Caches
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cached.writes import Refresh
from hashrange.dax.upstream.items import canonical
from hashrange.dax.upstream.reads import CachedBatchGet, CachedGet
from hashrange.dax.upstream.sender import UpstreamSource, members
from hashrange.dax.upstream.transactions import Transactions
from hashrange.dax.upstream.writes import CachedWrites
from hashrange.model.structures.dynamodb import ConsumedCapacity, PageAnswer
from hashrange.model.values import AttributeValue

_encode: Final = msgspec.json.Encoder(order="deterministic").encode


class _Page(msgspec.Struct, rename="pascal"):
    count: int = 0
    scanned_count: int = 0
    items: list[dict[str, AttributeValue]] | None = None
    last_evaluated_key: dict[str, AttributeValue] | None = None
    consumed_capacity: ConsumedCapacity | None = None


class CachedPages:
    """Performs Query, or Scan.

    Args:
        operation: which of the two.
        source: the upstream.
        layer: the caches.
    """

    def __init__(self, operation: str, source: UpstreamSource, layer: CacheLayer) -> None:
        self._operation = operation
        self._source = source
        self._layer = layer

    async def perform(self, request: Any) -> PageAnswer:
        """Answer from the cache, or read the page and keep it. Raises DynamoError."""
        table = await self._source.table(request.table_name)
        if request.consistent_read:
            return await self._read(request)
        bare = msgspec.structs.replace(request, table_name=None, return_consumed_capacity=None)
        key = table.identity + self._operation.encode() + _encode(members(bare))
        read = partial(self._read, request)
        return await self._layer.page(key, read, is_scan=self._operation == "Scan")

    async def _read(self, request: Any) -> PageAnswer:
        page = await self._source.perform(self._operation, request, _Page, [request.table_name])
        items, last = page.items, page.last_evaluated_key
        return PageAnswer(
            count=page.count,
            items=None if items is None else [canonical(item) for item in items],
            scanned_count=page.scanned_count,
            last_evaluated_key=None if last is None else canonical(last),
            consumed_capacity=page.consumed_capacity,
        )


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
