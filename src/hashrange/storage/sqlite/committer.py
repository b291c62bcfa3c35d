"""Group commit: the writes that wait are decided, committed, synced and answered together."""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from functools import partial

import apsw

from hashrange.observe.counts import Durations
from hashrange.storage.appended import Appended, ignore_appended
from hashrange.storage.engine import StorageError
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.disk_thread import BackgroundCall
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.group import Group
from hashrange.storage.sqlite.maintenance import Maintenance
from hashrange.storage.sqlite.recovery import Recovery
from hashrange.storage.sqlite.stall import StallWatch
from hashrange.storage.sqlite.sync_place import SyncPlace
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.write_queue import WriteQueue


class Committer:
    """The one place that commits.

    A group goes one way: `commit`, from BEGIN to COMMIT; `_sync`, which makes it durable, beside
    the loop if the disk is slow; `_show`, by which readers see it; `_answer`. Until it is shown,
    readers see the state before it, and no other group begins. Every answer waits for that, also a
    refusal, which may rest on a change of the same group. All failures go through `_recover`.

    Args:
        database: connected.
        fences: of the state that is on disk.
        recovery: told of failures.
        monotonic_ns: the clock; `now_ms`: that of the stamps of records.
        tuning: bounds of groups and of the queue.

    Attributes:
        queue: takes the writes; `stall` says why they wait if the disk does not answer.
        groups: shown, with so many `works`.
        commit_ns_last: how long the last one took until it was on disk; all `commits`.
        syncs: durations of the part that makes durable.
        sync_place: says where that runs.
        appended: told when records can be read.
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
        self._view = database.view
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
            self._run_group,
            self.pause,
            monotonic_ns=monotonic_ns,
            works_max=tuning.queue_works_max,
            enough=tuning.group_works_max,
        )
        self.maintenance = Maintenance(database, recovery, calls, self.queue, tuning=tuning)
        self.appended: Appended = ignore_appended
        self.sync_place = SyncPlace(database.view, tuning)
        self.groups = self.works = self.commit_ns_last = 0
        self.commits, self.syncs = Durations(), Durations()

    def _run_group(self, loop: AbstractEventLoop) -> None:
        """Run one group from the queue to its answers, or to a sync beside the loop."""
        database = self._database
        group = Group(database, self._fences, self._now_ms)
        failure: BaseException | None = None
        is_slow = self.sync_place.is_aside(len(self.queue.works))
        try:
            self.commit(group, is_slow=is_slow)
            if group.changes and database.sync is not None:
                if is_slow:
                    synced = partial(self._synced, group, loop)
                    self._sync_call.run(partial(self._sync, group), synced, loop)
                    self.queue.hold()
                    return
                self._sync(group)
            self._show(group)
        except BaseException as error:  # noqa: BLE001 - `_answer` raises it
            failure = error
        self._answer(group, failure, loop)

    def commit(self, group: Group, *, is_slow: bool) -> None:
        """Decide the writes of a group in one transaction, and commit it; see `_sync` if slow."""
        database, tuning, recovery = self._database, self._tuning, self._recovery
        queue, monotonic_ns = self.queue.works, self._monotonic_ns
        if recovery.down_reason is not None or recovery.guard.reason is not None:
            recovery.ensure()
        if database.sync is not None and is_slow is not self._view.is_apart:
            self._view.look_apart(is_apart=is_slow)
        group.shrinking = not recovery.reserve.held and recovery.is_shrinking()
        if not database.connection.in_transaction:
            database.begin()
        works, works_max = group.works, tuning.group_works_max
        while queue and len(works) < works_max and group.size_bytes < tuning.group_bytes_max:
            group.run(queue.popleft())
        begun_ns = monotonic_ns()
        group.apply()
        group.written_ns = monotonic_ns() - begun_ns
        # Within the first COMMIT of a WAL SQLite syncs the header: then `_sync` commits.
        if not (is_slow and group.changes and database.wal_pages == 0):
            group.commit(monotonic_ns)

    def _sync(self, group: Group) -> None:
        """Put a group on the disk, committed before or here; beside the loop if slow."""
        if not group.is_committed:
            group.commit(self._monotonic_ns)
        sync, begun_ns = self._database.sync, self._monotonic_ns()
        assert sync is not None, "the group would be durable"
        sync()
        group.ended_ns = ended_ns = self._monotonic_ns()
        group.sync_ns = sync_ns = ended_ns - begun_ns
        group.written_ns += sync_ns

    def _synced(self, group: Group, loop: AbstractEventLoop, failure: BaseException | None) -> None:
        """Go on with a group whose sync beside the loop has ended."""
        try:
            if failure is None:
                self._show(group)
        except BaseException as error:  # noqa: BLE001 - `_answer` raises it
            failure = error
        self._answer(group, failure, loop, was_slow=True)

    def _show(self, group: Group) -> None:
        """Let readers see a durable group. Raises StorageUnavailableError: its files are gone."""
        if group.ended_ns >= self._guard.look_at_ns:
            self._guard.confirm()
        if group.changes and self._database.sync is not None:
            self.sync_place.add(group.sync_ns)
        self._view.show()
        if not self._fences.values.keys().isdisjoint(group.changes):
            self._fences.committed(group.changes)
        self.commit_ns_last = group.written_ns
        self.commits.add(group.written_ns)
        self.syncs.add(group.sync_ns)
        self.groups += 1
        self.works += len(group.works)
        if group.logs:
            self.appended(group.logs)

    def _answer(
        self,
        group: Group,
        failure: BaseException | None,
        loop: AbstractEventLoop,
        *,
        was_slow: bool = False,
    ) -> None:
        """Answer a group that is shown or has failed, and let the next one begin.

        Raises the failure if it is a fault of ours.
        """
        if failure is not None:
            self._recover(group, failure)
        if not loop.is_closed():
            works, expected = group.works, len(group.works) + len(self.queue.works)
            for work in works:
                work.waiter.set_result(len(works))
            if was_slow:
                self.queue.resume(loop, expected=expected, slow_ns=self.sync_place.mean_ns)
            elif self.queue.works:
                self.queue.resume(loop)
            if (
                self._database.wal_pages >= self._tuning.checkpoint_pages
                or self.maintenance.is_begun
                or not self._recovery.reserve.held
            ):
                # Behind the callbacks of the waiters: their answers go out first.
                loop.call_soon(self.maintenance.do, loop)
        if failure is not None and not isinstance(failure, (StorageError, apsw.Error, OSError)):
            raise failure

    def _recover(self, group: Group, failure: BaseException) -> None:
        """Let a group end in StorageError, and make its outcome certain if it had begun."""
        reason = str(failure)
        if not isinstance(failure, StorageError):
            self._recovery.failed(failure)
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
        self._sync_call.settle()
        self.maintenance.stop()

    def close(self) -> None:
        """Answer all that wait with StorageError and stop."""
        self.pause()
        self._sync_call.close()
        self.maintenance.close()
        for work in self._fail([], "the storage is closed"):
            if not work.waiter.done():
                work.waiter.set_result(None)
