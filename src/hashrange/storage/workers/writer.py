"""The writer's side: compares and applies the proposals of workers in its group commits."""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, TypeVar, cast

from hashrange.storage.engine import (
    Changes,
    Delegated,
    Fences,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    StorageUnavailableError,
)
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.sqlite.engine import SqliteEngine
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
    is_current,
)

_ANY_KEY: Final = b"\0"
FENCES_KEPT_MAX: Final = 20_000
"""Fence values cached by digest: two for each table, with the most tables that are allowed."""

_log: Final = logging.getLogger(__name__)


T = TypeVar("T")


class _ConflictError(Exception):
    """A proposal was decided on values that have changed."""


class ProposalApplier:
    """Applies proposals to an engine.

    A proposal takes a place in the queue of the engine by itself: a coroutine and a future for each
    cost as much as the write.

    Args:
        engine: the engine that writes.
        delegated: makes the decisions that workers delegate.
    """

    def __init__(self, engine: SqliteEngine, delegated: Delegated) -> None:
        self._engine = engine
        self._delegated = delegated
        self._queue = engine.committer.queue
        self.proposals = 0
        """The number of proposals received."""
        self._fences: dict[bytes, bytes] = {}

    def apply(
        self,
        request: Proposal | Delegation,
        reply: Callable[[Reply], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Apply a proposal, or decide a delegation. Never raises.

        `reply` is called once, maybe at once. `loop` is the one that runs: to ask for it is a
        system call.
        """
        self.proposals += 1
        try:
            fences = self._cached_fences(request.fences)
            if fences is None:
                fences = self._read_fences(request.fences)
            waiter = _Replying(request.number, reply)
            if isinstance(request, Proposal):
                decide = partial(_compared, request)
            else:
                decide = partial(self._delegated, request.keys, request.arguments)
            work = waiter.work = PendingWrite(request.keys, decide, fences, waiter)
            self._queue.put(work, loop)
        except Exception as error:  # noqa: BLE001 - the worker needs a reply after any error
            reply(_refusal(request.number, error))

    def fault(self) -> str | None:
        """Why writes fail; None if they do not. May start the recovery of the storage.

        Here nothing runs beside the loop: while the disk does not answer, nobody is answered.
        """
        try:
            driven(self._engine.read((_ANY_KEY,)))
        except StorageError as error:
            return str(error) or type(error).__name__
        return None

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

    def _read_fences(self, digests: Mapping[bytes, bytes]) -> Fences:
        """The values of the digests, read from the engine and cached.

        Raises StaleFenceError, StorageError.
        """
        keys = [*digests]
        values = driven(self._engine.read(keys))
        if len(self._fences) + len(keys) > FENCES_KEPT_MAX:
            self._fences.clear()
        fences = {}
        for key, value in zip(keys, values, strict=True):
            if value is None or digest(value) != digests[key]:
                raise StaleFenceError(key)
            fences[key] = self._fences[digests[key]] = value
        return fences


def driven(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that does not suspend, as reads of the engine."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    raise AssertionError("a read does not suspend")


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


def _compared(proposal: Proposal, values: list[bytes | None]) -> Changes[tuple[int, ...]]:
    """Compare, as `Engine.write` asks for. Raises _ConflictError."""
    if not is_current(proposal, values):
        raise _ConflictError
    return Changes(
        answer=(),
        puts=proposal.puts,
        deletes=proposal.deletes,
        adds=proposal.adds,
        appends=proposal.appends,
    )


class _Replying:
    """The waiter of the outcome of a request.

    Attributes:
        work: its place in the queue of the engine; None once the outcome is final.

    Args:
        number: of the request.
        reply: gets the outcome.
    """

    __slots__ = ("_number", "_reply", "work")

    def __init__(self, number: int, reply: Callable[[Reply], None]) -> None:
        self._number = number
        self._reply = reply
        self.work: PendingWrite | None = None

    def done(self) -> bool:
        """Whether the reply was given."""
        return self.work is None

    def set_result(self, _answered: int | None, /) -> None:
        """Reply."""
        work, self.work = self.work, None
        assert work is not None, "once"
        if work.error is None:
            self._reply(Reply(self._number, answer=work.answer))
        else:
            self._reply(_refusal(self._number, work.taken_error()))


class ReaderConnection(asyncio.Protocol):
    """The connection of one worker."""

    _transport: asyncio.WriteTransport

    def __init__(self, applier: ProposalApplier, loop: asyncio.AbstractEventLoop) -> None:
        self._applier = applier
        self._loop = loop
        self._frames = FrameDecoder(list[Request])
        self._unsent: list[Reply] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for replies."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Start a write for each proposal in the data, and answer probes."""
        apply, reply, loop = self._applier.apply, self._send, self._loop
        for request in self._frames.feed(data):
            if isinstance(request, Probe):
                self._answer(request)
            else:
                apply(request, reply, loop)

    def _answer(self, probe: Probe) -> None:
        fault = self._applier.fault()
        if fault is None:
            self._send(Reply(probe.number))
        else:
            self._send(Reply(probe.number, ReplyStatus.UNAVAILABLE, reason=fault))

    def _send(self, reply: Reply) -> None:
        if not self._unsent:
            # Flush after the other replies of the same commit.
            self._loop.call_soon(self._flush)
        self._unsent.append(reply)

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        if not self._transport.is_closing():
            self._transport.write(framed(unsent))


async def serve_reader(connected: socket.socket, applier: ProposalApplier) -> None:
    """Receive the proposals of the worker at the other end of a socket, until it closes."""
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: ReaderConnection(applier, loop), sock=connected)
