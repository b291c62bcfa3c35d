"""The composition root: which parts there are, and how they come together in a server."""

import asyncio
import contextlib
import gc
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TypeAlias

from hashrange.background.catalog_watch import LOOK_SECONDS, CatalogWatch
from hashrange.background.crew import Work
from hashrange.background.dropper import Dropper
from hashrange.background.expirer import Expirer
from hashrange.background.indexer import Indexer
from hashrange.background.leader import Leader
from hashrange.background.stream_upkeep import StreamRules, StreamUpkeep
from hashrange.background.time_shift import Pass, TimeShift
from hashrange.background.token_sweeper import TokenSweeper
from hashrange.background.turns import Turns
from hashrange.clock import Clock, MovableClock, SystemClock
from hashrange.engines import Opened, opened, opened_to_verify
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.operations.operation import TableChoices
from hashrange.operations.pipeline import Pipeline
from hashrange.server.addresses import bound
from hashrange.server.drive import in_tasks
from hashrange.server.endpoint import Endpoint
from hashrange.server.http_limits import HttpLimits
from hashrange.server.journal import Journal
from hashrange.server.listener import Listener
from hashrange.server.monitor import Monitor
from hashrange.server.request_ids import RANDOM_BYTES, request_ids
from hashrange.server.routes import routes
from hashrange.server.sampler import Sampler
from hashrange.server.stopping import signals, watch_input
from hashrange.server.testing_clock import Move, with_clock
from hashrange.settings import Namespaces, Settings
from hashrange.storage.engine import Fences
from hashrange.tables.catalog import Catalog, check_namespaces
from hashrange.tables.conversion import ensure_format
from hashrange.tables.counting import count_collections
from hashrange.tables.store import Store
from hashrange.tables.verify import findings
from hashrange.triggers.definitions import Definition, triggers_from
from hashrange.triggers.namespaces import NamespacesRunner
from hashrange.triggers.positions import forget_gone
from hashrange.triggers.runner import TriggerRunner
from hashrange.triggers.tally import Tally

GARBAGE_ALLOCATIONS: Final = 50_000
"""Containers made, less those freed, between two looks for cycles."""
SWITCH_SECONDS: Final = 0.000_1
"""For which a thread keeps the interpreter when another one wants it; there are but two."""

_log: Final = logging.getLogger(__name__)


Server: TypeAlias = Callable[[Settings], AbstractAsyncContextManager[str]]
"""A server, from its first request to its last; gives the endpoint's URL."""


async def serve(
    settings: Settings, announce: Callable[[str], None], server: Server | None = None
) -> None:
    """Serve until SIGTERM, SIGINT or, if asked for, the end of standard input; then drain.

    Args:
        settings: what the operator chose.
        announce: called with the endpoint's URL once it is reachable.
        server: what serves, if it is not one process.

    Raises:
        TriggerError: the file of triggers cannot be used.
        StorageOpenError: the data cannot be opened.
        OSError: the address cannot be listened on.
    """
    stop = asyncio.Event()
    with signals(stop.set):
        if settings.stop_with_input:
            watch_input(stop.set)
        async with (server or running)(settings) as endpoint:
            tune_interpreter()
            announce(endpoint)
            await stop.wait()
            _log.info("stopping: open requests get up to %d s", settings.drain_seconds)


def tune_interpreter() -> None:
    """What is loaded now stays; requests leave next to no cycles. Saves 4 % of a put.

    And the thread that has synced for the loop must not wait for its turn as long as a sync takes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_ALLOCATIONS)
    sys.setswitchinterval(SWITCH_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What answering requests and the work beside them have in common."""

    settings: Settings
    storage: Opened
    store: Store
    catalog: Catalog
    metrics: Metrics


def clock_of(settings: Settings, cell: memoryview | None = None) -> Clock:
    """The clock of a server, or of one of its processes.

    `cell` is the memory in which the processes of a server under test share an offset.
    """
    return MovableClock(cell) if settings.testing else SystemClock()


def parts_of(settings: Settings, storage: Opened, clock: Clock) -> Parts:
    """The parts of a server, or of one of its processes."""
    bytes_max = settings.item_collection_mb_max * 1024**2
    store = Store(storage.engine, clock, collection_bytes_max=bytes_max)
    catalog = Catalog(storage.engine)
    return Parts(
        settings=settings, storage=storage, store=store, catalog=catalog, metrics=Metrics()
    )


async def made_ready(parts: Parts) -> None:
    """See that the data can be served so. Raises StorageOpenError."""
    engine = parts.storage.engine
    separate = parts.settings.namespaces == Namespaces.SEPARATE
    await check_namespaces(engine, separate=separate)
    await ensure_format(engine)
    await count_collections(engine)


@contextlib.asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[str]:
    """A server in this loop, from its first request to its last; gives the endpoint's URL."""
    triggers = triggers_of(settings)
    async with contextlib.AsyncExitStack() as stack:
        # Before the data directory is made: a port that is taken must leave nothing behind.
        sockets = await bound(settings.host, settings.port)
        for each in sockets:
            stack.callback(each.close)
        clock = clock_of(settings)
        storage = await stack.enter_async_context(opened(settings, now_ms=clock.now_ms))
        parts = parts_of(settings, storage, clock)
        await made_ready(parts)
        shared = parts.storage.is_shared
        besides = await Besides.of(
            parts,
            triggers,
            arrived=lambda: parts.metrics.traffic.bytes_received,
            watch_seconds=LOOK_SECONDS if shared else None,
        )
        listener, _ = await stack.enter_async_context(
            answering(parts, sockets=sockets, figures=besides.figures, move=besides.move)
        )
        # Ended before the requests that have begun: another server goes on meanwhile.
        besides.begin()
        stack.push_async_callback(besides.end)
        yield endpoint_of(settings, listener.port)


def endpoint_of(settings: Settings, port: int) -> str:
    """The URL of a server that listens on a port."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{port}"


@contextlib.asynccontextmanager
async def answering(
    parts: Parts,
    *,
    sockets: Sequence[socket.socket],
    figures: Callable[[], Figures],
    move: Move,
) -> AsyncIterator[tuple[Listener, Monitor]]:
    """What answers requests, until those that have begun are answered.

    Args:
        parts: of this process.
        sockets: bound, not listening.
        figures: for metrics.
        move: moves the clock of a server under test.
    """
    settings, clock = parts.settings, parts.store.clock
    identify = request_ids(clock.random_bytes(RANDOM_BYTES))
    listener = Listener(clock, parts.metrics.traffic)
    sampler = None
    pipeline = _pipeline(parts)
    if settings.shows_hot_keys:
        sampler = Sampler(pipeline.cached, clock.monotonic_ns)
    journal = Journal(identify, clock.monotonic_ns, settings.slow_request_ms)
    endpoint = Endpoint(pipeline, clock, parts.metrics, journal=journal, sampler=sampler)
    engine, catalog = parts.store.engine, parts.catalog
    monitor = Monitor(parts.metrics, figures, engine, catalog, clock=clock, sampler=sampler)
    handler = routes(endpoint.respond, ready=monitor.ready, metrics=monitor.text, top=monitor.top)
    if isinstance(clock, MovableClock):
        handler = with_clock(handler, clock, move)
    await listener.start(
        in_tasks(handler) if parts.storage.needs_tasks else handler,
        sockets=sockets,
        limits=_http_limits(settings),
        request_id=identify,
    )
    try:
        yield listener, monitor
    finally:
        await listener.stop(drain_seconds=settings.drain_seconds)


class Besides:
    """The work of a server that no request waits for; made by `of`."""

    def __init__(
        self,
        parts: Parts,
        led: Sequence[tuple[Leader, Sequence[Work]]],
        expirer: Expirer,
        tally: Tally,
        *,
        move: Move,
    ) -> None:
        self._parts = parts
        self._led = led
        self._expirer = expirer
        self._tally = tally
        self.move = move
        """See `TimeShift.move`."""

    @classmethod
    async def of(
        cls,
        parts: Parts,
        triggers: Sequence[Definition],
        *,
        arrived: Callable[[], int],
        watch_seconds: float | None,
    ) -> Self:
        """The work; triggers are at the places where they begin, before the first request.

        Args:
            parts: of the process that does it.
            triggers: to deliver to.
            arrived: see `Turns`.
            watch_seconds: how often to look whether other processes have changed the catalog.
        """
        store, catalog, settings = parts.store, parts.catalog, parts.settings
        engine, clock, shared = store.engine, store.clock, parts.storage.is_shared
        turns = Turns(clock.monotonic_ns, arrived)
        expirer = Expirer(store, catalog, settings.time_to_live_delay_seconds, turns=turns)
        leader = Leader(engine, clock, "background", is_shared=shared)
        works, passes = _works(
            parts, turns, expirer=expirer, leader=leader, watch_seconds=watch_seconds
        )
        move = TimeShift(clock, passes).move
        works += parts.storage.works
        # Another lease, for not all servers need have triggers.
        delivering, tally = Leader(engine, clock, "triggers", is_shared=shared), Tally()
        runners = await _runners(triggers, parts, tally, fences=delivering.fences)
        return cls(parts, [(leader, works), (delivering, runners)], expirer, tally, move=move)

    def figures(self) -> Figures:
        """Of the work, and of the engine that it works on."""
        parts, leaders = self._parts, [leader for leader, _ in self._led]
        return {
            **parts.storage.figures(),
            "background_failures_total": sum(leader.failures for leader in leaders),
            "background_leads": float(leaders[0].leads),
            "expired_items_total": self._expirer.deleted_total,
            "transaction_items": len(parts.store.in_flight),
            **self._tally.figures(parts.store.clock.now_ms()),
        }

    def begin(self) -> None:
        """Begin."""
        for leader, works in self._led:
            if works:
                leader.begin(works)

    async def end(self) -> None:
        """Stop it, wherever it is."""
        for leader, works in reversed(self._led):
            if works:
                await leader.end()


def triggers_of(settings: Settings) -> list[Definition]:
    """What the file of triggers asks for. Raises TriggerError."""
    if settings.triggers is None:
        return []
    return triggers_from(
        settings.triggers,
        retention_ms=settings.stream_retention_seconds * 1000,
        separate=settings.namespaces == Namespaces.SEPARATE,
    )


async def _runners(
    triggers: Sequence[Definition], parts: Parts, tally: Tally, *, fences: Callable[[], Fences]
) -> list[Work]:
    """Triggers at the places where they begin: fixed before the first request."""
    store, catalog = parts.store, parts.catalog
    if triggers:
        await forget_gone(store.engine, catalog)
    separate = parts.settings.namespaces == Namespaces.SEPARATE

    def make(definition: Definition) -> TriggerRunner:
        return TriggerRunner(definition, store, catalog, tally, fences=fences)

    runners: list[Work] = []
    for each in triggers:
        in_all = separate and ":" not in each.table
        runner = NamespacesRunner(each, store.engine, catalog, make) if in_all else make(each)
        await runner.begin()
        runners.append(runner)
    return runners


def _pipeline(parts: Parts) -> Pipeline:
    settings = parts.settings
    return Pipeline(
        parts.store,
        parts.catalog,
        parts.metrics.consumed,
        transient_ms=_transient_ms(settings),
        separate=settings.namespaces == Namespaces.SEPARATE,
        choices=TableChoices(
            stream_shards=settings.stream_shards,
            accepts_encryption=settings.accept_encryption_requests,
        ),
    )


def _transient_ms(settings: Settings) -> int:
    return settings.transient_status_ms if settings.delay_transient_statuses else 0


def _works(
    parts: Parts,
    turns: Turns,
    *,
    expirer: Expirer,
    leader: Leader,
    watch_seconds: float | None,
) -> tuple[list[Work], list[Pass]]:
    """What is done beside requests; each change of the catalog made here wakes it at once.

    And the passes that do at once what is due by the clock.
    """
    store, catalog, settings = parts.store, parts.catalog, parts.settings
    dropper = Dropper(store.engine, catalog, store.clock, _transient_ms(settings), turns=turns)
    indexer = Indexer(store.engine, catalog, turns=turns)
    tokens = TokenSweeper(store.engine, store.clock)
    rules = StreamRules(
        shard_ms=settings.stream_shard_seconds * 1000,
        retention_ms=settings.stream_retention_seconds * 1000,
    )
    streams = StreamUpkeep(store, catalog, rules, turns=turns)

    def changed(name: str) -> None:
        if leader.leads:
            indexer.wake(name)
            expirer.wake(name)

    def changed_elsewhere() -> None:
        dropper.wake()
        indexer.wake_all()
        expirer.wake_all()

    catalog.on_drop, catalog.on_change = dropper.wake, changed
    works: list[Work] = [dropper, indexer, expirer, tokens, streams]
    if watch_seconds is not None:
        watch = CatalogWatch(store.engine, changed_elsewhere, look_seconds=watch_seconds)
        works.append(watch)
    # Shards are rolled before expired items are logged, and indexes are built before they are read.
    return works, [dropper.clear, indexer.work, streams.settle, expirer.settle, tokens.settle]


def verify(place: Path | str) -> list[str]:
    """What is wrong with the data in a directory that no server uses, or in a database; or nothing.

    Raises:
        StorageOpenError: they cannot be opened.
        StorageError: they cannot be read.
    """

    async def found() -> list[str]:
        async with opened_to_verify(str(place)) as engine:
            return await findings(engine)

    return asyncio.run(found())


def _http_limits(settings: Settings) -> HttpLimits:
    return HttpLimits(
        connections_max=settings.connections_max,
        request_seconds_max=settings.request_seconds_max,
        idle_seconds_max=settings.idle_seconds_max,
    )
