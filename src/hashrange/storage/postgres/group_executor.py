"""Executes a group of writes: reads their keys, decides, and writes in one statement."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from hashrange.clock import Clock
from hashrange.observe.counts import Durations
from hashrange.storage.engine import ContendedError, StorageError
from hashrange.storage.pending_write import (
    TRIES_MAX,
    Appended,
    PendingWrite,
    back_off,
    draw,
    ignore_appended,
)
from hashrange.storage.postgres.fenced import FencedReader
from hashrange.storage.postgres.group import Batch, Group, Readiness, batch_of
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.schema import KEY_BYTES_MAX

COUNTER_SHARDS: Final = 16
SPLITS_FROM: Final = 2
"""Conflicts of a group, after which it is split, so that one contended key does not delay all."""


class _Decided(msgspec.Struct, kw_only=True):
    """A group after all decisions."""

    batch: Batch | None
    """None if there is nothing to write."""
    writes: list[PendingWrite]
    """The writes that are final when the batch is written."""
    later: list[PendingWrite]
    """The writes that must be in another group."""
    logs: Collection[bytes]
    """Logs that get records."""


class GroupExecutor:
    """Executes groups, with retries after conflicts.

    Attributes:
        decided: the number of writes decided, refused ones included.
        conflicts: the number of conflicts.
        durations: the durations of statements that write.
        appended: notified when records can be read.
    """

    def __init__(self, pool: Pool, reader: FencedReader, clock: Clock) -> None:
        self.decided = self.conflicts = 0
        self.durations = Durations()
        self.appended: Appended = ignore_appended
        self._pool = pool
        self._reader = reader
        self._clock = clock

    async def execute(self, writes: Sequence[PendingWrite]) -> Sequence[PendingWrite]:
        """Execute a group and resolve its waiters; returns the writes for another group."""
        later: list[PendingWrite] = []
        try:
            await self._execute(writes, 0, later)
        except asyncio.CancelledError:
            _fail(
                writes,
                later,
                StorageError("the server is stopping; whether the write took place is unknown"),
            )
            raise
        except Exception as error:  # noqa: BLE001 - the waiters must be resolved after any error
            _fail(writes, later, error)
        return later

    async def _execute(
        self, writes: Sequence[PendingWrite], tries: int, later: list[PendingWrite]
    ) -> None:
        """Retry until every write is final or in `later`. Raises ContendedError, StorageError."""
        while writes:
            decided = await self._decide(writes)
            later += decided.later
            writes = decided.writes
            if decided.batch is None or await self._apply(decided.batch):
                self._resolve(writes)
                if decided.logs:
                    self.appended(decided.logs)
                return
            tries += 1
            if tries == TRIES_MAX:
                raise ContendedError("other writes changed the same keys in every attempt")
            await back_off(self._clock, tries - 1)
            if tries >= SPLITS_FROM and len(writes) > 1:
                half = len(writes) // 2
                for part in (writes[:half], writes[half:]):
                    await self._execute_part(part, tries, later)
                return

    async def _execute_part(
        self, writes: Sequence[PendingWrite], tries: int, later: list[PendingWrite]
    ) -> None:
        try:
            await self._execute(writes, tries, later)
        except StorageError as error:
            _fail(writes, later, error)

    async def _decide(self, writes: Sequence[PendingWrite]) -> _Decided:
        read = await self._reader.read_for_writes(writes)
        self._resolve(read.stale)
        stored = {row["k"]: (row["v"], row["ver"]) for row in read.rows}
        group = Group(stored, key_bytes_max=KEY_BYTES_MAX)
        by_readiness: dict[Readiness, list[PendingWrite]] = {
            readiness: [] for readiness in Readiness
        }
        for write in read.writes:
            # Writes after a deferred one are deferred too, which keeps their order.
            readiness = Readiness.LATER if by_readiness[Readiness.LATER] else group.take(write)
            by_readiness[readiness].append(write)
        self._resolve(by_readiness[Readiness.NOW])
        with_group = by_readiness[Readiness.WITH_GROUP]
        batch = None
        if with_group:
            batch = batch_of(
                group.keys,
                {key: stored[key] for key in group.keys & stored.keys()},
                group.changes(),
                fence_versions={key: read.versions[key] for key in group.fences},
                shard=draw(self._clock) % COUNTER_SHARDS,
            )
        later = by_readiness[Readiness.LATER]
        return _Decided(batch=batch, writes=with_group, later=later, logs=group.logs)

    def _resolve(self, writes: Iterable[PendingWrite]) -> None:
        for write in writes:
            self.decided += 1
            if not write.waiter.done():  # it is done if the caller was cancelled
                write.waiter.set_result(None)

    async def _apply(self, batch: Batch) -> bool:
        """Write a batch; returns False after a conflict, else True once it is durable."""
        began_ns = self._clock.monotonic_ns()
        try:
            await self._pool.write(*batch.statement())
        except ConflictError:
            self.conflicts += 1
            return False
        self.durations.add(self._clock.monotonic_ns() - began_ns)
        return True


def _fail(writes: Iterable[PendingWrite], later: Sequence[PendingWrite], error: Exception) -> None:
    """Resolve, with an error, the waiters of writes that are neither final nor in `later`."""
    for write in writes:
        if not write.waiter.done() and write not in later:
            write.error = error
            write.waiter.set_result(None)
