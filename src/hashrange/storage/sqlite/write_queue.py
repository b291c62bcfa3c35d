"""The writes that wait, when the next group of them begins, and who is resumed after it."""

from asyncio import AbstractEventLoop, TimerHandle
from collections import deque
from collections.abc import Callable
from typing import Final

from hashrange.storage.pending_write import PendingWrite, Refusals

TURNS_MAX: Final = 4
"""How many turns of the loop a group waits for further writes, as long as each brings some."""
GATHERED_PER_SYNC: Final = 8
"""The share of a slow sync's duration, one in so many, for which the next group waits for the
callers who were just answered."""
GATHER_SECONDS_MIN: Final = 0.001
"""The least such time: what a timer of the loop can measure. Measured against looking in each turn
of the loop, for exactly that share: 25 to 30 % less CPU a put where callers do not come back (500
or 2,000 independent puts a second, syncs of 1 and 3 ms), as many puts a second from 32 callers who
do, and up to 0.4 ms more for the median put at syncs of 1 ms, none at 3 ms."""
_NS_PER_S: Final = 1_000_000_000


class WriteQueue:
    """Lets writes gather, then begins a group.

    Callers who were answered together ask again together, over a few turns of the loop. Without a
    wait for them all callers fall into two halves that take turns: while one half is synced, the
    other one arrives, and each write waits for two syncs. After a slow sync the wait is one of
    time, and ends when all of them are back. A caller who is alone never waits.

    Args:
        run: runs a group in the loop; one that goes on beside the loop has called `hold`, and
            calls `resume` at its end.
        changed_loop: called before the first write of another loop is queued.
        monotonic_ns: the clock.
        works_max: writes that may wait.
        enough: writes that need not wait for more.

    Attributes:
        works: the writes, the oldest first.
        refusals: of the writes that were too many.
    """

    def __init__(
        self,
        run: Callable[[AbstractEventLoop], None],
        changed_loop: Callable[[], None],
        *,
        monotonic_ns: Callable[[], int],
        works_max: int,
        enough: int,
    ) -> None:
        self._run = run
        self._changed_loop = changed_loop
        self._works_max = works_max
        self._enough = enough
        self._loop: AbstractEventLoop | None = None
        self._is_scheduled = False
        """Whether a group will begin without being asked for again."""
        self._is_held = False
        self._without_wait = 0
        """The writes that need not wait a turn for others: 1 after a group of one write, else 0."""
        self._expected = 0
        """The writes for which `_timer` waits."""
        self._timer: TimerHandle | None = None
        self.works: deque[PendingWrite] = deque()
        self.refusals = Refusals(monotonic_ns)

    def put(self, work: PendingWrite, loop: AbstractEventLoop) -> None:
        """Put a write into the next group with room. Raises StorageBusyError if too many wait."""
        works = self.works
        if self._loop is not loop:
            self._take_over(loop)
        if len(works) >= self._works_max:
            self.refusals.refuse(len(works))
        works.append(work)
        if not self._is_scheduled:
            if not self._is_held:
                self._is_scheduled = True
                loop.call_soon(self._turn, self._without_wait, TURNS_MAX, loop)
        elif self._timer is not None and len(works) >= self._expected:
            self._stop_timer()
            loop.call_soon(self._turn, self._without_wait, TURNS_MAX, loop)

    def _take_over(self, loop: AbstractEventLoop) -> None:
        # What another loop has left behind was not begun, and nobody waits for it any more.
        self._loop = loop
        self.works.clear()
        self._stop_timer()
        self._is_scheduled = self._is_held = False
        self._without_wait = 0
        self._changed_loop()

    def _turn(self, before: int, turns: int, loop: AbstractEventLoop) -> None:
        """Begin a group, or look again in the next turn if this one has brought further writes."""
        waiting = len(self.works)
        if before < waiting < self._enough and turns:
            loop.call_soon(self._turn, waiting, turns - 1, loop)
        else:
            self._is_scheduled = False
            if waiting and not self._is_held:
                self._without_wait = 1 if waiting == 1 else 0
                try:
                    self._run(loop)
                finally:
                    if self.works and not self._is_held:
                        self.resume(loop)

    def hold(self) -> None:
        """Let no group begin until `resume`, as the disk is at work beside the loop."""
        self._is_held = True

    def resume(self, loop: AbstractEventLoop, *, expected: int = 0, slow_ns: int = 0) -> None:
        """Let the next group begin, after `hold` or after a group with writes left.

        Args:
            loop: of what has ended.
            expected: the writes that were answered after a slow sync, and those that were in the
                queue: who was answered may come back first, or is back.
            slow_ns: how long that sync took.
        """
        self._is_held = False
        if self._is_scheduled or loop is not self._loop:
            return
        if slow_ns:
            self._is_scheduled = True
            expected = min(expected, self._enough)
            # Behind the callbacks of those answered, and behind the writing of their answers.
            loop.call_soon(loop.call_soon, self._gather, expected, slow_ns, loop)
        elif self.works:
            self._is_scheduled = True
            loop.call_soon(self._turn, self._without_wait, TURNS_MAX, loop)

    def _gather(self, expected: int, sync_ns: int, loop: AbstractEventLoop) -> None:
        if len(self.works) < expected:
            self._expected = expected
            wait = max(sync_ns / GATHERED_PER_SYNC / _NS_PER_S, GATHER_SECONDS_MIN)
            self._timer = loop.call_later(wait, self._gathered, loop)
        else:
            self._turn(0, TURNS_MAX, loop)

    def _gathered(self, loop: AbstractEventLoop) -> None:
        self._timer = None
        self._turn(0, TURNS_MAX, loop)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
