"""An engine on PostgreSQL: READ COMMITTED, a version on every row, one statement that compares.

A write is two round trips: the keys with their versions; then one statement that takes effect only
if every version is still the same. A write that changes nothing is one. Nothing is locked between
the two, so several servers may work on one database; within a server, works that meet on a key wait
for each other instead of losing to each other.
"""

import asyncio
import random  # noqa: TID251 - a spike; the engine is to be given its randomness
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Self, TypeVar

import asyncpg

from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    Fences,
    Pair,
    StaleFenceError,
    StorageError,
)
from spikes.postgres.statements import READ, READ_VERSIONS, SCHEMA, Batch, scan

T = TypeVar("T")

KEY_BYTES_MAX = 2_600
"""A row of an index has at most 2,704 bytes."""
TRIES_MAX = 64
CONNECTIONS_MAX = 16
SCAN_ROWS_FIRST = 256
LOST = (
    asyncpg.DivisionByZeroError,  # a comparison failed
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)
# An array parameter tells the planner nothing about how many rows there are, and a plan made for
# an empty table stays until the next ANALYZE.
SESSION = {
    "default_transaction_isolation": "read committed",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
}


class ConflictError(StorageError):
    """The write lost to others too often; nothing happened, and it may be called again."""


class KeyTooLargeError(StorageError):
    """A key is over what an index takes; nothing happened."""


class PostgresEngine:
    """See the module. Made by `open`."""

    def __init__(self, pool: asyncpg.Pool, *, counter_shards: int) -> None:
        self._pool = pool
        self._counter_shards = counter_shards
        self._queues = KeyQueues()
        # Versions never come twice: one known to have held a fence's bytes stands for them.
        self._fence_versions: dict[bytes, tuple[bytes, int]] = {}
        self.round_trips = 0
        self.lost = 0
        self.deadlocks = 0

    @classmethod
    async def open(cls, *, counter_shards: int = 16, schema: str = "public", **connect) -> Self:  # noqa: ANN003
        """Connect, and make the tables if they are missing."""

        async def keep(_connection: asyncpg.Connection) -> None:
            """No statement leaves anything to reset; the pool's own reset is a round trip."""

        pool = await asyncpg.create_pool(
            min_size=1,
            max_size=CONNECTIONS_MAX,
            reset=keep,
            server_settings=SESSION | {"search_path": schema},
            **connect,
        )
        async with pool.acquire() as connection:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            await connection.execute(SCHEMA)
        return cls(pool, counter_shards=counter_shards)

    async def close(self) -> None:
        """Give all connections back."""
        await self._pool.close()

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """See `Engine.read`."""
        rows = await self._fetch_fenced(READ, [list(set(keys))], fences)
        values = {row["k"]: row["v"] for row in rows}
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
        rows_max = min(limit, SCAN_ROWS_FIRST)
        while True:
            text = scan(reverse=reverse)
            rows = await self._fetch_fenced(text, [start, end, rows_max, bytes_max], fences)
            page = [(row["k"], row["v"]) for row in rows]
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
        """See `Engine.write`."""
        async with self._queues.turn(keys):
            for tries in range(TRIES_MAX):
                rows = await self._fetch_fenced(READ_VERSIONS, [list(set(keys))], fences)
                stored = {row["k"]: (row["v"], row["ver"]) for row in rows}
                changes = decide([stored.get(key, (None, 0))[0] for key in keys])
                batch = self._batch(set(keys), stored, changes, fences)
                # What changes nothing need not be compared again: what it saw was one moment.
                if not batch.changes_something or await self._apply(batch):
                    return changes.answer
                await asyncio.sleep(random.random() * 0.001 * min(tries, 10))  # noqa: S311
        raise ConflictError("the write lost to others too often")

    async def raw(self, text: str, *arguments: object) -> list[asyncpg.Record]:
        """One statement of the caller's, for measuring what a round trip costs by itself."""
        return await self._fetch(text, list(arguments))

    async def _apply(self, batch: Batch) -> bool:
        """Whether all comparisons held and the changes are made, durably."""
        text, arrays = batch.statement()
        try:
            await self._fetch(text, arrays)
        except LOST as error:
            self.lost += 1
            self.deadlocks += isinstance(error, asyncpg.DeadlockDetectedError)
            return False
        return True

    def _batch(
        self,
        keys: set[bytes],
        stored: dict[bytes, tuple[bytes | None, int]],
        changes: Changes[T],
        fences: Fences,
    ) -> Batch:
        puts, deletes = changes.puts, set(changes.deletes)
        alive = [key for key in sorted(keys) if key in stored]
        gone = [key for key in alive if key in deletes and stored[key][0] is not None]
        only_one = len(alive) == 1 and (alive[0] in puts or alive == gone)
        shard = random.randrange(self._counter_shards)  # noqa: S311
        counts = Counter(log for log, _ in changes.appends)
        later = dict(counts)
        appended = []
        for log, record in changes.appends:
            later[log] -= 1
            appended.append((log, later[log], record))
        outside = sorted(puts.keys() - keys)
        return Batch(
            fences=[(key, self._fence_versions[key][1]) for key in sorted(fences.keys() - keys)],
            locked=[] if only_one else [(key, stored[key][1]) for key in alive],
            updated=[(key, puts[key], stored[key][1]) for key in alive if key in puts],
            deleted=[(key, stored[key][1]) for key in gone],
            inserted=[(key, puts.get(key)) for key in sorted(keys - stored.keys())],
            put_blind=[(key, puts[key]) for key in outside],
            deleted_blind=[(key,) for key in sorted(deletes - keys)],
            logs=sorted(counts.items()),
            appended=appended,
            added=[(key, shard, amount) for key, amount in sorted(changes.adds.items())],
        )

    async def _fetch_fenced(
        self, text: str, arguments: list[object], fences: Fences
    ) -> list[asyncpg.Record]:
        """Rows read at one moment, at which the fences held."""
        for _ in range(TRIES_MAX):
            if any(self._fence_versions.get(key, (None,))[0] != fences[key] for key in fences):
                await self._load_fences(fences)
            versions = [self._fence_versions[key][1] for key in fences]
            rows = await self._fetch(text, [*arguments, list(fences), versions])
            if not any(row["k"] is None for row in rows):
                return rows
            await self._load_fences(fences)
        raise ConflictError("a fence was written too often")

    async def _load_fences(self, fences: Fences) -> None:
        """Learn the versions that hold the bytes of the fences, or raise StaleFenceError."""
        rows = await self._fetch(READ_VERSIONS, [list(fences), [], []])
        stored = {row["k"]: (row["v"], row["ver"]) for row in rows}
        if any(stored.get(key, (None,))[0] != value for key, value in fences.items()):
            raise StaleFenceError
        self._fence_versions.update(stored)

    async def _fetch(self, text: str, arguments: list[object]) -> list[asyncpg.Record]:
        self.round_trips += 1
        try:
            return await self._pool.fetch(text, *arguments)
        except LOST:
            raise
        except asyncpg.ProgramLimitExceededError as error:
            raise KeyTooLargeError(str(error)) from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            raise StorageError(f"{type(error).__name__}: {error}") from error


class KeyQueues:
    """Works of this server that meet on a key, one after the other."""

    def __init__(self) -> None:
        self._locks: dict[bytes, asyncio.Lock] = {}
        self._users: Counter[bytes] = Counter()

    @asynccontextmanager
    async def turn(self, keys: Sequence[bytes]) -> AsyncIterator[None]:
        """Wait until nobody else works on any of the keys; all take them in one order."""
        ordered = sorted(set(keys))
        held: list[asyncio.Lock] = []
        self._users.update(ordered)
        try:
            for key in ordered:
                lock = self._locks.setdefault(key, asyncio.Lock())
                await lock.acquire()
                held.append(lock)
            yield
        finally:
            for lock in held:
                lock.release()
            for key in ordered:
                self._users[key] -= 1
                if not self._users[key]:
                    del self._users[key]
                    self._locks.pop(key, None)
