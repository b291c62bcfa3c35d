"""What a process of a server does: it answers requests, or writes for those that do."""

import asyncio
import dataclasses
import mmap
import signal
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, assert_never

from hashrange.assemble import answering, tune_interpreter
from hashrange.background_services import BackgroundServices, triggers_of
from hashrange.engines import Locked, opened_to_read, opened_to_write
from hashrange.observe import logs
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.observe.process_figures import process_figures
from hashrange.observe.report import Report, report_of
from hashrange.parts import clock_of, made_ready, parts_of
from hashrange.settings import Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.workers.control import Role
from hashrange.workers.control_client import ControlClient
from hashrange.workers.descriptors import Kind, Taker

_CELL_BYTES: Final = 8
WATCH_SECONDS: Final = 0.1
"""How soon the writer notices what a reader has changed in the catalog: one key is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """The descriptors that a process has from its supervisor."""

    control: int
    handing: int
    lock: int
    commits: int
    offset: int


async def run(role: Role, inherited: Inherited) -> None:
    """Do what the role asks for, until the supervisor says otherwise."""
    # Ctrl-C and service managers signal all processes at once; the order is the supervisor's.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    duty = await ControlClient.on(inherited.control)
    settings = await duty.begun
    logs.configure(level=settings.log_level, as_json=logs.is_json(settings.log_format))
    try:
        match role:
            case Role.READER:
                await _answer(settings, inherited, duty)
            case Role.WRITER:
                await _write(settings, inherited, duty)
            case _:
                assert_never(role)
    except StorageOpenError as error:
        duty.refuse(str(error))
        await duty.stopped.wait()


class _Handed:
    """Does with each socket that is handed over what there is to do with its kind.

    Those that nobody takes yet wait.
    """

    def __init__(self, descriptor: int) -> None:
        self._takers: dict[Kind, Callable[[socket.socket], Awaitable[Any]]] = {}
        self._early: list[tuple[Kind, socket.socket]] = []
        self._tasks: set[asyncio.Future[Any]] = set()
        self._any = asyncio.Event()
        self._taker = Taker(socket.socket(fileno=descriptor), self._take)

    def _take(self, kind: Kind, connected: socket.socket) -> None:
        taker = self._takers.get(kind)
        if taker is None:
            self._early.append((kind, connected))
            self._any.set()
            return
        task = asyncio.ensure_future(taker(connected))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def any(self) -> None:
        """Wait until there is one."""
        await self._any.wait()

    def give(self, kind: Kind, taker: Callable[[socket.socket], Awaitable[Any]]) -> None:
        """Give all of a kind to somebody, from now on."""
        self._takers[kind] = taker
        early, self._early = self._early, []
        for each in early:
            self._take(*each)

    def close(self) -> None:
        """Take no more."""
        self._taker.close()


async def _answer(settings: Settings, inherited: Inherited, duty: ControlClient) -> None:
    handed = _Handed(inherited.handing)
    # The first is a link: before there is a writer, nothing can be read.
    await _first(handed.any(), duty.stopped.wait())
    if duty.stopped.is_set():
        return
    assert settings.workers is not None, "asked for"
    connections_max = ceil(settings.connections_max / settings.workers)
    share = dataclasses.replace(settings, connections_max=connections_max)
    lock = Locked(inherited.lock, duty.files)
    with opened_to_read(share, lock=lock, commits=inherited.commits) as reading:
        clock = clock_of(settings, _clock_cell(inherited.offset))
        parts = parts_of(share, reading.opened, clock)

        def figures() -> Figures:
            return {
                **reading.opened.figures(),
                "transaction_items": len(parts.store.in_flight),
            }

        serving = answering(parts, sockets=[], figures=figures, move=duty.move)
        async with serving as (listener, monitor):
            monitor.gather = duty.gather
            duty.report = lambda with_keys: monitor.report(with_keys=with_keys)
            handed.give(Kind.LINK, reading.attach)
            handed.give(Kind.CLIENT, listener.adopt)
            tune_interpreter()
            duty.ready()
            await duty.stopped.wait()
            handed.close()


async def _write(settings: Settings, inherited: Inherited, duty: ControlClient) -> None:
    handed = _Handed(inherited.handing)
    lock, commits = Locked(inherited.lock, duty.files), inherited.commits
    clock = clock_of(settings, _clock_cell(inherited.offset))
    now_ms = clock.now_ms
    with opened_to_write(settings, lock=lock, commits=commits, now_ms=now_ms) as writing:
        parts = parts_of(settings, writing.opened, clock)
        await made_ready(parts)
        background = await BackgroundServices.of(
            parts,
            triggers_of(settings),
            arrived=writing.proposals,
            watch_seconds=WATCH_SECONDS,
        )

        def report(_with_keys: bool) -> Report:  # noqa: FBT001 - positional only: as readers have it
            return report_of(Metrics(), {**background.figures(), **process_figures()})

        duty.report, duty.mover = report, background.move
        handed.give(Kind.LINK, writing.take)
        background.begin()
        tune_interpreter()
        duty.ready()
        await duty.stopped.wait()
        await background.end()


def _clock_cell(descriptor: int) -> memoryview:
    """The offset of the clock, in memory that all processes share.

    One integer of eight bytes at a multiple of eight: it is read and written whole.
    """
    return memoryview(mmap.mmap(descriptor, _CELL_BYTES)).cast("q")


async def _first(*waiting: Awaitable[Any]) -> None:
    tasks = [asyncio.ensure_future(each) for each in waiting]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
