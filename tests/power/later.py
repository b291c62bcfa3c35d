"""Calls beside the loop without a thread, so that a seed always gives the same run."""

from asyncio import AbstractEventLoop
from random import Random

from hashrange.storage.sqlite.disk_thread import Call, Then, raised_by

TURNS_MAX = 4


class Later:
    """A `DiskThread` whose calls run in the loop, some turns later.

    Args:
        rng: of the number of turns.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._call: Call | None = None
        self._error: BaseException | None = None

    def run(self, call: Call, then: Then, loop: AbstractEventLoop) -> None:
        """See `DiskWorker.run`."""
        assert self._call is None, "one at a time"
        self._call = call
        self._turn(self._rng.randrange(TURNS_MAX), then, loop)

    def _turn(self, left: int, then: Then, loop: AbstractEventLoop) -> None:
        if left:
            loop.call_soon(self._turn, left - 1, then, loop)
        else:
            loop.call_soon(self._end, then)

    def _end(self, then: Then) -> None:
        then(self.wait())

    def wait(self) -> BaseException | None:
        """See `DiskWorker.wait`."""
        if self._call is not None:
            call, self._call = self._call, None
            self._error = raised_by(call)
        return self._error

    def close(self) -> None:
        """See `DiskWorker.close`."""
        self.wait()
