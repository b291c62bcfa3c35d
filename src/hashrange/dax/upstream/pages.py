"""Query and Scan through the query cache: pages by all parameters of their requests."""

from functools import partial
from typing import Any, Final

import msgspec

from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.upstream.items import canonical
from hashrange.dax.upstream.sender import members
from hashrange.dax.upstream.source import UpstreamSource
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
