"""Reads and writes the rows of auto scaling, so that all servers and workers share them."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.limits.tables import SCALING_ACTIVITIES_DAYS, SCALING_ACTIVITIES_MAX
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.jobs.scaling_rows import Activity, StoredTarget
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.scaling_keys import (
    COUNTERS_KEY,
    activities_key,
    activities_range,
    consumed_key,
    consumed_ranges,
    target_key,
    targets_range,
)

TENTHS: Final = 10
_DAY_MS: Final = 24 * 60 * 60 * 1000
_PAGE_ROWS: Final = 1000
_encode: Final = msgspec.json.encode
_target: Final = msgspec.json.Decoder(StoredTarget).decode
_activities: Final = msgspec.json.Decoder(list[Activity]).decode

Change = Callable[[StoredTarget | None], StoredTarget | None]


class ScalingRows:
    """The rows of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine: Final = engine

    async def target(self, address: str) -> StoredTarget | None:
        """The target of an address."""
        (row,) = await self.engine.read([target_key(address)])
        return None if row is None else _target(row)

    async def targets(self, scope: str | None) -> AsyncIterator[StoredTarget]:
        """The targets of a scope, or of all, in the order of their addresses."""
        async for _, row in pairs(self.engine, targets_range(scope)):
            yield _target(row)

    async def change(
        self, address: str, change: Change, *, fences: Fences = NO_FENCES
    ) -> StoredTarget | None:
        """Replace the target of an address; None removes it. `change` may run again, and raise."""
        key = target_key(address)

        def decide(stored: list[bytes | None]) -> Changes[StoredTarget | None]:
            before = None if stored[0] is None else _target(stored[0])
            after = change(before)
            if after is None:
                return Changes(answer=None, deletes=[] if before is None else [key])
            return Changes(answer=after, puts={} if after == before else {key: _encode(after)})

        return await self.engine.write([key], decide, fences=fences)

    async def note(self, address: str, activity: Activity, *, fences: Fences = NO_FENCES) -> None:
        """Add an activity; the oldest, and those that are too old, are forgotten."""
        key = activities_key(address)
        oldest_ms = activity.start_ms - SCALING_ACTIVITIES_DAYS * _DAY_MS

        def decide(stored: list[bytes | None]) -> Changes[None]:
            known = [] if stored[0] is None else _activities(stored[0])
            kept = [each for each in known if each.start_ms >= oldest_ms and each.id != activity.id]
            rows = [activity, *kept][:SCALING_ACTIVITIES_MAX]
            return Changes(answer=None, puts={key: _encode(rows)})

        await self.engine.write([key], decide, fences=fences)

    async def activities(self, scope: str) -> list[Activity]:
        """The activities of a scope, newest first."""
        found: list[Activity] = []
        async for _, row in pairs(self.engine, activities_range(scope)):
            found += _activities(row)
        return sorted(found, key=lambda each: (-each.start_ms, each.id))

    async def consume(
        self, minute: int, units: Sequence[tuple[str, tuple[str, ...], float, float]]
    ) -> None:
        """Add units that were consumed in a minute, by scope and names: read, and write."""
        adds: dict[bytes, int] = {}
        for scope, names, read, write in units:
            for is_write, amount in ((False, read), (True, write)):
                if amount:
                    key = consumed_key(minute, scope, names, is_write=is_write)
                    adds[key] = adds.get(key, 0) + round(amount * TENTHS)
        if adds:
            await self.engine.write([], lambda _: Changes(answer=None, adds=adds))

    async def consumed(self, target: StoredTarget, minutes: Sequence[int]) -> list[float | None]:
        """The units that a target's table or index consumed in minutes; None if there were none."""
        keys = [
            consumed_key(minute, target.scope, target.names, is_write=target.is_write)
            for minute in minutes
        ]
        rows = await self.engine.read(keys)
        return [None if row is None else int.from_bytes(row, "big") / TENTHS for row in rows]

    async def forget(self, before_minute: int) -> None:
        """Delete the counters of all minutes before one."""
        for start, end in consumed_ranges(before_minute):
            while True:
                page = await self.engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=2**20)
                if not page:
                    break
                gone: Changes[None] = Changes(answer=None, deletes=[key for key, _ in page])
                await self.engine.write([COUNTERS_KEY], partial(_always, gone))


def _always(changes: Changes[None], _stored: list[bytes | None]) -> Changes[None]:
    return changes
