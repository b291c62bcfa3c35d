"""The composition root: which parts there are, and how they come together in a server."""

import asyncio
import contextlib
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Final

from hashrange.background.catalog_watch import CatalogWatch
from hashrange.background.crew import Work
from hashrange.background.dropper import Dropper
from hashrange.background.expirer import Expirer
from hashrange.background.indexer import Indexer
from hashrange.background.leader import Leader
from hashrange.background.stream_upkeep import StreamRules, StreamUpkeep
from hashrange.background.token_sweeper import TokenSweeper
from hashrange.background.turns import Turns
from hashrange.clock import SystemClock
from hashrange.engines import opened, opened_to_verify
from hashrange.observe.figures import Figures
from hashrange.observe.metrics import Metrics
from hashrange.operations.pipeline import Pipeline
from hashrange.server.addresses import bound
from hashrange.server.drive import in_tasks
from hashrange.server.endpoint import Endpoint
from hashrange.server.exchange import Handler
from hashrange.server.http_limits import HttpLimits
from hashrange.server.journal import Journal
from hashrange.server.listener import Listener
from hashrange.server.monitor import Monitor
from hashrange.server.request_ids import RANDOM_BYTES, request_ids
from hashrange.server.routes import routes
from hashrange.server.sampler import Sampler
from hashrange.server.stopping import signals, watch_input
from hashrange.settings import Namespaces, Settings
from hashrange.storage.engine import Fences
from hashrange.tables.catalog import Catalog, check_namespaces
from hashrange.tables.counting import count_collections
from hashrange.tables.store import Store
from hashrange.tables.verify import findings
from hashrange.triggers.definitions import Definition, triggers_from
from hashrange.triggers.positions import forget_gone
from hashrange.triggers.runner import TriggerRunner
from hashrange.triggers.tally import Tally

GARBAGE_ALLOCATIONS: Final = 50_000
"""Containers made, less those freed, between two looks for cycles."""
SWITCH_SECONDS: Final = 0.000_1
"""For which a thread keeps the interpreter when another one wants it; there are but two."""

_log: Final = logging.getLogger(__name__)


async def serve(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM, SIGINT or, if asked for, the end of standard input; then drain.

    Args:
        settings: what the operator chose.
        announce: called with the endpoint's URL once it is reachable.

    Raises:
        TriggerError: the file of triggers cannot be used.
        StorageOpenError: the data cannot be opened.
        OSError: the address cannot be listened on.
    """
    stop = asyncio.Event()
    with signals(stop.set):
        if settings.stop_with_input:
            watch_input(stop.set)
        async with running(settings) as endpoint:
            _tune_interpreter()
            announce(endpoint)
            await stop.wait()
            _log.info("stops: requests that have begun have %d s", settings.drain_seconds)


def _tune_interpreter() -> None:
    """What is loaded now stays; requests leave next to no cycles. Saves 4 % of a put.

    And the thread that has synced for the loop must not wait for its turn as long as a sync takes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_ALLOCATIONS)
    sys.setswitchinterval(SWITCH_SECONDS)


@contextlib.asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[str]:
    """A server in this loop, from its first request to its last; gives the endpoint's URL."""
    clock = SystemClock()
    triggers = _triggers(settings)
    async with contextlib.AsyncExitStack() as stack:
        # Before the data directory is made: a port that is taken must leave nothing behind.
        sockets = await bound(settings.host, settings.port)
        for each in sockets:
            stack.callback(each.close)
        storage = await stack.enter_async_context(opened(settings))
        engine = storage.engine
        catalog = Catalog(engine)
        await check_namespaces(engine, separate=settings.namespaces == Namespaces.SEPARATE)
        await count_collections(engine)
        store = Store(engine, clock, collection_bytes_max=settings.item_collection_mb_max * 1024**2)
        shared = storage.is_shared
        metrics = Metrics()
        turns = Turns(clock.monotonic_ns, lambda: metrics.traffic.bytes_received)
        expirer = Expirer(store, catalog, settings.time_to_live_delay_seconds, turns=turns)
        leader = Leader(engine, clock, "background", is_shared=shared)
        works = [
            *_works(store, catalog, settings, turns, expirer=expirer, leader=leader),
            *storage.works,
        ]
        # Another lease, for not all servers need have triggers.
        delivering, tally = Leader(engine, clock, "triggers", is_shared=shared), Tally()
        runners = await _runners(triggers, store, catalog, tally, fences=delivering.fences)

        def figures() -> Figures:
            work = _of_work([leader, delivering], expirer, store)
            return {**storage.figures(), **work, **tally.figures(clock.now_ms())}

        identify = request_ids(clock.random_bytes(RANDOM_BYTES))
        listener = Listener(clock, metrics.traffic)
        handler = _handler(settings, store, catalog, metrics, figures=figures, identify=identify)
        await listener.start(
            in_tasks(handler) if storage.needs_tasks else handler,
            sockets=sockets,
            limits=_http_limits(settings),
            request_id=identify,
        )
        stack.push_async_callback(listener.stop, drain_seconds=settings.drain_seconds)
        # Ended before the requests that have begun: another server goes on meanwhile.
        for led, of_it in ((leader, works), (delivering, runners)):
            if of_it:
                led.begin(of_it)
                stack.push_async_callback(led.end)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        yield f"http://{host}:{listener.port}"


def _triggers(settings: Settings) -> list[Definition]:
    if settings.triggers is None:
        return []
    return triggers_from(
        settings.triggers,
        retention_ms=settings.stream_retention_seconds * 1000,
        separate=settings.namespaces == Namespaces.SEPARATE,
    )


async def _runners(
    triggers: Sequence[Definition],
    store: Store,
    catalog: Catalog,
    tally: Tally,
    *,
    fences: Callable[[], Fences],
) -> list[TriggerRunner]:
    """Triggers at the places where they begin: fixed before the first request."""
    if triggers:
        await forget_gone(store.engine, catalog)
    runners = [TriggerRunner(each, store, catalog, tally, fences=fences) for each in triggers]
    for runner in runners:
        await runner.begin()
    return runners


def _handler(
    settings: Settings,
    store: Store,
    catalog: Catalog,
    metrics: Metrics,
    *,
    figures: Callable[[], Figures],
    identify: Callable[[], bytes],
) -> Handler:
    """What answers the whole port."""
    clock = store.clock
    pipeline = Pipeline(
        store,
        catalog,
        metrics.consumed,
        transient_ms=_transient_ms(settings),
        separate=settings.namespaces == Namespaces.SEPARATE,
        stream_shards=settings.stream_shards,
    )
    sampler = Sampler(pipeline.cached, clock.monotonic_ns) if settings.shows_hot_keys else None
    journal = Journal(identify, clock.monotonic_ns, settings.slow_request_ms)
    endpoint = Endpoint(pipeline, clock, metrics, journal=journal, sampler=sampler)
    monitor = Monitor(metrics, figures, store.engine, catalog, clock=clock, sampler=sampler)
    return routes(endpoint.respond, ready=monitor.ready, metrics=monitor.text, top=monitor.top)


def _transient_ms(settings: Settings) -> int:
    return settings.transient_status_ms if settings.delay_transient_statuses else 0


def _works(
    store: Store,
    catalog: Catalog,
    settings: Settings,
    turns: Turns,
    *,
    expirer: Expirer,
    leader: Leader,
) -> list[Work]:
    """What is done beside requests; each change of the catalog made here wakes it at once."""
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
    if leader.is_shared:
        works.append(CatalogWatch(store.engine, changed_elsewhere))
    return works


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


def _of_work(leaders: Sequence[Leader], expirer: Expirer, store: Store) -> Figures:
    return {
        "background_failures_total": sum(leader.failures for leader in leaders),
        "background_leads": float(leaders[0].leads),
        "expired_items_total": expirer.deleted_total,
        "transaction_items": len(store.in_flight),
    }


def _http_limits(settings: Settings) -> HttpLimits:
    return HttpLimits(
        connections_max=settings.connections_max,
        request_seconds_max=settings.request_seconds_max,
        idle_seconds_max=settings.idle_seconds_max,
    )
