"""Does jobs: work on tables that requests have begun, and that goes on after a stop or a crash.

What is to be done stands in the catalog or in the descriptions of jobs; a `JobKind` says how jobs
of a kind are found, done and ended. A job that cannot be done ends with a failure. When the storage
of the server itself fails, the job is begun again later, so often as its kind allows.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from hashrange.background.tasks import IDLE_SECONDS, RETRY_SECONDS, Pacer
from hashrange.limits.backups import EXPORT_CHUNK_BYTES, EXPORT_FILE_BYTES_MAX
from hashrange.observe.figures import Figures
from hashrange.observe.jobs import Job
from hashrange.storage.engine import (
    ContendedError,
    Engine,
    Fences,
    OnDamage,
    StaleFenceError,
    StorageBusyError,
    StorageError,
    ignore_damage,
)
from hashrange.storage.failures import Failures
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.tables.catalog.leases import NotLeadingError
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.snapshots.snapshots import PAGE_ROWS
from hashrange.tables.writing.checked_values import CheckedEngine
from hashrange.tables.writing.store import Store

ATTEMPTS_MAX: Final = 3

_log: Final = logging.getLogger(__name__)

J = TypeVar("J")

JobFailure: TypeAlias = tuple[str, str]
"""A code and a text, as descriptions have them."""


class JobSizes(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of the steps of jobs, and of what they write.

    Attributes:
        page_rows: items, or records of a log, that are read at a time.
        import_rows: rows of one write of an import: some milliseconds of work.
        bulk_puts: puts of one write of a bulk operation; with a transaction's bounds of keys for
            index entries.
        export_file_bytes: lines of a data file, before they are compressed.
        export_chunk_bytes: lines that are compressed at a time.
    """

    page_rows: int = PAGE_ROWS
    import_rows: int = 1024
    bulk_puts: int = 64
    export_file_bytes: int = EXPORT_FILE_BYTES_MAX
    export_chunk_bytes: int = EXPORT_CHUNK_BYTES


JOB_SIZES: Final = JobSizes()


class JobContext(msgspec.Struct, frozen=True):
    """The context of the work on jobs.

    Attributes:
        store: the items, and the clock.
        catalog: the whole catalog.
        pacer: gives turns, one for each page.
        fences: of writes, so that nothing is written once another server does the work.
        sizes: of the steps.
        damaged: takes reports of damaged values.
    """

    store: Store
    catalog: Catalog
    pacer: Pacer
    fences: Callable[[], Fences]
    sizes: JobSizes = JOB_SIZES
    damaged: OnDamage = ignore_damage

    @property
    def engine(self) -> Engine:
        """The storage; nothing copies a damaged value, whose copy would have a new checksum."""
        return CheckedEngine(self.store.engine, self.damaged)

    def now_ms(self) -> int:
        """The time."""
        return self.store.clock.now_ms()


class JobLabel(msgspec.Struct, frozen=True):
    """A job as its progress is shown: see `observe.jobs.Job`."""

    kind: str
    table: str
    name: str = ""


async def due_tables(
    engine: Engine, catalog: Catalog, name: str | None
) -> AsyncIterator[tuple[str, OpenTable]]:
    """The table of a stored name, if it is there; all tables if that is None."""
    if name is None:
        async for tables in pages_of_tables(engine):
            for each in tables.items():
                yield each
    elif (opened := await catalog.open(name)) is not None:
        yield name, opened


async def _nothing() -> None:
    pass


async def _no_end(_job: object, _failure: JobFailure | None) -> None:
    pass


class JobKind(msgspec.Struct, Generic[J], frozen=True, kw_only=True):
    """A kind of jobs.

    Attributes:
        due: the jobs to be done: those of the table of a stored name, or all if that is None.
        label: what is shown of one, whose progress `work` notes.
        work: does one from where it is to its end, in turns. Raises JobLostError: it was cancelled,
            or another server does it.
        failures: what a job cannot be done after, and the failure that each means.
        end: stores how one has ended; None for a success. Done again if it is interrupted.
        attempts_max: after how many attempts a job ends, of those in which the storage failed; None
            for no bound.
        attempted: counts an attempt in the description of a job, and returns its number; None if
            this process counts.
        given_up: the failure of a job of which no further attempt is made.
        sweep: forgets what has ended, after all jobs that are due.
    """

    due: Callable[[str | None], AsyncIterator[J]]
    label: Callable[[J], JobLabel]
    work: Callable[[J, Job], Awaitable[None]]
    failures: Mapping[type[Exception], Callable[[Any], JobFailure]] = {}
    end: Callable[[J, JobFailure | None], Awaitable[None]] = _no_end
    attempts_max: Callable[[J], int | None] = lambda _: None
    attempted: Callable[[J], Awaitable[int]] | None = None
    given_up: JobFailure = ("InternalServerError", "")
    sweep: Callable[[], Awaitable[None]] = _nothing


class JobRunner:
    """A background task that does the jobs of some kinds, one after the other.

    Args:
        kinds: in the order in which they are done.
        pacer: knows the progress of jobs.

    Attributes:
        kinds: as above.
    """

    def __init__(self, kinds: Sequence[JobKind[Any]], pacer: Pacer) -> None:
        self.kinds = kinds
        self._pacer = pacer
        self._attempts = Counter[JobLabel]()
        self._woken = asyncio.Event()
        self._names: dict[str, None] = {}
        self._sweeps = False

    def figures(self) -> Figures:
        """Figures of the work, for metrics; by default none beside those of all jobs."""
        return {}

    def wake(self, name: str) -> None:
        """Work soon on a table that was changed."""
        self._names[name] = None
        self._woken.set()

    def wake_all(self) -> None:
        """Work soon on all tables: any of them may have been changed."""
        self._sweeps = True
        self._woken.set()

    async def run(self) -> None:
        """Do all jobs, then those of tables that change, until it is cancelled."""
        self._sweeps, tries = True, 0
        failures = Failures(_log, "work on jobs")
        while True:
            self._woken.clear()
            sweeps, self._sweeps = self._sweeps, False
            wait_seconds = IDLE_SECONDS
            try:
                await (self.work() if sweeps else self._work_on_changed())
                tries = 0
                failures.done()
            except (StorageError, StaleFenceError, NotLeadingError) as error:
                failures.failed(error)
                tries, self._sweeps = tries + 1, True
                # Not cut short by changes of tables, which would use up the attempts at once.
                await asyncio.sleep(RETRY_SECONDS)
                wait_seconds = retry_seconds(tries) - RETRY_SECONDS
            try:
                async with asyncio.timeout(wait_seconds):
                    await self._woken.wait()
            except TimeoutError:
                self._sweeps = True

    async def work(self) -> None:
        """Do all jobs that are due, and forget those that ended long ago.

        Raises StorageError, StaleFenceError, NotLeadingError: to be done again.
        """
        for kind in await self._kinds_in_use():
            await self._do_due(kind, None)
            await kind.sweep()

    async def _work_on_changed(self) -> None:
        while self._names:
            name, _ = self._names.popitem()
            for kind in await self._kinds_in_use():
                await self._do_due(kind, name)

    async def _kinds_in_use(self) -> Sequence[JobKind[Any]]:
        return self.kinds

    async def _do_due(self, kind: JobKind[J], name: str | None) -> None:
        """Do jobs; one that is to be begun again does not hold up those behind it."""
        failed: Exception | None = None
        async for job in kind.due(name):
            try:
                await self._do(kind, job)
            except _FailedError as error:
                failed = error
        if failed is not None:
            raise failed

    async def _do(self, kind: JobKind[J], job: J) -> None:
        """Do a job to its end. Raises _FailedError: it is to be begun again."""
        label = kind.label(job)
        try:
            failure = await self._worked(kind, job, label)
            if failure is not None:
                await kind.end(job, failure)
            self._pacer.jobs.ended(failed=failure is not None)
            self._attempts.pop(label, None)
        except JobLostError:
            _log.warning("the %s of %s is no longer done here", label.kind, label.table)

    async def _worked(self, kind: JobKind[J], job: J, label: JobLabel) -> JobFailure | None:
        """Work on a job; None if that has ended, or why it cannot be done."""
        try:
            with self._pacer.jobs.begun(label.kind, label.table, label.name) as progress:
                await kind.work(job, progress)
            await kind.end(job, None)
        except tuple(kind.failures) as error:
            made = next(make for of, make in kind.failures.items() if isinstance(error, of))
            failure = made(error)
            text = str(error) or failure[1]
            _log.warning("the %s of %s has failed: %s", label.kind, label.table, text)
            return failure
        except (StorageBusyError, ContendedError):
            raise
        except (OSError, StorageError) as error:
            if not await self._is_given_up(kind, job, label):
                raise _FailedError(f"the {label.kind} of {label.table} goes on later") from error
            _log.exception("the %s of %s is given up", label.kind, label.table)
            return kind.given_up
        else:
            return None

    async def _is_given_up(self, kind: JobKind[J], job: J, label: JobLabel) -> bool:
        """Count an attempt; whether it was the last one."""
        most = kind.attempts_max(job)
        if most is None:
            return False
        if kind.attempted is not None:
            return await kind.attempted(job) >= most
        self._attempts[label] += 1
        return self._attempts[label] >= most


class LateJobRunner(JobRunner):
    """Does jobs of kinds whose modules are imported when the first job is stored.

    Args:
        stored: iterates over all jobs.
        make: a runner of the kinds; imports their modules.
        pacer: knows the progress of jobs.
    """

    def __init__(
        self,
        stored: Callable[[], AsyncIterator[object]],
        make: Callable[[], JobRunner],
        pacer: Pacer,
    ) -> None:
        super().__init__((), pacer)
        self._stored = stored
        self._make = make

    async def _kinds_in_use(self) -> Sequence[JobKind[Any]]:
        if not self.kinds:
            async for _ in self._stored():
                self.kinds = self._make().kinds
                break
        return self.kinds


def retry_seconds(failures: int) -> float:
    """The pause after so many failures on end."""
    return min(RETRY_SECONDS * 2.0 ** (failures - 1), IDLE_SECONDS)


class _FailedError(StorageError):
    """The storage failed during a job."""
