"""Transactions pass by the caches; the items that they write are read again afterwards."""

from collections.abc import Callable
from typing import Any

import msgspec

from hashrange.dax_cache.caches import Caches
from hashrange.dax_cache.entries import CacheKey
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
from hashrange.operations.cached.writes import Refresh
from hashrange.operations.pipeline.operation import Caller
from hashrange.operations.transactions.actions import actions_of
from hashrange.upstream.items import canonical, entry_bytes, stored_item
from hashrange.upstream.sender import Sender
from hashrange.upstream.tables import UpstreamTables
from hashrange.upstream.writes import Through


class _Response(msgspec.Struct, rename="pascal"):
    item: dict[str, AttributeValue] | None = None


class _Got(msgspec.Struct, rename="pascal"):
    responses: list[_Response] = []
    consumed_capacity: list[ConsumedCapacity] | None = None


class Transactions:
    """Performs TransactGetItems and TransactWriteItems.

    Args:
        sender: sends them to the upstream.
        tables: the upstream's.
        through: the item cache, which loses the items that are written.
        refresh: begins to read them with `refresh` of `Refreshed`.
    """

    def __init__(
        self, sender: Sender, tables: UpstreamTables, through: Through, refresh: Refresh
    ) -> None:
        self._sender = sender
        self._tables = tables
        self._through = through
        self._refresh = refresh

    async def get(self, request: TransactGetItems) -> TransactGetItemsAnswer:
        """Read items. Raises DynamoError."""
        got = await _read(self._sender, request)
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
                    table = await self._tables.get(sent.table_name)
                    item: Any = (sent.item if isinstance(sent, Put) else sent.key) or {}
                    key: Item = {name: item[name] for name in table.schema.names if name in item}
                    get = Get(key=dict(key), table_name=sent.table_name)
                    gets[table.cache_key(item)] = TransactGetItem(get=get)
        with self._through.writing(list(gets)):
            answer = await self._sender.perform(
                "TransactWriteItems", request, TransactWriteItemsAnswer, names
            )
        if gets:
            self._refresh(caller, TransactGetItems(transact_items=list(gets.values())))
        return answer


class Refreshed:
    """TransactGetItems as the caches make it for themselves: what it reads is kept.

    Args:
        sender: reads the upstream.
        tables: the upstream's.
        caches: keep what was read.
        now_ms: the time.
    """

    def __init__(
        self,
        sender: Sender,
        tables: UpstreamTables,
        caches: Caches[Any],
        now_ms: Callable[[], int],
    ) -> None:
        self._sender = sender
        self._tables = tables
        self._caches = caches
        self._now_ms = now_ms

    async def perform(self, request: TransactGetItems) -> None:
        """Read the items. Raises DynamoError."""
        keys: list[CacheKey] = []
        for part in request.transact_items or ():
            get = part.get
            assert get is not None, "made by `Transactions`"
            key: Any = get.key
            table = await self._tables.get(get.table_name)
            keys.append(table.cache_key(key))
        fills = [self._caches.begin_fill(key) for key in keys]
        try:
            got = await _read(self._sender, request)
            stored = [
                None if each.item is None else stored_item(each.item) for each in got.responses
            ]
            assert len(stored) == len(fills), "an answer for each get"
        except BaseException:
            for fill in fills:
                self._caches.abandon_fill(fill)
            raise
        for fill, json in zip(fills, stored, strict=True):
            self._caches.end_fill(fill, json, entry_bytes(json), self._now_ms())


async def _read(sender: Sender, request: TransactGetItems) -> _Got:
    gets = [part.get for part in request.transact_items or ()]
    names = {get.table_name for get in gets if get is not None and get.table_name is not None}
    return await sender.perform("TransactGetItems", request, _Got, names)
