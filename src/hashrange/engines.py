"""Which engines there are, and how each is opened: nothing else knows a concrete one."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from hashrange.background.crew import Work
from hashrange.observe.counts import Durations
from hashrange.observe.figures import Figures
from hashrange.settings import DATABASE_URLS, Durability, Settings
from hashrange.storage.engine import Engine, StorageOpenError
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning

if TYPE_CHECKING:
    from hashrange.storage.postgres.engine import PostgresEngine

_EXTRA: Final = "pip install 'hashrange[postgres]'"


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """An engine that serves.

    `works`: what the storage wants done beside requests, by one of all servers that share it.
    `needs_tasks`: its coroutines must run in a Task of asyncio, and cannot be driven by hand.
    `is_shared`: other servers may use it too.
    """

    engine: Engine
    figures: Callable[[], Figures]
    works: Sequence[Work] = ()
    needs_tasks: bool
    is_shared: bool


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Opened]:
    """The engine that the settings ask for, closed at the end. Raises StorageOpenError."""
    if is_database(settings.engine):
        database = await on_postgres(
            settings.engine,
            durability=settings.durability,
            waiting_writes_max=settings.waiting_writes_max,
        )
        try:
            yield Opened(
                engine=database,
                figures=lambda: _of_postgres(database),
                works=[database.sweeper()],
                needs_tasks=True,
                is_shared=True,
            )
        finally:
            await database.close()
        return
    directory = None if settings.memory else settings.data
    tuning = Tuning(queue_works_max=settings.waiting_writes_max)
    embedded = SqliteEngine.open(directory, durability=settings.durability, tuning=tuning)
    with closing(embedded):
        yield Opened(
            engine=embedded,
            figures=lambda: _of_sqlite(embedded),
            needs_tasks=False,
            is_shared=False,
        )


def shown(place: str) -> str:
    """A directory as it is; a URL without its user, password and parameters."""
    if not is_database(place):
        return place
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_database(place: str) -> bool:
    """Whether a text names a database, and not a directory."""
    return place.startswith(DATABASE_URLS)


@asynccontextmanager
async def opened_to_verify(place: str) -> AsyncIterator[Engine]:
    """The engine of a directory that no server uses, or of a URL; what is missing is not made.

    Raises:
        StorageOpenError: it cannot be opened, or holds no data of ours.
    """
    if is_database(place):
        database = await on_postgres(place, durability=Durability.FULL, makes=False)
        try:
            yield database
        finally:
            await database.close()
        return
    if not (Path(place) / DATA_FILE).is_file():
        # The engine would make an empty one, and that would be sound.
        raise StorageOpenError(f"{place} holds no data of hashrange")
    with closing(SqliteEngine.open(Path(place), durability=Durability.FULL)) as embedded:
        yield embedded


async def on_postgres(
    url: str, *, durability: Durability, makes: bool = True, waiting_writes_max: int = 1
) -> "PostgresEngine":
    """The engine of a URL, to be closed by who asks. Raises StorageOpenError."""
    if find_spec("asyncpg") is None:
        raise StorageOpenError(f"--engine postgresql:// needs asyncpg: {_EXTRA}")
    from hashrange.storage.postgres.engine import PostgresEngine  # noqa: PLC0415 - an extra

    return await PostgresEngine.open(
        url, durability=durability, makes=makes, waiting_writes_max=waiting_writes_max
    )


def _of_sqlite(engine: SqliteEngine) -> Figures:
    stats = engine.stats()
    return {
        "engine_commits_total": stats.groups,
        "engine_writes_total": stats.works,
        "engine_writes_refused_total": stats.refused,
        "engine_commit_duration_seconds": stats.commits,
        "engine_sync_duration_seconds": stats.syncs,
        "engine_write_queue_length": stats.queue_length,
        "engine_recoveries_total": stats.recoveries,
        "engine_wal_pages": stats.wal_pages,
        "engine_data_bytes": stats.data_bytes,
        "engine_disk_full": stats.disk_full,
        "engine_down": stats.down,
    }


def _of_postgres(engine: "PostgresEngine") -> Figures:
    stats = engine.stats()
    return {
        "engine_commits_total": sum(stats.writes.buckets),
        "engine_writes_total": stats.works,
        "engine_writes_refused_total": stats.refused,
        "engine_commit_duration_seconds": stats.writes,
        # When the database syncs is its own affair: none are counted.
        "engine_sync_duration_seconds": Durations(),
        "engine_write_queue_length": stats.queue_length,
        "engine_recoveries_total": stats.recoveries,
        "engine_statements_total": stats.statements,
        "engine_lost_comparisons_total": stats.lost,
        "engine_down": stats.down,
    }
