"""What the supervisor and its processes say to each other, and the stream that it goes over.

Each process has two sockets to the supervisor: this one, whose end tells either that the other is
gone, and one over which `descriptors` are handed.
"""

import asyncio
import socket
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias, cast

import msgspec

from hashrange.observe.report import Report
from hashrange.storage.workers.frames import Frames, framed


class Role(StrEnum):
    """What a process is for."""

    READER = "reader"
    """Answers requests."""
    WRITER = "writer"
    """Writes for all, and does the work in the background."""


class Begin(msgspec.Struct, frozen=True, tag=True):
    """To a process: the first message.

    `settings` are their texts, `files` the identities of the files of the data directory, by path.
    """

    settings: dict[str, str]
    files: dict[str, tuple[int, int]]


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From a process: it does what it is for."""


class Refused(msgspec.Struct, frozen=True, tag=True):
    """From a process: it cannot begin; why, for people."""

    reason: str


class Stop(msgspec.Struct, frozen=True, tag=True):
    """To a process: end what has begun, and then yourself."""


class Tell(msgspec.Struct, frozen=True, tag=True):
    """To a process: tell what you have counted."""

    number: int
    with_keys: bool


class Told(msgspec.Struct, frozen=True, tag=True):
    """From a process: what it has counted."""

    number: int
    report: Report


class Gather(msgspec.Struct, frozen=True, tag=True):
    """From a process: what have all counted? With what it has."""

    number: int
    report: Report


class Gathered(msgspec.Struct, frozen=True, tag=True):
    """To a process: what all have counted."""

    number: int
    report: Report


class Move(msgspec.Struct, frozen=True, tag=True):
    """From a reader, and on to the writer: move the clock; the members are `TimeShift.move`'s."""

    number: int
    by_ms: int | None
    settles: bool


class MoveFailure(StrEnum):
    """Why the clock was not moved, or what came after it was not done."""

    TOO_FAR = "too far"
    STORAGE = "storage"
    WRITER_GONE = "writer gone"


class Moved(msgspec.Struct, frozen=True, tag=True):
    """From the writer, and on to the reader: it was done, or not."""

    number: int
    failure: MoveFailure | None = None


Message: TypeAlias = Begin | Ready | Refused | Stop | Tell | Told | Gather | Gathered | Move | Moved


class Control(asyncio.Protocol):
    """One end of the stream.

    Args:
        receive: called with each message.
        ended: called once, when the other end is gone.
    """

    _transport: asyncio.WriteTransport

    def __init__(self, receive: Callable[[Message], None], ended: Callable[[], None]) -> None:
        self._receive = receive
        self._ended = ended
        self._frames = Frames(list[Message])

    @classmethod
    async def on(
        cls, end: socket.socket, receive: Callable[[Message], None], ended: Callable[[], None]
    ) -> "Control":
        """On one of two connected sockets, which is the stream's from now on."""
        loop = asyncio.get_running_loop()
        _, control = await loop.create_connection(lambda: cls(receive, ended), sock=end)
        return control

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        for message in self._frames.feed(data):
            self._receive(message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        """See `asyncio.Protocol`."""
        self._ended()

    def send(self, message: Message) -> None:
        """Send a message, if the other end is still there."""
        if not self._transport.is_closing():
            self._transport.write(framed([message]))

    def close(self) -> None:
        """End the stream; the other end is told."""
        self._transport.close()
