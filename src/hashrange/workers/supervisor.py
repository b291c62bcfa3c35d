"""The process that starts the others, and starts another one when one ends.

It answers no requests itself: it accepts connections and hands them on, and connects readers to the
writer. When it ends, whichever way, the others end.
"""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Final, assert_never

from hashrange.assemble import endpoint_of
from hashrange.background_services import triggers_of
from hashrange.clock import Clock, SystemClock
from hashrange.engines import Locked, locked, shared_counter
from hashrange.server.addresses import bound
from hashrange.settings import Settings, texts_of
from hashrange.workers.acceptor import Acceptor
from hashrange.workers.control import (
    Begin,
    Gather,
    Gathered,
    Message,
    Move,
    Moved,
    Ready,
    Refused,
    Role,
    Stop,
    Tell,
    Told,
)
from hashrange.workers.metrics_aggregator import MetricsAggregator
from hashrange.workers.moves import Moves
from hashrange.workers.worker import Worker

LIVED_SECONDS: Final = 10.0
"""Who ends sooner, ends at once: the next one waits for longer."""
PAUSE_SECONDS_MIN: Final = 0.1
PAUSE_SECONDS_MAX: Final = 5.0
END_SECONDS_MAX: Final = 2.0
"""For what comes after the drain, and for the writer's end; then they are killed."""
_NS: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


def pause_seconds(before: float, lived_seconds: float) -> float:
    """Before the next process takes a place, if the one before waited for `before`. Pure."""
    if lived_seconds >= LIVED_SECONDS:
        return 0.0
    return min(max(2 * before, PAUSE_SECONDS_MIN), PAUSE_SECONDS_MAX)


class Supervisor:
    """Keeps a writer and some readers running.

    Args:
        settings: of the server.
        lock: of the data directory.
        cells: descriptors of memory that all share: of the counter of commits, and of the offset of
            a clock that moves. All inherit them, and that of the lock.
        clock: tells how long a process has lived.
    """

    def __init__(
        self, settings: Settings, lock: Locked, cells: Sequence[int], clock: Clock
    ) -> None:
        self._settings = settings
        self._texts = texts_of(settings)
        self._files = dict(lock.files)
        self._shared = (lock.descriptor, *cells)
        self._clock = clock
        self._writer: Worker | None = None
        self._readers: dict[int, Worker] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._tallies = MetricsAggregator(self._workers)
        self._moves = Moves()

    def _workers(self) -> list[Worker]:
        return [*([] if self._writer is None else [self._writer]), *self._readers.values()]

    def channels(self) -> list[socket.socket]:
        """To those who answer now."""
        return [reader.handing for reader in self._readers.values() if reader.serves]

    async def start(self) -> None:
        """Start all; returns once they do what they are for. Raises StorageOpenError."""
        count = self._settings.workers
        assert count is not None, "asked for"
        workers = [await self._begin_writer()]
        workers += [await self._begin_reader(place) for place in range(count)]
        await asyncio.gather(*(worker.ready for worker in workers))
        places = [None, *range(count)]
        loop = asyncio.get_running_loop()
        self._keepers = [
            loop.create_task(self._keep(place, worker))
            for place, worker in zip(places, workers, strict=True)
        ]

    async def _begin_writer(self) -> Worker:
        worker = self._writer = Worker(Role.WRITER, self._shared)
        worker.ready.add_done_callback(lambda _: self._link(self._readers.values()))
        return await self._begun(worker)

    async def _begin_reader(self, place: int) -> Worker:
        worker = self._readers[place] = Worker(Role.READER, self._shared)
        self._link([worker])
        return await self._begun(worker)

    async def _begun(self, worker: Worker) -> Worker:
        """It is known already: whatever becomes of the supervisor here, it will be stopped."""
        await worker.connect(self._receive)
        worker.send(Begin(self._texts, self._files))
        return worker

    def _link(self, readers: Iterable[Worker]) -> None:
        """Connect readers to the writer, if it is there yet."""
        writer = self._writer
        if writer is None or not writer.serves:
            return
        for reader in readers:
            near, far = socket.socketpair()
            writer.link(near)
            reader.link(far)

    def _receive(self, worker: Worker, message: Message) -> None:
        match message:
            case Told():
                self._tallies.told(worker, message)
            case Gather():
                self._tallies.asked(worker, message)
            case Move():
                self._moves.asked(worker, message, self._writer)
            case Moved():
                self._moves.done(message)
            case Begin() | Ready() | Refused() | Stop() | Tell() | Gathered():
                raise AssertionError("nothing that a process says here")
            case _:
                assert_never(message)

    async def _keep(self, place: int | None, worker: Worker) -> None:
        """Put another process in the place of one that has ended; until it is cancelled."""
        pause = 0.0
        while True:
            began_ns = self._clock.monotonic_ns()
            # Shielded: to cancel a task cancels what it awaits, and others await this one's end.
            code = await asyncio.shield(worker.ended)
            self._tallies.ended(worker)
            if worker.role is Role.WRITER:
                self._moves.writer_ended()
            pause = pause_seconds(pause, (self._clock.monotonic_ns() - began_ns) / _NS)
            _log.error(
                "the %s, process %d, ended with code %d; another one begins in %.1f s",
                worker.role,
                worker.process.pid,
                code,
                pause,
            )
            await asyncio.sleep(pause)
            self._tallies.restarts += 1
            if place is None:
                worker = await self._begin_writer()
            else:
                worker = await self._begin_reader(place)
            worker.ready.add_done_callback(partial(_end_refused, worker))

    async def stop(self) -> None:
        """End the readers in order, then the writer."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        self._tallies.close()
        drain_seconds = self._settings.drain_seconds + END_SECONDS_MAX
        await asyncio.gather(*(each.stop(drain_seconds) for each in self._readers.values()))
        if self._writer is not None:
            await self._writer.stop(END_SECONDS_MAX)


def _end_refused(worker: Worker, ready: asyncio.Future[None]) -> None:
    """A process that cannot begin ends, so that another one tries, after a pause."""
    if not ready.cancelled() and (reason := ready.exception()) is not None:
        _log.error("the %s, process %d, cannot begin: %s", worker.role, worker.process.pid, reason)
        worker.kill()


@contextlib.asynccontextmanager
async def supervised(settings: Settings) -> AsyncIterator[str]:
    """A server of several processes, from its first request to its last; gives its URL.

    Raises:
        TriggerError: the file of triggers cannot be used.
        StorageOpenError: the data cannot be opened.
        OSError: the address cannot be listened on.
    """
    triggers_of(settings)  # refused here, and not by the writer
    async with contextlib.AsyncExitStack() as stack:
        sockets = await bound(settings.host, settings.port)
        for each in sockets:
            stack.callback(each.close)
        port = sockets[0].getsockname()[1]
        commits, offset = shared_counter(), shared_counter()
        for descriptor in (commits, offset):
            stack.callback(os.close, descriptor)
        lock = stack.enter_context(locked(settings.data))
        supervisor = Supervisor(settings, lock, (commits, offset), SystemClock())
        stack.push_async_callback(supervisor.stop)
        await supervisor.start()
        stack.callback(Acceptor(sockets, supervisor.channels).close)
        yield endpoint_of(settings, port)
