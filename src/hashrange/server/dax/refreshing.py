"""Reads in the background what transactions have written, as DAX does after it has answered."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

from hashrange.api.pipeline.operation import Caller, Performer
from hashrange.errors import DynamoError
from hashrange.limits.dax import DAX_REFRESHES_MAX
from hashrange.model.structures.dynamodb import TransactGetItems
from hashrange.storage.engine import StorageError

_log: Final = logging.getLogger(__name__)


class Refresher:
    """Performs TransactGetItems in tasks; a refresh that fails leaves no entry.

    Args:
        performer: performs it for a caller, and keeps what it reads.
    """

    def __init__(self, performer: Callable[[Caller], Performer]) -> None:
        self._performer = performer
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, caller: Caller, request: TransactGetItems) -> None:
        """Begin to read, unless too many reads are under way."""
        if len(self._tasks) < DAX_REFRESHES_MAX:
            task = asyncio.get_running_loop().create_task(self._read(caller, request))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Cancel what is under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _read(self, caller: Caller, request: TransactGetItems) -> None:
        try:
            await self._performer(caller)(request)
        except (DynamoError, StorageError) as error:
            _log.debug("the items of a transaction are not cached: %s", error)
