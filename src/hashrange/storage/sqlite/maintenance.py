"""What is done between groups: pages given back, the WAL copied to the data file."""

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


class Maintenance:
    """Does it when it is due; no group may begin while the WAL is copied.

    Args:
        database: connected.
        recovery: told of failures.
        disk_call: shared with the committer.
        queue: of the groups, which is held meanwhile.
        tuning: when to check point and how many pages to give back.
    """

    def __init__(
        self,
        database: Database,
        recovery: Recovery,
        disk_call: BackgroundCall,
        queue: WriteQueue,
        *,
        tuning: Tuning,
    ) -> None:
        self._database = database
        self._recovery = recovery
        self._disk_call = disk_call
        self._queue = queue
        self._tuning = tuning
        self._timer: TimerHandle | None = None

    def do(self, loop: AbstractEventLoop) -> None:
        """Do what is due, or come back later."""
        self.stop()
        if self._disk_call.is_out:
            self._timer = loop.call_later(VACUUM_PAUSE_S, self.do, loop)
            return
        if self._vacuum():
            self._timer = loop.call_later(VACUUM_PAUSE_S, self.do, loop)
        if self._recovery.is_down or self._database.in_memory:
            return
        if self._database.is_shared:
            self._copied(loop, raised_by(self._database.checkpoint))
        else:
            self._disk_call.run(self._database.checkpoint, partial(self._copied, loop), loop)
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
            if error is not None:
                raise error
            if not self._recovery.is_down:
                self._database.show()
        except (apsw.Error, OSError) as failure:
            self._recovery.failed(failure)
        self._queue.resume(loop)

    @property
    def is_waiting(self) -> bool:
        """Whether there is more to do after a pause."""
        return self._timer is not None

    def stop(self) -> None:
        """Forget what was to be done later, as with a loop that has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
