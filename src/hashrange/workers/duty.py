"""What a process has with its supervisor: it is told to begin, to tell what it counted, to stop."""

import asyncio
import os
import socket
from collections.abc import Callable
from typing import Final, NoReturn, assert_never

from hashrange.observe.report import Report
from hashrange.settings import Settings, load
from hashrange.workers.control import (
    Begin,
    Control,
    Gather,
    Gathered,
    Message,
    Ready,
    Refused,
    Stop,
    Tell,
    Told,
)

_ORPHANED: Final = 1
"""Exit code of a process whose supervisor is gone."""


class Duty:
    """One process's end of the control stream; made by `on`.

    Attributes:
        begun: done with the settings.
        stopped: set when the process is to end.
        report: what it has counted, with keys or without; set once there is anything.
    """

    _control: Control

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[Settings] = loop.create_future()
        self.stopped = asyncio.Event()
        self.report: Callable[[bool], Report] | None = None
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Report]] = {}

    @classmethod
    async def on(cls, descriptor: int) -> "Duty":
        """On the socket to the supervisor."""
        duty = cls()
        duty._control = await Control.on(socket.socket(fileno=descriptor), duty._take, _orphaned)
        return duty

    def _take(self, message: Message) -> None:
        match message:
            case Begin(settings=texts):
                self.begun.set_result(load(texts, {}))
            case Stop():
                self.stopped.set()
            case Tell(number=number, with_keys=with_keys):
                if self.report is not None:
                    self._control.send(Told(number, self.report(with_keys)))
            case Gathered(number=number, report=report):
                self._waiting.pop(number).set_result(report)
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


def _orphaned() -> NoReturn:
    # As if it was killed with its supervisor: others may want the directory, and all is on disk.
    os._exit(_ORPHANED)
