"""The end of the control stream in a reader or the writer: begin, reports, clock, stop."""

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
from hashrange.setting_sources import load
from hashrange.settings import Settings
from hashrange.storage.engine import StorageError
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.workers.control import (
    Begin,
    Control,
    Message,
    MoveFailure,
    MoveReply,
    MoveRequest,
    Ready,
    Refused,
    Renew,
    ReportReply,
    ReportRequest,
    Stop,
    TotalsReply,
    TotalsRequest,
)

_ORPHANED: Final = 1
"""Exit code of a process whose supervisor has ended."""


class ControlClient:
    """The end of the control stream in one process; `on` makes it.

    Attributes:
        begun: done with the settings.
        files: device and inode of the data files, by path; set before `begun` is done.
        cipher: of an encrypted data file; set before `begun` is done.
        stopped: set when the process is to end.
        report: returns the counts of this process, with hot keys or without; set once it serves.
        renew: reads the files of TLS again; set in readers.
        mover: moves the clock of all processes; set in the writer.
    """

    _control: Control

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[Settings] = loop.create_future()
        self.files: Mapping[str, tuple[int, int]] = {}
        self.cipher: PageCipher | None = None
        self.stopped = asyncio.Event()
        self.report: Callable[[bool], Report] | None = None
        self.renew: Callable[[], None] = _nothing
        self.mover: Mover | None = None
        self._number = 0
        self._totals: dict[int, asyncio.Future[Report]] = {}
        self._moving: dict[int, asyncio.Future[MoveFailure | None]] = {}
        self._moves: set[asyncio.Task[None]] = set()

    @classmethod
    async def on(cls, descriptor: int) -> "ControlClient":
        """Connect to the supervisor, on the descriptor of a socket."""
        client = cls()
        connected = socket.socket(fileno=descriptor)
        client._control = await Control.on(connected, client._take, _orphaned)
        return client

    def _take(self, message: Message) -> None:
        match message:
            case Begin(settings=texts, files=files, cipher=cipher):
                self.files, self.cipher = files, cipher
                self.begun.set_result(load(texts, {}))
            case Stop():
                self.stopped.set()
            case Renew():
                self.renew()
            case ReportRequest(number=number, with_keys=with_keys):
                if self.report is not None:
                    self._control.send(ReportReply(number, self.report(with_keys)))
            case TotalsReply(number=number, report=report):
                self._totals.pop(number).set_result(report)
            case MoveRequest():
                task = asyncio.get_running_loop().create_task(self._perform_move(message))
                self._moves.add(task)
                task.add_done_callback(self._moves.discard)
            case MoveReply(number=number, failure=failure):
                self._moving.pop(number).set_result(failure)
            case Ready() | Refused() | ReportReply() | TotalsRequest():
                raise AssertionError("a supervisor does not send this")
            case _:
                assert_never(message)

    def ready(self) -> None:
        """Tell the supervisor that this process serves."""
        self._control.send(Ready())

    def refuse(self, reason: str) -> None:
        """Tell the supervisor why this process cannot begin."""
        self._control.send(Refused(reason))

    async def gather(self, report: Report) -> Report:
        """The sum of the counts of all processes; `report` has those of this process."""
        self._number += 1
        waiting = self._totals[self._number] = asyncio.get_running_loop().create_future()
        self._control.send(TotalsRequest(self._number, report))
        totals: Report = await waiting
        return totals

    async def move(self, by_ms: int | None, settles: bool) -> None:  # noqa: FBT001 - see `TimeShift`
        """Have the writer move the clock of all processes, as `TimeShift.move` does.

        Raises:
            OffsetError: too far; the clock has not moved.
            StorageError: the clock has moved, the work that was due has failed.
            MoveError: the writer has ended; whether the clock has moved is not known.
        """
        self._number += 1
        waiting = self._moving[self._number] = asyncio.get_running_loop().create_future()
        self._control.send(MoveRequest(self._number, by_ms, settles))
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

    async def _perform_move(self, request: MoveRequest) -> None:
        """Move the clock at the request of a reader, in the writer."""
        assert self.mover is not None, "the writer serves, with --testing"
        failure = None
        try:
            await self.mover(request.by_ms, request.settles)
        except OffsetError:
            failure = MoveFailure.TOO_FAR
        except StorageError:
            failure = MoveFailure.STORAGE
        self._control.send(MoveReply(request.number, failure))


def _nothing() -> None:
    pass


def _orphaned() -> NoReturn:
    # At once, as if killed with the supervisor: another server may need the directory, and all
    # acknowledged writes are on disk.
    os._exit(_ORPHANED)
