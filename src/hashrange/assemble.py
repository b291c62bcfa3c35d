"""The composition root: the only module that knows which engine there is, and what serves it."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final, Protocol

from hashrange.background.dropper import Dropper
from hashrange.background.expirer import Expirer
from hashrange.background.indexer import Indexer
from hashrange.background.stream_upkeep import StreamRules, StreamUpkeep
from hashrange.background.token_sweeper import TokenSweeper
from hashrange.clock import SystemClock
from hashrange.observe.metrics import Metrics
from hashrange.operations.pipeline import Pipeline
from hashrange.server.endpoint import Endpoint
from hashrange.server.http_limits import HttpLimits
from hashrange.server.listener import Listener
from hashrange.server.request_ids import RANDOM_BYTES, request_ids
from hashrange.server.routes import routes
from hashrange.server.stopping import signals, watch_input
from hashrange.settings import Durability, Namespaces, Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog import Catalog, check_namespaces
from hashrange.tables.counting import count_collections
from hashrange.tables.store import Store
from hashrange.tables.verify import findings

GARBAGE_ALLOCATIONS: Final = 50_000
"""Containers made, less those freed, between two looks for cycles."""

RESTART_SECONDS: Final = 5.0
"""After work in the background has failed."""

_log: Final = logging.getLogger(__name__)


class Background(Protocol):
    """Work beside requests."""

    async def run(self) -> None:
        """Go on until cancelled."""


async def serve(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM, SIGINT or, if asked for, the end of standard input; then drain.

    Args:
        settings: what the operator chose.
        announce: called with the endpoint's URL once it is reachable.

    Raises:
        StorageOpenError: the data cannot be opened.
        OSError: the address cannot be listened on.
    """
    stop = asyncio.Event()
    with signals(stop.set):
        if settings.stop_with_input:
            watch_input(stop.set)
        async with running(settings) as endpoint:
            _spare_garbage_collection()
            announce(endpoint)
            await stop.wait()
            _log.info("stops: requests that have begun have %d s", settings.drain_seconds)


def _spare_garbage_collection() -> None:
    """What is loaded now stays; requests leave next to no cycles. Saves 4 % of a put."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_ALLOCATIONS)


@contextlib.asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[str]:
    """A server in this loop, from its first request to its last; gives the endpoint's URL."""
    clock = SystemClock()
    directory = None if settings.memory else settings.data
    engine = SqliteEngine.open(directory, durability=settings.durability)
    try:
        metrics = Metrics(lambda: _figures(engine))
        transient_ms = settings.transient_status_ms if settings.delay_transient_statuses else 0
        catalog = Catalog(engine)
        separate = settings.namespaces == Namespaces.SEPARATE
        await check_namespaces(engine, separate=separate)
        await count_collections(engine)
        store = Store(engine, clock, collection_bytes_max=settings.item_collection_mb_max * 1024**2)
        pipeline = Pipeline(
            store,
            catalog,
            metrics.consumed,
            transient_ms=transient_ms,
            separate=separate,
            stream_shards=settings.stream_shards,
        )
        endpoint = Endpoint(pipeline, clock, metrics)
        listener = Listener(clock, metrics.traffic)
        handler = routes(endpoint.respond, ready=lambda: True, metrics=metrics.text)
        background = _background(store, catalog, settings, transient_ms)
        await listener.start(
            handler,
            host=settings.host,
            port=settings.port,
            limits=_http_limits(settings),
            request_id=request_ids(clock.random_bytes(RANDOM_BYTES)),
        )
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        try:
            yield f"http://{host}:{listener.port}"
        finally:
            await listener.stop(drain_seconds=settings.drain_seconds)
            for task in background:
                task.cancel()
            await asyncio.wait(background)
    finally:
        engine.close()


def _background(
    store: Store, catalog: Catalog, settings: Settings, transient_ms: int
) -> list[asyncio.Task[None]]:
    """Begin what is done beside requests."""
    dropper = Dropper(store.engine, catalog, store.clock, transient_ms)
    indexer = Indexer(store.engine, catalog)
    expirer = Expirer(store, catalog, settings.time_to_live_delay_seconds)
    tokens = TokenSweeper(store.engine, store.clock)
    rules = StreamRules(
        shard_ms=settings.stream_shard_seconds * 1000,
        retention_ms=settings.stream_retention_seconds * 1000,
    )
    streams = StreamUpkeep(store, catalog, rules)

    def changed(name: str) -> None:
        indexer.wake(name)
        expirer.wake(name)

    catalog.on_drop, catalog.on_change = dropper.wake, changed
    works = (dropper, indexer, expirer, tokens, streams)
    return [asyncio.create_task(_kept_going(work)) for work in works]


async def _kept_going(work: Background) -> None:
    """Run until it is cancelled: a fault of ours must not end what nobody watches."""
    while True:  # bound: until the server cancels it
        try:
            await work.run()
        except Exception:  # noqa: BLE001 - whatever it is
            _log.critical("work in the background has failed; it begins again", exc_info=True)
            await asyncio.sleep(RESTART_SECONDS)


def verify(directory: Path) -> list[str]:
    """What is wrong with the data in a directory that no server uses; empty if all is well.

    Raises:
        StorageOpenError: they cannot be opened.
    """
    if not (directory / DATA_FILE).is_file():
        # The engine would make an empty one, and that would be sound.
        raise StorageOpenError(f"{directory} holds no data of hashrange")
    engine = SqliteEngine.open(directory, durability=Durability.FULL)
    try:
        return asyncio.run(findings(engine))
    finally:
        engine.close()


def _figures(engine: SqliteEngine) -> dict[str, float]:
    stats = engine.stats()
    return {
        "commits_total": stats.groups,
        "writes_total": stats.works,
        "commit_seconds_total": stats.commit_seconds_total,
        "write_queue_length": stats.queue_length,
        "recoveries_total": stats.recoveries,
        "wal_pages": stats.wal_pages,
        "disk_full": stats.disk_full,
        "down": stats.down,
    }


def _http_limits(settings: Settings) -> HttpLimits:
    return HttpLimits(
        connections_max=settings.connections_max,
        request_seconds_max=settings.request_seconds_max,
        idle_seconds_max=settings.idle_seconds_max,
    )
