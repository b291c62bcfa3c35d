"""Forwards requests to move the clock from readers to the writer, and the replies back."""

import msgspec

from hashrange.assembly.workers.control import MoveFailure, MoveReply, MoveRequest
from hashrange.assembly.workers.worker import Worker


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
