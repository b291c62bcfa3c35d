"""Writes through the item cache: the upstream first, then what it holds now into the cache."""

from contextlib import suppress
from typing import Any

import msgspec

from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.cache.layer import CacheLayer, Left
from hashrange.dax.upstream.items import canonical, stored_item
from hashrange.dax.upstream.sender import UpstreamSource
from hashrange.dax.upstream.tables import UpstreamTable
from hashrange.errors import DynamoError
from hashrange.model.structures.dynamodb import (
    BatchWriteItem,
    BatchWriteItemAnswer,
    ConsumedCapacity,
    DeleteItem,
    ItemCollectionMetrics,
    PutItem,
    UpdateItem,
    WriteAnswer,
)
from hashrange.model.values import AttributeValue


class _Written(msgspec.Struct, rename="pascal"):
    attributes: dict[str, AttributeValue] | None = None
    consumed_capacity: ConsumedCapacity | None = None
    item_collection_metrics: ItemCollectionMetrics | None = None


class CachedWrites:
    """Performs PutItem, DeleteItem, UpdateItem and BatchWriteItem.

    Args:
        source: the upstream.
        layer: the caches.
    """

    def __init__(self, source: UpstreamSource, layer: CacheLayer) -> None:
        self._source = source
        self._layer = layer

    async def put(self, request: PutItem) -> WriteAnswer:
        """Put an item; the cache has it afterwards. Raises DynamoError."""
        table = await self._source.table(request.table_name)
        item: Any = request.item or {}
        key = table.cache_key(item)
        with self._layer.writing([key]) as left:
            answer = await self._write("PutItem", request)
            _keep(left, key, item)
        return answer

    async def delete(self, request: DeleteItem) -> WriteAnswer:
        """Delete an item; the cache knows that there is none. Raises DynamoError."""
        table = await self._source.table(request.table_name)
        sent: Any = request.key or {}
        key = table.cache_key(sent)
        with self._layer.writing([key]) as left:
            answer = await self._write("DeleteItem", request)
            left(key, None)
        return answer

    async def update(self, request: UpdateItem) -> WriteAnswer:
        """Update an item; the cache has it only if the caller has asked for all of it.

        Raises DynamoError.
        """
        table = await self._source.table(request.table_name)
        sent: Any = request.key or {}
        key = table.cache_key(sent)
        with self._layer.writing([key]) as left:
            answer = await self._write("UpdateItem", request)
            if request.return_values == "ALL_NEW" and answer.attributes:
                _keep(left, key, answer.attributes)
        return answer

    async def batch(self, request: BatchWriteItem) -> BatchWriteItemAnswer:
        """Put and delete items; those that were not processed leave no entry.

        Raises DynamoError.
        """
        images: dict[CacheKey, Any] = {}
        tables: dict[str, UpstreamTable] = {}
        for name, writes in (request.request_items or {}).items():
            tables[name] = await self._source.table(name)
            for each in writes:
                sent = each.put_request.item if each.put_request else None
                key: Any = sent or (each.delete_request and each.delete_request.key) or {}
                images[tables[name].cache_key(key)] = sent
        with self._layer.writing(list(images)) as left:
            answer = await self._source.perform(
                "BatchWriteItem", request, BatchWriteItemAnswer, tables
            )
            unprocessed = {
                tables[name].cache_key(_key_of(each))
                for name, writes in answer.unprocessed_items.items()
                for each in writes
            }
            for cache_key, after in images.items():
                if cache_key not in unprocessed:
                    _keep(left, cache_key, after)
        return answer

    async def _write(self, operation: str, request: Any) -> WriteAnswer:
        written = await self._source.perform(operation, request, _Written, [request.table_name])
        attributes = None if written.attributes is None else canonical(written.attributes)
        return WriteAnswer(attributes, written.consumed_capacity, written.item_collection_metrics)


def _keep(left: Left, key: CacheKey, after: Any) -> None:
    """Keep the item that a write left, or that it left none.

    The upstream may have taken an item that is none here: it leaves no entry.
    """
    with suppress(DynamoError):
        left(key, None if after is None else stored_item(after))


def _key_of(write: Any) -> Any:
    if write.put_request is not None:
        return write.put_request.item
    return write.delete_request.key
