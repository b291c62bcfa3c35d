"""The writer's end: what readers have decided is compared and applied in its group commits."""

import asyncio
import logging
import socket
from collections.abc import Coroutine, Mapping
from functools import partial
from typing import Any, Final, cast

from hashrange.storage.engine import (
    Changes,
    Engine,
    Fences,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.storage.workers.frames import Frames, framed
from hashrange.storage.workers.messages import (
    Outcome,
    Proposal,
    Verdict,
    digest,
    holds,
)

FENCES_KEPT_MAX: Final = 20_000
"""Values kept by their digest: two for each of the most tables that there may be."""

_log: Final = logging.getLogger(__name__)


class _LostError(Exception):
    """A decision rests on other values."""


class ProposalApplier:
    """Carries proposals out, or says why not.

    Args:
        engine: that writes; whose coroutines may be driven by hand.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.proposals = 0
        """How many came."""
        self._fences: dict[bytes, bytes] = {}

    async def verdict(self, proposal: Proposal) -> Verdict:
        """What became of a proposal; never raises."""
        self.proposals += 1
        number = proposal.number

        def decide(values: list[bytes | None]) -> Changes[None]:
            if not holds(proposal, values):
                raise _LostError
            return Changes(
                answer=None,
                puts=proposal.puts,
                deletes=proposal.deletes,
                adds=proposal.adds,
                appends=proposal.appends,
            )

        try:
            fences = self._known(proposal.fences)
            if fences is None:
                fences = await self._learnt(proposal.fences)
            await self._engine.write(proposal.keys, decide, fences=fences)
        except Exception as error:  # noqa: BLE001 - the reader must not wait for ever
            return _refusal(number, error)
        return Verdict(number)

    def _known(self, digests: Mapping[bytes, bytes]) -> Fences | None:
        """The values behind the digests, or None if one was not seen yet."""
        known = self._fences
        fences = {}
        for key, wanted in digests.items():
            value = known.get(wanted)
            if value is None:
                return None
            fences[key] = value
        return fences

    async def _learnt(self, digests: Mapping[bytes, bytes]) -> Fences:
        """The same, read from the engine. Raises StaleFenceError."""
        keys = [*digests]
        values = await self._engine.read(keys)
        if len(self._fences) + len(keys) > FENCES_KEPT_MAX:
            self._fences.clear()
        fences = {}
        for key, value in zip(keys, values, strict=True):
            if value is None or digest(value) != digests[key]:
                raise StaleFenceError(key)
            fences[key] = self._fences[digests[key]] = value
        return fences


def _refusal(number: int, error: Exception) -> Verdict:
    match error:
        case _LostError():
            return Verdict(number, Outcome.LOST)
        case StaleFenceError():
            return Verdict(number, Outcome.STALE)
        case StorageBusyError():
            return Verdict(number, Outcome.BUSY, reason=str(error))
        case StorageUnavailableError():
            return Verdict(number, Outcome.UNAVAILABLE, reason=str(error))
        case StorageError():
            return Verdict(number, Outcome.FAILED, reason=str(error))
        case _:
            _log.error("a write of a worker failed", exc_info=error)
            return Verdict(number, Outcome.FAILED, reason=repr(error))


class ReaderConnection(asyncio.Protocol):
    """The connection of one reader.

    A coroutine a proposal, driven by hand, as a Task for each would cost more than the comparison.
    """

    _transport: asyncio.WriteTransport

    def __init__(self, judge: ProposalApplier) -> None:
        self._judge = judge
        self._frames = Frames(list[Proposal])
        self._untold: list[Verdict] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        for proposal in self._frames.feed(data):
            self._advance(self._judge.verdict(proposal), None)

    def _advance(self, coroutine: Coroutine[Any, Any, Verdict], _awaited: object) -> None:
        try:
            awaited = coroutine.send(None)
        except StopIteration as ended:
            self._tell(ended.value)
        else:
            # How a Task takes a future over from its coroutine.
            awaited._asyncio_future_blocking = False  # noqa: SLF001
            awaited.add_done_callback(partial(self._advance, coroutine))

    def _tell(self, verdict: Verdict) -> None:
        if not self._untold:
            # Behind the other verdicts of the same commit.
            asyncio.get_running_loop().call_soon(self._flush)
        self._untold.append(verdict)

    def _flush(self) -> None:
        untold, self._untold = self._untold, []
        if not self._transport.is_closing():
            self._transport.write(framed(untold))


async def serve_reader(connected: socket.socket, judge: ProposalApplier) -> None:
    """Take the proposals of the reader at the other end of a socket, from now on."""
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: ReaderConnection(judge), sock=connected)
