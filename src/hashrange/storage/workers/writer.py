"""The writer's side: compares and applies the proposals of workers in its group commits."""

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
from hashrange.storage.workers.frames import FrameDecoder, framed
from hashrange.storage.workers.messages import (
    Proposal,
    Reply,
    ReplyStatus,
    digest,
    is_current,
)

FENCES_KEPT_MAX: Final = 20_000
"""Fence values cached by digest: two for each table, with the most tables that are allowed."""

_log: Final = logging.getLogger(__name__)


class _ConflictError(Exception):
    """A proposal was decided on values that have changed."""


class ProposalApplier:
    """Applies proposals to an engine.

    Args:
        engine: the engine that writes; its coroutines may be driven by hand.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.proposals = 0
        """The number of proposals received."""
        self._fences: dict[bytes, bytes] = {}

    async def apply(self, proposal: Proposal) -> Reply:
        """Apply a proposal; returns the reply. Never raises."""
        self.proposals += 1
        number = proposal.number

        def decide(values: list[bytes | None]) -> Changes[None]:
            if not is_current(proposal, values):
                raise _ConflictError
            return Changes(
                answer=None,
                puts=proposal.puts,
                deletes=proposal.deletes,
                adds=proposal.adds,
                appends=proposal.appends,
            )

        try:
            fences = self._cached_fences(proposal.fences)
            if fences is None:
                fences = await self._read_fences(proposal.fences)
            await self._engine.write(proposal.keys, decide, fences=fences)
        except Exception as error:  # noqa: BLE001 - the worker needs a reply after any error
            return _refusal(number, error)
        return Reply(number)

    def _cached_fences(self, digests: Mapping[bytes, bytes]) -> Fences | None:
        """The cached values of the digests, or None if one is not cached."""
        cache = self._fences
        fences = {}
        for key, fence_digest in digests.items():
            value = cache.get(fence_digest)
            if value is None:
                return None
            fences[key] = value
        return fences

    async def _read_fences(self, digests: Mapping[bytes, bytes]) -> Fences:
        """The values of the digests, read from the engine and cached. Raises StaleFenceError."""
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


def _refusal(number: int, error: Exception) -> Reply:
    match error:
        case _ConflictError():
            return Reply(number, ReplyStatus.CONFLICT)
        case StaleFenceError():
            return Reply(number, ReplyStatus.STALE)
        case StorageBusyError():
            return Reply(number, ReplyStatus.BUSY, reason=str(error))
        case StorageUnavailableError():
            return Reply(number, ReplyStatus.UNAVAILABLE, reason=str(error))
        case StorageError():
            return Reply(number, ReplyStatus.FAILED, reason=str(error))
        case _:
            _log.error("a write of a worker failed", exc_info=error)
            return Reply(number, ReplyStatus.FAILED, reason=repr(error))


class ReaderConnection(asyncio.Protocol):
    """The connection of one worker.

    The coroutine of each proposal is driven by hand, because a Task would cost more than the
    comparison.
    """

    _transport: asyncio.WriteTransport

    def __init__(self, applier: ProposalApplier) -> None:
        self._applier = applier
        self._frames = FrameDecoder(list[Proposal])
        self._unsent: list[Reply] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for replies."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Start a write for each proposal in the data."""
        for proposal in self._frames.feed(data):
            self._advance(self._applier.apply(proposal), None)

    def _advance(self, coroutine: Coroutine[Any, Any, Reply], _awaited: object) -> None:
        try:
            awaited = coroutine.send(None)
        except StopIteration as ended:
            self._send(ended.value)
        else:
            # As a Task does with a future that its coroutine awaits.
            awaited._asyncio_future_blocking = False  # noqa: SLF001
            awaited.add_done_callback(partial(self._advance, coroutine))

    def _send(self, reply: Reply) -> None:
        if not self._unsent:
            # Flush after the other replies of the same commit.
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent.append(reply)

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        if not self._transport.is_closing():
            self._transport.write(framed(unsent))


async def serve_reader(connected: socket.socket, applier: ProposalApplier) -> None:
    """Receive the proposals of the worker at the other end of a socket, until it closes."""
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: ReaderConnection(applier), sock=connected)
