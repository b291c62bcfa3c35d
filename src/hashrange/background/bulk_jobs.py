"""Does bulk operations: finds those that are not finished, writes reports and how they end."""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from hashrange.admission.capacities import Capacities
from hashrange.background.bulk_pages import CONDITION_CHECK_FAILURE, ERROR
from hashrange.background.bulk_run import BulkRun
from hashrange.background.changed_tables import ChangedTables
from hashrange.background.import_jobs import code_of, text_of
from hashrange.background.pacer import Pacer
from hashrange.imports.reading import TooManyObjectsError, bucket_of, listed
from hashrange.limits.imports import IMPORT_ATTEMPTS_MAX, IMPORT_OBJECTS_MAX
from hashrange.messages.tables import imports as messages
from hashrange.model.import_job import BULK_GOING_ON, BulkJob, BulkStatus
from hashrange.objects.bucket import Bucket, BucketError, one_chunk
from hashrange.objects.buckets import Buckets
from hashrange.objects.s3 import ObjectEncryption
from hashrange.optional_packages import MissingPackageError
from hashrange.storage.engine import Engine, Fences, StaleFenceError, StorageError
from hashrange.tables.bulk import ImportLostError
from hashrange.tables.catalog import Catalog
from hashrange.tables.import_jobs import BULK_JOBS, forget_lines, some_lines
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store

_INTERNAL: Final = "InternalServerError"
_GONE: Final = "ResourceNotFoundException"
_REPORTS: Final = {ERROR: "errors.json", CONDITION_CHECK_FAILURE: "condition-check-failures.json"}
"""Names of the objects of reports. Our own: those of the service are not published."""
_ALGORITHMS: Final = {"KMS": "aws:kms"}
_replace: Final = msgspec.structs.replace
_log: Final = logging.getLogger(__name__)


class BulkJobs:
    """A background task that does bulk operations, one after the other.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        pacer: gives turns, one for each page.
        fences: of writes, so that nothing is written once another server does the work.
        buckets: of the server.
        capacities: of tables; None without limits.

    Attributes:
        changed: is told of tables that were changed, or that have a new operation.
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
        capacities: Capacities | None,
    ) -> None:
        self._store = store
        self._engine = store.engine
        self._now_ms, self._kept_ms = store.clock.now_ms, store.kept_ms
        self._catalog = catalog
        self._pacer = pacer
        self._fences = fences
        self._buckets = buckets
        self._capacities = capacities
        self.changed = ChangedTables("a bulk operation", self.work, self._on_table)
        self.run = self.changed.run

    async def work(self) -> None:
        """Do all operations, and forget those that ended long ago."""
        await self._work(lambda _: True)
        async for job in BULK_JOBS.all(self._engine):
            if job.ended_ms is not None:  # a crash may have left them
                await forget_lines(self._engine, job.arn, self._fences())
        await BULK_JOBS.forget(self._engine, self._kept_ms(), self._fences())

    async def _on_table(self, name: str) -> None:
        await self._work(lambda job: job.table == name)

    async def _work(self, is_due: Callable[[BulkJob], bool]) -> None:
        async for job in BULK_JOBS.all(self._engine):
            if job.status in BULK_GOING_ON and is_due(job):
                await self._do(job)

    async def _do(self, job: BulkJob) -> None:
        """Do an operation to its end, or up to its cancellation."""
        try:
            status = await self._put(job)
        except BucketError as error:
            await self._end(job.arn, "FAILED", (code_of(error), text_of(error)))
        except TooManyObjectsError:
            text = messages.too_many_objects(IMPORT_OBJECTS_MAX)
            await self._end(job.arn, "FAILED", (_INTERNAL, text))
        except MissingPackageError as error:
            _log.error("%s: %s", job.arn, error)
            await self._end(job.arn, "FAILED", (_INTERNAL, error.without_command))
        except (OSError, StorageError) as error:
            _log.exception("the bulk operation %s failed", job.arn)
            await self._again(job.arn, error)
        except ImportLostError:
            await self._cancelled(job.arn)
        else:
            failure = (_GONE, messages.table_gone()) if status == "FAILED" else None
            await self._end(job.arn, status, failure)

    async def _put(self, job: BulkJob) -> BulkStatus:
        """Put all records and the reports; the status at the end."""
        if job.status == "CANCELLING":
            raise ImportLostError
        bucket = bucket_of(self._buckets, job.source)
        objects = await listed(bucket, job.source)
        total = sum(entry.size_bytes for entry in objects)
        if job.counts.objects_bytes is None:
            job = await self._changed(job, partial(_sized, total))
        while True:
            table = await self._table(job)
            if table is None:
                return "FAILED"
            run = BulkRun(
                self._store,
                table,
                job,
                pacer=self._pacer,
                fences=self._fences,
                capacities=self._capacities,
            )
            try:
                await run.run(bucket, objects)
                break
            except StaleFenceError:
                self._fences()
                job = run.job
        await self._report(run.job)
        return "COMPLETED_WITH_ERRORS" if run.job.counts.refused else "COMPLETED"

    async def _table(self, job: BulkJob) -> OpenTable | None:
        """The table as it is now; None if it is gone."""
        table = await self._catalog.open(job.table)
        if table is None or table.number != job.table_number:
            return None
        return table if table.table.is_served else None

    async def _changed(self, job: BulkJob, change: Callable[[BulkJob], BulkJob]) -> BulkJob:
        changed = await BULK_JOBS.change(self._engine, job.arn, change, self._fences())
        if changed is None or changed.status != "IN_PROGRESS":
            raise ImportLostError
        return changed

    async def _report(self, job: BulkJob) -> None:
        """Put the reports, and then the manifest that names them."""
        bucket, folder = self._output(job)
        reports = [kind for kind in _REPORTS if kind in job.output["OutputType"]]
        found = []
        for kind in reports:
            lines = _lines(self._engine, job.arn, kind)
            stored = await bucket.put(folder + _REPORTS[kind], lines)
            found.append({"reportType": kind, "reportS3Key": stored.key, "md5": stored.md5})
        manifest = {
            "bulkOperationArn": job.arn,
            "processedItemCount": job.counts.records,
            "failedItemCount": job.counts.refused,
            "conditionCheckFailureCount": job.counts.unmet,
            "reports": found,
        }
        await bucket.put(folder + "manifest.json", one_chunk(msgspec.json.encode(manifest)))

    def _output(self, job: BulkJob) -> tuple[Bucket, str]:
        """The bucket of the reports, and the folder in it. Raises BucketError."""
        output: Mapping[str, Any] = job.output
        algorithm, encryption = output.get("S3SseAlgorithm"), None
        if algorithm is not None:
            name = _ALGORITHMS.get(algorithm, algorithm)
            encryption = ObjectEncryption(name, output.get("S3SseKmsKeyId"))
        bucket = self._buckets.opened(output["S3Bucket"], encryption)
        prefix = str(output.get("S3KeyPrefix", "")).rstrip("/")
        folder = f"AWSDynamoDB/{job.arn.rpartition('/')[2]}/"
        return bucket, f"{prefix}/{folder}" if prefix else folder

    async def _again(self, arn: str, error: Exception) -> None:
        """Let an operation go on later, unless that has happened too often."""
        job = await BULK_JOBS.change(self._engine, arn, _counted, self._fences())
        if job is not None and job.attempts > IMPORT_ATTEMPTS_MAX:
            await self._end(arn, "FAILED", (_INTERNAL, messages.storage_failed()))
        else:
            raise StorageError("a bulk operation goes on later") from error

    async def _cancelled(self, arn: str) -> None:
        job = await BULK_JOBS.find(self._engine, arn)
        if job is not None and job.status == "CANCELLING":
            await self._end(arn, "CANCELLED", None)

    async def _end(self, arn: str, status: BulkStatus, failure: tuple[str, str] | None) -> None:
        """Note how an operation has ended, and forget the lines of its reports."""
        code, text = failure or (None, None)
        now_ms = self._now_ms()

        def ended(job: BulkJob) -> BulkJob:
            if job.status not in BULK_GOING_ON:
                return job
            return _replace(job, status=status, ended_ms=now_ms, failure_code=code, failure=text)

        await BULK_JOBS.change(self._engine, arn, ended, self._fences())
        await forget_lines(self._engine, arn, self._fences())


async def _lines(engine: Engine, arn: str, kind: str) -> AsyncIterator[bytes]:
    """The lines of a report, in pages."""
    start = b""
    while page := await some_lines(engine, arn, kind, start):
        yield b"".join(value for _, value in page)
        start = page[-1][0] + b"\x00"


def _sized(total: int, job: BulkJob) -> BulkJob:
    return _replace(job, counts=_replace(job.counts, objects_bytes=total))


def _counted(job: BulkJob) -> BulkJob:
    return _replace(job, attempts=job.attempts + 1)
