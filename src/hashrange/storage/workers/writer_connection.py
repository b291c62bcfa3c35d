"""A worker's side of the connection to the writer, which may be replaced by another process."""

import asyncio
import socket
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from hashrange.storage.engine import Changes, Fences, StorageUnavailableError
from hashrange.storage.workers.messages import (
    Delegation,
    FrameDecoder,
    Probe,
    Proposal,
    Reply,
    ReplyStatus,
    Request,
    digest,
    framed,
    values_and_digests,
)

FENCES_KEPT_MAX: Final = 20_000
ABSENCE_SECONDS_MAX: Final = 5.0
"""How long a write waits for a new writer; replacing a writer takes half a second."""


class WriterConnection:
    """Sends proposals and receives the replies.

    If the writer goes away, the outcome of proposals that were sent is unknown, and they fail.
    Proposals that were not sent wait for the next writer.

    Args:
        absence_seconds_max: how long they wait.
    """

    def __init__(self, *, absence_seconds_max: float = ABSENCE_SECONDS_MAX) -> None:
        self._absence_seconds_max = absence_seconds_max
        self._loop: asyncio.AbstractEventLoop | None = None
        """The one event loop that it is used in."""
        self._protocol: _WriterProtocol | None = None
        self._digests: dict[bytes, bytes] = {}
        """Digests of the values of fences, by value."""
        self._waiters: dict[int, asyncio.Future[Reply]] = {}
        self._unsent: list[Request] = []
        self._number = 0
        self._flushes = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        """The number of proposals that were sent and have no reply yet."""
        return len(self._waiters) - len(self._unsent)

    async def attach(self, connected: socket.socket) -> None:
        """Replace the connection by a socket that is connected to a writer."""
        loop = asyncio.get_running_loop()
        _, protocol = await loop.create_connection(lambda: _WriterProtocol(self), sock=connected)
        if self._protocol is not None:
            self._protocol.transport.abort()
            self.disconnected(self._protocol)
        self._protocol = protocol
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flush()

    def resolve(self, replies: Iterable[Reply]) -> None:
        """Resolve the waiters of proposals with their replies."""
        for reply in replies:
            waiter = self._waiters.pop(reply.number, None)
            if waiter is not None and not waiter.done():
                waiter.set_result(reply)

    def propose(
        self,
        keys: Sequence[bytes],
        values: Sequence[bytes | None],
        fences: Fences,
        changes: Changes[Any],
    ) -> asyncio.Future[Reply]:
        """Send a proposal in the next frame; returns the future of its reply.

        Raises StorageUnavailableError: the connection was closed by `close`.
        """
        short_values, digests = values_and_digests(values)
        fence_digests = self._digested(fences)
        self._number = number = self._number + 1
        return self._send(
            Proposal(
                number,
                keys,
                short_values,
                digests,
                fence_digests,
                changes.puts,
                changes.deletes,
                changes.adds,
                changes.appends,
            )
        )

    def delegate(
        self, keys: Sequence[bytes], arguments: Sequence[bytes], fences: Fences
    ) -> asyncio.Future[Reply]:
        """Send a decision that the writer is to make, as `propose` sends a proposal."""
        self._number = number = self._number + 1
        return self._send(Delegation(number, keys, arguments, self._digested(fences)))

    def probe(self) -> asyncio.Future[Reply]:
        """Ask whether the writer can write, as `propose` sends a proposal."""
        self._number = number = self._number + 1
        return self._send(Probe(number))

    def _send(self, request: Request) -> asyncio.Future[Reply]:
        if self._is_closed:
            raise StorageUnavailableError("the storage is closed")
        self._unsent.append(request)
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()  # a system call
        waiter = self._waiters[request.number] = loop.create_future()
        if self._protocol is None:
            if self._timer is None:
                self._timer = loop.call_later(self._absence_seconds_max, self._fail_unsent)
        elif not self._flushes:
            self._flushes = True
            loop.call_soon(self._flush)
        return waiter

    def _digested(self, fences: Fences) -> Mapping[bytes, bytes]:
        cached = self._digests
        digests = {}
        for key, value in fences.items():
            fence_digest = cached.get(value)
            if fence_digest is None:
                if len(cached) >= FENCES_KEPT_MAX:
                    cached.clear()
                fence_digest = cached[value] = digest(value)
            digests[key] = fence_digest
        return digests

    def _flush(self) -> None:
        self._flushes = False
        if self._unsent and self._protocol is not None:
            unsent, self._unsent = self._unsent, []
            self._protocol.transport.write(framed(unsent))

    def disconnected(self, protocol: "_WriterProtocol") -> None:
        """Fail the proposals that were sent on a connection that is lost."""
        if protocol is not self._protocol:
            return
        self._protocol = None
        unsent = {proposal.number for proposal in self._unsent}
        self._fail(
            [number for number in self._waiters if number not in unsent],
            ReplyStatus.FAILED,
            "the writer went away: whether the write happened is not known",
        )
        if self._unsent and self._timer is None and not self._is_closed:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._absence_seconds_max, self._fail_unsent)

    def _fail_unsent(self) -> None:
        self._timer = None
        unsent, self._unsent = self._unsent, []
        numbers = [proposal.number for proposal in unsent]
        self._fail(numbers, ReplyStatus.UNAVAILABLE, "there is no writer")

    def _fail(self, numbers: Sequence[int], status: ReplyStatus, reason: str) -> None:
        for number in numbers:
            waiter = self._waiters.pop(number)
            if not waiter.done():
                waiter.set_result(Reply(number, status, reason=reason))

    def close(self) -> None:
        """Close the connection and fail all proposals."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._fail_unsent()
        if self._protocol is not None:
            self._protocol.transport.abort()
            self.disconnected(self._protocol)


class _WriterProtocol(asyncio.Protocol):
    """The protocol of one connection to a writer."""

    transport: asyncio.WriteTransport

    def __init__(self, connection: WriterConnection) -> None:
        self._connection = connection
        self._frames = FrameDecoder(list[Reply])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        self._connection.resolve(self._frames.feed(data))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        self._connection.disconnected(self)
