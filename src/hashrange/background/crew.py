"""The tasks that work beside requests: begun together, kept going, ended together."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol

RESTART_SECONDS: Final = 5.0
"""After one has failed."""

_log: Final = logging.getLogger(__name__)


class Work(Protocol):
    """Work beside requests."""

    async def run(self) -> None:
        """Go on until cancelled."""


class Crew:
    """The tasks of one server.

    Attributes:
        failures: how often one of them ended that should not have.
    """

    def __init__(self) -> None:
        self.failures = 0
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, works: Sequence[Work]) -> None:
        """Start a task for each."""
        self._tasks += [asyncio.create_task(self._kept_going(work)) for work in works]

    async def end(self) -> None:
        """Stop them, wherever they are."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _kept_going(self, work: Work) -> None:
        """Run until it is cancelled: a fault of ours must not end what nobody watches."""
        while True:  # bound: until the server cancels it
            try:
                await work.run()
            except Exception:  # noqa: BLE001 - whatever it is
                self.failures += 1
                _log.critical("work in the background has failed; it begins again", exc_info=True)
                await asyncio.sleep(RESTART_SECONDS)
