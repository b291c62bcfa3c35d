"""Writes through the item cache: the upstream first, then what it holds now into the cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

from hashrange.dax_cache.caches import Caches, Writing
from hashrange.dax_cache.entries import CacheKey
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
from hashrange.upstream.items import canonical, entry_bytes, stored_item
from hashrange.upstream.recent import RecentWrites
from hashrange.upstream.refusals import UpstreamError
from hashrange.upstream.sender import Sender
from hashrange.upstream.tables import UpstreamTable, UpstreamTables


class _Written(msgspec.Struct, rename="pascal"):
    attributes: dict[str, AttributeValue] | None = None
    consumed_capacity: ConsumedCapacity | None = None
    item_collection_metrics: ItemCollectionMetrics | None = None


class Through:
    """The item cache, as writes see it.

    Args:
        caches: to be told of writes.
        recent: the same.
        now_ms: the time.
    """

    def __init__(
        self, caches: Caches[Any], recent: RecentWrites, now_ms: Callable[[], int]
    ) -> None:
        self._caches = caches
        self._recent = recent
        self._now_ms = now_ms

    @contextmanager
    def writing(self, keys: list[CacheKey]) -> Iterator[Writing[Any]]:
        """A context around a write, which knows which errors say that nothing was changed."""
        with self._caches.writing(keys) as writing:
            try:
                yield writing
            except UpstreamError as error:
                if error.is_unchanged:
                    writing.refused()
                raise
            finally:
                if not writing.is_refused:
                    self._recent.add(keys)

    def tell(self, writing: Writing[Any], key: CacheKey, after: Any) -> None:
        """What a write left of an item; None if it deleted it."""
        if after is None:
            writing.delete(key, self._now_ms())
            return
        # The upstream has taken an item that is none here: it leaves no entry.
        with suppress(DynamoError):
            json = stored_item(after)
            writing.put(key, json, entry_bytes(json), self._now_ms())


class CachedWrites:
    """Performs PutItem, DeleteItem, UpdateItem and BatchWriteItem.

    Args:
        sender: writes to the upstream.
        tables: the upstream's.
        through: the item cache.
    """

    def __init__(self, sender: Sender, tables: UpstreamTables, through: Through) -> None:
        self._sender = sender
        self._tables = tables
        self._through = through

    async def put(self, request: PutItem) -> WriteAnswer:
        """Put an item; the cache has it afterwards. Raises DynamoError."""
        table = await self._tables.get(request.table_name)
        item: Any = request.item or {}
        key = table.cache_key(item)
        with self._through.writing([key]) as writing:
            answer = await self._write("PutItem", request)
            self._through.tell(writing, key, item)
        return answer

    async def delete(self, request: DeleteItem) -> WriteAnswer:
        """Delete an item; the cache knows that there is none. Raises DynamoError."""
        table = await self._tables.get(request.table_name)
        sent: Any = request.key or {}
        key = table.cache_key(sent)
        with self._through.writing([key]) as writing:
            answer = await self._write("DeleteItem", request)
            self._through.tell(writing, key, None)
        return answer

    async def update(self, request: UpdateItem) -> WriteAnswer:
        """Update an item; the cache has it only if the caller has asked for all of it.

        Raises DynamoError.
        """
        table = await self._tables.get(request.table_name)
        sent: Any = request.key or {}
        key = table.cache_key(sent)
        with self._through.writing([key]) as writing:
            answer = await self._write("UpdateItem", request)
            if request.return_values == "ALL_NEW" and answer.attributes:
                self._through.tell(writing, key, answer.attributes)
        return answer

    async def batch(self, request: BatchWriteItem) -> BatchWriteItemAnswer:
        """Put and delete items; those that were not processed leave no entry.

        Raises DynamoError.
        """
        images: dict[CacheKey, Any] = {}
        tables: dict[str, UpstreamTable] = {}
        for name, writes in (request.request_items or {}).items():
            tables[name] = await self._tables.get(name)
            for each in writes:
                sent = each.put_request.item if each.put_request else None
                key: Any = sent or (each.delete_request and each.delete_request.key) or {}
                images[tables[name].cache_key(key)] = sent
        with self._through.writing(list(images)) as writing:
            answer = await self._sender.perform(
                "BatchWriteItem", request, BatchWriteItemAnswer, tables
            )
            left = {
                tables[name].cache_key(_key_of(each))
                for name, writes in answer.unprocessed_items.items()
                for each in writes
            }
            for cache_key, after in images.items():
                if cache_key not in left:
                    self._through.tell(writing, cache_key, after)
        return answer

    async def _write(self, operation: str, request: Any) -> WriteAnswer:
        written = await self._sender.perform(operation, request, _Written, [request.table_name])
        attributes = None if written.attributes is None else canonical(written.attributes)
        return WriteAnswer(attributes, written.consumed_capacity, written.item_collection_metrics)


def _key_of(write: Any) -> Any:
    if write.put_request is not None:
        return write.put_request.item
    return write.delete_request.key
