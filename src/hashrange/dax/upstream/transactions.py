"""Transactions pass by the caches; the items that they write are read again afterwards."""

from typing import Any

import msgspec

from hashrange.api.dynamodb.transactions.actions import actions_of
from hashrange.api.steps.operation import Caller
from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.cache.layer import CacheLayer
from hashrange.dax.cached.writes import Refresh
from hashrange.dax.upstream.items import canonical, stored_item
from hashrange.dax.upstream.sender import UpstreamSource
from hashrange.model.structures.dynamodb import (
    ConditionCheck,
    ConsumedCapacity,
    Get,
    ItemResponse,
    Put,
    TransactGetItem,
    TransactGetItems,
    TransactGetItemsAnswer,
    TransactWriteItems,
    TransactWriteItemsAnswer,
)
from hashrange.model.values import AttributeValue, Item


class _Response(msgspec.Struct, rename="pascal"):
    item: dict[str, AttributeValue] | None = None


class _Got(msgspec.Struct, rename="pascal"):
    responses: list[_Response] = []
    consumed_capacity: list[ConsumedCapacity] | None = None


class Transactions:
    """Performs TransactGetItems and TransactWriteItems.

    Args:
        source: the upstream.
        layer: the caches, which lose the items that are written.
        refresh: begins to read them with `refreshed` in the background.
    """

    def __init__(self, source: UpstreamSource, layer: CacheLayer, refresh: Refresh) -> None:
        self._source = source
        self._layer = layer
        self._refresh = refresh

    async def get(self, request: TransactGetItems) -> TransactGetItemsAnswer:
        """Read items. Raises DynamoError."""
        got = await self._read(request)
        items = [None if each.item is None else canonical(each.item) for each in got.responses]
        return TransactGetItemsAnswer(
            responses=[ItemResponse(item) for item in items],
            consumed_capacity=got.consumed_capacity,
        )

    async def write(self, request: TransactWriteItems, caller: Caller) -> TransactWriteItemsAnswer:
        """Write items; then their entries are gone until they were read again.

        Raises DynamoError.
        """
        gets: dict[CacheKey, TransactGetItem] = {}
        names: set[str] = set()
        for part in request.transact_items or ():
            for sent in actions_of(part):
                if sent is None:
                    continue
                assert sent.table_name is not None, "requests of DAX name their tables"
                names.add(sent.table_name)
                if not isinstance(sent, ConditionCheck):
                    table = await self._source.table(sent.table_name)
                    item: Any = (sent.item if isinstance(sent, Put) else sent.key) or {}
                    key: Item = {name: item[name] for name in table.schema.names if name in item}
                    get = Get(key=dict(key), table_name=sent.table_name)
                    gets[table.cache_key(item)] = TransactGetItem(get=get)
        with self._layer.writing(list(gets)):
            answer = await self._source.perform(
                "TransactWriteItems", request, TransactWriteItemsAnswer, names
            )
        if gets:
            self._refresh(caller, TransactGetItems(transact_items=list(gets.values())))
        return answer

    async def refreshed(self, request: TransactGetItems) -> None:
        """Read items as the caches do for themselves, and keep them. Raises DynamoError."""
        keys: list[CacheKey] = []
        for part in request.transact_items or ():
            get = part.get
            assert get is not None, "made by `write`"
            key: Any = get.key
            table = await self._source.table(get.table_name)
            keys.append(table.cache_key(key))

        async def read() -> list[bytes | None]:
            got = await self._read(request)
            return [None if each.item is None else stored_item(each.item) for each in got.responses]

        await self._layer.filled(keys, read)

    async def _read(self, request: TransactGetItems) -> _Got:
        gets = [part.get for part in request.transact_items or ()]
        names = {get.table_name for get in gets if get is not None and get.table_name is not None}
        return await self._source.perform("TransactGetItems", request, _Got, names)
