"""Counts of the rules of contributor insights: a row of the engine a process and minute.

A row is written again while its minute goes on, so a write that is repeated does no harm.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import msgspec

from hashrange.capacity.contributors import CountedKeys, Sketch
from hashrange.limits.cloudwatch import INSIGHT_KEPT_MINUTES, INSIGHT_ROW_BYTES_MAX
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.metric_keys import (
    insight_key,
    insights_after,
    insights_before,
    insights_range,
    minute_of,
)

_PAGE_ROWS: Final = 100
_PAGE_BYTES: Final = 2**20
_encode: Final = msgspec.json.encode
_decode: Final = msgspec.json.Decoder(Sketch).decode


class ContributorRows:
    """The counts of the rules of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, counted: Sequence[CountedKeys], process: bytes) -> None:
        """Store what a process has counted, in place of what it had of the same minutes."""
        for first in range(0, len(counted), _PAGE_ROWS):
            puts = {
                insight_key(each.place, each.rule, each.minute, process): _encode(_small(each.keys))
                for each in counted[first : first + _PAGE_ROWS]
            }
            await self._write(Changes(answer=None, puts=puts), NO_FENCES)

    async def read(
        self, place: str, rule: str, minutes: range
    ) -> AsyncIterator[tuple[int, Sketch]]:
        """The counts of a rule in minutes since the epoch, in their order."""
        count = 0
        async for key, row in pairs(
            self._engine, insights_range(place, rule, minutes), rows=_PAGE_ROWS
        ):
            yield minute_of(key), _decode(row)
            count += 1
            if count % _PAGE_ROWS == 0:
                await asyncio.sleep(0)

    async def forget(self, now_seconds: int, fences: Callable[[], Fences]) -> None:
        """Delete the counts that are too old."""
        oldest = max(0, now_seconds // 60 - INSIGHT_KEPT_MINUTES)
        rule: bytes | None = None
        while True:
            start, end = insights_after(rule)
            first = await self._engine.scan(start, end, limit=1, bytes_max=1)
            if not first:
                return
            rule = first[0][0]
            start, end = insights_before(rule, oldest)
            while page := await self._engine.scan(
                start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES
            ):
                gone: Changes[None] = Changes(answer=None, deletes=[key for key, _ in page])
                await self._write(gone, fences())

    async def _write(self, changes: Changes[None], fences: Fences) -> None:
        keys = [*changes.puts, *changes.deletes]
        await self._engine.write(keys, lambda _: changes, fences=fences)


def _small(keys: Sketch) -> Sketch:
    """The same with so few counters that a row is short."""
    count = len(keys.counts)
    size = sum(map(len, keys.counts))
    if size > INSIGHT_ROW_BYTES_MAX:
        keys.shrink(max(1, count * INSIGHT_ROW_BYTES_MAX // size))
    return keys
