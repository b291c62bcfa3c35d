"""Which engines there are, and how each is opened: nothing else knows a concrete one."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import apsw
import msgspec

from hashrange.background.tasks import BackgroundTask
from hashrange.clock import SystemClock
from hashrange.observe.counts import Durations
from hashrange.observe.figures import Figures
from hashrange.setting_kinds import DATABASE_URLS
from hashrange.settings import Durability, Settings
from hashrange.storage.engine import Engine, StorageOpenError
from hashrange.storage.sqlite.conversion import convert_directory
from hashrange.storage.sqlite.directory import DATA_FILE, DataDirectory
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.presence import Presence
from hashrange.storage.sqlite.read_only import opened_read_only
from hashrange.storage.sqlite.tuning import SHARED_VFS, Tuning
from hashrange.storage.workers.counter import CommitCounter, make_shared
from hashrange.storage.workers.engine import WorkerEngine
from hashrange.storage.workers.snapshot import Snapshot
from hashrange.storage.workers.writer import ProposalApplier, serve_reader
from hashrange.storage.workers.writer_connection import WriterConnection
from hashrange.tables.conversion import Converter

if TYPE_CHECKING:
    from hashrange.storage.postgres.engine import PostgresEngine


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """An engine that serves.

    `works`: what the storage wants done beside requests, by one of all servers that share it.
    `needs_tasks`: its coroutines must run in a Task of asyncio, and cannot be driven by hand.
    `is_shared`: other servers may use it too.
    """

    engine: Engine
    figures: Callable[[], Figures]
    works: Sequence[BackgroundTask] = ()
    needs_tasks: bool
    is_shared: bool


@asynccontextmanager
async def opened(
    settings: Settings, *, now_ms: Callable[[], int] | None = None
) -> AsyncIterator[Opened]:
    """The engine that the settings ask for, closed at the end. Raises StorageOpenError.

    `now_ms` is the clock of the stamps of records, by default that of the machine; PostgreSQL has a
    clock of its own.
    """
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
    embedded = SqliteEngine.open(
        directory,
        durability=settings.durability,
        tuning=tuning,
        now_ms=now_ms,
        converter=Converter(),
    )
    with closing(embedded):
        yield Opened(
            engine=embedded,
            figures=lambda: _of_sqlite(embedded),
            works=[embedded.watch()],
            needs_tasks=False,
            is_shared=False,
        )


class Locked(msgspec.Struct, frozen=True):
    """A data directory that is this server's.

    `descriptor` is that of its lock, which processes inherit; `files` are the identities of its
    files, by path: whichever process opens them must find the same ones.
    """

    descriptor: int
    files: Mapping[str, tuple[int, int]]


@contextmanager
def locked(directory: Path) -> Iterator[Locked]:
    """Take a data directory; make it and its data file, or convert that, before others open it.

    It is free again when all who have the descriptor are gone. Raises StorageOpenError.
    """
    taken = DataDirectory.take(directory)
    try:
        convert_directory(taken, Converter(), page_bytes=Tuning().page_bytes)
        assert taken.presence is not None, "there is a data file now"
        yield Locked(taken.descriptor, taken.presence.files)
    finally:
        taken.release()


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """The engine of the process that writes.

    `take` connects a reader to it; `proposals` counts what readers have asked for.
    """

    opened: Opened
    take: Callable[[socket.socket], Awaitable[None]]
    proposals: Callable[[], int]


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """The engine of a process that reads; `attach` connects it to the writer, again and again."""

    opened: Opened
    attach: Callable[[socket.socket], Awaitable[None]]


def shared_counter() -> int:
    """The descriptor of memory that all processes of a server share."""
    return make_shared()


@contextmanager
def opened_to_write(
    settings: Settings, *, lock: Locked, commits: int, now_ms: Callable[[], int]
) -> Iterator[Writing]:
    """The engine of the process that writes, on a file that others read.

    Args:
        settings: of the server.
        lock: of the directory, from `locked`; the descriptor as this process has it.
        commits: from `shared_counter`.
        now_ms: the clock of the stamps of records.

    Raises:
        StorageOpenError: the data cannot be opened.
    """
    counter = CommitCounter(commits)
    tuning = Tuning(vfs=SHARED_VFS, commits=counter, queue_works_max=settings.waiting_writes_max)
    directory = DataDirectory(settings.data, lock.descriptor, Presence(lock.files))
    engine = SqliteEngine.open(
        directory, durability=settings.durability, tuning=tuning, now_ms=now_ms
    )
    with closing(engine):
        judge = ProposalApplier(engine)
        opened = Opened(
            engine=engine,
            figures=lambda: _of_sqlite(engine),
            works=[engine.watch()],
            needs_tasks=False,
            is_shared=False,
        )
        yield Writing(
            opened=opened,
            take=lambda connected: serve_reader(connected, judge),
            proposals=lambda: judge.proposals,
        )


@contextmanager
def opened_to_read(settings: Settings, *, lock: Locked, commits: int) -> Iterator[Reading]:
    """The engine of a process that reads, beside one that writes.

    Args:
        settings: of the server.
        lock: of the directory, from `locked`.
        commits: from `shared_counter`.

    Raises:
        StorageOpenError: the data cannot be opened.
    """
    presence = Presence(lock.files)
    fault = presence.fault()
    if fault is not None:
        raise StorageOpenError(fault)
    try:
        snapshot = Snapshot(settings.data / DATA_FILE, CommitCounter(commits))
    except apsw.Error as error:
        raise StorageOpenError(f"cannot open {settings.data / DATA_FILE}: {error}") from error
    link = WriterConnection()
    writes_max = settings.waiting_writes_max
    engine = WorkerEngine(
        snapshot, link, SystemClock(), waiting_writes_max=writes_max, fault=presence.fault
    )
    with closing(engine):
        opened = Opened(
            engine=engine, figures=lambda: _of_worker(engine), needs_tasks=False, is_shared=False
        )
        yield Reading(opened=opened, attach=link.attach)


def shown(place: str) -> str:
    """A directory as it is; a URL without its user, password and parameters."""
    if not is_database(place):
        return place
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_database(place: str) -> bool:
    """Whether a text names a database, and not a directory."""
    return place.startswith(DATABASE_URLS)


def holds_data(directory: Path) -> bool:
    """Whether there are data of ours."""
    return (directory / DATA_FILE).is_file()


@asynccontextmanager
async def opened_to_verify(place: str) -> AsyncIterator[Engine]:
    """The engine of a directory that no server uses, or of a URL; what is missing is not made.

    A directory is opened read-only: no file in it is made or changed.

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
    if not holds_data(Path(place)):
        raise StorageOpenError(f"{place} holds no data of hashrange")
    with opened_read_only(Path(place)) as stored:
        yield stored


async def on_postgres(
    url: str, *, durability: Durability, makes: bool = True, waiting_writes_max: int = 1
) -> "PostgresEngine":
    """The engine of a URL, to be closed by who asks. Raises StorageOpenError."""
    # Importing the driver takes some 60 ms, which a server on SQLite need not spend.
    from hashrange.storage.postgres.engine import PostgresEngine  # noqa: PLC0415

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


def _of_worker(engine: WorkerEngine) -> Figures:
    stats = engine.stats()
    return {
        # The writer counts those that it hears of.
        "engine_writes_total": stats.decided,
        "engine_writes_refused_total": stats.refused,
        "engine_lost_comparisons_total": stats.lost,
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
