"""States of the last moments, for eventually consistent reads that lag, in tests of clients.

`RecordingEngine` is the engine of a store: it notes what items and index entries were before each
write of this process. `LaggedEngine` reads them as they were at a moment within the lag. A write of
another process is not known here, so its items are seen as they are now.
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from hashrange.limits.server import LAGGED_BYTES_MAX, LAGGED_VALUES_MAX
from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    ContendedError,
    Engine,
    Fences,
    Pair,
)
from hashrange.tables.writing.store import Store

T = TypeVar("T")

ATTEMPTS_MAX: Final = 20
"""Attempts of a write whose keys change between both runs of its decision."""
_SYSTEM: Final = bytes(4)
_SHOWN_SPACES: Final = frozenset((b"\x01", b"\x02"))
"""Items and index entries: `tables.keys.keyspace`."""


class OldValue(msgspec.Struct, frozen=True):
    """The value of a key until a moment; None if it was absent."""

    until_ms: int
    key: bytes
    value: bytes | None

    @property
    def bytes(self) -> int:
        """Its share of LAGGED_BYTES_MAX."""
        return len(self.key) + len(self.value or b"")


class OldValues:
    """The values of the last moments, in bounded memory.

    Args:
        lag_ms: how long values are kept.
        now_ms: the clock.
        values_max: if there are more, the oldest are forgotten.
        bytes_max: if they have more bytes, the oldest are forgotten.
    """

    def __init__(
        self,
        lag_ms: float,
        now_ms: Callable[[], int],
        *,
        values_max: int = LAGGED_VALUES_MAX,
        bytes_max: int = LAGGED_BYTES_MAX,
    ) -> None:
        self.lag_ms = lag_ms
        self.now_ms = now_ms
        self._values_max = values_max
        self._bytes_max = bytes_max
        self._bytes = 0
        self._all: deque[OldValue] = deque()
        self._of_key: dict[bytes, deque[OldValue]] = {}
        self._keys: list[bytes] = []

    def __len__(self) -> int:
        return len(self._all)

    def add(self, until_ms: int, values: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Keep the values that keys had until a moment."""
        for key, value in values:
            old = OldValue(until_ms, key, value)
            if key not in self._of_key:
                self._of_key[key] = deque()
                insort(self._keys, key)
            self._of_key[key].append(old)
            self._all.append(old)
            self._bytes += old.bytes
        while self._all and (
            len(self._all) > self._values_max
            or self._bytes > self._bytes_max
            or self._all[0].until_ms <= self.now_ms() - self.lag_ms
        ):
            self._forget()

    def clear(self) -> None:
        """Keep nothing: the values of now are those of another state."""
        self._all.clear()
        self._of_key.clear()
        self._keys.clear()
        self._bytes = 0

    def at(self, key: bytes, at_ms: float, now: bytes | None) -> bytes | None:
        """The value of a key at a moment, if it has the value `now` now."""
        for old in self._of_key.get(key, ()):
            if old.until_ms > at_ms:
                return old.value
        return now

    def between(self, start: bytes, end: bytes, at_ms: float) -> dict[bytes, bytes | None]:
        """The values at a moment of the keys in a range that have changed since, in order."""
        keys = self._keys[bisect_left(self._keys, start) : bisect_left(self._keys, end)]
        return {
            key: self.at(key, at_ms, None) for key in keys if self._of_key[key][-1].until_ms > at_ms
        }

    def _forget(self) -> None:
        old = self._all.popleft()
        self._bytes -= old.bytes
        of_key = self._of_key[old.key]
        of_key.popleft()
        if not of_key:
            del self._of_key[old.key]
            del self._keys[bisect_left(self._keys, old.key)]


class ReplicaLag:
    """Makes stores whose reads lag.

    Args:
        engine: the engine that is read.
        old: what a `RecordingEngine` has noted of its writes.
        draw: draws numbers from 0 up to but not including 1.
    """

    def __init__(self, engine: Engine, old: OldValues, draw: Callable[[], float]) -> None:
        self._engine = engine
        self._old = old
        self._draw = draw

    def forget(self) -> None:
        """Let reads see the present until there are further writes."""
        self._old.clear()

    def seen(self, store: Store) -> Store:
        """The store as it was at a random moment within the lag."""
        at_ms = self._old.now_ms() - self._draw() * self._old.lag_ms
        return store.on(LaggedEngine(self._engine, self._old, at_ms))


class _UnknownKeysError(Exception):
    """The decision names other keys than before."""


class RecordingEngine:
    """An engine that notes what items and index entries were before each write.

    Keys that a decision puts or deletes unread are found by running it twice; they are read with
    the others.
    """

    def __init__(self, engine: Engine, old: OldValues) -> None:
        self._engine = engine
        self._old = old
        self.read = engine.read
        self.scan = engine.scan

    @property
    def key_bytes_max(self) -> int:
        """The limit of the engine."""
        return self._engine.key_bytes_max

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """As `Engine.write`."""
        for _ in range(ATTEMPTS_MAX):
            values = await self._engine.read(keys, fences=fences)
            try:
                unread = _unread(decide(values), keys)
            except Exception:  # noqa: BLE001 - if it still holds, the write raises it again
                unread = []
            noted = _Noted(keys, unread, decide, self._old.now_ms)
            try:
                answer: T = await self._engine.write([*keys, *unread], noted.decided, fences=fences)
            except _UnknownKeysError:
                continue
            self._old.add(noted.at_ms, noted.values)
            return answer
        raise ContendedError("the keys of a write change faster than they are read")


class _Noted:
    """One attempt of a write; `values` are what its last decision has replaced, at `at_ms`."""

    def __init__(
        self,
        keys: Sequence[bytes],
        unread: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[Any]],
        now_ms: Callable[[], int],
    ) -> None:
        self._keys = keys
        self._unread = unread
        self._decide = decide
        self._now_ms = now_ms
        self.at_ms = 0
        self.values: list[tuple[bytes, bytes | None]] = []

    def decided(self, values: list[bytes | None]) -> Changes[Any]:
        """The changes. Raises _UnknownKeysError: their keys were not read."""
        count = len(self._keys)
        changes = self._decide(values[:count])
        before = dict(zip([*self._keys, *self._unread], values, strict=True))
        if _unread(changes, before):
            raise _UnknownKeysError
        self.at_ms = self._now_ms()
        self.values = [
            (key, before[key]) for key in (*changes.puts, *changes.deletes) if is_of_item(key)
        ]
        return changes


def _unread(changes: Changes[Any], keys: Collection[bytes]) -> list[bytes]:
    """Keys of items and entries that changes name and that are not among `keys`."""
    known = keys if isinstance(keys, Mapping) else frozenset(keys)
    named = (*changes.puts, *changes.deletes)
    return [key for key in named if key not in known and is_of_item(key)]


def is_of_item(key: bytes) -> bool:
    """Whether a key is of an item, or of an index entry."""
    return key[4:5] in _SHOWN_SPACES and key[:4] != _SYSTEM


class LaggedEngine:
    """Reads items and entries as they were at a moment; writes as the engine does."""

    def __init__(self, engine: Engine, old: OldValues, at_ms: float) -> None:
        self._engine = engine
        self._old = old
        self._at_ms = at_ms
        self.write = engine.write

    @property
    def key_bytes_max(self) -> int:
        """The limit of the engine."""
        return self._engine.key_bytes_max

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """The values of that moment. The fences are those of now."""
        values = await self._engine.read(keys, fences=fences)
        old, at_ms = self._old, self._at_ms
        return [old.at(key, at_ms, now) for key, now in zip(keys, values, strict=True)]

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """A page of the pairs of that moment, with the bounds of `Engine.scan`."""
        found: list[Pair] = []
        size = 0
        while True:
            changed = self._old.between(start, end, self._at_ms)
            pairs = await self._engine.scan(
                start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
            )
            is_last = len(pairs) < limit and sum(len(value) for _, value in pairs) < bytes_max
            last = pairs[-1][0] if pairs else b""
            merged = [pair for pair in pairs if pair[0] not in changed]
            merged += [
                (key, value)
                for key, value in changed.items()
                if value is not None and (is_last or (key >= last if reverse else key <= last))
            ]
            merged.sort(reverse=reverse)
            for pair in merged:
                found.append(pair)
                size += len(pair[1])
                if len(found) == limit or size >= bytes_max:
                    return found
            if is_last:
                return found
            start, end = (start, last) if reverse else (last + b"\x00", end)
