"""Maintenance between groups: pages given back, the WAL copied to the data file."""

from asyncio import AbstractEventLoop, TimerHandle
from functools import partial
from typing import Final

import apsw

from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.disk_thread import BackgroundCall, raised_by
from hashrange.storage.sqlite.recovery import Recovery
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.write_queue import WriteQueue

VACUUM_PAUSE_S: Final = 0.05
"""Between two steps of giving pages back, so that requests come first."""
ROUNDS_MAX: Final = 4
"""In which the WAL is copied while groups are committed; each is shorter than the one before."""
LAST_PAGES: Final = 64
"""Few enough to be copied while no group may begin, in 1 to 3 ms, most of it for the sync."""


class Maintenance:
    """Gives pages back and copies the WAL to the data file when it is due.

    Every `checkpoint_pages` the WAL is copied to the data file, so that it starts anew, for which
    all of it must be there at one moment. It is copied in rounds while groups are committed, as a
    round takes 10 to 20 ms, until they have written little meanwhile; then that rest, while no
    group may begin. A copy beside groups is of what is on disk: `ReadView.pin`.

    Args:
        database: connected.
        recovery: notified of failures.
        calls: by which groups are synced, and the WAL is copied, beside the loop.
        queue: of the groups, which is held during the last copy.
        tuning: when to check point and how many pages to give back.

    Attributes:
        is_begun: whether all of the WAL is to be copied now, in rounds and then the rest.
    """

    def __init__(
        self,
        database: Database,
        recovery: Recovery,
        calls: tuple[BackgroundCall, BackgroundCall],
        queue: WriteQueue,
        *,
        tuning: Tuning,
    ) -> None:
        self._database = database
        self._recovery = recovery
        self._sync_call, self._copy_call = calls
        self._queue = queue
        self._tuning = tuning
        self._timer: TimerHandle | None = None
        self.is_begun = False
        self._rounds = 0

    def do(self, loop: AbstractEventLoop) -> None:
        """Do what is due, unless it is under way; the committer asks again after each group."""
        if self._is_at_work() or self._database.freezer is not None:
            return
        is_held = self._database.is_shared or not self._recovery.reserve.held
        if not is_held and self._begin_round(loop):
            return
        if is_held or self.is_begun:
            self._finish(loop)

    def catch_up(self, loop: AbstractEventLoop) -> None:
        """Copy the WAL if it has become long otherwise than by groups."""
        if self._database.wal_pages >= self._tuning.checkpoint_pages:
            self.do(loop)

    def give_back(self, loop: AbstractEventLoop) -> None:
        """Give pages back although nothing else is due."""
        self._stop_timer()
        if self._is_at_work() or self._database.freezer is not None:
            self._timer = loop.call_later(VACUUM_PAUSE_S, self.give_back, loop)
        else:
            # What is in the WAL goes beside groups first: they wait for the rest alone.
            self.is_begun = True
            self.do(loop)

    def _is_at_work(self) -> bool:
        return self._sync_call.is_out or self._copy_call.is_out

    def _begin_round(self, loop: AbstractEventLoop) -> bool:
        """Begin to copy the WAL beside groups, if there is enough to copy."""
        database = self._database
        pages = database.wal_pages - database.copied_pages
        self._rounds += 1
        if self.is_begun:
            is_enough = pages > LAST_PAGES and self._rounds <= ROUNDS_MAX
        else:
            is_enough = pages >= self._tuning.checkpoint_pages
        if not is_enough or self._recovery.is_down:
            return False
        try:
            database.view.pin()
        except apsw.Error as error:
            self._recovery.failed(error)
            return False
        self._copy_call.run(database.copy, partial(self._round_done, loop), loop)
        return True

    def _round_done(self, loop: AbstractEventLoop, error: BaseException | None) -> None:
        database = self._database
        try:
            _raise(error)
            if not self._recovery.is_down:
                database.view.unpin()
        except (apsw.Error, OSError) as failure:
            self._recovery.failed(failure)
        self.is_begun = True
        if not loop.is_closed():
            loop.call_soon(self.do, loop)

    def _finish(self, loop: AbstractEventLoop) -> None:
        """Give pages back, and copy what is left while no group may begin."""
        self.is_begun, self._rounds = False, 0
        self._stop_timer()
        if self._vacuum():
            self._timer = loop.call_later(VACUUM_PAUSE_S, self.give_back, loop)
        if self._recovery.is_down or self._database.in_memory:
            return
        if self._database.is_shared:
            self._copied(loop, raised_by(self._database.copy))
        else:
            self._copy_call.run(self._database.copy, partial(self._copied, loop), loop)
            self._queue.hold()

    def _vacuum(self) -> bool:
        """Give some free pages back to the file system; whether more remain."""
        if self._recovery.is_down:
            return False
        keep = self._tuning.vacuum_pages_min if self._recovery.reserve.held else 0
        try:
            return self._database.vacuum(pages=self._tuning.vacuum_pages_step, keep=keep)
        except (apsw.Error, OSError) as error:
            self._recovery.failed(error)
            return False

    def _copied(self, loop: AbstractEventLoop, error: BaseException | None) -> None:
        try:
            _raise(error)
            if not self._recovery.is_down:
                self._database.copied()
        except (apsw.Error, OSError) as failure:
            self._recovery.failed(failure)
        self._queue.resume(loop)

    @property
    def is_waiting(self) -> bool:
        """Whether there is more to do after a pause."""
        return self._timer is not None

    def stop(self) -> None:
        """Wait for what is under way, and forget what was to be done later."""
        self._copy_call.finish()
        self._stop_timer()

    def close(self) -> None:
        """Stop, and give back what is held."""
        self.stop()
        self._copy_call.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _raise(error: BaseException | None) -> None:
    if error is not None:
        raise error
