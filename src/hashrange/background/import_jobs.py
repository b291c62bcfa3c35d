"""Does imports: finds those that are not finished, and writes how they end.

An import that succeeds makes its table ACTIVE, one with refused records too, as on AWS. Any other
failure removes the table, so that nothing half imported is ever there.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from hashrange.background.changed_tables import ChangedTables
from hashrange.background.import_run import ImportRun
from hashrange.background.import_writes import ImportWrites
from hashrange.background.pacer import Pacer
from hashrange.errors import DynamoError
from hashrange.imports.error_log import ErrorLog
from hashrange.imports.reading import TooManyObjectsError, bucket_of
from hashrange.imports.spools import spools_in
from hashrange.limits.imports import IMPORT_ATTEMPTS_MAX, IMPORT_OBJECTS_MAX
from hashrange.messages.tables import imports as messages
from hashrange.messages.tables.exports import bucket_missing
from hashrange.model.import_job import ImportJob
from hashrange.model.table import Table
from hashrange.objects.bucket import BucketError, Failure
from hashrange.objects.buckets import Buckets
from hashrange.optional_packages import MissingPackageError
from hashrange.storage.engine import Fences, StorageError
from hashrange.tables.bulk import ImportLostError, finished
from hashrange.tables.catalog import Catalog
from hashrange.tables.catalog_entries import Beside
from hashrange.tables.import_jobs import IMPORTS
from hashrange.tables.store import Store

_CODES: Final = {
    Failure.NO_SUCH_BUCKET: "S3NoSuchBucket",
    Failure.NO_SUCH_KEY: "S3NoSuchKey",
    Failure.ACCESS_DENIED: "AccessDenied",
    Failure.INVALID_KEY: "S3InvalidKey",
}
_INTERNAL: Final = "InternalServerError"
_REFUSED: Final = "ItemValidationError"
_replace: Final = msgspec.structs.replace
_log: Final = logging.getLogger(__name__)


class ImportJobs:
    """A background task that does imports, one after the other.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        pacer: gives turns, one for each step.
        fences: of writes, so that nothing is written once another server does the work.
        buckets: of the server.
        places: directories of files.

    Attributes:
        changed: is told of tables that were changed.
        run: works until it is cancelled.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        pacer: Pacer,
        fences: Callable[[], Fences],
        buckets: Buckets,
        places: "Places",
    ) -> None:
        self._engine = store.engine
        self._now_ms, self._kept_ms = store.clock.now_ms, store.kept_ms
        self._catalog = catalog
        self._pacer = pacer
        self._fences = fences
        self._buckets = buckets
        self._places = places
        self.changed = ChangedTables("an import", self.work, self._on_table)
        self.run = self.changed.run

    async def work(self) -> None:
        """Do all imports, and forget those that ended long ago."""
        async for job in IMPORTS.all(self._engine):
            if job.status == "IN_PROGRESS":
                await self._do(job)
        await IMPORTS.forget(self._engine, self._kept_ms(), self._fences())

    async def _on_table(self, name: str) -> None:
        opened = await self._catalog.open(name)
        if opened is None or opened.table.import_arn is None:
            return
        job = await IMPORTS.find(self._engine, opened.table.import_arn)
        if job is not None and job.status == "IN_PROGRESS":
            await self._do(job)

    async def _do(self, job: ImportJob) -> None:
        log = ErrorLog(self._places.errors, job.arn, job.source.bucket)
        try:
            await self._import(job, log)
        except ImportLostError:
            _log.warning("another server does the import %s", job.arn)
        finally:
            log.close()

    async def _import(self, job: ImportJob, log: ErrorLog) -> None:
        """Do an import to its end. Raises ImportLostError, StorageError: it is to go on later."""
        table = await self._catalog.open(job.table)
        if table is None or table.number != job.table_number:
            end = partial(finished, now_ms=self._now_ms(), failure=_failure_of_storage())
            await IMPORTS.change(self._engine, job.arn, end, self._fences())
            return
        writes = ImportWrites(
            self._engine, table, job, fences=self._fences, is_busy=self._pacer.is_busy
        )
        new_spool = spools_in(self._places.spool, self._places.new_key)
        run = ImportRun(table, writes, pacer=self._pacer, new_spool=new_spool)
        try:
            await run.run(bucket_of(self._buckets, job.source), log)
        except BucketError as error:
            await self._fail(writes.job, (code_of(error), text_of(error)))
        except TooManyObjectsError:
            text = messages.too_many_objects(IMPORT_OBJECTS_MAX)
            await self._fail(writes.job, (_INTERNAL, text))
        except MissingPackageError as error:
            _log.error("%s: %s", job.arn, error)
            await self._fail(writes.job, (_INTERNAL, error.without_command))
        except (OSError, StorageError):
            _log.exception("the import %s failed", job.arn)
            await self._again(writes.job)
        else:
            refused = writes.job.counts.refused
            await self._complete(
                writes.job, (_REFUSED, messages.items_refused()) if refused else None
            )

    async def _again(self, job: ImportJob) -> None:
        """Let an import be begun again, unless that has happened too often."""
        if job.attempts >= IMPORT_ATTEMPTS_MAX:
            await self._fail(job, _failure_of_storage())
            return
        await IMPORTS.change(self._engine, job.arn, _counted, self._fences())
        raise StorageError("an import is begun again")

    async def _complete(self, job: ImportJob, failure: tuple[str, str] | None) -> None:
        """Make the table ACTIVE."""
        try:
            await self._catalog.change(job.table, partial(_filled, job), self._end(job, failure))
        except DynamoError:
            raise ImportLostError from None

    async def _fail(self, job: ImportJob, failure: tuple[str, str]) -> None:
        """Remove the table."""
        allow = partial(_allow, job)
        try:
            await self._catalog.drop(job.table, self._now_ms(), allow, self._end(job, failure))
        except DynamoError:
            raise ImportLostError from None

    def _end(self, job: ImportJob, failure: tuple[str, str] | None) -> Beside:
        """The description of an import at its end, to be written with its table."""
        ended = finished(job, self._now_ms(), failure)

        def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
            (value,) = values
            if value is None or IMPORTS.decode(value).status != "IN_PROGRESS":
                raise ImportLostError
            return IMPORTS.row(ended)

        return Beside((IMPORTS.key(job.arn),), puts)


def code_of(error: BucketError) -> str:
    """The FailureCode for an error of a bucket."""
    return _CODES.get(error.failure, _INTERNAL)


def text_of(error: BucketError) -> str:
    """The FailureMessage for an error of a bucket."""
    text = str(error)
    return bucket_missing(text) if error.failure is Failure.NO_SUCH_BUCKET else text


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Directories of imports.

    Attributes:
        spool: of files for sorting; None for that of temporary files.
        errors: of the logs of refused records; None for the log of the server.
        new_key: makes the keys of files for sorting; None if data are not encrypted.
    """

    spool: Path | None = None
    errors: Path | None = None
    new_key: Callable[[], bytes] | None = None


def _failure_of_storage() -> tuple[str, str]:
    return _INTERNAL, messages.storage_failed()


def _counted(job: ImportJob) -> ImportJob:
    return _replace(job, attempts=job.attempts + 1)


def _allow(job: ImportJob, table: Table) -> None:
    """Raises ImportLostError: the table is not that of the import any more."""
    if table.import_arn != job.arn:
        raise ImportLostError


def _filled(job: ImportJob, table: Table) -> Table:
    _allow(job, table)
    return _replace(table, import_arn=None)
