"""The tables of the upstream: their keys, as DescribeTable describes them."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from hashrange.api.steps.operation import items_not_found
from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.protocol.keys import Schema
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.dax import UPSTREAM_DOUBT_MS, UPSTREAM_TABLES_MAX
from hashrange.messages.dax import undescribed
from hashrange.messages.items.values import key_schema_mismatch
from hashrange.model.canonical import canonical_key
from hashrange.model.values import Item, KeyType
from hashrange.model.wording import Wording
from hashrange.wire.codec import DECODE_ERRORS

_encode: Final = msgspec.json.Encoder().encode


class _Element(msgspec.Struct, rename="pascal"):
    attribute_name: str
    key_type: str


class _Attribute(msgspec.Struct, rename="pascal"):
    attribute_name: str
    attribute_type: KeyType


class _Description(msgspec.Struct, rename="pascal"):
    key_schema: list[_Element]
    attribute_definitions: list[_Attribute]
    table_arn: str = ""
    table_id: str = ""
    creation_date_time: float = 0.0


class _Described(msgspec.Struct, rename="pascal"):
    table: _Description


class UpstreamTable(msgspec.Struct, frozen=True):
    """A table.

    Attributes:
        schema: its key.
        identity: what no other table has, also none of the same name later.
        learnt_ms: when it was described.
    """

    schema: Schema
    identity: bytes
    learnt_ms: int

    def cache_key(self, item: Item) -> CacheKey:
        """The key of an item in the item cache.

        Args:
            item: with the attributes of the key, not canonical.

        Raises:
            DynamoError: it has no such key.
        """
        try:
            key = {name: item[name] for name in self.schema.names}
        except KeyError as error:
            raise invalid(key_schema_mismatch()) from error
        return self.identity + _encode(list(canonical_key(key, Wording.CURRENT).values()))


class UpstreamTables:
    """The tables that were asked for, by their names or ARNs as sent.

    Args:
        describe: sends a request of DescribeTable; returns the answer.
        now_ms: the time.
    """

    def __init__(
        self, describe: Callable[[bytes], Awaitable[bytes]], now_ms: Callable[[], int]
    ) -> None:
        self._describe = describe
        self._now_ms = now_ms
        self._tables: OrderedDict[str, UpstreamTable] = OrderedDict()
        self._loading: dict[str, asyncio.Task[UpstreamTable | None]] = {}

    def cached(self, table: str) -> Schema | None:
        """The key schema of a table that is in memory."""
        found = self._tables.get(table)
        return None if found is None else found.schema

    async def load(self, table: str) -> Schema | None:
        """The key schema of a table; None if it does not exist. Raises DynamoError."""
        found = await self._load(table)
        return None if found is None else found.schema

    async def get(self, table: str | None) -> UpstreamTable:
        """A table. Raises DynamoError, ResourceNotFoundException among them."""
        assert table is not None, "requests of DAX name their table"
        found = self._tables.get(table) or await self._load(table)
        if found is None:
            raise items_not_found(table)
        return found

    def note(self, table: str, fault: Fault) -> None:
        """A request on a table was refused: what is known of it may be out of date."""
        found = self._tables.get(table)
        if found is None:
            return
        is_old = self._now_ms() - found.learnt_ms >= UPSTREAM_DOUBT_MS
        if fault is Fault.RESOURCE_NOT_FOUND or (fault is Fault.VALIDATION and is_old):
            del self._tables[table]

    async def _load(self, table: str) -> UpstreamTable | None:
        """Describe a table; callers at the same time share the answer."""
        loading = self._loading.get(table)
        if loading is None:
            loading = asyncio.get_running_loop().create_task(self._described(table))
            self._loading[table] = loading
            loading.add_done_callback(lambda _: self._loading.pop(table))
        return await asyncio.shield(loading)

    async def _described(self, table: str) -> UpstreamTable | None:
        try:
            answer = await self._describe(_encode({"TableName": table}))
        except DynamoError as error:
            if error.fault is Fault.RESOURCE_NOT_FOUND:
                return None
            raise
        try:
            found = _table_of(table, answer, self._now_ms())
        except (*DECODE_ERRORS, KeyError) as error:
            raise DynamoError(Fault.INTERNAL, undescribed(table)) from error
        self._tables[table] = found
        while len(self._tables) > UPSTREAM_TABLES_MAX:
            self._tables.popitem(last=False)
        return found


def _table_of(name: str, answer: bytes, now_ms: int) -> UpstreamTable:
    described = msgspec.json.decode(answer, type=_Described).table
    types = {each.attribute_name: each.attribute_type for each in described.attribute_definitions}
    keys = {each.key_type: each.attribute_name for each in described.key_schema}
    partition, sort = keys["HASH"], keys.get("RANGE")
    schema = Schema(partition, types[partition], sort, None if sort is None else types[sort])
    place = [described.table_arn or name, described.table_id, described.creation_date_time]
    return UpstreamTable(schema, _encode(place), now_ms)
