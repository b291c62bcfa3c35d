"""The engine of a worker process: it reads and decides by itself, and another process writes.

A write is decided on the last commit, and sent to the writer as a proposal with the values that it
has read. The writer compares these and applies the changes in its next group commit, with those of
other workers. Concurrent writes of one worker to the same key do not conflict: each is decided on
the expected results of those before it (`pending`).
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from hashrange.clock import Clock
from hashrange.limits.server import WAITING_WRITES_MAX
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    ContendedError,
    DelegableDecision,
    Fences,
    Pair,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
    check_lengths,
)
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.pending_write import TRIES_MAX, Refusals, back_off
from hashrange.storage.workers.messages import Reply, ReplyStatus
from hashrange.storage.workers.pending import PendingChanges, wait_until_done
from hashrange.storage.workers.snapshot import Snapshot
from hashrange.storage.workers.writer_connection import WriterConnection

T = TypeVar("T")

RELEASE_SECONDS: Final = 0.005
"""The time without a read after which the snapshot is released."""


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The counters of an engine since it was opened."""

    decided: int
    """Writes that changed nothing or were refused, of which the writer does not know."""
    refused: int
    """Writes refused because the queue was full."""
    conflicts: int
    """Conflicts with writes of other workers, after which the write was decided again."""


class WorkerEngine:
    """`hashrange.storage.engine.Engine` of one worker process, for one event loop.

    Reads never suspend, and writes suspend on futures of the running loop, so the caller may drive
    the coroutines by hand.

    Args:
        snapshot: reads the data file.
        connection: that to the writer.
        clock: for the back-off after conflicts.
        waiting_writes_max: concurrent writes; more are refused.
        fault: returns why the files are no longer those that the server opened, or None.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(
        self,
        snapshot: Snapshot,
        connection: WriterConnection,
        clock: Clock,
        *,
        waiting_writes_max: int = WAITING_WRITES_MAX,
        fault: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._snapshot = snapshot
        self._connection = connection
        self._clock = clock
        self._waiting_writes_max = waiting_writes_max
        self._fault = fault
        self._pending = PendingChanges()
        self.first_reads: FirstReads | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._was_read = False
        self._refusals = Refusals(clock.monotonic_ns)
        self._waiting = self._local_decisions = self._conflicts = 0

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """Read from the snapshot. Raises StaleFenceError, StorageError."""
        return self._read(keys, fences)

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
        """Scan the snapshot. Raises StaleFenceError, StorageError."""
        self._keep_snapshot()
        found = self._snapshot.scan(
            (start, end), fences, limit=limit, bytes_max=bytes_max, reverse=reverse
        )
        if self.first_reads is not None and found:
            self.first_reads.compare_page(end if reverse else start, found)
        return found

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Decide on the snapshot and propose the changes to the writer, again after conflicts.

        Raises StaleFenceError, KeyTooLongError, StorageError, and errors of `decide`;
        ContendedError after `TRIES_MAX` conflicts.
        """
        if sum(map(len, keys)) > KEY_BYTES_MAX:
            check_lengths(keys, KEY_BYTES_MAX)
        if self._waiting >= self._waiting_writes_max:
            self._refusals.refuse(self._waiting)
        self._waiting += 1
        self._local_decisions += 1
        pending = self._pending
        try:
            if isinstance(decide, DelegableDecision) and pending.has_none_of(keys):
                return await self._delegated(keys, decide, fences)
            for tries in range(TRIES_MAX):
                values = self._read(keys, fences)
                if pending.has_none_of(keys):
                    changes = _checked_decision(decide, values)
                else:
                    values, changes = await self._expected_decision(keys, decide, fences, values)
                if not _changes_something(changes):
                    return changes.answer
                waiter = self._connection.propose(keys, values, fences, changes)
                changed = pending.add(keys, changes, waiter)
                try:
                    reply = await waiter
                finally:
                    pending.remove(changed, waiter)
                if reply.status is ReplyStatus.DONE:
                    self._local_decisions -= 1
                    return changes.answer
                if reply.status is not ReplyStatus.CONFLICT:
                    raise _error_of(reply)
                # The conflicting write is durable, so the next attempt reads it.
                self._conflicts += 1
                if tries:
                    await back_off(self._clock, tries)
        finally:
            self._waiting -= 1
        raise ContendedError("other writes changed the same keys in every attempt")

    async def _delegated(
        self, keys: Sequence[bytes], decision: DelegableDecision[T], fences: Fences
    ) -> T:
        """Let the writer decide, on what is stored when it commits."""
        arguments, pending = decision.arguments(), self._pending
        waiter = self._connection.delegate(keys, arguments, fences)
        pending.add_unknown(keys, waiter)
        try:
            reply = await waiter
        finally:
            pending.remove(keys, waiter)
        if reply.status is not ReplyStatus.DONE:
            raise _error_of(reply)
        self._local_decisions -= 1
        return decision.answer_from(reply.answer)

    async def _expected_decision(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        fences: Fences,
        values: list[bytes | None],
    ) -> tuple[list[bytes | None], Changes[T]]:
        """The values of keys with pending changes, and the changes that were decided on them.

        If the decision changes nothing or raises, no proposal is sent; so it is made on durable
        values of one moment. Otherwise the values may include expected results of pending writes.
        """
        while unknown := self._pending.unknown(keys):
            await wait_until_done(unknown)
            values = self._read(keys, fences)
        expected, waiters = self._pending.expected(keys, values)
        if waiters:
            try:
                changes = _checked_decision(decide, expected)
            except Exception:  # noqa: BLE001 - decided again below on durable values
                await wait_until_done(waiters)
            else:
                if _changes_something(changes):
                    return expected, changes
                await wait_until_done(waiters)
            values = self._read(keys, fences)
        return values, _checked_decision(decide, values)

    def _read(self, keys: Sequence[bytes], fences: Fences) -> list[bytes | None]:
        self._keep_snapshot()
        found = self._snapshot.read(keys, fences)
        if self.first_reads is not None:
            self.first_reads.compare(keys, found)
        return found

    def _keep_snapshot(self) -> None:
        """Keep the snapshot for another `RELEASE_SECONDS`.

        Raises StorageUnavailableError: the files are missing or were replaced.
        """
        self._was_read = True
        if self._timer is None:
            fault = self._fault()
            if fault is not None:
                raise StorageUnavailableError(f"the storage is down: {fault}")
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(RELEASE_SECONDS, self._release_if_unused, loop)

    def _release_if_unused(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._was_read and self._fault() is None:
            self._was_read = False
            self._timer = loop.call_later(RELEASE_SECONDS, self._release_if_unused, loop)
        else:
            self._timer = None
            self.release_snapshot()

    def release_snapshot(self) -> None:
        """Release the snapshot until the next read."""
        self._snapshot.release()

    def stats(self) -> Stats:
        """The counters, for metrics."""
        return Stats(
            decided=self._local_decisions, refused=self._refusals.total, conflicts=self._conflicts
        )

    def close(self) -> None:
        """Close the connection and the snapshot. Writes in progress get StorageError."""
        if self._timer is not None:
            self._timer.cancel()
        self._connection.close()
        self._snapshot.close()


def _checked_decision(
    decide: Callable[[list[bytes | None]], Changes[T]], values: list[bytes | None]
) -> Changes[T]:
    """The changes of a decision. Raises KeyTooLongError, and errors of `decide`."""
    changes = decide(values)
    # Few keys are so long together that one of them could be too long.
    if sum(map(len, changes.puts)) > KEY_BYTES_MAX:
        check_lengths(changes.puts, KEY_BYTES_MAX)
    return changes


def _changes_something(changes: Changes[Any]) -> bool:
    return bool(changes.puts or changes.deletes or changes.adds or changes.appends)


def _error_of(reply: Reply) -> Exception:
    match reply.status:
        case ReplyStatus.STALE:
            return StaleFenceError()
        case ReplyStatus.BUSY:
            return StorageBusyError(reply.reason)
        case ReplyStatus.UNAVAILABLE:
            return StorageUnavailableError(reply.reason)
        case _:
            return StorageError(reply.reason)
