"""Bounds in bytes of the records that a table's tag keeps beyond the retention of streams."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeAlias

from hashrange.model.log import ALL_RECORDS, Shard
from hashrange.model.table import Table
from hashrange.storage.engine import Engine
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import record_key
from hashrange.tables.streams.trimming import PAGE_BYTES, PAGE_ROWS

BYTES_TAG: Final = "hashrange:stream-retention-bytes"
"""The tag of a table that bounds the records that are older than the retention of streams."""

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]


def stream_bytes_of(table: Table) -> int | None:
    """The bound that the tag of a table asks for; None if there is none."""
    asked = table.tags.get(BYTES_TAG, "")
    return int(asked) if asked.isascii() and asked.isdecimal() else None


class ShardSizes:
    """The bytes of closed shards that are older than the retention: they no longer change.

    A shard is read once in the life of the process.
    """

    def __init__(self, engine: Engine, turn: Turn) -> None:
        self._engine = engine
        self._turn = turn
        self._sizes: dict[tuple[int, int], int] = {}

    async def over(self, table: Table, oldest_ms: int) -> Collection[int]:
        """The numbers of the shards beyond the bound, of those closed before `oldest_ms`."""
        bytes_max = stream_bytes_of(table)
        if bytes_max is None:
            return ()
        old = [
            shard
            for shard in table.log.shards
            if shard.closed_ms is not None
            and shard.closed_ms < oldest_ms
            and shard.trimmed_to != ALL_RECORDS
        ]
        known = {(table.number, shard.number) for shard in table.log.shards}
        for key in [each for each in self._sizes if each[0] == table.number and each not in known]:
            del self._sizes[key]
        for shard in old:
            if (table.number, shard.number) not in self._sizes:
                self._sizes[table.number, shard.number] = await self._read(table, shard)
        return over({shard: self._sizes[table.number, shard.number] for shard in old}, bytes_max)

    async def _read(self, table: Table, shard: Shard) -> int:
        log = keyspace.log_key(table.number, shard.number)
        start, end = record_key(log, 0), record_key(log, ALL_RECORDS)
        found = 0
        while True:
            async with self._turn():
                page = await self._engine.scan(start, end, limit=PAGE_ROWS, bytes_max=PAGE_BYTES)
            if not page:
                return found
            found += sum(len(key) + len(value) for key, value in page)
            start = page[-1][0] + b"\0"


def over(sizes: Mapping[Shard, int], bytes_max: int) -> frozenset[int]:
    """The numbers of the shards, the oldest first, without which the others are in the bound."""
    total, gone = sum(sizes.values()), set[int]()
    for shard in sorted(sizes, key=lambda each: (each.closed_ms or 0, each.number)):
        if total <= bytes_max:
            break
        total -= sizes[shard]
        gone.add(shard.number)
    return frozenset(gone)
