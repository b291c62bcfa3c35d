"""The tasks that work beside requests: begun together, kept going, ended together."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol

RESTART_SECONDS: Final = 5.0
"""After one has failed."""

AGAIN_SECONDS: Final = 1.0
"""Between two requests to one to end."""

_log: Final = logging.getLogger(__name__)


class BackgroundTask(Protocol):
    """Work beside requests."""

    async def run(self) -> None:
        """Go on until cancelled."""


class BackgroundTasks:
    """The tasks of one server.

    Attributes:
        failures: how often one of them ended that should not have.
    """

    def __init__(self, *, again_seconds: float = AGAIN_SECONDS) -> None:
        self.failures = 0
        self._again_seconds = again_seconds
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, works: Sequence[BackgroundTask]) -> None:
        """Start a task for each."""
        self._tasks += [asyncio.create_task(self._kept_going(work)) for work in works]

    async def end(self) -> None:
        """Stop them, wherever they are; then others can begin."""
        left = set(self._tasks)
        while left:
            for task in left:
                task.cancel()
            # One that misses it, as `asyncio.wait_for` can before Python 3.12, would work for ever.
            _, left = await asyncio.wait(left, timeout=self._again_seconds)
        self._tasks.clear()

    async def _kept_going(self, work: BackgroundTask) -> None:
        """Run until it is cancelled: a fault of ours must not end what nobody watches."""
        while True:
            try:
                await work.run()
            except Exception:  # noqa: BLE001 - whatever it is
                self.failures += 1
                _log.critical("work in the background has failed; it begins again", exc_info=True)
                await asyncio.sleep(RESTART_SECONDS)
