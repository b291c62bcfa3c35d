"""Reads and writes the rows of alarms, so that all servers and processes share them."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.limits.cloudwatch import ALARM_HISTORY_SECONDS
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.alarms.notifications import Action
from hashrange.tables.alarms.rows import Change, HistoryItem, StoredAlarm
from hashrange.tables.keys.alarm_keys import (
    TIE_BYTES,
    action_key,
    actions_range,
    alarm_key,
    alarms_range,
    changes_key,
    item_key,
    items_after,
    items_range,
    scope_of,
)
from hashrange.tables.keys.key_ranges import Range, pairs

Decide: TypeAlias = Callable[[StoredAlarm | None], Change | None]
"""Gives the change of an alarm; None for none. May run again, and raise."""

_PAGE_ROWS: Final = 500
_PAGE_BYTES: Final = 2**20
_INDEX_BYTES: Final = 2
_encode: Final = msgspec.json.encode
_alarm: Final = msgspec.json.Decoder(StoredAlarm).decode
_item: Final = msgspec.json.Decoder(HistoryItem).decode
_action: Final = msgspec.json.Decoder(Action).decode


class AlarmRows:
    """The alarms of an engine.

    Args:
        engine: has the rows.
        random_bytes: makes keys of one moment different.
    """

    def __init__(self, engine: Engine, random_bytes: Callable[[int], bytes]) -> None:
        self.engine: Final = engine
        self._random_bytes = random_bytes

    async def get(self, scope: str, names: Sequence[str]) -> dict[str, StoredAlarm]:
        """The alarms of some names, as far as there are any."""
        rows = await self.engine.read([alarm_key(scope, name) for name in names])
        return {name: _alarm(row) for name, row in zip(names, rows, strict=True) if row}

    async def all(self, scope: str | None, prefix: str = "") -> AsyncIterator[StoredAlarm]:
        """The alarms of a scope in the order of their names; of all scopes if None."""
        async for _, row in pairs(self.engine, alarms_range(scope, prefix), rows=_PAGE_ROWS):
            yield _alarm(row)

    async def change(
        self, scope: str, name: str, decide: Decide, *, fences: Fences = NO_FENCES
    ) -> StoredAlarm | None:
        """Change the alarm of a name; the alarm afterwards."""
        key, tie = alarm_key(scope, name), self._random_bytes(TIE_BYTES - _INDEX_BYTES)

        def decided(stored: list[bytes | None]) -> Changes[StoredAlarm | None]:
            before = None if stored[0] is None else _alarm(stored[0])
            change = decide(before)
            if change is None:
                return Changes(answer=before)
            puts = {} if change.alarm is None else {key: _encode(change.alarm)}
            puts |= _with_keys(scope, change, tie)
            deletes = [key] if change.alarm is None and before is not None else []
            return Changes(answer=change.alarm, puts=puts, deletes=deletes, adds={changes_key(): 1})

        return await self.engine.write([key], decided, fences=fences)

    async def changes(self) -> int:
        """A number that grows with each change of an alarm."""
        (row,) = await self.engine.read([changes_key()])
        return 0 if row is None else int.from_bytes(row, "big")

    async def items(
        self, keys: Range, *, reverse: bool, limit: int
    ) -> tuple[list[tuple[bytes, HistoryItem]], bool]:
        """A page of items with their keys, and whether there may be more."""
        start, end = keys
        page = await self.engine.scan(
            start, end, limit=limit, bytes_max=_PAGE_BYTES, reverse=reverse
        )
        size = sum(len(row) for _, row in page)
        return [(key, _item(row)) for key, row in page], len(page) == limit or size >= _PAGE_BYTES

    async def forget(self, now_ms: int, fences: Callable[[], Fences]) -> None:
        """Delete the items that are too old."""
        oldest_ms = max(0, now_ms - ALARM_HISTORY_SECONDS * 1000)
        scope: str | None = None
        while True:
            start, end = items_after(scope)
            first = await self.engine.scan(start, end, limit=1, bytes_max=1)
            if not first:
                return
            scope = scope_of(first[0][0])
            more = True
            while more:
                start, end = items_range(scope, 0, oldest_ms)
                page = await self.engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES)
                more = await self._delete([key for key, _ in page], fences())

    async def _delete(self, keys: Sequence[bytes], fences: Fences) -> bool:
        if keys:
            gone: Changes[None] = Changes(answer=None, deletes=keys)
            await self.engine.write(keys, lambda _: gone, fences=fences)
        return bool(keys)

    async def waiting(self, now_ms: int, limit: int) -> list[tuple[bytes, Action]]:
        """Actions that are due, with their keys; those that have waited longest come first."""
        start, end = actions_range(now_ms)
        page = await self.engine.scan(start, end, limit=limit, bytes_max=_PAGE_BYTES)
        return [(key, _action(row)) for key, row in page]

    async def done(
        self, key: bytes, item: HistoryItem | None, scope: str, *, fences: Fences = NO_FENCES
    ) -> None:
        """Delete an action, unless it is gone, and add its result to the history."""
        puts: dict[bytes, bytes] = {}
        if item is not None:
            puts[item_key(scope, item.time_ms, self._random_bytes(TIE_BYTES))] = _encode(item)

        def decided(stored: list[bytes | None]) -> Changes[None]:
            if stored[0] is None:
                return Changes(answer=None)
            return Changes(answer=None, deletes=[key], puts=puts)

        await self.engine.write([key], decided, fences=fences)

    async def postpone(self, key: bytes, action: Action, *, fences: Fences = NO_FENCES) -> None:
        """Try an action again when it is due then, unless it is gone."""
        later = action_key(action.due_ms, self._random_bytes(TIE_BYTES))

        def decided(stored: list[bytes | None]) -> Changes[None]:
            if stored[0] is None:
                return Changes(answer=None)
            return Changes(answer=None, deletes=[key], puts={later: _encode(action)})

        await self.engine.write([key], decided, fences=fences)


def _with_keys(scope: str, change: Change, tie: bytes) -> dict[bytes, bytes]:
    """The rows of the items and actions of a change, in their order."""
    found = {}
    for index, item in enumerate(change.items):
        key = item_key(scope, item.time_ms, index.to_bytes(_INDEX_BYTES) + tie)
        found[key] = _encode(item)
    for index, action in enumerate(change.actions):
        key = action_key(action.due_ms, index.to_bytes(_INDEX_BYTES) + tie)
        found[key] = _encode(action)
    return found
