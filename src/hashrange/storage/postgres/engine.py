"""The engine: READ COMMITTED, a version on every row, one statement that compares.

A write is two round trips: the keys with their versions; then one statement that takes effect only
if every version is still the same. A write that changes nothing is one. Nothing is locked between
the two, so several servers may work on one database; within a server, works that meet on a key wait
for each other instead of losing to each other.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Self, TypeVar

import msgspec

from hashrange.clock import Clock, SystemClock
from hashrange.observe.counts import Durations
from hashrange.settings import Durability
from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    ContendedError,
    Fences,
    KeyTooLongError,
    Pair,
    StaleFenceError,
    StorageBusyError,
)
from hashrange.storage.postgres.batch import batch_of
from hashrange.storage.postgres.fences import FenceVersions
from hashrange.storage.postgres.link import Link, LostError
from hashrange.storage.postgres.schema import KEY_BYTES_MAX
from hashrange.storage.postgres.statements import READ, READ_VERSIONS, scan
from hashrange.storage.postgres.sweeper import Sweeper
from hashrange.storage.postgres.target import Target
from hashrange.storage.queues import KeyQueues

T = TypeVar("T")

TRIES_MAX: Final = 64
"""Two servers on one key lost every third comparison: so many in a row are a fault."""
COUNTER_SHARDS: Final = 16
REST_SECONDS_MAX: Final = 0.01
"""After a lost comparison, at most; it grows to that over the first ten."""
SCAN_ROWS_FIRST: Final = 256
WAITING_WRITES_MAX: Final = 10_000
_GROWING_TRIES: Final = 10
_INT64_BYTES: Final = 8
_RANDOM_BYTES: Final = 4


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine has done since it was opened."""

    works: int
    """Writes decided, refused ones included."""
    refused: int
    """Writes that were not begun, for too many waited."""
    statements: int
    """Round trips, all statements."""
    lost: int
    """Comparisons that failed because another server, or another key's owner, was faster."""
    queue_length: int
    """Writes that have begun or wait."""
    recoveries: int
    """How often the database answered again after it had not."""
    writes: Durations
    """Of statements that write: sent, carried out and on disk."""
    down: bool


class PostgresEngine:
    """`hashrange.storage.engine.Engine` on PostgreSQL, for one event loop; made by `open`.

    Its coroutines must run in a Task.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(self, link: Link, clock: Clock, waiting_writes_max: int) -> None:
        self._link = link
        self._clock = clock
        self._waiting_writes_max = waiting_writes_max
        self._queues = KeyQueues()
        self._fences = FenceVersions()
        self._writes = Durations()
        self._works = self._refused = self._lost = self._at_work = 0

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        durability: Durability = Durability.FULL,
        makes: bool = True,
        clock: Clock | None = None,
        waiting_writes_max: int = WAITING_WRITES_MAX,
    ) -> Self:
        """Connect, and make the tables if they are missing, unless that is refused too.

        Raises StorageOpenError: nobody answers, we are not let in, may not do what we need, or the
        data or the server are of a version that does not fit.
        """
        link = await Link.open(Target.of(url), durability, makes=makes)
        return cls(link, clock or SystemClock(), waiting_writes_max)

    def sweeper(self) -> Sweeper:
        """What is to be done beside requests, by one server or by many."""
        return Sweeper(self._link)

    async def close(self) -> None:
        """Let what has begun end, for some seconds, and disconnect."""
        await self._link.close()

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """See `Engine.read`."""
        rows, _ = await self._fenced(READ, [list(set(keys))], fences)
        values = dict(map(_pair, rows))
        return [values.get(key) for key in keys]

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
        """See `Engine.scan`. Asks again, from the start, if the first guess of rows was short."""
        text = scan(reverse=reverse)
        rows_max = min(limit, SCAN_ROWS_FIRST)
        while True:  # bound: rows_max grows up to the limit
            rows, _ = await self._fenced(text, [start, end, rows_max, bytes_max], fences)
            page = [_pair(row) for row in rows]
            ended = len(page) < rows_max or sum(len(value) for _, value in page) >= bytes_max
            if ended or rows_max == limit:
                return page
            rows_max = min(limit, rows_max * 8)

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """See `Engine.write`. Raises ContendedError if others were faster each time."""
        if any(len(key) > KEY_BYTES_MAX for key in keys):
            raise KeyTooLongError(KEY_BYTES_MAX)
        if self._at_work >= self._waiting_writes_max:
            self._refused += 1
            raise StorageBusyError
        self._at_work += 1
        try:
            held = await self._queues.enter(keys)
            try:
                return await self._write(keys, decide, fences)
            finally:
                self._queues.leave(held)
        finally:
            self._at_work -= 1

    async def _write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        fences: Fences,
    ) -> T:
        distinct = set(keys)
        self._works += 1
        for tries in range(TRIES_MAX):
            rows, versions = await self._fenced(READ_VERSIONS, [list(distinct)], fences)
            stored = {row["k"]: (row["v"], row["ver"]) for row in rows}
            changes = decide([stored.get(key, (None, 0))[0] for key in keys])
            if any(len(key) > KEY_BYTES_MAX for key in changes.puts):
                raise KeyTooLongError(KEY_BYTES_MAX)
            shard = self._draw() % COUNTER_SHARDS
            batch = batch_of(distinct, stored, changes, fence_versions=versions, shard=shard)
            # What changes nothing need not be compared again: what it saw was one moment.
            if not batch.changes_something or await self._apply(*batch.statement()):
                return changes.answer
            await self._rest(tries)
        raise ContendedError("the write lost to others too often")

    async def _apply(self, text: str, arrays: Sequence[object]) -> bool:
        """Whether all comparisons held and the changes are made, durably."""
        began_ns = self._clock.monotonic_ns()
        try:
            await self._link.write(text, arrays)
        except LostError:
            self._lost += 1
            return False
        self._writes.add(self._clock.monotonic_ns() - began_ns)
        return True

    async def _fenced(
        self, text: str, arguments: list[object], fences: Fences
    ) -> tuple[list[Any], dict[bytes, int]]:
        """Rows read at one moment, at which the fences held; and the versions of these."""
        for tries in range(TRIES_MAX):
            versions = self._fences.of(fences) or await self._load(fences)
            try:
                rows = await self._link.read(text, [*arguments, [*versions], [*versions.values()]])
            except LostError:
                await self._rest(tries)
                continue
            if not any(row["k"] is None for row in rows):
                return rows, versions
            await self._load(fences)
        raise ContendedError("a fence was written too often")

    async def _load(self, fences: Fences) -> dict[bytes, int]:
        """Learn the versions that hold the bytes of the fences. Raises StaleFenceError."""
        if not fences:
            return {}
        for tries in range(TRIES_MAX):
            try:
                rows = await self._link.read(READ_VERSIONS, [[*fences], [], []])
            except LostError:
                await self._rest(tries)
                continue
            stored = {row["k"]: (row["v"], row["ver"]) for row in rows}
            if any(stored.get(key, (None,))[0] != value for key, value in fences.items()):
                raise StaleFenceError
            self._fences.learn(stored)
            return {key: stored[key][1] for key in fences}
        raise ContendedError("a fence could not be read")

    async def _rest(self, tries: int) -> None:
        """So that those who lost do not meet again."""
        share = self._draw() / 2 ** (8 * _RANDOM_BYTES)
        grown = min(tries, _GROWING_TRIES) / _GROWING_TRIES
        await asyncio.sleep(share * grown * REST_SECONDS_MAX)

    def _draw(self) -> int:
        return int.from_bytes(self._clock.random_bytes(_RANDOM_BYTES))

    def stats(self) -> Stats:
        """Figures for metrics; cheap."""
        return Stats(
            works=self._works,
            refused=self._refused,
            statements=self._link.statements,
            lost=self._lost,
            queue_length=self._at_work,
            recoveries=self._link.recoveries,
            writes=self._writes,
            down=self._link.is_down,
        )


def _pair(row: Any) -> Pair:
    value = row["v"]
    return row["k"], row["n"].to_bytes(_INT64_BYTES, signed=True) if value is None else value
