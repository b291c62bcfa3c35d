"""The main function of a reader and of the writer, the processes that the supervisor starts."""

import asyncio
import contextlib
import mmap
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, Final, assert_never

import msgspec

from hashrange.assembly.access import access_of, ensure_users
from hashrange.assembly.assemble import answering, tune_interpreter
from hashrange.assembly.background_services import BackgroundServices, triggers_of
from hashrange.assembly.dax_endpoint import DaxShare
from hashrange.assembly.engines.processes import DirectoryLock, opened_to_read, opened_to_write
from hashrange.assembly.parts import clock_of, forget, load_secret, made_ready, parts_of
from hashrange.assembly.state_keeper import RestartedServices, StateKeeper
from hashrange.assembly.workers.control import Role
from hashrange.assembly.workers.control_client import ControlClient
from hashrange.assembly.workers.descriptors import SocketKind, SocketReceiver
from hashrange.observe import logs
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.observe.process_figures import process_figures
from hashrange.observe.report import Report, report_of
from hashrange.server.certificates import renew_certificate
from hashrange.server.testing_clock import Controls
from hashrange.server.tls import TlsError
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageOpenError

_CELL_BYTES: Final = 8
WATCH_SECONDS: Final = 0.1
"""Interval in which the writer polls for changes of the catalog by readers, reading one key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """The descriptors that a process has from its supervisor.

    Attributes:
        control: the socket of the control stream.
        channel: the socket over which sockets are sent.
        lock: the lock of the data directory.
        commits: shared memory of the commit sequence.
        offset: shared memory of the clock's offset.
    """

    control: int
    channel: int
    lock: int
    commits: int
    offset: int


async def run(role: Role, inherited: Inherited) -> None:
    """Serve as a reader or as the writer until the supervisor sends Stop."""
    # Ctrl-C and service managers signal all processes; the supervisor ends them in order.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    control = await ControlClient.on(inherited.control)
    settings = await control.begun
    if settings.tls_files is not None:
        # The supervisor forwards it to readers; a closed terminal signals all processes.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    logs.configure(level=settings.log_level, as_json=logs.is_json(settings.log_format))
    try:
        match role:
            case Role.READER:
                await _read(settings, inherited, control)
            case Role.WRITER:
                await _write(settings, inherited, control)
            case _:
                assert_never(role)
    except (StorageOpenError, TlsError) as error:
        control.refuse(str(error))
        await control.stopped.wait()


class _SocketRouter:
    """Passes received sockets to the handler of their kind; they wait until it is set."""

    def __init__(self, descriptor: int) -> None:
        self._handlers: dict[SocketKind, Callable[[socket.socket], Awaitable[Any]]] = {}
        self._early: list[tuple[SocketKind, socket.socket]] = []
        self._tasks: set[asyncio.Future[Any]] = set()
        self._any = asyncio.Event()
        self._receiver = SocketReceiver(socket.socket(fileno=descriptor), self._take)

    def _take(self, kind: SocketKind, connected: socket.socket) -> None:
        handler = self._handlers.get(kind)
        if handler is None:
            self._early.append((kind, connected))
            self._any.set()
            return
        task = asyncio.ensure_future(handler(connected))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def any(self) -> None:
        """Wait until a socket has arrived."""
        await self._any.wait()

    def handle(self, kind: SocketKind, handler: Callable[[socket.socket], Awaitable[Any]]) -> None:
        """Set the handler of a kind, and pass it the sockets that wait."""
        self._handlers[kind] = handler
        early, self._early = self._early, []
        for each in early:
            self._take(*each)

    def close(self) -> None:
        """Receive no more."""
        self._receiver.close()


async def _read(settings: Settings, inherited: Inherited, control: ControlClient) -> None:
    router = _SocketRouter(inherited.channel)
    # The first socket is a link: before there is a writer, nothing can be read.
    await _first(router.any(), control.stopped.wait())
    if control.stopped.is_set():
        return
    assert settings.workers is not None, "a server with --workers"
    connections_max = ceil(settings.connections_max / settings.workers)
    share = msgspec.structs.replace(settings, connections_max=connections_max)
    if settings.connections_per_address_max is not None:
        address_max = ceil(settings.connections_per_address_max / settings.workers)
        share = msgspec.structs.replace(share, connections_per_address_max=address_max)
    lock = DirectoryLock(inherited.lock, control.files, control.cipher)
    with opened_to_read(share, lock=lock, commits=inherited.commits) as engine:
        clock = clock_of(settings, _clock_cell(inherited.offset))
        parts = parts_of(share, engine.opened, clock)
        # There is one: the writer has created it before it was linked.
        await load_secret(parts)

        def figures() -> Figures:
            return {
                **engine.opened.figures(),
                "transaction_items": len(parts.store.in_flight),
            }

        adopts = control.runs_clusters and settings.dax_port is not None
        async with contextlib.AsyncExitStack() as stack:
            listener, monitor = await stack.enter_async_context(
                answering(
                    parts,
                    sockets=[],
                    figures=figures,
                    controls=Controls(control.move, control.on_states),
                    access=await stack.enter_async_context(access_of(parts)),
                    of_dax=DaxShare(
                        runs_clusters=control.runs_clusters,
                        adopting=partial(router.handle, SocketKind.DAX) if adopts else None,
                    ),
                )
            )
            monitor.gather = control.gather
            control.forget = partial(forget, parts)
            if settings.tls_files is not None:
                control.renew = lambda: renew_certificate(settings, listener)
            control.report = lambda with_keys: monitor.report(with_keys=with_keys)
            router.handle(SocketKind.LINK, engine.attach)
            router.handle(SocketKind.CLIENT, listener.adopt)
            tune_interpreter()
            control.ready()
            await control.stopped.wait()
            router.close()


async def _write(settings: Settings, inherited: Inherited, control: ControlClient) -> None:
    router = _SocketRouter(inherited.channel)
    lock, commits = DirectoryLock(inherited.lock, control.files, control.cipher), inherited.commits
    clock = clock_of(settings, _clock_cell(inherited.offset))
    now_ms = clock.now_ms
    with opened_to_write(settings, lock=lock, commits=commits, now_ms=now_ms) as engine:
        parts = parts_of(settings, engine.opened, clock)
        await made_ready(parts)
        await ensure_users(parts, sys.stderr.write)
        background = await RestartedServices.of(
            lambda: BackgroundServices.of(
                parts,
                triggers_of(settings),
                arrived=engine.proposals,
                watch_seconds=WATCH_SECONDS,
            )
        )

        def report(_with_keys: bool) -> Report:  # noqa: FBT001 - the writer samples no keys
            figures = {**background.figures(), **process_figures()}
            return report_of(Metrics(), figures, jobs=background.jobs())

        control.report, control.mover = report, background.move
        control.keeper = StateKeeper(parts, background).perform
        control.loaded_ms = lambda: parts.store.loaded_ms
        router.handle(SocketKind.LINK, engine.take)
        background.begin()
        tune_interpreter()
        control.ready()
        await control.stopped.wait()
        await background.end()


def _clock_cell(descriptor: int) -> memoryview:
    """The offset of the clock in shared memory: an aligned integer of eight bytes.

    Reads and writes of it are atomic.
    """
    return memoryview(mmap.mmap(descriptor, _CELL_BYTES)).cast("q")


async def _first(*waiting: Awaitable[Any]) -> None:
    tasks = [asyncio.ensure_future(each) for each in waiting]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
