"""Requests of readers to move the clock, on their way to the writer and back."""

import msgspec

from hashrange.workers.control import Move, Moved, MoveFailure
from hashrange.workers.worker import Worker


class Moves:
    """Hands them on, and answers those whose writer has gone."""

    def __init__(self) -> None:
        self._number = 0
        self._waiting: dict[int, tuple[Worker, int]] = {}

    def asked(self, reader: Worker, asked: Move, writer: Worker | None) -> None:
        """A reader wants the clock moved."""
        if writer is None or not writer.serves:
            reader.send(Moved(asked.number, MoveFailure.WRITER_GONE))
            return
        self._number += 1
        self._waiting[self._number] = (reader, asked.number)
        writer.send(msgspec.structs.replace(asked, number=self._number))

    def done(self, moved: Moved) -> None:
        """The writer has done it, or could not."""
        reader, number = self._waiting.pop(moved.number)
        reader.send(msgspec.structs.replace(moved, number=number))

    def writer_ended(self) -> None:
        """Nobody will answer what waits."""
        waiting, self._waiting = self._waiting, {}
        for reader, number in waiting.values():
            reader.send(Moved(number, MoveFailure.WRITER_GONE))
