"""The messages between the supervisor and its processes, and the stream that carries them.

Each process has two sockets to the supervisor: the control stream, whose end means that the other
process has ended, and the channel over which `descriptors` sends sockets.
"""

import asyncio
import socket
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias, cast

import msgspec

from hashrange.observe.report import Report
from hashrange.storage.saved_states import SavedState, StateAction
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.workers.messages import FrameDecoder, framed


class Role(StrEnum):
    """The task of a process."""

    READER = "reader"
    """Answers requests."""
    WRITER = "writer"
    """Writes for all readers, and runs the background tasks."""


class Begin(msgspec.Struct, frozen=True, tag=True):
    """To a process: the first message.

    `settings` are texts by name, without keys, `files` the device and inode of the data files by
    path, `cipher` that of an encrypted data file. One reader runs the clusters of DAX.
    """

    settings: dict[str, str]
    origins: dict[str, str]
    files: dict[str, tuple[int, int]]
    cipher: PageCipher | None
    runs_clusters: bool = False


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From a process: it serves."""


class Refused(msgspec.Struct, frozen=True, tag=True):
    """From a process: it cannot begin; the reason is for operators."""

    reason: str


class Stop(msgspec.Struct, frozen=True, tag=True):
    """To a process: answer the open requests, then end."""


class Renew(msgspec.Struct, frozen=True, tag=True):
    """To a reader: read the files of TLS again."""


class Heartbeat(msgspec.Struct, frozen=True, tag=True):
    """To a reader: asks whether it responds."""


class HeartbeatReply(msgspec.Struct, frozen=True, tag=True):
    """From a reader: it responds."""


class ReportRequest(msgspec.Struct, frozen=True, tag=True):
    """To a process: asks for its counts, with hot keys or without."""

    number: int
    with_keys: bool


class ReportReply(msgspec.Struct, frozen=True, tag=True):
    """From a process: its counts, for the request of the same number."""

    number: int
    report: Report


class TotalsRequest(msgspec.Struct, frozen=True, tag=True):
    """From a process: its counts; asks for the sum of all processes."""

    number: int
    report: Report


class TotalsReply(msgspec.Struct, frozen=True, tag=True):
    """To a process: the sum of the counts of all processes."""

    number: int
    report: Report


class MoveRequest(msgspec.Struct, frozen=True, tag=True):
    """From a reader to the writer: asks to move the clock, as `TimeShift.move` does."""

    number: int
    by_ms: int | None
    settles: bool


class MoveFailure(StrEnum):
    """Why the clock was not moved, or the work that was due then not done."""

    TOO_FAR = "too far"
    STORAGE = "storage"
    WRITER_GONE = "writer gone"


class MoveReply(msgspec.Struct, frozen=True, tag=True):
    """From the writer to the reader: the clock was moved, or not."""

    number: int
    failure: MoveFailure | None = None


class StateRequest(msgspec.Struct, frozen=True, tag=True):
    """From a reader to the writer: `StateKeeper.perform`."""

    number: int
    action: StateAction
    name: str


class StateReply(msgspec.Struct, frozen=True, tag=True):
    """From the writer to the reader: the states, or why it has failed.

    `loaded_ms` is the time at which the data were put back, which all readers know before the
    one that has asked; None if they were not.
    """

    number: int
    states: list[SavedState] = []
    failure: str | None = None
    is_storage_failure: bool = False
    loaded_ms: int | None = None


class Forget(msgspec.Struct, frozen=True, tag=True):
    """To a reader: the data were put back to another state at a time."""

    number: int
    loaded_ms: int


class Forgotten(msgspec.Struct, frozen=True, tag=True):
    """From a reader: it knows nothing of the data before."""

    number: int


Message: TypeAlias = (
    Begin
    | Ready
    | Refused
    | Stop
    | Renew
    | Heartbeat
    | HeartbeatReply
    | ReportRequest
    | ReportReply
    | TotalsRequest
    | TotalsReply
    | MoveRequest
    | MoveReply
    | StateRequest
    | StateReply
    | Forget
    | Forgotten
)


class Control(asyncio.Protocol):
    """One end of the control stream.

    Args:
        receive: called with each message.
        ended: called once, when the other process has closed its end.
    """

    _transport: asyncio.WriteTransport

    def __init__(self, receive: Callable[[Message], None], ended: Callable[[], None]) -> None:
        self._receive = receive
        self._ended = ended
        self._frames = FrameDecoder(list[Message])

    @classmethod
    async def on(
        cls, end: socket.socket, receive: Callable[[Message], None], ended: Callable[[], None]
    ) -> "Control":
        """Run the stream on one of two connected sockets, which it closes."""
        loop = asyncio.get_running_loop()
        _, control = await loop.create_connection(lambda: cls(receive, ended), sock=end)
        return control

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport, for `send` and `close`."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Pass each complete message to `receive`."""
        for message in self._frames.feed(data):
            self._receive(message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        """Call `ended`."""
        self._ended()

    def send(self, message: Message) -> None:
        """Send a message; no effect if the other process has ended."""
        if not self._transport.is_closing():
            self._transport.write(framed([message]))

    def close(self) -> None:
        """Close the stream; the other process notices."""
        self._transport.close()
