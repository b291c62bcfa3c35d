"""Opens the engines of a server of several processes: of that which writes, and of workers."""

import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial

import apsw
import msgspec

from hashrange.assembly.engines.embedded import (
    figures_of_sqlite,
    listen_to,
    master_key_id,
    report_damage,
    unlock,
)
from hashrange.assembly.engines.kind import Opened
from hashrange.clock import SystemClock
from hashrange.observe.figures import Figures
from hashrange.settings.settings import Settings
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.sqlite.conversion import convert_directory
from hashrange.storage.sqlite.directory import DATA_FILE, DataDirectory
from hashrange.storage.sqlite.engine import SqliteEngine, comparing
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.sqlite.presence import Presence
from hashrange.storage.sqlite.saved_states import states_of
from hashrange.storage.sqlite.tuning import SHARED_VFS, Tuning
from hashrange.storage.sqlite.unlocking import taken
from hashrange.storage.workers.engine import WorkerEngine
from hashrange.storage.workers.snapshot import CommitCounter, Snapshot, create_shared_memory
from hashrange.storage.workers.writer import ProposalApplier, serve_reader
from hashrange.storage.workers.writer_connection import WriterConnection
from hashrange.storage.workers.writer_faults import WriterFaults
from hashrange.tables.log.conversion import Converter
from hashrange.tables.writing.write_decisions import decide_delegated


class DirectoryLock(msgspec.Struct, frozen=True):
    """The lock of a data directory, and the identities of its files.

    Attributes:
        descriptor: that of the lock, which the processes of a server inherit.
        files: device and inode by path; each process that opens the files compares them.
        cipher: of the data file; None if it is not encrypted. The supervisor alone has the master
            key, which may be replaced while it runs.
    """

    descriptor: int
    files: Mapping[str, tuple[int, int]]
    cipher: PageCipher | None = None


@contextmanager
def locked(settings: Settings) -> Iterator[DirectoryLock]:
    """Lock the data directory, and make or convert its data file before other processes open it.

    The lock is released when all processes that inherited the descriptor have ended. Raises
    StorageOpenError.
    """
    directory = taken(settings.data, unlock(settings))
    try:
        convert_directory(directory, Converter(), page_bytes=Tuning().page_bytes)
        assert directory.presence is not None, "there is a data file now"
        yield DirectoryLock(directory.descriptor, directory.presence.files, directory.cipher)
    finally:
        directory.release()


class WriterProcessEngine(msgspec.Struct, frozen=True, kw_only=True):
    """The engine of the process that writes.

    Attributes:
        opened: the engine.
        take: serves the proposals of a worker that is connected to a socket.
        proposals: how many proposals have come from workers.
    """

    opened: Opened
    take: Callable[[socket.socket], Awaitable[None]]
    proposals: Callable[[], int]


class WorkerProcessEngine(msgspec.Struct, frozen=True, kw_only=True):
    """The engine of a worker, a process that reads.

    Attributes:
        opened: the engine.
        attach: connects the engine to the writer; again whenever the writer is replaced.
    """

    opened: Opened
    attach: Callable[[socket.socket], Awaitable[None]]


def shared_counter() -> int:
    """The descriptor of new shared memory for `CommitCounter`, which processes inherit."""
    return create_shared_memory()


@contextmanager
def opened_to_write(
    settings: Settings, *, lock: DirectoryLock, commits: int, now_ms: Callable[[], int]
) -> Iterator[WriterProcessEngine]:
    """Open the engine of the process that writes, on a file that workers read.

    Args:
        settings: those of the server.
        lock: that of the directory, from `locked`, with the descriptor of this process.
        commits: the descriptor from `shared_counter`.
        now_ms: the clock that stamps records of the change log.

    Raises:
        StorageOpenError: the data cannot be opened.
    """
    counter = CommitCounter(commits)
    tuning = Tuning(vfs=SHARED_VFS, commits=counter, queue_works_max=settings.waiting_writes_max)
    directory = DataDirectory(settings.data, lock.descriptor, Presence(lock.files), lock.cipher)
    engine = SqliteEngine.open(
        directory,
        durability=settings.durability,
        tuning=tuning,
        now_ms=now_ms,
    )
    with closing(engine):
        applier = ProposalApplier(engine, decide_delegated)
        opened = Opened(
            engine=engine,
            figures=lambda: figures_of_sqlite(engine),
            background_tasks=[engine.watch()],
            needs_tasks=False,
            is_shared=False,
            master_key_id=master_key_id(lock.cipher),
            states=states_of(engine.standstill),
            freeze=engine.standstill.freeze,
            listen=partial(listen_to, engine),
            watch_damage=partial(report_damage, engine.database.damage),
            comparing=None if lock.cipher else partial(comparing, engine),
        )
        yield WriterProcessEngine(
            opened=opened,
            take=lambda connected: serve_reader(connected, applier),
            proposals=lambda: applier.proposals,
        )


@contextmanager
def opened_to_read(
    settings: Settings, *, lock: DirectoryLock, commits: int
) -> Iterator[WorkerProcessEngine]:
    """Open the engine of a worker, beside the process that writes.

    Args:
        settings: those of the server.
        lock: that of the directory, from `locked`.
        commits: the descriptor from `shared_counter`.

    Raises:
        StorageOpenError: the data cannot be opened.
    """
    presence = Presence(lock.files)
    fault = presence.fault()
    if fault is not None:
        raise StorageOpenError(fault)
    try:
        snapshot = Snapshot(settings.data / DATA_FILE, CommitCounter(commits), lock.cipher)
    except apsw.Error as error:
        raise StorageOpenError(f"cannot open {settings.data / DATA_FILE}: {error}") from error
    link = WriterConnection()
    writes_max = settings.waiting_writes_max
    faults = WriterFaults(link)
    engine = WorkerEngine(
        snapshot, link, SystemClock(), waiting_writes_max=writes_max, fault=presence.fault
    )
    with closing(engine):
        opened = Opened(
            engine=engine,
            figures=lambda: _figures_of_worker(engine),
            write_fault=faults.fault,
            needs_tasks=False,
            is_shared=False,
            master_key_id=master_key_id(lock.cipher),
            watch_damage=partial(report_damage, snapshot.damage),
            comparing=None if lock.cipher else partial(_comparing, engine),
        )
        yield WorkerProcessEngine(opened=opened, attach=link.attach)


def _comparing(engine: WorkerEngine, first_reads: FirstReads) -> WorkerEngine:
    """The engine, whose reads are compared from now on, those of writes too."""
    engine.first_reads = first_reads
    return engine


def _figures_of_worker(engine: WorkerEngine) -> Figures:
    stats = engine.stats()
    return {
        # Groups, syncs and proposals are counted by the writer.
        "engine_writes_total": stats.decided,
        "engine_writes_refused_total": stats.refused,
        "engine_lost_comparisons_total": stats.conflicts,
    }
