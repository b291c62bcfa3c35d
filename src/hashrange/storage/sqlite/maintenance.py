"""What is done between groups: pages given back, the WAL copied to the data file."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable
from functools import partial
from typing import Final

from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.disk_thread import BackgroundCall, raised_by
from hashrange.storage.sqlite.recovery import Recovery

VACUUM_PAUSE_S: Final = 0.05
"""Between two steps of giving pages back, so that requests come first."""


class Maintenance:
    """Does them when they are due; no group may begin while its errand is out.

    Args:
        database: connected.
        recovery: says what is due, and is told of failures.
        disk_call: shared with the committer.
        on_done: called in the loop when groups may begin again.
    """

    def __init__(
        self,
        database: Database,
        recovery: Recovery,
        disk_call: BackgroundCall,
        on_done: Callable[[AbstractEventLoop], None],
    ) -> None:
        self._database = database
        self._recovery = recovery
        self._disk_call = disk_call
        self._on_done = on_done
        self._timer: TimerHandle | None = None

    def do(self, loop: AbstractEventLoop) -> None:
        """Do what is due, or come back later."""
        self.stop()
        if self._disk_call.is_out:
            self._timer = loop.call_later(VACUUM_PAUSE_S, self.do, loop)
            return
        if self._recovery.vacuum():
            self._timer = loop.call_later(VACUUM_PAUSE_S, self.do, loop)
        if self._recovery.is_down or self._database.in_memory:
            return
        if self._database.is_shared:
            self._copied(loop, raised_by(self._database.checkpoint))
        else:
            self._disk_call.run(self._database.checkpoint, partial(self._copied, loop), loop)

    def _copied(self, loop: AbstractEventLoop, error: BaseException | None) -> None:
        self._recovery.copied(error)
        self._on_done(loop)

    @property
    def is_waiting(self) -> bool:
        """Whether there is more to do after a pause."""
        return self._timer is not None

    def stop(self) -> None:
        """Forget what was to be done later, as with a loop that has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
