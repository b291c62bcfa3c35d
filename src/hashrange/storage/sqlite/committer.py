"""Group commit: the writes that wait are decided, committed, synced and answered together."""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from functools import partial
from typing import Final

import apsw

from hashrange.observe.counts import Durations
from hashrange.storage.engine import StorageError
from hashrange.storage.pending_write import Appended, PendingWrite, ignore_appended
from hashrange.storage.sqlite.database import Database, ReadView
from hashrange.storage.sqlite.disk_thread import BackgroundCall, StallWatch
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.group import INT64_BYTES, Group
from hashrange.storage.sqlite.maintenance import Maintenance
from hashrange.storage.sqlite.recovery import Recovery
from hashrange.storage.sqlite.rows import values
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.write_queue import WriteQueue

_SYNCS_WEIGHED: Final = 8
"""How many syncs the running average of their durations goes back, about."""


class SyncScheduler:
    """Chooses by how long syncs take, and by who else would wait for them.

    Args:
        view: counts reads where syncs are slow.
        tuning: the bounds.

    Attributes:
        mean_ns: how long the last syncs took, on average.
    """

    def __init__(self, view: ReadView, tuning: Tuning) -> None:
        self._view = view
        self._tuning = tuning
        self._was_single = False
        self._reads_before = 0
        self.mean_ns = 0

    def add(self, sync_ns: int) -> None:
        """Note how long a sync took."""
        self.mean_ns += (sync_ns - self.mean_ns) // _SYNCS_WEIGHED

    def is_aside(self, writes: int) -> bool:
        """Whether the sync of a group of so many writes runs beside the loop; asked once for each.

        One that is not much slower than others holds the loop while one caller writes, each write
        after the answer to the last, and nobody reads.
        """
        view, tuning = self._view, self._tuning
        was_counting, view.is_counting = view.is_counting, self.mean_ns > tuning.inline_sync_ns_max
        if not view.is_counting:
            return False
        is_single = writes == 1
        unread = was_counting and view.reads == self._reads_before
        is_lone = is_single and self._was_single and unread
        self._was_single, self._reads_before = is_single, view.reads
        return not is_lone or self.mean_ns > tuning.lone_sync_ns_max


class Committer:
    """The one scheduler that commits.

    A group goes one way: the queue calls `run`, in which all writes decide and are written;
    `commit` makes them durable, beside the loop if the disk is slow; `_finish` lets readers see
    them, and answers. Until then readers see the state before, and no other group begins. Every
    answer waits for that, also a refusal, which may depend on a change of the same group. All
    failures go through `_recover`.

    Args:
        database: connected.
        fences: of the state that is on disk.
        recovery: notified of failures.
        monotonic_ns: the clock; `now_ms`: that of the stamps of records.
        tuning: bounds of groups and of the queue.

    Attributes:
        queue: takes the writes; `stall` says why they wait if the disk does not answer.
        works: the number of writes in the groups that were shown.
        commits: how long the groups took from the last decision until they were durable.
        syncs: the part of it that made them durable.
        sync_scheduler: says where that runs.
        appended: notified when records can be read.
        maintenance: does what no write waits for, after groups.
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
        self._sync_call = BackgroundCall(database.sync_aside, monotonic_ns)
        calls = self._sync_call, BackgroundCall(database.copy_aside, monotonic_ns)
        self.stall = StallWatch(calls, monotonic_ns)
        self.queue = WriteQueue(
            self.run,
            self.pause,
            monotonic_ns=monotonic_ns,
            works_max=tuning.queue_works_max,
            enough=tuning.group_works_max,
        )
        self.maintenance = Maintenance(database, recovery, calls, self.queue, tuning=tuning)
        self.appended: Appended = ignore_appended
        self.sync_scheduler = SyncScheduler(database.view, tuning)
        self.works, self.commits, self.syncs = 0, Durations(), Durations()

    def run(self, loop: AbstractEventLoop) -> None:
        """Decide a group of the writes that wait, and write, commit and show it."""
        database, tuning, recovery = self._database, self._tuning, self._recovery
        queue, view, scheduler = self.queue.works, database.view, self.sync_scheduler
        read, fences = database.rows.read, self._fences
        group = Group(database, read, fences.compare, self._now_ms, held=fences.values)
        group.first_reads = database.first_reads
        failure: BaseException | None = None
        try:
            if recovery.down_reason is not None or recovery.guard.reason is not None:
                recovery.ensure()
                group.read = database.rows.read
            is_slow = scheduler.mean_ns > tuning.inline_sync_ns_max or view.is_counting
            is_aside = is_slow and scheduler.is_aside(len(queue))
            if database.sync is not None and is_aside is not view.is_apart:
                view.look_apart(is_apart=is_aside)
            group.shrinking = not recovery.reserve.held and recovery.is_shrinking()
            if not database.connection.in_transaction:
                database.begin()
            group.merges_puts = group.shrinking
            works, bytes_max = group.works, tuning.group_bytes_max
            for _ in range(min(len(queue), tuning.group_works_max)):
                works.append(work := queue.popleft())
                group.decide(work)
                if group.size_bytes >= bytes_max:
                    break
            group.begun_ns = self._monotonic_ns()
            for key, total in group.totals.items():
                group.changed[key] = total.to_bytes(INT64_BYTES, signed=True)
            if group.changed:
                database.rows.change(group.changed, group.logs)
                if is_aside and database.sync is not None:
                    self._commit_aside(group, loop)
                    return
            self.commit(group)
        except BaseException as error:  # noqa: BLE001 - `_finish` raises it
            failure = error
        self._finish(group, loop, failure)

    def _commit_aside(self, group: Group, loop: AbstractEventLoop) -> None:
        """Commit a group beside the loop, in which no other begins until it is finished."""
        # Within the first COMMIT of a WAL SQLite syncs the header. Others are run here, as threads
        # contend for the interpreter.
        if self._database.wal_pages:
            self._database.write("COMMIT")
            group.is_committed = True
        group.is_aside = True
        self._sync_call.run(partial(self.commit, group), partial(self._finish, group, loop), loop)
        self.queue.hold()

    def commit(self, group: Group) -> None:
        """Put a group on the disk; may run beside the loop."""
        database, monotonic_ns = self._database, self._monotonic_ns
        begun_ns = monotonic_ns()
        if not group.is_committed:
            database.write("COMMIT")
            group.is_committed = True
        if group.changed and database.sync is not None:
            begun_ns = monotonic_ns()
            database.sync()
        group.ended_ns = ended_ns = monotonic_ns()
        group.sync_ns = ended_ns - begun_ns

    def _finish(self, group: Group, loop: AbstractEventLoop, failure: BaseException | None) -> None:
        """Show a group that is durable, answer it, and let the next one begin.

        Raises the failure if it is a fault of ours.
        """
        try:
            if failure is None:
                if group.ended_ns >= self._guard.look_at_ns:
                    self._guard.confirm()
                self._database.view.show()
                self._note(group)
        except BaseException as error:  # noqa: BLE001 - raised below
            failure = error
        if failure is not None:
            self._recover(group, failure)
        if not loop.is_closed():
            answered, waiting = len(group.works), len(self.queue.works)
            for work in group.works:
                work.waiter.set_result(answered)
            if group.is_aside:
                expected = answered + waiting
                self.queue.resume(loop, expected=expected, slow_ns=self.sync_scheduler.mean_ns)
            if (
                self._database.wal_pages >= self._tuning.checkpoint_pages
                or self.maintenance.is_begun
                or not self._recovery.reserve.held
            ):
                # Behind the callbacks of the waiters: their answers go out first.
                loop.call_soon(self.maintenance.do, loop)
        if failure is not None and not isinstance(failure, (StorageError, apsw.Error, OSError)):
            raise failure

    def _note(self, group: Group) -> None:
        """Count a group that readers see, and publish its records."""
        if not self._fences.values.keys().isdisjoint(group.changed):
            self._fences.committed(group.changed)
        if group.changed and self._database.sync is not None:
            self.sync_scheduler.add(group.sync_ns)
        self.commits.add(group.ended_ns - group.begun_ns)
        self.syncs.add(group.sync_ns)
        self.works += len(group.works)
        if group.logs:
            self.appended(group.logs)

    def _recover(self, group: Group, failure: BaseException) -> None:
        """Let a group end in StorageError, and make its outcome certain if it had begun."""
        reason = str(failure)
        if not isinstance(failure, StorageError):
            self._recovery.failed(failure)
            view = self._database.view
            if not self._recovery.is_down:
                self._database.damage.written(
                    failure, group.changed, lambda keys: values(view.read, None, keys)
                )
            reason = f"the write failed, or its outcome is unknown: {failure!r}"
        self._fail(group.works, reason)

    def _fail(self, works: list[PendingWrite], reason: str) -> list[PendingWrite]:
        """Let writes end in StorageError, or those that wait if there are none; which ones."""
        if not works:
            works.extend(self.queue.works)
            self.queue.works.clear()
        for work in works:
            work.error = StorageError(reason)
        return works

    def pause(self) -> None:
        """End what is under way, before another loop, or for a caller that does not suspend."""
        self._sync_call.finish()
        self.maintenance.stop()

    def close(self) -> None:
        """Answer all that wait with StorageError and stop."""
        self.pause()
        self._sync_call.close()
        self.maintenance.close()
        for work in self._fail([], "the storage is closed"):
            if not work.waiter.done():
                work.waiter.set_result(None)
