"""Group commit: the writes that wait are decided, committed, synced and answered together."""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

import apsw

from hashrange.observe.counts import Durations
from hashrange.storage.engine import StorageError
from hashrange.storage.overload import Refusals
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.disk_thread import BackgroundCall, raised_by
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.group import Group
from hashrange.storage.sqlite.group_timer import GroupTimer
from hashrange.storage.sqlite.maintenance import Maintenance
from hashrange.storage.sqlite.recovery import Recovery
from hashrange.storage.sqlite.tuning import Tuning

_Writes: TypeAlias = list[PendingWrite]
_SYNCS_WEIGHED: Final = 8
"""How many syncs the running average of their durations goes back, about."""


class Committer:
    """The queue of writes, and the one place that commits.

    The first half of a group is one synchronous call, from BEGIN to COMMIT. The second makes it
    durable, beside the loop if the disk is slow, while readers are shown the state before it and
    no other group begins. Every answer waits for that, refusals too, for they may rest on what a
    write of the same group has changed.

    Args:
        database: connected.
        fences: of the state that is on disk.
        recovery: told of failures.
        monotonic_ns: the clock.
        now_ms: the clock of the stamps of records.
        tuning: bounds of groups and of the queue.
    """

    def __init__(
        self,
        database: Database,
        fences: FenceCache,
        recovery: Recovery,
        *,
        monotonic_ns: Callable[[], int],
        now_ms: Callable[[], int],
        tuning: Tuning,
    ) -> None:
        self._database = database
        self._now_ms = now_ms
        self._fences = fences
        self._recovery = recovery
        self._guard = recovery.guard
        self._monotonic_ns = monotonic_ns
        self._tuning = tuning
        self._disk_call = BackgroundCall(database.aside)
        self._maintenance = Maintenance(database, recovery, self._disk_call, self._schedule)
        self._queue: deque[PendingWrite] = deque()
        self._loop: AbstractEventLoop | None = None
        self._group_timer = GroupTimer(
            self._queue,
            self._run_group,
            monotonic_ns=monotonic_ns,
            enough=tuning.group_works_max,
        )
        self.refusals = Refusals(monotonic_ns)
        self._sync_ns_mean = 0
        self.groups = self.works = self.commit_ns_last = 0
        self.commits = Durations()
        self.syncs = Durations()

    @property
    def queue_length(self) -> int:
        """Writes that wait for a group."""
        return len(self._queue)

    def submit(self, work: PendingWrite, loop: AbstractEventLoop) -> None:
        """Put a write into the next group with room. Raises StorageBusyError if too many wait."""
        if self._loop is not loop:
            # What another loop has left behind was not begun, and nobody waits for it any more.
            self._disk_call.settle()
            self._maintenance.stop()
            self._group_timer.stop()
            self._loop = loop
            self._queue.clear()
        if len(self._queue) >= self._tuning.queue_works_max:
            self.refusals.refuse(len(self._queue))
        self._queue.append(work)
        self._schedule(loop)

    def _schedule(self, loop: AbstractEventLoop) -> None:
        timer = self._group_timer
        is_idle = not timer.is_on and not self._disk_call.is_out
        if self._queue and is_idle and loop is self._loop:
            timer.start(loop)

    def _run_group(self, loop: AbstractEventLoop) -> None:
        if self._disk_call.is_out:
            return  # what is beside the loop ends first, and schedules anew
        taken: _Writes = []
        group = None
        try:
            group = self._run(taken)
        finally:
            if group is None:
                self._answer(taken, loop)
        if group is not None:
            self._make_durable(taken, group, loop)

    def _run(self, taken: _Writes) -> Group | None:
        """Run one group; `taken` gets its works. The group, if it is yet to be made durable."""
        try:
            self._recovery.ensure()
            return self._commit(taken)
        except BaseException as error:
            if self._failed(taken, error):
                raise
        return None

    def _commit(self, taken: _Writes) -> Group | None:
        database, queue, tuning = self._database, self._queue, self._tuning
        shrinking = self._recovery.shrinking
        group = Group(database, self._fences, now_ms=self._now_ms, shrinking=shrinking)
        database.begin()
        while queue and len(taken) < tuning.group_works_max:
            work = queue.popleft()
            if work.waiter.cancelled():
                continue
            taken.append(work)
            group.run(work)
            if group.bytes >= tuning.group_bytes_max:
                break
        begun_ns = self._monotonic_ns()
        group.apply()
        applied_ns = self._monotonic_ns()
        database.commit()
        ended_ns = self._monotonic_ns()
        self.commit_ns_last = ended_ns - begun_ns
        if group.changes and database.sync is not None:
            return group
        self._show(taken, group, ended_ns - applied_ns, ended_ns)
        return None

    def _make_durable(self, taken: _Writes, group: Group, loop: AbstractEventLoop) -> None:
        sync, duration_ns, ended_ns = self._database.sync, 0, 0
        assert sync is not None, "the group would be durable"

        def call() -> None:
            nonlocal duration_ns, ended_ns
            begun_ns = self._monotonic_ns()
            sync()
            ended_ns = self._monotonic_ns()
            duration_ns = ended_ns - begun_ns

        def then(error: BaseException | None) -> None:
            self._sync_ns_mean += (duration_ns - self._sync_ns_mean) // _SYNCS_WEIGHED
            self.commit_ns_last += duration_ns
            error = error or raised_by(lambda: self._show(taken, group, duration_ns, ended_ns))
            is_ours = error is not None and self._failed(taken, error)
            self._answer(taken, loop, is_slow=is_slow)
            if error is not None and is_ours:
                raise error

        is_slow = self._sync_ns_mean > self._tuning.inline_sync_ns_max
        if is_slow:
            self._disk_call.run(call, then, loop)
        else:
            then(raised_by(call))

    def _show(self, taken: _Writes, group: Group, sync_ns: int, now_ns: int) -> None:
        """Let readers see a durable group. Raises StorageUnavailableError: its files are gone."""
        if now_ns >= self._guard.look_at_ns:
            self._guard.confirm()
        self._database.show()
        self._fences.committed(group.changes)
        self.commits.add(self.commit_ns_last)
        self.syncs.add(sync_ns)
        self.groups += 1
        self.works += len(taken)

    def _answer(self, taken: _Writes, loop: AbstractEventLoop, *, is_slow: bool = False) -> None:
        if loop.is_closed():
            return
        _release(taken)
        if is_slow and not self._group_timer.is_on and loop is self._loop:
            self._group_timer.start_after_slow_sync(len(taken), self._sync_ns_mean, loop)
        else:
            self._schedule(loop)
        if self._recovery.is_due:
            # Behind the callbacks of the waiters: their answers go out first.
            loop.call_soon(self._maintenance.do, loop)

    def _failed(self, taken: _Writes, error: BaseException) -> bool:
        """Let a group end in StorageError; whether the error is a fault of ours, to be raised."""
        if isinstance(error, StorageError):
            self._fail(taken, str(error))
            return False
        self._recovery.failed(error)
        self._fail(taken, f"the write failed, or its outcome is unknown: {error!r}")
        return not isinstance(error, (apsw.Error, OSError))

    def _fail(self, taken: _Writes, reason: str) -> None:
        """Let all works of a group end in StorageError; of a group not begun, all that wait."""
        if not taken:
            taken.extend(self._queue)
            self._queue.clear()
        for work in taken:
            work.error = StorageError(reason)

    def close(self) -> None:
        """Answer all that wait with StorageError and stop."""
        self._disk_call.settle()
        self._maintenance.stop()
        waiting: _Writes = []
        self._fail(waiting, "the storage is closed")
        _release(waiting)
        self._disk_call.close()


def _release(works: _Writes) -> None:
    """Let those who wait for writes go on with what these were answered."""
    for work in works:
        if not work.waiter.done():
            work.waiter.set_result(None)
