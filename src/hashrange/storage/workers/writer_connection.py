"""A reader's end of the connection to the writer, which may go away and come back."""

import asyncio
import socket
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from hashrange.storage.engine import Changes, StorageUnavailableError
from hashrange.storage.workers.frames import Frames, framed
from hashrange.storage.workers.messages import Outcome, Proposal, Verdict, seen

ABSENCE_SECONDS_MAX: Final = 5.0
"""How long a write waits for a writer that is being replaced; it takes half a second."""


class WriterConnection:
    """Sends proposals, and tells what became of them.

    What was sent to a writer that goes away may have happened or not: it fails. What was not sent
    waits for the next writer.

    Args:
        absence_seconds_max: how long it waits for one.
    """

    def __init__(self, *, absence_seconds_max: float = ABSENCE_SECONDS_MAX) -> None:
        self._absence_seconds_max = absence_seconds_max
        self._end: _End | None = None
        self._waiters: dict[int, asyncio.Future[Verdict]] = {}
        self._unsent: list[Proposal] = []
        self._number = 0
        self._flushes = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def in_flight(self) -> int:
        """Proposals that were sent, and of which nothing is known yet."""
        return len(self._waiters) - len(self._unsent)

    async def attach(self, connected: socket.socket) -> None:
        """Use a socket that is connected to a writer, instead of the one before."""
        loop = asyncio.get_running_loop()
        _, end = await loop.create_connection(lambda: _End(self), sock=connected)
        if self._end is not None:
            self._end.transport.abort()
            self.lost(self._end)
        self._end = end
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._flush()

    def told(self, verdicts: Iterable[Verdict]) -> None:
        """Hand verdicts to those who wait for them."""
        for verdict in verdicts:
            waiter = self._waiters.pop(verdict.number, None)
            if waiter is not None and not waiter.done():
                waiter.set_result(verdict)

    def propose(
        self,
        keys: Sequence[bytes],
        values: Sequence[bytes | None],
        fences: Mapping[bytes, bytes],
        changes: Changes[Any],
    ) -> asyncio.Future[Verdict]:
        """What the writer will say to a decision. Raises StorageUnavailableError: closed."""
        if self._is_closed:
            raise StorageUnavailableError("the storage is closed")
        short, digests = seen(values)
        self._number = number = self._number + 1
        self._unsent.append(
            Proposal(
                number,
                keys,
                short,
                digests,
                fences,
                changes.puts,
                changes.deletes,
                changes.adds,
                changes.appends,
            )
        )
        loop = asyncio.get_running_loop()
        waiter = self._waiters[number] = loop.create_future()
        if self._end is None:
            if self._timer is None:
                self._timer = loop.call_later(self._absence_seconds_max, self._give_up)
        elif not self._flushes:
            self._flushes = True
            loop.call_soon(self._flush)
        return waiter

    def _flush(self) -> None:
        self._flushes = False
        if self._unsent and self._end is not None:
            unsent, self._unsent = self._unsent, []
            self._end.transport.write(framed(unsent))

    def lost(self, end: "_End") -> None:
        """Let those fail who wait for a writer that is gone."""
        if end is not self._end:
            return
        self._end = None
        unsent = {proposal.number for proposal in self._unsent}
        self._tell(
            [number for number in self._waiters if number not in unsent],
            Outcome.FAILED,
            "the writer went away: whether the write happened is not known",
        )
        if self._unsent and self._timer is None and not self._is_closed:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._absence_seconds_max, self._give_up)

    def _give_up(self) -> None:
        self._timer = None
        unsent, self._unsent = self._unsent, []
        numbers = [proposal.number for proposal in unsent]
        self._tell(numbers, Outcome.UNAVAILABLE, "there is no writer")

    def _tell(self, numbers: Sequence[int], outcome: Outcome, reason: str) -> None:
        for number in numbers:
            waiter = self._waiters.pop(number)
            if not waiter.done():
                waiter.set_result(Verdict(number, outcome, reason=reason))

    def close(self) -> None:
        """Let all that wait fail."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._give_up()
        if self._end is not None:
            self._end.transport.abort()
            self.lost(self._end)


class _End(asyncio.Protocol):
    """One connection to one writer."""

    transport: asyncio.WriteTransport

    def __init__(self, link: WriterConnection) -> None:
        self._link = link
        self._frames = Frames(list[Verdict])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        self._link.told(self._frames.feed(data))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        self._link.lost(self)
