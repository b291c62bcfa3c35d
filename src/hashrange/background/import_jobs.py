"""Does imports: finds those that are not finished, and writes how they end.

An import that succeeds makes its table ACTIVE, one with refused records too, as on AWS. Any other
failure removes the table, so that nothing half imported is ever there.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.background.import_run import ImportRun
from hashrange.background.import_writes import ImportWrites
from hashrange.background.job_runner import JobContext, JobFailure, JobKind, JobLabel, JobRunner
from hashrange.backups.imports.error_log import ErrorLog
from hashrange.backups.imports.reading import TooManyObjectsError, bucket_of
from hashrange.backups.imports.spools import spools_in
from hashrange.backups.objects.bucket import BucketError, Failure
from hashrange.backups.objects.buckets import Buckets
from hashrange.errors import DynamoError
from hashrange.limits.backups import IMPORT_ATTEMPTS_MAX, IMPORT_OBJECTS_MAX
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.backups import bucket_missing
from hashrange.model.import_job import ImportJob
from hashrange.model.table import Table
from hashrange.observe.jobs import Job
from hashrange.optional_packages import MissingPackageError
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.jobs.jobs import IMPORT
from hashrange.tables.jobs.transfers import IMPORTS, J, JobRows, finished
from hashrange.tables.opened.open_table import OpenTable

_CODES: Final = {
    Failure.NO_SUCH_BUCKET: "S3NoSuchBucket",
    Failure.NO_SUCH_KEY: "S3NoSuchKey",
    Failure.ACCESS_DENIED: "AccessDenied",
    Failure.INVALID_KEY: "S3InvalidKey",
}
INTERNAL: Final = "InternalServerError"
_REFUSED: Final = "ItemValidationError"
_replace: Final = msgspec.structs.replace


def import_jobs(
    context: JobContext, buckets: Buckets, directories: "ImportDirectories"
) -> JobRunner:
    """A background task that does imports, one after the other.

    Args:
        context: of the work on jobs.
        buckets: of the server.
        directories: directories of files.
    """
    imports = _Imports(context, buckets, directories)
    kind = JobKind(
        due=imports.due,
        label=lambda job: JobLabel(IMPORT, job.table),
        work=imports.write,
        failures=FAILURES,
        end=imports.end,
        attempts_max=lambda _: IMPORT_ATTEMPTS_MAX + 1,
        attempted=partial(attempted, IMPORTS, context),
        given_up=failure_of_storage(),
        sweep=lambda: IMPORTS.forget(context.engine, context.store.kept_ms(), context.fences()),
    )
    return JobRunner([kind], context.pacer)


class _Imports:
    def __init__(
        self, context: JobContext, buckets: Buckets, directories: "ImportDirectories"
    ) -> None:
        self._context = context
        self._engine = context.engine
        self._catalog = context.catalog
        self._buckets = buckets
        self._directories = directories

    async def due(self, name: str | None) -> AsyncIterator[ImportJob]:
        """Jobs in progress."""
        if name is None:
            async for job in IMPORTS.all(self._engine):
                if job.status == "IN_PROGRESS":
                    yield job
            return
        opened = await self._catalog.open(name)
        if opened is not None and opened.table.import_arn is not None:
            found = await IMPORTS.find(self._engine, opened.table.import_arn)
            if found is not None and found.status == "IN_PROGRESS":
                yield found

    async def write(self, job: ImportJob, progress: Job) -> None:
        """Write all rows, unless the table is gone. Raises as `ImportRun.run`."""
        context, directories = self._context, self._directories
        table = await self._table(job)
        if table is None:
            return
        writes = ImportWrites(
            self._engine, table, job, fences=context.fences, is_busy=context.pacer.is_busy
        )
        new_spool = spools_in(directories.spool, directories.new_key)
        run = ImportRun(
            table,
            writes,
            turn=context.pacer.turn,
            new_spool=new_spool,
            rows_max=context.sizes.import_rows,
        )
        with contextlib.closing(ErrorLog(directories.errors, job.arn, job.source.bucket)) as log:
            await run.run(bucket_of(self._buckets, job.source), log, progress)

    async def _table(self, job: ImportJob) -> OpenTable | None:
        table = await self._catalog.open(job.table)
        return None if table is None or table.number != job.table_number else table

    async def end(self, job: ImportJob, failure: JobFailure | None) -> None:
        """Make the table ACTIVE, or remove it, and note how the import has ended.

        Raises JobLostError: another server has done so.
        """
        now_ms = self._context.now_ms()
        if await self._table(job) is None:
            gone = partial(finished, now_ms=now_ms, failure=failure_of_storage())
            await IMPORTS.change(self._engine, job.arn, gone, self._context.fences())
            return

        def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
            (value,) = values
            stored = None if value is None else IMPORTS.decode(value)
            if stored is None or stored.status != "IN_PROGRESS":
                raise JobLostError
            refused = (_REFUSED, messages.items_refused()) if stored.counts.refused else None
            return IMPORTS.row(finished(stored, now_ms, failure or refused))

        extra = ExtraRows((IMPORTS.key(job.arn),), puts)
        try:
            if failure is None:
                await self._catalog.change(job.table, partial(_filled, job), extra)
            else:
                await self._catalog.drop(job.table, now_ms, partial(_allow, job), extra)
        except DynamoError:
            raise JobLostError from None


async def attempted(rows: JobRows[J], context: JobContext, job: J) -> int:
    """Count an attempt in the description of a job; the number of attempts."""

    def counted(stored: J) -> J:
        return _replace(stored, attempts=stored.attempts + 1)

    found = await rows.change(context.engine, job.arn, counted, context.fences())
    return 0 if found is None else found.attempts


class ImportDirectories(msgspec.Struct, frozen=True, kw_only=True):
    """Directories of imports.

    Attributes:
        spool: of files for sorting; None for that of temporary files.
        errors: of the logs of refused records; None for the log of the server.
        new_key: makes the keys of files for sorting; None if data are not encrypted.
    """

    spool: Path | None = None
    errors: Path | None = None
    new_key: Callable[[], bytes] | None = None


def failure_of_storage() -> JobFailure:
    """The failure of a job that was given up."""
    return INTERNAL, messages.storage_failed()


def _of_bucket(error: BucketError) -> JobFailure:
    text = str(error)
    if error.failure is Failure.NO_SUCH_BUCKET:
        text = bucket_missing(text)
    return _CODES.get(error.failure, INTERNAL), text


FAILURES: Final[Mapping[type[Exception], Callable[[Any], JobFailure]]] = {
    BucketError: _of_bucket,
    TooManyObjectsError: lambda _: (INTERNAL, messages.too_many_objects(IMPORT_OBJECTS_MAX)),
    MissingPackageError: lambda error: (INTERNAL, error.without_command),
}
"""Why imports and bulk operations cannot be done."""


def _allow(job: ImportJob, table: Table) -> None:
    """Raises JobLostError: the table is not that of the import any more."""
    if table.import_arn != job.arn:
        raise JobLostError


def _filled(job: ImportJob, table: Table) -> Table:
    _allow(job, table)
    return _replace(table, import_arn=None)
