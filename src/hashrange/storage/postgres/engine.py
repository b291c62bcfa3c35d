"""The engine: READ COMMITTED, a version on every row, optimistic concurrency control.

A write takes two round trips: one reads the keys with their versions, the other is a statement that
takes effect only if every version is still the same. A write that changes nothing takes one. No
lock is held between the two, so several servers may use one database. Within a server, writes that
are queued at the same time share these round trips in groups; so do reads of keys.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Self, TypeVar

import msgspec

from hashrange.clock import Clock, SystemClock
from hashrange.limits.server import WAITING_WRITES_MAX
from hashrange.observe.counts import Durations
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import (
    NO_FENCES,
    Changes,
    Fences,
    Pair,
    check_lengths,
)
from hashrange.storage.pending_write import Appended, PendingWrite, Refusals
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.fenced import FencedReader, Range
from hashrange.storage.postgres.group_executor import GroupExecutor
from hashrange.storage.postgres.lease_keeper import LeaseKeeper, lease_seconds
from hashrange.storage.postgres.pool import CLOSE_SECONDS_MAX, Pool
from hashrange.storage.postgres.read_groups import ReadGroups
from hashrange.storage.postgres.schema import KEY_BYTES_MAX
from hashrange.storage.postgres.session import DatabaseSession
from hashrange.storage.postgres.statements import READ_CLOCK
from hashrange.storage.postgres.sweeper import Sweeper
from hashrange.storage.postgres.write_scheduler import WriteScheduler

T = TypeVar("T")

SCAN_ROWS_FIRST: Final = 256
_RANGE_WEIGHT: Final = 8
"""A page of a range is in memory as the values of so many keys are: up to 1 MB."""
_NAME_BYTES: Final = 16


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The counters of an engine since it was opened."""

    decided: int
    """Writes decided, refused ones included."""
    refused: int
    """Writes refused because the queue was full."""
    statements: int
    """Statements sent; each is a round trip."""
    conflicts: int
    """Groups whose comparison failed because another write had changed a key."""
    queue_length: int
    """Writes that are queued or being executed."""
    recoveries: int
    """How often the database answered again after a failure."""
    durations: Durations
    """Durations of statements that write, from sending to the durable commit."""
    down: bool
    """Whether the last statement failed because the database did not answer."""
    down_seconds: float
    """For how long it has not answered, in all outages."""
    failovers: int
    """How often connections went to another host."""
    host: int
    """The number of the host in the URL, from 1."""


class PostgresEngine:
    """`hashrange.storage.engine.Engine` on PostgreSQL, for one event loop; created by `open`.

    Its coroutines must run in a Task.

    Attributes:
        pool: its connections.
        session: that of this process, by which others know that it is there.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(self, pool: Pool, clock: Clock, waiting_writes_max: int) -> None:
        self.pool = pool
        self._waiting_writes_max = waiting_writes_max
        self._reader = FencedReader(pool, clock)
        self._reads = ReadGroups(self._reader.values, len)
        self._scans = tuple(
            ReadGroups(partial(self._reader.pages, reverse=reverse), _weight_of_range)
            for reverse in (False, True)
        )
        self._executor = GroupExecutor(pool, self._reader, clock)
        self._scheduler = WriteScheduler(self._executor.execute)
        self._refusals = Refusals(clock.monotonic_ns)
        self._queue_length = 0
        self.session = DatabaseSession(pool)
        self._keeper: LeaseKeeper | None = None

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        durability: Durability = Durability.FULL,
        makes: bool = True,
        serves: bool = False,
        clock: Clock | None = None,
        waiting_writes_max: int = WAITING_WRITES_MAX,
    ) -> Self:
        """Connect, and create the tables if they are missing and `makes` is true.

        An engine that serves requests has a read lease, if the address has one.

        Raises StorageOpenError: no connection, access denied, missing privileges or tables, or an
        unsupported version of the data or the server.
        """
        pool = await Pool.open(DatabaseAddress.of(url), durability, makes=makes)
        clock = clock or SystemClock()
        engine = cls(pool, clock, waiting_writes_max)
        seconds = lease_seconds(pool) if serves else 0.0
        if seconds:
            engine._keeper = LeaseKeeper(pool, seconds, clock.random_bytes(_NAME_BYTES))
            try:
                await engine._keeper.begin()
            except BaseException:
                await engine.close()
                raise
        return engine

    def listen(self, appended: Appended) -> None:
        """Set what is called after records, in place of what was called before."""
        self._executor.appended = appended

    def sweeper(self) -> Sweeper:
        """The background task that removes tombstones; any number of servers may run it."""
        return Sweeper(self.pool)

    async def close(self) -> None:
        """Wait up to `CLOSE_SECONDS_MAX` for writes that have begun, and disconnect."""
        await self._scheduler.close(CLOSE_SECONDS_MAX)
        self.session.close()
        if self._keeper is not None:
            await self._keeper.close()
        await self.pool.close()

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Read keys and counters in one statement, which also compares the fences.

        Reads that come at the same time share statements. Raises StaleFenceError, StorageError.
        """
        return await self._reads.read(keys, fences)

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
        """Scan in one statement for `SCAN_ROWS_FIRST` rows, repeated with more if they are few.

        The first of these is shared as reads are. Raises StaleFenceError, StorageError.
        """
        rows_max = min(limit, SCAN_ROWS_FIRST)
        page = await self._scans[reverse].read((start, end, rows_max, bytes_max), fences)
        while len(page) == rows_max < limit and sum(len(value) for _, value in page) < bytes_max:
            rows_max = min(limit, rows_max * 8)
            asked = (start, end, rows_max, bytes_max)
            (page,) = await self._reader.pages([asked], fences, reverse=reverse)
        return page

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Queue a write for the next group and wait for its outcome.

        Raises StaleFenceError, KeyTooLongError, StorageError, and errors of `decide`;
        ContendedError after `TRIES_MAX` conflicts.
        """
        check_lengths(keys, KEY_BYTES_MAX)
        if self._queue_length >= self._waiting_writes_max:
            self._refusals.refuse(self._queue_length)
        waiter = asyncio.get_running_loop().create_future()
        pending = PendingWrite(keys=keys, decide=decide, fences=fences, waiter=waiter)
        self._queue_length += 1
        try:
            self._scheduler.submit(pending)
            await waiter
        except asyncio.CancelledError:
            self._scheduler.cancel_abandoned()
            raise
        finally:
            self._queue_length -= 1
        if pending.error is not None:
            raise pending.taken_error()
        answer: T = pending.answer
        return answer

    async def stamp_ms(self) -> int:
        """The clock of the database, which stamps records: milliseconds since the epoch.

        Raises StorageError.
        """
        (row,) = await self.pool.read(READ_CLOCK, [])
        now_ms: int = row["now"]
        return now_ms

    def stats(self) -> Stats:
        """The counters, for metrics."""
        return Stats(
            decided=self._executor.decided,
            refused=self._refusals.total,
            statements=self.pool.statements,
            conflicts=self._executor.conflicts,
            queue_length=self._queue_length,
            recoveries=self.pool.outages.recoveries,
            durations=self._executor.durations,
            down=self.pool.outages.is_down,
            down_seconds=self.pool.outages.seconds,
            failovers=self.pool.hosts.failovers,
            host=self.pool.hosts.number,
        )


def _weight_of_range(_asked: Range) -> int:
    return _RANGE_WEIGHT
