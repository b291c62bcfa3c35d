"""GetItem and BatchGetItem through the item cache, with reads of the upstream joined."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items import batch_get_item, get_item
from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cache.reading import UnreadError
from hashrange.dax.cached.reads import KnownItem
from hashrange.dax.upstream.items import canonical, item_of, stored_item
from hashrange.dax.upstream.sender import UpstreamSource
from hashrange.dax.upstream.tables import UpstreamTable
from hashrange.limits.requests import BATCH_GET_BYTES_MAX
from hashrange.model.structures.dynamodb import (
    BatchGetItem,
    BatchGetItemAnswer,
    ConsumedCapacity,
    GetItem,
    GetItemAnswer,
    KeysAndAttributes,
)
from hashrange.model.values import AttributeValue, Item

_NO_ITEM: Final = GetItemAnswer()


class _Got(msgspec.Struct, rename="pascal"):
    item: dict[str, AttributeValue] | None = None
    consumed_capacity: ConsumedCapacity | None = None


class _BatchGot(msgspec.Struct, rename="pascal"):
    responses: dict[str, list[dict[str, AttributeValue]]] = {}
    unprocessed_keys: dict[str, KeysAndAttributes] = {}
    consumed_capacity: list[ConsumedCapacity] | None = None


class CachedGet:
    """Performs GetItem.

    Args:
        source: the upstream.
        layer: the caches.
    """

    def __init__(self, source: UpstreamSource, layer: CacheLayer) -> None:
        self._source = source
        self._layer = layer

    async def perform(self, request: GetItem) -> GetItemAnswer:
        """Answer from the cache, or read the whole item; a projection is the protocol's to apply.

        Raises DynamoError.
        """
        if request.consistent_read:
            return await self._read(request)
        checked = get_item.check(request)
        table = await self._source.table(request.table_name)
        key = table.cache_key(checked.key)
        found = self._layer.item(key)
        if found is None:
            return await self._miss(request, key)
        if found.value is None:
            return _NO_ITEM
        if checked.shape.projection is not None:
            return GetItemAnswer(msgspec.Raw(found.value))
        if found.made is None:
            found.made = KnownItem(msgspec.Raw(found.value))
        known: KnownItem = found.made
        return known

    async def _miss(self, request: GetItem, key: CacheKey) -> GetItemAnswer:
        whole = msgspec.structs.replace(
            request,
            projection_expression=None,
            expression_attribute_names=None,
            consistent_read=self._source.is_recent(key) or None,
        )
        capacity: ConsumedCapacity | None = None

        async def read() -> bytes | None:
            nonlocal capacity
            got = await self._got(whole)
            capacity = got.consumed_capacity
            return None if got.item is None else stored_item(got.item)

        try:
            json = await self._layer.missing(key, read)
        except UnreadError:
            return await self._read(whole)
        return GetItemAnswer(None if json is None else msgspec.Raw(json), capacity)

    async def _read(self, request: GetItem) -> GetItemAnswer:
        got = await self._got(request)
        item = None if got.item is None else msgspec.Raw(stored_item(got.item))
        return GetItemAnswer(item, got.consumed_capacity)

    async def _got(self, request: GetItem) -> _Got:
        assert request.table_name is not None, "requests of DAX name their table"
        return await self._source.perform("GetItem", request, _Got, [request.table_name])


class _Part:
    """The keys of one table of a batch; of eventually consistent reads what the cache has."""

    def __init__(self, name: str, sent: KeysAndAttributes, table: UpstreamTable) -> None:
        self.name = name
        self.sent = sent
        self.table = table
        self.hits: list[Item] = []
        self.missing: dict[CacheKey, Item] = {}
        self.left: list[Item] = []

    def rest(self, own: Sequence[CacheKey], source: UpstreamSource) -> KeysAndAttributes | None:
        """The items to read from the upstream; None for nothing."""
        if self.sent.consistent_read:
            return self.sent
        keys = [self.missing[key] for key in own if key in self.missing]
        if not keys:
            return None
        is_recent = any(source.is_recent(key) for key in own if key in self.missing)
        return KeysAndAttributes(keys=keys, consistent_read=is_recent or None)


class CachedBatchGet:
    """Performs BatchGetItem: each key is served by itself; arguments as of `CachedGet`."""

    def __init__(self, source: UpstreamSource, layer: CacheLayer) -> None:
        self._source = source
        self._layer = layer

    async def perform(self, request: BatchGetItem) -> BatchGetItemAnswer:
        """Answer what is cached, and read the rest. Raises DynamoError."""
        checked = batch_get_item.check(request)
        parts: list[_Part] = []
        room = BATCH_GET_BYTES_MAX
        for each in checked.parts:
            part = _Part(each.name, each.sent, await self._source.table(each.name))
            parts.append(part)
            if not each.sent.consistent_read:
                room = self._look(part, each.keys, room)
        answer = _BatchGot()

        async def read(own: Sequence[CacheKey]) -> Mapping[CacheKey, bytes | None]:
            nonlocal answer
            answer = await self._rest(request, parts, own)
            return _found(parts, own, answer)

        keys = [key for part in parts for key in part.missing]
        items = await self._layer.all_missing(keys, read)
        return _joined(parts, items, answer)

    def _look(self, part: _Part, keys: Sequence[Item], room: int) -> int:
        """Look into the cache, as long as the answer has room; the bytes that are left."""
        for key in keys:
            cache_key = part.table.cache_key(key)
            found = self._layer.item(cache_key)
            if found is None:
                part.missing[cache_key] = key
            elif found.value is not None:
                room -= len(found.value)
                if room < 0:
                    part.left.append(key)
                else:
                    part.hits.append(item_of(found.value))
        return room

    async def _rest(
        self, request: BatchGetItem, parts: Sequence[_Part], own: Sequence[CacheKey]
    ) -> _BatchGot:
        """The items of the upstream for the keys that no other caller reads."""
        rests = {part.name: part.rest(own, self._source) for part in parts}
        items = {name: rest for name, rest in rests.items() if rest is not None}
        if not items:
            return _BatchGot()
        sent = BatchGetItem(
            request_items=items, return_consumed_capacity=request.return_consumed_capacity
        )
        return await self._source.perform("BatchGetItem", sent, _BatchGot, items)


def _found(
    parts: Sequence[_Part], own: Sequence[CacheKey], answer: _BatchGot
) -> Mapping[CacheKey, bytes | None]:
    """The items that the upstream has read eventually consistently, by their keys."""
    asked = set(own)
    found: dict[CacheKey, bytes | None] = {}
    for part in parts:
        if part.sent.consistent_read:
            continue
        unread = answer.unprocessed_keys.get(part.name)
        left = {part.table.cache_key(key) for key in (unread and unread.keys) or ()}
        found |= dict.fromkeys(key for key in part.missing if key in asked - left)
        for item in answer.responses.get(part.name, ()):
            found[part.table.cache_key(item)] = stored_item(item)
    return found


def _joined(
    parts: Sequence[_Part], items: Mapping[CacheKey, bytes | None], answer: _BatchGot
) -> BatchGetItemAnswer:
    """Hits, and what was read now."""
    responses: dict[str, Any] = {}
    unprocessed: dict[str, KeysAndAttributes] = {}
    for part in parts:
        left = list(part.left)
        if part.sent.consistent_read:
            read = [canonical(item) for item in answer.responses.get(part.name, ())]
            unread = answer.unprocessed_keys.get(part.name)
            left += (unread and unread.keys) or ()
        else:
            read = [item_of(json) for key in part.missing if (json := items.get(key))]
            left += [key for cache_key, key in part.missing.items() if cache_key not in items]
        responses[part.name] = part.hits + read
        if left:
            unprocessed[part.name] = msgspec.structs.replace(part.sent, keys=left)
    return BatchGetItemAnswer(
        responses=responses,
        unprocessed_keys=unprocessed,
        consumed_capacity=answer.consumed_capacity,
    )
