"""Kills readers that do not respond, and forwards moves of the clock between processes.

Clients of a reader that was stopped, or whose event loop hangs, wait in vain. It keeps its
snapshot too, and as long as it does the write-ahead log grows. The writer is left alone: it waits
for a disk that hangs, and goes on by itself.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from hashrange.assembly.workers.control import Heartbeat, MoveFailure, MoveReply, MoveRequest
from hashrange.assembly.workers.worker import Worker

INTERVAL_SECONDS: Final = 1.0
MISSED_MAX: Final = 15
"""Heartbeats without a reply after which a reader is killed."""

_log: Final = logging.getLogger(__name__)


class HeartbeatMonitor:
    """Sends heartbeats to readers, and counts those that they have not replied to.

    Heartbeats are counted, and not seconds: when all processes of a server were suspended
    together, one is missing at most.

    Args:
        readers: gives those that serve now.
    """

    def __init__(self, readers: Callable[[], Iterable[Worker]]) -> None:
        self._readers = readers
        self._missed: dict[Worker, int] = {}

    async def run(self) -> None:
        """Send heartbeats until this is cancelled."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            self.beat()

    def beat(self) -> None:
        """Kill readers that have missed too many heartbeats, and send the others the next one."""
        self._missed = {reader: self._missed.get(reader, 0) + 1 for reader in self._readers()}
        for reader, count in list(self._missed.items()):
            if count <= MISSED_MAX:
                reader.send(Heartbeat())
                continue
            _log.error("the reader, process %d, does not respond", reader.process.pid)
            reader.kill()

    def reply(self, reader: Worker) -> None:
        """A reader has replied to a heartbeat."""
        self._missed.pop(reader, None)


class MoveForwarder:
    """Forwards requests and replies, and answers requests whose writer has ended."""

    def __init__(self) -> None:
        self._number = 0
        self._waiting: dict[int, tuple[Worker, int]] = {}

    def forward(self, reader: Worker, request: MoveRequest, writer: Worker | None) -> None:
        """Forward a request of a reader to the writer, under a number of its own."""
        if writer is None or not writer.serves:
            reader.send(MoveReply(request.number, MoveFailure.WRITER_GONE))
            return
        self._number += 1
        self._waiting[self._number] = (reader, request.number)
        writer.send(msgspec.structs.replace(request, number=self._number))

    def reply(self, reply: MoveReply) -> None:
        """Forward the writer's reply to the reader that has asked."""
        reader, number = self._waiting.pop(reply.number)
        reader.send(msgspec.structs.replace(reply, number=number))

    def writer_ended(self) -> None:
        """Answer all waiting requests: their writer has ended."""
        waiting, self._waiting = self._waiting, {}
        for reader, number in waiting.values():
            reader.send(MoveReply(number, MoveFailure.WRITER_GONE))
