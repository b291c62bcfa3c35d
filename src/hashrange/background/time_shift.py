"""Moves the clock of a server under test, and does at once the work that has become due.

Background tasks wait between two passes, for a second or a minute of real time. A pass that runs
here at the same time does no harm: each may be done twice, as `leader` explains.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from hashrange.clock import Clock, MovableClock

Pass: TypeAlias = Callable[[], Awaitable[object]]
"""Does all work of a background task that is due now. Raises StorageError."""

_log: Final = logging.getLogger(__name__)


class TimeShift:
    """Moves the clock of a server; nothing else does.

    Args:
        clock: that of the server; `move` needs a MovableClock.
        passes: those of its background tasks, in their order.
        before: stores what was counted until now, which belongs to the time before.
    """

    def __init__(self, clock: Clock, passes: Sequence[Pass], *, before: Pass | None = None) -> None:
        self._clock = clock
        self._before = before
        self._passes = passes
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None

    async def move(self, by_ms: int | None, settles: bool) -> None:  # noqa: FBT001 - sent as it is by other processes
        """Move the clock, and do the work that is due then.

        Args:
            by_ms: milliseconds to move forward; None sets the clock to the time of the machine.
            settles: return when the work is done, rather than at once.

        Raises:
            OffsetError: too far; the clock has not moved.
            StorageError: the work has failed; the clock may have moved.
        """
        clock = self._clock
        assert isinstance(clock, MovableClock), "a server under test"
        if self._before is not None:
            await self._before()
        if by_ms is None:
            clock.reset()
        else:
            clock.advance(by_ms)
        _log.info("testing: the clock is %d ms ahead of the machine's", clock.offset_ms)
        # Callers before the passes begin share them: at most one run waits.
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._pass())
            self._next.add_done_callback(_noted)
        if settles:
            # Shielded: a caller that is cancelled must not end the passes of the others.
            await asyncio.shield(self._next)

    async def _pass(self) -> None:
        async with self._turn:
            self._next = None
            for each in self._passes:
                await each()


def _noted(task: "asyncio.Task[None]") -> None:
    """Log a failure, for which perhaps no caller waits."""
    if not task.cancelled() and task.exception() is not None:
        _log.warning("testing: the work that was due has failed", exc_info=task.exception())
