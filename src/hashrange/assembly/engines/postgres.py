"""The engine on PostgreSQL. The driver is imported where it is used, which few starts do."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from hashrange.assembly.engines.kind import EngineKind, Made, Opened, ReportProgress, Verify
from hashrange.limits.server import WAITING_WRITES_MAX
from hashrange.observe.counts import Durations
from hashrange.observe.figures import Figures
from hashrange.settings.kinds import DATABASE_URLS, Durability
from hashrange.settings.settings import Settings
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import Engine

if TYPE_CHECKING:
    from hashrange.assembly.engines.trials.subject import Opener
    from hashrange.backups.directories.manifests import Manifest
    from hashrange.storage.postgres.engine import PostgresEngine

TRIAL_SERVERS: Final = 2
"""Engines on one database, each with connections and caches of its own."""


async def _connected(
    url: str,
    *,
    durability: Durability,
    makes: bool = True,
    serves: bool = False,
    waiting_writes_max: int = 1,
) -> "PostgresEngine":
    """The engine of a database, which the caller closes. Raises StorageOpenError.

    Args:
        url: `postgresql://…`, with a schema among its parameters.
        durability: when a write is acknowledged.
        makes: create the schema and its tables if they do not exist.
        serves: for requests of clients, with a read lease.
        waiting_writes_max: bound of the queue of writes.
    """
    # Importing the driver takes some 60 ms, which only servers on PostgreSQL need.
    from hashrange.storage.postgres.engine import PostgresEngine  # noqa: PLC0415

    return await PostgresEngine.open(
        url,
        durability=durability,
        makes=makes,
        serves=serves,
        waiting_writes_max=waiting_writes_max,
    )


@asynccontextmanager
async def _opened(settings: Settings, _now_ms: Callable[[], int] | None) -> AsyncIterator[Opened]:
    """The clock of stamps is that of the database."""
    from hashrange.assembly.engines.database_rows import opened_rows  # noqa: PLC0415 - see above

    database = await _connected(
        settings.engine,
        durability=settings.durability,
        serves=True,
        waiting_writes_max=settings.waiting_writes_max,
    )
    try:
        yield Opened(
            engine=database,
            figures=lambda: _figures_of(database),
            warnings=lambda: list(filter(None, [database.pool.connector.fault])),
            background_tasks=[database.sweeper()],
            stamp_ms=database.stamp_ms,
            sessions=database.session,
            needs_tasks=True,
            is_shared=True,
            rows=partial(opened_rows, settings.engine),
            listen=database.listen,
        )
    finally:
        await database.close()


@asynccontextmanager
async def _opened_to_verify(
    place: str, _key: KeySource | None
) -> AsyncIterator[tuple[Engine, str | None]]:
    database = await _connected(place, durability=Durability.FULL, makes=False)
    try:
        yield database, None
    finally:
        await database.close()


def _figures_of(engine: "PostgresEngine") -> Figures:
    """Of an engine on PostgreSQL."""
    stats = engine.stats()
    return {
        "engine_commits_total": sum(stats.durations.buckets),
        "engine_writes_total": stats.decided,
        "engine_writes_refused_total": stats.refused,
        "engine_commit_duration_seconds": stats.durations,
        # The syncs of the database are not known here.
        "engine_sync_duration_seconds": Durations(),
        "engine_write_queue_length": stats.queue_length,
        "engine_recoveries_total": stats.recoveries,
        "engine_statements_total": stats.statements,
        "engine_lost_comparisons_total": stats.conflicts,
        "engine_down": stats.down,
        "engine_down_seconds_total": stats.down_seconds,
        "engine_failovers_total": stats.failovers,
        "engine_host": stats.host,
    }


def without_password(place: str) -> str:
    """A URL without its user, password and parameters."""
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _described(settings: Settings) -> str:
    return f"The data are in {without_password(settings.engine)}, durability {settings.durability}."


async def _backed_up(
    place: str, _key: Settings, target: str, keep: str, *, report: ReportProgress
) -> Made:
    from hashrange.assembly.engines.backing_up import database_backed_up  # noqa: PLC0415 - few commands

    return await database_backed_up(place, target, keep, report)


async def _restored(
    target: str,
    place: str,
    backup_id: str | None,
    *,
    key: KeySource | None,
    verify: Verify,
    report: ReportProgress,
) -> tuple["Manifest", str]:
    from hashrange.assembly.engines.backing_up import database_restored  # noqa: PLC0415 - few commands

    assert key is None, "databases encrypt their files themselves"
    manifest = await database_restored(
        target, place, backup_id, verify=lambda url: verify(url, None), report=report
    )
    return manifest, ""


@contextmanager
def _on_trial(place: str, name: str) -> Iterator["Opener"]:
    """Operations go in turn to two engines, as from two servers."""
    from hashrange.assembly.engines.trials.wrapped_engines import RoundRobin  # noqa: PLC0415 - few commands
    from hashrange.storage.postgres.address import DatabaseAddress  # noqa: PLC0415

    own = DatabaseAddress.with_schema(place, name)

    opened = False

    @asynccontextmanager
    async def in_schema() -> AsyncIterator[Engine]:
        nonlocal opened
        async with AsyncExitStack() as stack:
            servers = []
            for _ in range(TRIAL_SERVERS):
                server = await _connected(
                    own, durability=Durability.FULL, waiting_writes_max=WAITING_WRITES_MAX
                )
                opened = True
                stack.push_async_callback(server.close)
                servers.append(server)
            yield RoundRobin(servers)

    try:
        yield in_schema
    finally:
        if opened:
            from hashrange.storage.postgres.pool import drop  # noqa: PLC0415 - an extra

            asyncio.run(drop(DatabaseAddress.of(own)))


POSTGRES: Final = EngineKind(
    schemes=DATABASE_URLS,
    is_shared=True,
    settings_of=lambda place: Settings(engine=place),
    place_of=lambda settings: settings.engine,
    shown=without_password,
    described=_described,
    opened=_opened,
    opened_to_verify=_opened_to_verify,
    backed_up=_backed_up,
    restored=_restored,
    on_trial=_on_trial,
)
