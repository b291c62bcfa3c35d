"""The supervisor: starts the readers and the writer, and replaces a process that ends.

It answers no requests itself: it accepts connections and sends them to the readers, and connects
readers to the writer. When it ends, in whatever way, the other processes end.
"""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Final, assert_never

import msgspec

from hashrange.assembly.assemble import endpoint_of
from hashrange.assembly.background_services import triggers_of
from hashrange.assembly.dax_endpoint import log_url
from hashrange.assembly.engines.processes import DirectoryLock, locked, shared_counter
from hashrange.assembly.workers.acceptor import Acceptor
from hashrange.assembly.workers.control import (
    Begin,
    Forget,
    Forgotten,
    Heartbeat,
    HeartbeatReply,
    Message,
    MoveReply,
    MoveRequest,
    Ready,
    Refused,
    Renew,
    ReportReply,
    ReportRequest,
    Role,
    StateReply,
    StateRequest,
    Stop,
    TotalsReply,
    TotalsRequest,
)
from hashrange.assembly.workers.descriptors import SocketKind
from hashrange.assembly.workers.heartbeats import HeartbeatMonitor, MoveForwarder
from hashrange.assembly.workers.metrics_aggregator import MetricsAggregator
from hashrange.assembly.workers.state_forwarding import StateForwarder
from hashrange.assembly.workers.worker import Worker
from hashrange.clock import Clock, SystemClock
from hashrange.server.addresses import bound
from hashrange.server.certificates import ensure_certificate
from hashrange.server.draining import hangups
from hashrange.settings.settings import Settings
from hashrange.settings.sources import texts_of

LIVED_SECONDS: Final = 10.0
"""A process that ends sooner counts as failed: the next waits for longer."""
PAUSE_SECONDS_MIN: Final = 0.1
PAUSE_SECONDS_MAX: Final = 5.0
END_SECONDS_MAX: Final = 2.0
"""Time limit for the end of a reader after the drain, and of the writer; then they are killed."""
_DAX_PLACE: Final = 0
"""Of the reader with the caches and clusters of DAX."""
_NS: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


def pause_seconds(before: float, lived_seconds: float) -> float:
    """Pause before a process is replaced, with exponential back-off. Pure.

    Args:
        before: the pause before the process that has ended.
        lived_seconds: how long that process has run.
    """
    if lived_seconds >= LIVED_SECONDS:
        return 0.0
    return min(max(2 * before, PAUSE_SECONDS_MIN), PAUSE_SECONDS_MAX)


class Supervisor:
    """Keeps a writer and some readers running.

    Args:
        settings: those of the server.
        lock: that of the data directory; all processes inherit its descriptor.
        cells: descriptors of shared memory that all processes inherit: of the commit sequence, and
            of the offset of a movable clock.
        clock: measures how long processes live.
    """

    def __init__(
        self, settings: Settings, lock: DirectoryLock, cells: Sequence[int], clock: Clock
    ) -> None:
        self._settings = settings
        self._texts = texts_of(_without_keys(settings))
        self._origins = dict(settings.origins)
        self._files = dict(lock.files)
        self._cipher = lock.cipher
        self._shared = (lock.descriptor, *cells)
        self._clock = clock
        self._writer: Worker | None = None
        self._readers: dict[int, Worker] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._aggregator = MetricsAggregator(self._workers)
        self._heartbeats = HeartbeatMonitor(self._serving)
        self._moves = MoveForwarder()
        self._states = StateForwarder()

    def _workers(self) -> list[Worker]:
        return [*([] if self._writer is None else [self._writer]), *self._readers.values()]

    def _serving(self) -> list[Worker]:
        """The readers that serve now."""
        return [reader for reader in self._readers.values() if reader.serves]

    def channels(self) -> list[socket.socket]:
        """The channels of the readers that serve now."""
        return [reader.channel for reader in self._serving()]

    def dax_channels(self) -> list[socket.socket]:
        """The channel of the reader that serves clients of DAX, if it serves now."""
        reader = self._readers.get(_DAX_PLACE)
        return [] if reader is None or not reader.serves else [reader.channel]

    async def start(self) -> None:
        """Start all processes; returns once they serve. Raises StorageOpenError."""
        count = self._settings.workers
        assert count is not None, "a server with --workers"
        workers = [await self._begin_writer()]
        workers += [await self._begin_reader(place) for place in range(count)]
        await asyncio.gather(*(worker.ready for worker in workers))
        places = [None, *range(count)]
        loop = asyncio.get_running_loop()
        self._keepers = [
            loop.create_task(self._keep(place, worker))
            for place, worker in zip(places, workers, strict=True)
        ]
        self._keepers.append(loop.create_task(self._heartbeats.run()))

    async def _begin_writer(self) -> Worker:
        worker = self._writer = Worker(Role.WRITER, self._shared)
        worker.ready.add_done_callback(lambda _: self._link(self._readers.values()))
        return await self._begun(worker)

    async def _begin_reader(self, place: int) -> Worker:
        worker = self._readers[place] = Worker(Role.READER, self._shared)
        self._link([worker])
        return await self._begun(worker, runs_clusters=place == _DAX_PLACE)

    async def _begun(self, worker: Worker, *, runs_clusters: bool = False) -> Worker:
        # The worker is registered before, so `stop` ends it if this is cancelled.
        await worker.connect(self._receive)
        worker.send(Begin(self._texts, self._origins, self._files, self._cipher, runs_clusters))
        return worker

    def _link(self, readers: Iterable[Worker]) -> None:
        """Connect readers to the writer, if it serves already."""
        writer = self._writer
        if writer is None or not writer.serves:
            return
        for reader in readers:
            near, far = socket.socketpair()
            writer.link(near)
            reader.link(far)

    def _receive(self, worker: Worker, message: Message) -> None:
        match message:
            case HeartbeatReply():
                self._heartbeats.reply(worker)
            case ReportReply():
                self._aggregator.receive(worker, message)
            case TotalsRequest():
                self._aggregator.answer(worker, message)
            case MoveRequest():
                self._moves.forward(worker, message, self._writer)
            case MoveReply():
                self._moves.reply(message)
            case StateRequest():
                self._states.forward(worker, message, self._writer)
            case StateReply():
                self._states.reply(message, self._serving())
            case Forgotten():
                self._states.forgotten(worker, message)
            case (
                Begin()
                | Ready()
                | Refused()
                | Stop()
                | Renew()
                | Heartbeat()
                | Forget()
                | ReportRequest()
                | TotalsReply()
            ):
                raise AssertionError("a process does not send this here")
            case _:
                assert_never(message)

    async def _keep(self, place: int | None, worker: Worker) -> None:
        """Replace a process whenever it has ended, until this is cancelled."""
        pause = 0.0
        while True:
            began_ns = self._clock.monotonic_ns()
            # Shielded: cancelling this task must not cancel the future, which others await.
            code = await asyncio.shield(worker.ended)
            self._aggregator.ended(worker)
            if worker.role is Role.WRITER:
                self._moves.writer_ended()
            self._states.ended(worker, is_writer=worker.role is Role.WRITER)
            pause = pause_seconds(pause, (self._clock.monotonic_ns() - began_ns) / _NS)
            _log.error(
                "the %s, process %d, ended with code %d; another is started in %.1f s",
                worker.role,
                worker.process.pid,
                code,
                pause,
            )
            await asyncio.sleep(pause)
            self._aggregator.restarts += 1
            if place is None:
                worker = await self._begin_writer()
            else:
                worker = await self._begin_reader(place)
            worker.ready.add_done_callback(partial(_end_refused, worker))

    def renew(self) -> None:
        """Have all readers read the files of TLS again."""
        for reader in self._readers.values():
            reader.send(Renew())

    async def stop(self) -> None:
        """Stop the readers, which drain, and then the writer."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._aggregator.close()
        drain_seconds = self._settings.drain_seconds + END_SECONDS_MAX
        await asyncio.gather(*(each.stop(drain_seconds) for each in self._readers.values()))
        if self._writer is not None:
            await self._writer.stop(END_SECONDS_MAX)


def _without_keys(settings: Settings) -> Settings:
    """The settings without encryption, for the processes, which get the cipher."""
    return msgspec.structs.replace(
        settings,
        encrypt=False,
        encryption_key_file=None,
        encryption_key_command=None,
        encryption_key=None,
    )


def _end_refused(worker: Worker, ready: asyncio.Future[None]) -> None:
    """Kill a process that cannot begin, so that another is started after a pause."""
    if not ready.cancelled() and (reason := ready.exception()) is not None:
        _log.error("the %s, process %d, cannot begin: %s", worker.role, worker.process.pid, reason)
        worker.kill()


@contextlib.asynccontextmanager
async def supervised(settings: Settings) -> AsyncIterator[str]:
    """Run a server of several processes, from its first request to its last; yields its URL.

    Raises:
        TriggerError: the file of triggers cannot be used.
        TlsError: the files of TLS cannot be used.
        StorageOpenError: the data cannot be opened.
        OSError: the address cannot be listened on.
    """
    triggers_of(settings)  # refused here, and not by the writer
    async with contextlib.AsyncExitStack() as stack:
        sockets = await bound(settings.host, settings.port)
        for each in sockets:
            stack.callback(each.close)
        port = sockets[0].getsockname()[1]
        dax_port = settings.dax_port
        dax_sockets = () if dax_port is None else await bound(settings.host, dax_port)
        for each in dax_sockets:
            stack.callback(each.close)
        commits, offset = shared_counter(), shared_counter()
        for descriptor in (commits, offset):
            stack.callback(os.close, descriptor)
        clock = SystemClock()
        ensure_certificate(settings, clock.now_ms())
        lock = stack.enter_context(locked(settings))
        supervisor = Supervisor(settings, lock, (commits, offset), clock)
        stack.push_async_callback(supervisor.stop)
        await supervisor.start()
        stack.callback(Acceptor(sockets, supervisor.channels).close)
        if dax_sockets:
            accepting = Acceptor(dax_sockets, supervisor.dax_channels, SocketKind.DAX)
            stack.callback(accepting.close)
            log_url(dax_sockets, has_tls=settings.tls_files is not None)
        if settings.tls_files is not None:
            stack.enter_context(hangups(supervisor.renew))
        yield endpoint_of(settings, port)
