"""The engine: READ COMMITTED, a version on every row, one statement that compares.

A write is two round trips: the keys with their versions; then one statement that takes effect only
if every version is still the same. A write that changes nothing is one. Nothing is locked between
the two, so several servers may work on one database. Within a server, works that wait for a key, or
for one of a few lanes, share these two trips.
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
    Fences,
    Pair,
    check_lengths,
)
from hashrange.storage.overload import Refusals
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.fenced import FencedReader
from hashrange.storage.postgres.group_executor import GroupExecutor
from hashrange.storage.postgres.pool import CLOSE_SECONDS_MAX, Pool
from hashrange.storage.postgres.schema import KEY_BYTES_MAX
from hashrange.storage.postgres.statements import READ, scan
from hashrange.storage.postgres.sweeper import Sweeper
from hashrange.storage.postgres.target import Target
from hashrange.storage.postgres.write_scheduler import WriteScheduler

T = TypeVar("T")

SCAN_ROWS_FIRST: Final = 256
WAITING_WRITES_MAX: Final = 10_000
_INT64_BYTES: Final = 8


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

    Attributes:
        pool: its connections.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(self, pool: Pool, clock: Clock, waiting_writes_max: int) -> None:
        self.pool = pool
        self._waiting_writes_max = waiting_writes_max
        self._reader = FencedReader(pool, clock)
        self._carrier = GroupExecutor(pool, self._reader, clock)
        self._lanes = WriteScheduler(self._carrier.carry)
        self._refusals = Refusals(clock.monotonic_ns)
        self._at_work = 0

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
        pool = await Pool.open(Target.of(url), durability, makes=makes)
        return cls(pool, clock or SystemClock(), waiting_writes_max)

    def sweeper(self) -> Sweeper:
        """What is to be done beside requests, by one server or by many."""
        return Sweeper(self.pool)

    async def close(self) -> None:
        """Let what has begun end, for some seconds, and disconnect."""
        await self._lanes.close(CLOSE_SECONDS_MAX)
        await self.pool.close()

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """See `Engine.read`."""
        rows = await self._reader.rows(READ, [list(set(keys))], fences)
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
        while True:
            rows = await self._reader.rows(text, [start, end, rows_max, bytes_max], fences)
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
        check_lengths(keys, KEY_BYTES_MAX)
        if self._at_work >= self._waiting_writes_max:
            self._refusals.refuse(self._at_work)
        waiter = asyncio.get_running_loop().create_future()
        work = PendingWrite(keys=keys, decide=decide, fences=fences, waiter=waiter)
        self._at_work += 1
        try:
            self._lanes.put(work)
            await waiter
        except asyncio.CancelledError:
            self._lanes.give_up()
            raise
        finally:
            self._at_work -= 1
        if work.error is not None:
            raise work.error
        answer: T = work.answer
        return answer

    def stats(self) -> Stats:
        """Figures for metrics; cheap."""
        return Stats(
            works=self._carrier.works,
            refused=self._refusals.total,
            statements=self.pool.statements,
            lost=self._carrier.lost,
            queue_length=self._at_work,
            recoveries=self.pool.recoveries,
            writes=self._carrier.writes,
            down=self.pool.is_down,
        )


def _pair(row: Any) -> Pair:
    value = row["v"]
    return row["k"], row["n"].to_bytes(_INT64_BYTES, signed=True) if value is None else value
