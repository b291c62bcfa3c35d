"""The end of the control stream in a reader or the writer: begin, reports, clock, stop."""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final, NoReturn, assert_never

import msgspec

from hashrange.assembly.workers.control import (
    Begin,
    Control,
    Forget,
    Forgotten,
    Heartbeat,
    HeartbeatReply,
    Message,
    MoveFailure,
    MoveReply,
    MoveRequest,
    Ready,
    Refused,
    Renew,
    ReportReply,
    ReportRequest,
    StateReply,
    StateRequest,
    Stop,
    TotalsReply,
    TotalsRequest,
)
from hashrange.clock import OffsetError
from hashrange.messages import server as messages
from hashrange.observe.report import Report
from hashrange.server.testing_clock import Move as Mover
from hashrange.server.testing_clock import MoveError, Perform
from hashrange.settings.settings import Settings
from hashrange.settings.sources import load
from hashrange.storage.engine import StorageError
from hashrange.storage.saved_states import SavedState, StateAction, StateError
from hashrange.storage.sqlite.page_cipher import PageCipher

_log: Final = logging.getLogger(__name__)

_ORPHANED: Final = 1
"""Exit code of a process whose supervisor has ended."""


class ControlClient:
    """The end of the control stream in one process; `on` makes it.

    Attributes:
        begun: done with the settings.
        files: device and inode of the data files, by path; set before `begun` is done.
        cipher: of an encrypted data file; set before `begun` is done.
        runs_clusters: this reader runs the clusters of DAX; set before `begun` is done.
        stopped: set when the process is to end.
        report: returns the counts of this process, with hot keys or without; set once it serves.
        renew: reads the files of TLS again; set in readers.
        mover: moves the clock of all processes; set in the writer.
        keeper: saves and loads states; set in the writer, where `loaded_ms` is the time of the
            last load.
        forget: drops what the process knows of the data before a load; set in readers.
    """

    _control: Control

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[Settings] = loop.create_future()
        self.files: Mapping[str, tuple[int, int]] = {}
        self.cipher: PageCipher | None = None
        self.runs_clusters = False
        self.stopped = asyncio.Event()
        self.report: Callable[[bool], Report] | None = None
        self.renew: Callable[[], None] = _nothing
        self.mover: Mover | None = None
        self.keeper: Perform | None = None
        self.loaded_ms: Callable[[], int] = int
        self.forget: Callable[[int], Awaitable[None]] | None = None
        self._number = 0
        self._totals: dict[int, asyncio.Future[Report]] = {}
        self._moving: dict[int, asyncio.Future[MoveFailure | None]] = {}
        self._moves: set[asyncio.Task[None]] = set()
        self._states: dict[int, asyncio.Future[StateReply]] = {}

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
                self.runs_clusters = message.runs_clusters
                settings = msgspec.structs.replace(load(texts, {}), origins=message.origins)
                self.begun.set_result(settings)
            case Stop():
                self.stopped.set()
            case Renew():
                self.renew()
            case Heartbeat() | ReportRequest():
                self._reply(message)
            case TotalsReply(number=number, report=report):
                self._totals.pop(number).set_result(report)
            case MoveRequest():
                self._begin(self._perform_move(message))
            case MoveReply(number=number, failure=failure):
                self._moving.pop(number).set_result(failure)
            case StateRequest() | StateReply() | Forget():
                self._take_of_states(message)
            case (
                Ready()
                | Refused()
                | HeartbeatReply()
                | ReportReply()
                | TotalsRequest()
                | Forgotten()
            ):
                raise AssertionError("a supervisor does not send this")
            case _:
                assert_never(message)

    def _reply(self, message: Heartbeat | ReportRequest) -> None:
        match message:
            case Heartbeat():
                self._control.send(HeartbeatReply())
            case ReportRequest(number=number, with_keys=with_keys):
                if self.report is not None:
                    self._control.send(ReportReply(number, self.report(with_keys)))

    def _take_of_states(self, message: StateRequest | StateReply | Forget) -> None:
        match message:
            case StateRequest():
                self._begin(self._perform_on_states(message))
            case StateReply(number=number):
                self._states.pop(number).set_result(message)
            case Forget():
                self._begin(self._perform_forget(message))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._moves.add(task)
        task.add_done_callback(self._moves.discard)

    def ready(self) -> None:
        """Report to the supervisor that this process serves."""
        self._control.send(Ready())

    def refuse(self, reason: str) -> None:
        """Report to the supervisor why this process cannot begin."""
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

    async def on_states(self, action: StateAction, name: str) -> list[SavedState]:
        """Have the writer perform an action: `StateKeeper.perform`, which raises as this does."""
        self._number += 1
        waiting = self._states[self._number] = asyncio.get_running_loop().create_future()
        self._control.send(StateRequest(self._number, action, name))
        reply: StateReply = await waiting
        if reply.failure is not None:
            raise (StorageError if reply.is_storage_failure else StateError)(reply.failure)
        return reply.states

    async def _perform_on_states(self, request: StateRequest) -> None:
        """Save or load a state at the request of a reader, in the writer."""
        assert self.keeper is not None, "the writer serves, with --testing"
        try:
            states = await self.keeper(request.action, request.name)
        except (StateError, StorageError) as error:
            is_storage = isinstance(error, StorageError)
            reply = StateReply(request.number, failure=str(error), is_storage_failure=is_storage)
        else:
            loaded_ms = self.loaded_ms() if request.action is StateAction.LOAD else None
            reply = StateReply(request.number, states, loaded_ms=loaded_ms)
        self._control.send(reply)

    async def _perform_forget(self, message: Forget) -> None:
        """Drop what this reader knows of the data before a load."""
        try:
            if self.forget is not None:
                await self.forget(message.loaded_ms)
        except StorageError:
            _log.warning("what was known before a load could not all be dropped", exc_info=True)
        self._control.send(Forgotten(message.number))


def _nothing() -> None:
    pass


def _orphaned() -> NoReturn:
    # At once, as if killed with the supervisor: another server may need the directory, and all
    # acknowledged writes are on disk.
    os._exit(_ORPHANED)
