"""What a process has with its supervisor: it is told to begin, to tell what it counted, to stop."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from typing import Final, NoReturn, assert_never

from hashrange.clock import OffsetError
from hashrange.messages.requests import testing_clock as messages
from hashrange.observe.report import Report
from hashrange.server.testing_clock import Move as Mover
from hashrange.server.testing_clock import MoveError
from hashrange.settings import Settings, load
from hashrange.storage.engine import StorageError
from hashrange.workers.control import (
    Begin,
    Control,
    Gather,
    Gathered,
    Message,
    Move,
    Moved,
    MoveFailure,
    Ready,
    Refused,
    Stop,
    Tell,
    Told,
)

_ORPHANED: Final = 1
"""Exit code of a process whose supervisor is gone."""


class ControlClient:
    """One process's end of the control stream; made by `on`.

    Attributes:
        begun: done with the settings.
        files: of the data directory, from `engines.locked`; set before `begun` is done.
        stopped: set when the process is to end.
        report: what it has counted, with keys or without; set once there is anything.
        mover: moves the clock for all processes; set in the writer.
    """

    _control: Control

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[Settings] = loop.create_future()
        self.files: Mapping[str, tuple[int, int]] = {}
        self.stopped = asyncio.Event()
        self.report: Callable[[bool], Report] | None = None
        self.mover: Mover | None = None
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Report]] = {}
        self._moving: dict[int, asyncio.Future[MoveFailure | None]] = {}
        self._moves: set[asyncio.Task[None]] = set()

    @classmethod
    async def on(cls, descriptor: int) -> "ControlClient":
        """On the socket to the supervisor."""
        duty = cls()
        duty._control = await Control.on(socket.socket(fileno=descriptor), duty._take, _orphaned)
        return duty

    def _take(self, message: Message) -> None:
        match message:
            case Begin(settings=texts, files=files):
                self.files = files
                self.begun.set_result(load(texts, {}))
            case Stop():
                self.stopped.set()
            case Tell(number=number, with_keys=with_keys):
                if self.report is not None:
                    self._control.send(Told(number, self.report(with_keys)))
            case Gathered(number=number, report=report):
                self._waiting.pop(number).set_result(report)
            case Move():
                task = asyncio.get_running_loop().create_task(self._moved(message))
                self._moves.add(task)
                task.add_done_callback(self._moves.discard)
            case Moved(number=number, failure=failure):
                self._moving.pop(number).set_result(failure)
            case Ready() | Refused() | Told() | Gather():
                raise AssertionError("nothing that a supervisor says")
            case _:
                assert_never(message)

    def ready(self) -> None:
        """Say that it does what it is for."""
        self._control.send(Ready())

    def refuse(self, reason: str) -> None:
        """Say that it cannot begin."""
        self._control.send(Refused(reason))

    async def gather(self, report: Report) -> Report:
        """What all processes have counted, with what this one has."""
        self._number += 1
        waiting = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        self._control.send(Gather(self._number, report))
        gathered: Report = await waiting
        return gathered

    async def move(self, by_ms: int | None, settles: bool) -> None:  # noqa: FBT001 - see `TimeShift`
        """Have the writer move the clock of all processes. Raises MoveError."""
        self._number += 1
        waiting = self._moving[self._number] = asyncio.get_running_loop().create_future()
        self._control.send(Move(self._number, by_ms, settles))
        failure: MoveFailure | None = await waiting
        match failure:
            case MoveFailure.TOO_FAR:
                raise OffsetError
            case MoveFailure.STORAGE:
                raise StorageError("the writer has logged why")
            case MoveFailure.WRITER_GONE:
                raise MoveError(messages.writer_gone())
            case None:
                return

    async def _moved(self, asked: Move) -> None:
        """Do what a reader has asked for, in the writer."""
        assert self.mover is not None, "the writer serves, and it is under test"
        failure = None
        try:
            await self.mover(asked.by_ms, asked.settles)
        except OffsetError:
            failure = MoveFailure.TOO_FAR
        except StorageError:
            failure = MoveFailure.STORAGE
        self._control.send(Moved(asked.number, failure))


def _orphaned() -> NoReturn:
    # As if it was killed with its supervisor: others may want the directory, and all is on disk.
    os._exit(_ORPHANED)
