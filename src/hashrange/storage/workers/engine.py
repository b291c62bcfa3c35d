"""The engine of a reader process: it reads and decides by itself, and another process writes.

A write is decided on the last commit, and sent to the writer with what it rests on. The writer
compares and applies it in the group of its next commit, beside the writes of all other readers.
Works of one reader that meet on a key do not lose to each other: the next one decides on what those
before it will leave (`pending`).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from hashrange.clock import Clock
from hashrange.limits import WAITING_WRITES_MAX
from hashrange.storage.contention import TRIES_MAX, rest
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    ContendedError,
    Fences,
    Pair,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
    check_lengths,
)
from hashrange.storage.overload import Refusals
from hashrange.storage.workers.messages import Outcome, Verdict, digest
from hashrange.storage.workers.pending import Pending, settled
from hashrange.storage.workers.snapshot import Snapshot
from hashrange.storage.workers.writer_connection import WriterConnection

T = TypeVar("T")

RELEASE_SECONDS: Final = 0.005
"""Without a read, until the snapshot is let go of."""
FENCES_KEPT_MAX: Final = 20_000


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine has done since it was opened."""

    decided: int
    """Writes that changed nothing, or were refused: the writer does not know of them."""
    refused: int
    """Writes that were not begun, for too many waited."""
    lost: int
    """Decisions that another reader was faster with, and that were made again."""


class WorkerEngine:
    """`hashrange.storage.engine.Engine` of one reader process, for one event loop.

    Reads never suspend; writes suspend on futures of the running loop: the caller may drive the
    coroutines by hand.

    Args:
        snapshot: of the data file.
        link: to the writer.
        clock: draws how long who lost rests.
        waiting_writes_max: at the same time; more are refused.
        fault: why the files are not those that the server has opened; None if they are.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(
        self,
        snapshot: Snapshot,
        link: WriterConnection,
        clock: Clock,
        *,
        waiting_writes_max: int = WAITING_WRITES_MAX,
        fault: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._snapshot = snapshot
        self._link = link
        self._clock = clock
        self._waiting_writes_max = waiting_writes_max
        self._fault = fault
        self._pending = Pending()
        self._digests: dict[bytes, bytes] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._was_read = False
        self._refusals = Refusals(clock.monotonic_ns)
        self._waiting = self._decided = self._lost = 0

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """See `Engine.read`."""
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
        """See `Engine.scan`."""
        self._keep()
        return self._snapshot.scan(
            (start, end), fences, limit=limit, bytes_max=bytes_max, reverse=reverse
        )

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """See `Engine.write`. Raises ContendedError if others were faster each time."""
        check_lengths(keys, KEY_BYTES_MAX)
        if self._waiting >= self._waiting_writes_max:
            self._refusals.refuse(self._waiting)
        self._waiting += 1
        try:
            return await self._write(keys, decide, fences)
        finally:
            self._waiting -= 1

    async def _write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        fences: Fences,
    ) -> T:
        self._decided += 1
        for tries in range(TRIES_MAX):
            values, changes = await self._decision(keys, decide, fences)
            if not _changes_something(changes):
                return changes.answer
            waiter = self._link.propose(keys, values, self._digested(fences), changes)
            changed = self._pending.add(keys, changes, waiter)
            try:
                verdict = await waiter
            finally:
                self._pending.remove(changed, waiter)
            if verdict.outcome is Outcome.DONE:
                self._decided -= 1
                return changes.answer
            if verdict.outcome is not Outcome.LOST:
                raise _fault(verdict)
            # What it lost to is durable, and will be read.
            self._lost += 1
            if tries:
                await rest(self._clock, tries)
        raise ContendedError("the write lost to others too often")

    async def _decision(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        fences: Fences,
    ) -> tuple[list[bytes | None], Changes[T]]:
        """What to propose, and what that rests on; or changes of nothing, which are an answer.

        An answer, also what `decide` raises, rests on what is durable, and was so at one moment.
        """
        values = self._read(keys, fences)
        future, waiters = self._pending.over(keys, values)
        if waiters:
            try:
                changes = _decided(decide, future)
            except Exception:  # noqa: BLE001 - it decides again, and then it counts
                await settled(waiters)
            else:
                if _changes_something(changes):
                    return future, changes
                await settled(waiters)
            values = self._read(keys, fences)
        return values, _decided(decide, values)

    def _read(self, keys: Sequence[bytes], fences: Fences) -> list[bytes | None]:
        self._keep()
        return self._snapshot.read(keys, fences)

    def _digested(self, fences: Fences) -> Mapping[bytes, bytes]:
        known = self._digests
        digests = {}
        for key, value in fences.items():
            found = known.get(value)
            if found is None:
                if len(known) >= FENCES_KEPT_MAX:
                    known.clear()
                found = known[value] = digest(value)
            digests[key] = found
        return digests

    def _keep(self) -> None:
        """Let the snapshot stay for a while.

        Raises StorageUnavailableError: the files are gone, or were so the last time.
        """
        self._was_read = True
        if self._timer is None:
            fault = self._fault()
            if fault is not None:
                raise StorageUnavailableError(f"the storage is down: {fault}")
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(RELEASE_SECONDS, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._was_read and self._fault() is None:
            self._was_read = False
            self._timer = loop.call_later(RELEASE_SECONDS, self._look, loop)
        else:
            self._timer = None
            self.rest()

    def rest(self) -> None:
        """Let go of the snapshot, until the next read."""
        self._snapshot.let_go()

    def stats(self) -> Stats:
        """Figures for metrics; cheap."""
        return Stats(decided=self._decided, refused=self._refusals.total, lost=self._lost)

    def close(self) -> None:
        """Stop. Writes that wait get StorageError."""
        if self._timer is not None:
            self._timer.cancel()
        self._link.close()
        self._snapshot.close()


def _decided(
    decide: Callable[[list[bytes | None]], Changes[T]], values: list[bytes | None]
) -> Changes[T]:
    """The decision, of which every key can be put. Raises what `decide` raises, KeyTooLongError."""
    changes = decide(values)
    check_lengths(changes.puts, KEY_BYTES_MAX)
    return changes


def _changes_something(changes: Changes[Any]) -> bool:
    return bool(changes.puts or changes.deletes or changes.adds or changes.appends)


def _fault(verdict: Verdict) -> Exception:
    match verdict.outcome:
        case Outcome.STALE:
            return StaleFenceError()
        case Outcome.BUSY:
            return StorageBusyError(verdict.reason)
        case Outcome.UNAVAILABLE:
            return StorageUnavailableError(verdict.reason)
        case _:
            return StorageError(verdict.reason)
