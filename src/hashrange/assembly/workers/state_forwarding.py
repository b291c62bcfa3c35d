"""Forwards requests to save and load states from readers to the writer, and the replies back."""

import msgspec

from hashrange.assembly.workers.control import Forget, Forgotten, StateReply, StateRequest
from hashrange.assembly.workers.worker import Worker
from hashrange.messages import server as messages


class _Waiting(msgspec.Struct):
    """A request: its reader and the number there; the reply, once the writer has sent it.

    `forgetting` are the readers that have not dropped what they know of the data before.
    """

    reader: Worker
    number: int
    reply: StateReply | None = None
    forgetting: list[Worker] = []


class StateForwarder:
    """Forwards requests and replies; a load is replied to once all readers know of it."""

    def __init__(self) -> None:
        self._number = 0
        self._waiting: dict[int, _Waiting] = {}

    def forward(self, reader: Worker, request: StateRequest, writer: Worker | None) -> None:
        """Forward a request of a reader to the writer, under a number of its own."""
        if writer is None or not writer.serves:
            reader.send(_gone(request.number))
            return
        self._number += 1
        self._waiting[self._number] = _Waiting(reader, request.number)
        writer.send(msgspec.structs.replace(request, number=self._number))

    def reply(self, reply: StateReply, readers: list[Worker]) -> None:
        """Take the reply of the writer; the readers are notified of a load first."""
        waiting = self._waiting[reply.number]
        waiting.reply = reply
        if reply.loaded_ms is not None:
            waiting.forgetting = readers
            for reader in readers:
                reader.send(Forget(reply.number, reply.loaded_ms))
        self._send_if_done(reply.number)

    def forgotten(self, reader: Worker, message: Forgotten) -> None:
        """A reader has dropped what it knew."""
        waiting = self._waiting.get(message.number)
        if waiting is not None and reader in waiting.forgetting:
            waiting.forgetting.remove(reader)
            self._send_if_done(message.number)

    def ended(self, worker: Worker, *, is_writer: bool) -> None:
        """A process has ended: nobody waits for it any more."""
        for number, waiting in list(self._waiting.items()):
            if worker in waiting.forgetting:
                waiting.forgetting.remove(worker)
            if is_writer and waiting.reply is None:
                waiting.reply = _gone(number)
            self._send_if_done(number)

    def _send_if_done(self, number: int) -> None:
        waiting = self._waiting[number]
        if waiting.reply is not None and not waiting.forgetting:
            del self._waiting[number]
            waiting.reader.send(msgspec.structs.replace(waiting.reply, number=waiting.number))


def _gone(number: int) -> StateReply:
    return StateReply(number, failure=messages.snapshot_writer_gone(), is_storage_failure=True)
