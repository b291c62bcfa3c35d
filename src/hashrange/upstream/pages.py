"""Query and Scan through the query cache: pages by all parameters of their requests."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec

from hashrange.dax_cache.caches import Caches
from hashrange.dax_cache.entries import CacheKey
from hashrange.model.structures.dynamodb import ConsumedCapacity, PageAnswer
from hashrange.model.values import AttributeValue
from hashrange.upstream.items import canonical
from hashrange.upstream.sender import Sender, members
from hashrange.upstream.tables import UpstreamTables

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
        sender: reads the upstream.
        tables: the upstream's.
        caches: keep pages.
        now_ms: the time.
    """

    def __init__(
        self,
        operation: str,
        sender: Sender,
        tables: UpstreamTables,
        caches: Caches[Any],
        *,
        now_ms: Callable[[], int],
    ) -> None:
        self._operation = operation
        self._sender = sender
        self._tables = tables
        self._caches = caches
        self._now_ms = now_ms
        self._reading: dict[CacheKey, asyncio.Future[PageAnswer]] = {}

    async def perform(self, request: Any) -> PageAnswer:
        """Answer from the cache, or read the page and keep it. Raises DynamoError."""
        table = await self._tables.get(request.table_name)
        if request.consistent_read:
            return await self._read(request)
        bare = msgspec.structs.replace(request, table_name=None, return_consumed_capacity=None)
        key = table.identity + self._operation.encode() + _encode(members(bare))
        is_scan = self._operation == "Scan"
        found = self._caches.query(key, self._now_ms(), is_scan=is_scan)
        if found is not None:
            assert isinstance(found.value, PageAnswer), "no page is missing"
            return found.value
        if not self._caches.lifetimes.query_ttl_ms:
            return await self._read(request)
        reading = self._reading.get(key)
        if reading is not None:
            return msgspec.structs.replace(await asyncio.shield(reading), consumed_capacity=None)
        reading = self._reading[key] = asyncio.ensure_future(self._fill(request, key))
        reading.add_done_callback(lambda _: self._reading.pop(key))
        return await asyncio.shield(reading)

    async def _fill(self, request: Any, key: CacheKey) -> PageAnswer:
        answer = await self._read(request)
        kept = msgspec.structs.replace(answer, consumed_capacity=None)
        self._caches.keep_query(key, kept, len(_encode(kept)), self._now_ms())
        return answer

    async def _read(self, request: Any) -> PageAnswer:
        page = await self._sender.perform(self._operation, request, _Page, [request.table_name])
        items, last = page.items, page.last_evaluated_key
        return PageAnswer(
            count=page.count,
            items=None if items is None else [canonical(item) for item in items],
            scanned_count=page.scanned_count,
            last_evaluated_key=None if last is None else canonical(last),
            consumed_capacity=page.consumed_capacity,
        )
