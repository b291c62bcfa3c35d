"""Asks the writer whether it can write, for the readiness of a worker."""

import asyncio
from typing import Final

from hashrange.storage.engine import StorageUnavailableError
from hashrange.storage.workers.messages import Reply, ReplyStatus
from hashrange.storage.workers.writer_connection import WriterConnection

ANSWER_SECONDS_MAX: Final = 2.0
"""How long a probe waits for the writer. Replacing a writer takes half a second, and a health check
waits for 3 seconds by default."""


class WriterFaults:
    """Asks the writer why writes fail there, and reports if it does not answer.

    It syncs in its event loop, so that a disk which does not answer is a writer that does not. All
    callers that wait share one probe: a writer which hangs leaves one behind, not one for each
    call.

    Args:
        connection: to the writer.
    """

    def __init__(self, connection: WriterConnection) -> None:
        self._connection = connection
        self._probe: asyncio.Future[Reply] | None = None
        self._waiting: list[asyncio.Future[str | None]] = []

    async def fault(self, seconds_max: float = ANSWER_SECONDS_MAX) -> str | None:
        """Why writes wait or fail; None if they do not. Takes `seconds_max` at most."""
        try:
            if self._probe is None:
                self._probe = self._connection.probe()
                self._probe.add_done_callback(self._answered)
        except StorageUnavailableError as error:
            return str(error)
        # No `asyncio.timeout`: the caller need not be a task.
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[str | None] = loop.create_future()
        silence = (
            f"the process that writes has not answered for {seconds_max:g} s; "
            "writes wait, reads go on"
        )
        timer = loop.call_later(seconds_max, _set, waiting, silence)
        self._waiting.append(waiting)
        try:
            return await waiting
        finally:
            timer.cancel()
            self._waiting.remove(waiting)

    def _answered(self, probe: asyncio.Future[Reply]) -> None:
        self._probe = None
        fault = _fault_of(probe.result())
        for waiting in self._waiting:
            _set(waiting, fault)


def _fault_of(reply: Reply) -> str | None:
    match reply.status:
        case ReplyStatus.DONE:
            return None
        case ReplyStatus.FAILED:
            return "the process that writes has just ended; another one is started"
        case _:
            return reply.reason


def _set(waiting: asyncio.Future[str | None], fault: str | None) -> None:
    if not waiting.done():
        waiting.set_result(fault)
