"""Executes groups of writes: decides on rows cached or read, and writes in one statement."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    ignore_appended,
)
from hashrange.storage.postgres.fenced import FencedReader
from hashrange.storage.postgres.group import Batch, Group, Readiness, batch_of
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.row_cache import RowCache
from hashrange.storage.postgres.schema import KEY_BYTES_MAX

_VERSION_BYTES: Final = 8
_VERSIONS_FROM: Final = 1 << 62
SPLITS_FROM: Final = 2
"""Conflicts of a group, after which it is split, so that one contended key does not delay all."""


class _Decided(msgspec.Struct, kw_only=True):
    """A group after all decisions."""

    batch: Batch | None
    """None if there is nothing to write."""
    writes: list[PendingWrite]
    """The writes that are final when the batch is written."""
    unsure: list[PendingWrite]
    """The writes that change nothing, as was decided on rows that were not read."""
    later: list[PendingWrite]
    """The writes that must be in another group."""
    logs: Collection[bytes]
    """Logs that get records."""
    changed: Collection[bytes]
    """The keys that the batch changes."""
    has_tried: bool
    """Whether rows were cached."""


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
        self._cache = RowCache()

    async def execute(self, writes: Sequence[PendingWrite]) -> Sequence[PendingWrite]:
        """Execute a group and resolve its waiters; returns the writes for another group."""
        later: list[PendingWrite] = []
        try:
            await self._execute(writes, 0, later, anew=not self._cache.is_worth_trying())
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
        self, writes: Sequence[PendingWrite], tries: int, later: list[PendingWrite], *, anew: bool
    ) -> None:
        """Retry until every write is final or in `later`. Raises ContendedError, StorageError.

        Rows that are read `anew` are not taken from the cache.
        """
        while writes:
            decided = await self._decide(writes, anew=anew)
            later += decided.later
            if decided.unsure:
                await self._execute_part(decided.unsure, tries, later)
            writes = await self._lost(decided)
            if not writes:
                return
            anew = True
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
            await self._execute(writes, tries, later, anew=True)
        except StorageError as error:
            _fail(writes, later, error)

    async def _decide(self, writes: Sequence[PendingWrite], *, anew: bool) -> _Decided:
        known = {} if anew else self._cache.known(_cacheable(writes))
        read = await self._reader.read_for_writes(writes, known.keys())
        self._resolve(read.stale)
        self._cache.learn(read.rows)
        rows = (*known.items(), *read.rows.items())
        stored = {key: row for key, row in rows if row is not None}
        group = Group(stored, key_bytes_max=KEY_BYTES_MAX)
        by_readiness: dict[Readiness, list[PendingWrite]] = {
            readiness: [] for readiness in Readiness
        }
        for write in read.writes:
            # Writes after a deferred one are deferred too, which keeps their order.
            readiness = Readiness.LATER if by_readiness[Readiness.LATER] else group.take(write)
            by_readiness[readiness].append(write)
        unsure = [
            write
            for write in by_readiness[Readiness.NOW]
            if not (read.is_read and known.keys().isdisjoint(write.keys))
        ]
        self._resolve(write for write in by_readiness[Readiness.NOW] if write not in unsure)
        with_group = by_readiness[Readiness.WITH_GROUP]
        return _Decided(
            batch=self._batch(group, read.versions) if with_group else None,
            writes=with_group,
            unsure=unsure,
            later=by_readiness[Readiness.LATER],
            logs=group.logs,
            changed=group.changed.keys(),
            has_tried=not group.keys.isdisjoint(known),
        )

    def _batch(self, group: Group, fence_versions: Mapping[bytes, int]) -> Batch:
        return batch_of(
            group.keys,
            {key: group.stored[key] for key in group.keys & group.stored.keys()},
            group.changes(),
            fence_versions={key: fence_versions[key] for key in group.fences},
            version=draw_version(self._clock),
            are_single=group.are_single,
        )

    async def _lost(self, decided: _Decided) -> Sequence[PendingWrite]:
        """Write the batch and resolve its writes; returns those whose comparison failed."""
        writes = decided.writes
        lost: Sequence[PendingWrite] = []
        if decided.batch is not None:
            self._cache.forget(decided.changed)
            missing = await self._apply(decided.batch)
            if missing is None:
                lost, writes = writes, []
            elif missing:
                lost = [write for write in writes if write.keys[0] in missing]
                writes = [write for write in writes if write.keys[0] not in missing]
            self.conflicts += bool(lost)
            if decided.has_tried:
                self._cache.tried(lost=bool(lost))
        self._resolve(writes)
        if decided.logs and writes:
            self.appended(decided.logs)
        return lost

    def _resolve(self, writes: Iterable[PendingWrite]) -> None:
        for write in writes:
            self.decided += 1
            if not write.waiter.done():  # it is done if the caller was cancelled
                write.waiter.set_result(None)

    async def _apply(self, batch: Batch) -> Collection[bytes] | None:
        """Write a batch; returns when it is durable, or None after a conflict.

        Of rows that are written apart, it returns the keys of those whose comparison failed.
        """
        began_ns = self._clock.monotonic_ns()
        try:
            answer = await self._pool.write(*batch.statement())
        except ConflictError:
            return None
        self.durations.add(self._clock.monotonic_ns() - began_ns)
        rows = batch.rows()
        missing: set[bytes] = set()
        if batch.is_apart and answer["written"] is not None:
            missing = rows.keys() - answer["written"]
            rows = {key: rows[key] for key in answer["written"]}
        self._cache.learn(rows)
        return missing


def _cacheable(writes: Iterable[PendingWrite]) -> Iterable[bytes]:
    """The keys of writes, without fences: reading them is what compares a fence that is a key."""
    fences = {key for write in writes for key in write.fences}
    return (key for write in writes for key in write.keys if key not in fences)


def draw_version(clock: Clock) -> int:
    """A random version, of 62 bits above those that the sequence of older builds gives."""
    return int.from_bytes(clock.random_bytes(_VERSION_BYTES)) >> 2 | _VERSIONS_FROM


def _fail(writes: Iterable[PendingWrite], later: Sequence[PendingWrite], error: Exception) -> None:
    """Resolve, with an error, the waiters of writes that are neither final nor in `later`."""
    for write in writes:
        if not write.waiter.done() and write not in later:
            write.error = error
            write.waiter.set_result(None)
