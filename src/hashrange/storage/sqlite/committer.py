"""Group commit: the writes that wait are decided, committed and answered together, in the loop."""

import logging
from asyncio import AbstractEventLoop, TimerHandle
from collections import deque
from collections.abc import Callable
from typing import Final, NoReturn

import apsw

from hashrange.observe.counts import Durations
from hashrange.observe.seldom import Seldom
from hashrange.storage.engine import StorageBusyError, StorageError
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.group import Group, Work
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.upkeep import Upkeep

VACUUM_PAUSE_S: Final = 0.05
"""Between two steps of giving pages back, so that requests come first."""

_log: Final = logging.getLogger(__name__)


class Committer:
    """The queue of writes, and the one place that commits.

    A group is one synchronous call: nothing else runs in the loop between BEGIN and COMMIT, so
    that reads before and after it see all of it or nothing. Every answer waits for the commit,
    refusals too, for they may rest on what a write of the same group has changed.

    Args:
        database: connected.
        fences: of the committed state.
        upkeep: told of failures.
        monotonic_ns: the clock.
        tuning: bounds of groups and of the queue.
    """

    def __init__(
        self,
        database: Database,
        fences: FenceCache,
        upkeep: Upkeep,
        *,
        monotonic_ns: Callable[[], int],
        tuning: Tuning,
    ) -> None:
        self._database = database
        self._fences = fences
        self._upkeep = upkeep
        self._monotonic_ns = monotonic_ns
        self._tuning = tuning
        self._queue: deque[Work] = deque()
        self._loop: AbstractEventLoop | None = None
        self._scheduled = False
        self._vacuum: TimerHandle | None = None
        self._refusals = Seldom(monotonic_ns)
        self.groups = 0
        self.works = 0
        self.refused = 0
        self.commit_ns_last = 0
        self.commits = Durations()
        self.syncs = Durations()

    @property
    def queue_length(self) -> int:
        """Writes that wait for a group."""
        return len(self._queue)

    def submit(self, work: Work, loop: AbstractEventLoop) -> None:
        """Put a write into the next group with room. Raises StorageBusyError if too many wait."""
        if self._loop is not loop:
            # What another loop has left behind was not begun, and nobody waits for it any more.
            self._loop, self._scheduled, self._vacuum = loop, False, None
            self._queue.clear()
        if len(self._queue) >= self._tuning.queue_works_max:
            self._refuse()
        self._queue.append(work)
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._run_group, loop)

    def _refuse(self) -> NoReturn:
        self.refused += 1
        if count := self._refusals.happened():
            _log.warning(
                "overload: %d writes refused, for %d wait", count, self._tuning.queue_works_max
            )
        raise StorageBusyError("too many writes wait")

    def _run_group(self, loop: AbstractEventLoop) -> None:
        self._scheduled = False
        taken: list[Work] = []
        try:
            self._run(taken)
        finally:
            for work in taken:
                if not work.waiter.done():
                    work.waiter.set_result(None)
            if self._queue:
                self._scheduled = True
                loop.call_soon(self._run_group, loop)
            if self._upkeep.is_due:
                # Behind the callbacks of the waiters: their answers go out first.
                loop.call_soon(self._tend, loop)

    def _run(self, taken: list[Work]) -> None:
        """Run one group; `taken` gets the works that can be answered afterwards."""
        try:
            self._upkeep.ensure()
            self._commit(taken)
        except StorageError as error:
            self._fail(taken, str(error))
        except BaseException as error:
            self._upkeep.failed(error)
            self._fail(taken, f"the write failed, or its outcome is unknown: {error!r}")
            if not isinstance(error, (apsw.Error, OSError)):
                raise

    def _commit(self, taken: list[Work]) -> None:
        database, queue, tuning = self._database, self._queue, self._tuning
        group = Group(database, self._fences, shrinking=self._upkeep.shrinking)
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
        self.commits.add(self.commit_ns_last)
        self.syncs.add(ended_ns - applied_ns)
        self._fences.committed(group.changes)
        self.groups += 1
        self.works += len(taken)

    def _fail(self, taken: list[Work], reason: str) -> None:
        """Let all works of a group end in StorageError; of a group not begun, all that wait."""
        if not taken:
            taken.extend(self._queue)
            self._queue.clear()
        for work in taken:
            work.error = StorageError(reason)

    def _tend(self, loop: AbstractEventLoop) -> None:
        if self._vacuum is not None:
            self._vacuum.cancel()
            self._vacuum = None
        if self._upkeep.run():
            self._vacuum = loop.call_later(VACUUM_PAUSE_S, self._tend, loop)

    def close(self) -> None:
        """Answer all that wait with StorageError and stop."""
        if self._vacuum is not None:
            self._vacuum.cancel()
        waiting: list[Work] = []
        self._fail(waiting, "the storage is closed")
        for work in waiting:
            if not work.waiter.done():
                work.waiter.set_result(None)
