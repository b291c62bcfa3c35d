"""Moves the clock of a server under test, and does at once the work that has become due.

The works of this package wait between two passes, for a second or a minute of real time. A pass
that is made here beside them does no harm: all of them may be done twice (see `leader`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from hashrange.clock import Clock, MovableClock

Pass: TypeAlias = Callable[[], Awaitable[object]]
"""Does all that is due now of one work. Raises StorageError."""

_log: Final = logging.getLogger(__name__)


class TimeShift:
    """The one place that moves the clock of a server.

    Args:
        clock: of the server; one of the machine is never moved.
        passes: of its works, in the order in which they are made.
    """

    def __init__(self, clock: Clock, passes: Sequence[Pass]) -> None:
        self._clock = clock
        self._passes = passes
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None

    async def move(self, by_ms: int | None, settles: bool) -> None:  # noqa: FBT001 - sent as it is by other processes
        """Move the clock, and have what is due done.

        Args:
            by_ms: forward, in milliseconds; None sets it to the time of the machine.
            settles: return when what is due is done; otherwise at once, and it is done meanwhile.

        Raises:
            OffsetError: too far; the clock has not moved.
            StorageError: the clock has moved, the work has failed.
        """
        clock = self._clock
        assert isinstance(clock, MovableClock), "a server under test"
        if by_ms is None:
            clock.reset()
        else:
            clock.advance(by_ms)
        _log.info("testing: the clock is %d ms ahead of the machine's", clock.offset_ms)
        # Those who come before a pass begins share it: there is never more than one that waits.
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._pass())
            self._next.add_done_callback(_noted)
        if settles:
            # Shielded: a caller that is cancelled must not end the pass of the others.
            await asyncio.shield(self._next)

    async def _pass(self) -> None:
        async with self._turn:
            self._next = None
            for each in self._passes:
                await each()


def _noted(task: "asyncio.Task[None]") -> None:
    """Log a failure that perhaps nobody waits for."""
    if not task.cancelled() and task.exception() is not None:
        _log.warning("testing: the work that was due has failed", exc_info=task.exception())
