"""When a group begins: not before those have come who will come in a moment."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Sized
from typing import Final

TURNS_MAX: Final = 4
"""How many turns of the loop a group waits for further writes, as long as each brings some."""
GATHERED_PER_SYNC: Final = 8
"""The share of a slow sync's duration, one in so many, for which the next group waits for those
who were just answered."""


class GroupTimer:
    """Lets writes gather, then begins a group.

    Callers who were answered together ask again together, over a few turns of the loop. Without a
    wait for them all callers fall into two halves that take turns: while one half is synced, the
    other one arrives, and each write waits for two syncs.

    Args:
        queue: the writes that wait.
        begin: runs a group.
        monotonic_ns: the clock.
        enough: writes that need not wait for more.
    """

    def __init__(
        self,
        queue: Sized,
        begin: Callable[[AbstractEventLoop], None],
        *,
        monotonic_ns: Callable[[], int],
        enough: int,
    ) -> None:
        self._queue = queue
        self._begin = begin
        self._monotonic_ns = monotonic_ns
        self._enough = enough
        self.is_on = False
        """Whether a group will begin without being asked for again."""

    def start(self, loop: AbstractEventLoop) -> None:
        """Begin a group after a turn of the loop that brings no further write."""
        self.is_on = True
        loop.call_soon(self._turn, 0, TURNS_MAX, loop)

    def start_after_slow_sync(self, answered: int, sync_ns: int, loop: AbstractEventLoop) -> None:
        """As `start`, but let those who were answered come back first, if they do soon.

        Others, who came while the sync ran, are in the queue already.
        """
        self.is_on = True
        expected = answered + len(self._queue)
        # Behind the callbacks of those answered, and behind the writing of their answers.
        loop.call_soon(loop.call_soon, self._expect, expected, sync_ns, loop)

    def stop(self) -> None:
        """Forget what another loop was to do."""
        self.is_on = False

    def _turn(self, before: int, turns: int, loop: AbstractEventLoop) -> None:
        waiting = len(self._queue)
        if before < waiting < self._enough and turns:
            loop.call_soon(self._turn, waiting, turns - 1, loop)
        else:
            self.is_on = False
            self._begin(loop)

    def _expect(self, expected: int, sync_ns: int, loop: AbstractEventLoop) -> None:
        self._wait(expected, self._monotonic_ns() + sync_ns // GATHERED_PER_SYNC, loop)

    def _wait(self, expected: int, until_ns: int, loop: AbstractEventLoop) -> None:
        if len(self._queue) < expected and self._monotonic_ns() < until_ns:
            loop.call_soon(self._wait, expected, until_ns, loop)
        elif self._queue:
            self.start(loop)
        else:
            self.is_on = False
