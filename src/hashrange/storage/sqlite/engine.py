"""The engine: reads are answered at once, writes are committed in groups."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Self, TypeVar

import apsw
import msgspec

from hashrange.clock import SystemClock
from hashrange.observe.counts import Durations
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    Fences,
    Pair,
    StorageOpenError,
)
from hashrange.storage.first_reads import FirstReads
from hashrange.storage.loop_waiter import LoopWaiter
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.sqlite.committer import Committer
from hashrange.storage.sqlite.connections import Connections
from hashrange.storage.sqlite.conversion import convert_directory
from hashrange.storage.sqlite.damage import UNREADABLE
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.directory import RESERVE_FILE, DataDirectory
from hashrange.storage.sqlite.disk_thread import StallWatch
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.file_guard import FileGuard
from hashrange.storage.sqlite.presence import PresenceWatch
from hashrange.storage.sqlite.recovery import Recovery, ignore_wal, reason_of
from hashrange.storage.sqlite.reserve import Reserve
from hashrange.storage.sqlite.rewriting import RowConverter
from hashrange.storage.sqlite.rows import Execute, page, values
from hashrange.storage.sqlite.standstill import Standstill
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.unlocking import no_key, taken

T = TypeVar("T")
R = TypeVar("R")

_DEFAULT: Final = Tuning()
_IN_MEMORY: Final = Tuning(reserve_bytes=0)


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of an engine since it was opened."""

    groups: int
    """Commits, those without a change included."""
    works: int
    """Writes decided, refused ones included."""
    commits: Durations
    """From the last decision of a group until it is on disk."""
    syncs: Durations
    """Of their second half: the WAL written and, with full durability, synced."""
    queue_length: int
    """Writes that wait now."""
    refused: int
    """Writes that were not begun, for too many waited."""
    recoveries: int
    """Failures of the storage after which it was opened anew and served again."""
    wal_pages: int
    wal_bytes: int
    """Of the file of the WAL, which is written from its beginning again; 0 in memory."""
    data_bytes: int
    """Of the data file; 0 in memory."""
    disk_full: bool
    """The reserve is released; only what deletes is written."""
    down: bool
    """Nothing can be read or written for now."""


class SqliteEngine:
    """`hashrange.storage.engine.Engine` on SQLite, for one event loop; made by `open`.

    Neither `read` nor `scan` ever suspends, and `write` suspends once, on a future of the running
    loop: the caller may drive the coroutine by hand. Its parts, by name, are for tests.
    `first_reads` compares what is read; None to compare nothing.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(
        self,
        database: Database,
        recovery: Recovery,
        committer: Committer,
        fences: FenceCache,
        *,
        directory: DataDirectory | None,
    ) -> None:
        self.database = database
        self._view = database.view
        self._recovery = recovery
        self.committer = committer
        self._queue = committer.queue
        self.fences = fences
        self._known_fences = fences.values
        self._directory = directory
        self.first_reads: FirstReads | None = None
        self.standstill = Standstill(database, committer, recovery, fences, directory=directory)

    @classmethod
    def open(
        cls,
        directory: Path | DataDirectory | None,
        *,
        durability: Durability = Durability.FULL,
        monotonic_ns: Callable[[], int] | None = None,
        now_ms: Callable[[], int] | None = None,
        tuning: Tuning | None = None,
        converter: RowConverter | None = None,
    ) -> Self:
        """Open a data directory, which is made if it is missing; None for memory.

        One that was taken before is the engine's from now on. `monotonic_ns` and `now_ms` are the
        clocks, the latter that of stamps; by default those of the machine. `converter` converts the
        rows of a file of an older format, which is refused without. An encrypted directory is
        `unlocking.taken` before.

        Raises StorageOpenError: the directory is in use, cannot be made or written, is not ours,
        is of a newer format, is damaged, or is encrypted with another key.
        """
        clocks = (monotonic_ns or SystemClock().monotonic_ns, now_ms or SystemClock().now_ms)
        if directory is None:
            return cls._start(None, durability, clocks, tuning or _IN_MEMORY)
        if isinstance(directory, DataDirectory):
            data_directory = directory
        else:
            data_directory = taken(directory, no_key)
        try:
            if converter is not None:
                convert_directory(
                    data_directory, converter, page_bytes=(tuning or _DEFAULT).page_bytes
                )
            return cls._start(data_directory, durability, clocks, tuning or _DEFAULT)
        except BaseException:
            data_directory.release()
            raise

    @classmethod
    def _start(
        cls,
        directory: DataDirectory | None,
        durability: Durability,
        clocks: tuple[Callable[[], int], Callable[[], int]],
        tuning: Tuning,
    ) -> Self:
        monotonic_ns, now_ms = clocks
        path = directory.make_data_file() if directory else None
        cipher = directory.cipher if directory else None
        connections = Connections(path, durability=durability, tuning=tuning, cipher=cipher)
        database = Database(connections, tuning.aside)
        fences = FenceCache(lambda key: values(database.view.read, None, (key,))[0])
        reserve = Reserve(
            (path.parent if path else Path()) / RESERVE_FILE,
            size_bytes=tuning.reserve_bytes if path else 0,
            free_bytes=tuning.free_bytes,
        )
        recovery = _started(database, reserve, fences, directory, monotonic_ns=monotonic_ns)
        committer = Committer(
            database, fences, recovery, monotonic_ns=monotonic_ns, now_ms=now_ms, tuning=tuning
        )
        return cls(database, recovery, committer, fences, directory=directory)

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """The values of keys, None for those that are absent, at one moment."""
        try:
            if not fences.items() <= self._known_fences.items():
                self.fences.check(fences)
            found = values(self._view.read, None, keys)
        except UNREADABLE as error:
            again = partial(values, execute_many=None, keys=keys)
            found = self._read_again(error, again, keys, fences)
        if self.first_reads is not None and not self.first_reads.known.issuperset(keys):
            self.first_reads.compare(keys, found)
        return found

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """A page of the keys in a range, in their order, with values."""
        try:
            if not fences.items() <= self._known_fences.items():
                self.fences.check(fences)
            found = page(
                self._view.read, start, end, limit=limit, bytes_max=bytes_max, reverse=reverse
            )
        except UNREADABLE as error:
            again = partial(
                page, start=start, end=end, limit=limit, bytes_max=bytes_max, reverse=reverse
            )
            found = self._read_again(error, again, (start,), fences)
        first_reads = self.first_reads
        if first_reads is not None and found:
            bound = end if reverse else start
            if hash((bound, found[-1][0])) not in first_reads.known:
                first_reads.compare_page(bound, found)
        return found

    def _read_again(
        self, error: Exception, read: Callable[[Execute], R], keys: Sequence[bytes], fences: Fences
    ) -> R:
        """Read once more if the storage is, or comes, back."""
        self._recovery.ensure_read()
        try:
            self.fences.check(fences)
            return read(self._view.read)
        except UNREADABLE as again:
            one = partial(values, self._view.read, None)
            raise self.database.damage.error_of(again, keys, one) from error

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Decide and apply a write; one whose waiter is cancelled may still happen."""
        loop = asyncio.get_running_loop()
        waiter = LoopWaiter(loop)
        work = PendingWrite(keys, decide, fences, waiter)
        self._queue.put(work, loop)
        await waiter
        if work.error is not None:
            raise work.taken_error()
        answer: T = work.answer
        return answer

    def watch(self) -> PresenceWatch:
        """A task beside requests: to notice files that are gone, and a hanging disk."""
        return PresenceWatch(partial(_look, self._recovery.guard, self.committer.stall))

    def stalled(self) -> str | None:
        """Why writes wait, if the disk does not answer."""
        return self.committer.stall.reason()

    def stats(self) -> Stats:
        """Figures for metrics; cheap."""
        committer = self.committer
        return Stats(
            groups=sum(committer.commits.buckets),
            works=committer.works,
            commits=committer.commits,
            syncs=committer.syncs,
            queue_length=len(self._queue.works),
            refused=self._queue.refusals.total,
            recoveries=self._recovery.recoveries,
            wal_pages=self.database.wal_pages,
            wal_bytes=0 if self._directory is None else self._directory.wal_bytes(),
            data_bytes=0 if self._directory is None else self._directory.data_bytes(),
            disk_full=not self._recovery.reserve.held,
            down=self._recovery.is_down,
        )

    def close(self) -> None:
        """Stop. Writes that wait and all later calls get StorageError; may be called again."""
        self.committer.close()
        self._recovery.close(partial(_note_stopped, self._directory))
        if self._directory is not None:
            self._directory.release()
            self._directory = None


def _started(
    database: Database,
    reserve: Reserve,
    fences: FenceCache,
    directory: DataDirectory | None,
    *,
    monotonic_ns: Callable[[], int],
) -> Recovery:
    """Open the connections. Raises StorageOpenError."""
    recovery = Recovery(
        database,
        reserve,
        fences,
        note_wal=directory.note_serving if directory else ignore_wal,
        presence=directory.presence if directory else None,
        monotonic_ns=monotonic_ns,
    )
    try:
        recovery.start()
    except (apsw.Error, OSError) as error:
        raise StorageOpenError(f"cannot open {database.path}: {reason_of(error)}") from error
    return recovery


def comparing(engine: SqliteEngine, first_reads: FirstReads) -> SqliteEngine:
    """An engine, for callers whose reads are compared; writes of all callers are, too."""
    database = engine.database
    database.first_reads = first_reads
    # Not a copy: attributes of an object without `__init__` are looked up in its dict.
    other = SqliteEngine(
        database,
        engine._recovery,  # noqa: SLF001 - the same engine
        engine.committer,
        engine.fences,
        directory=None,
    )
    other.first_reads = first_reads
    return other


def _note_stopped(directory: DataDirectory | None) -> None:
    if directory is not None:
        directory.note_stopped()


def _look(guard: FileGuard, stall: StallWatch) -> None:
    guard.look()
    stall.look()
