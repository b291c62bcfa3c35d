"""Does bulk operations: finds those that are not finished, writes reports and how they end."""

from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from hashrange.api.admission.capacities import Capacities
from hashrange.background.bulk_pages import CONDITION_CHECK_FAILURE, ERROR
from hashrange.background.bulk_run import BulkRun
from hashrange.background.import_jobs import FAILURES, attempted, failure_of_storage
from hashrange.background.job_runner import JobContext, JobFailure, JobKind, JobLabel, JobRunner
from hashrange.backups.imports.reading import bucket_of, listed
from hashrange.backups.objects.bucket import Bucket, one_chunk
from hashrange.backups.objects.buckets import Buckets
from hashrange.backups.objects.s3 import ObjectEncryption
from hashrange.limits.backups import IMPORT_ATTEMPTS_MAX
from hashrange.messages.tables import backups as messages
from hashrange.model.import_job import BULK_GOING_ON, BulkJob, BulkStatus
from hashrange.observe.jobs import Job
from hashrange.storage.engine import Engine, StaleFenceError
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.jobs.jobs import BULK
from hashrange.tables.jobs.transfers import BULK_JOBS, forget_lines, some_lines
from hashrange.tables.opened.open_table import OpenTable

_GONE: Final = "ResourceNotFoundException"
_REPORTS: Final = {ERROR: "errors.json", CONDITION_CHECK_FAILURE: "condition-check-failures.json"}
"""Names of the objects of reports. Our own: those of the service are not published."""
_ALGORITHMS: Final = {"KMS": "aws:kms"}
_replace: Final = msgspec.structs.replace


def bulk_jobs(context: JobContext, buckets: Buckets, capacities: Capacities | None) -> JobRunner:
    """A background task that does bulk operations, one after the other.

    Args:
        context: of the work on jobs.
        buckets: of the server.
        capacities: of tables; None without limits.
    """
    operations = _BulkOperations(context, buckets, capacities)
    kind = JobKind(
        due=operations.due,
        label=lambda job: JobLabel(BULK, job.table, job.arn.rpartition("/")[2]),
        work=operations.put,
        failures={**FAILURES, _TableGoneError: lambda _: (_GONE, messages.table_gone())},
        end=operations.end,
        attempts_max=lambda _: IMPORT_ATTEMPTS_MAX + 1,
        attempted=partial(attempted, BULK_JOBS, context),
        given_up=failure_of_storage(),
        sweep=operations.sweep,
    )
    return JobRunner([kind], context.pacer)


class _TableGoneError(Exception):
    pass


class _BulkOperations:
    def __init__(
        self, context: JobContext, buckets: Buckets, capacities: Capacities | None
    ) -> None:
        self._context = context
        self._engine = context.engine
        self._fences = context.fences
        self._buckets = buckets
        self._capacities = capacities

    async def due(self, name: str | None) -> AsyncIterator[BulkJob]:
        """Jobs in progress, and jobs to be cancelled."""
        async for job in BULK_JOBS.all(self._engine):
            if job.status in BULK_GOING_ON and name in {None, job.table}:
                yield job

    async def sweep(self) -> None:
        """Forget those that ended long ago."""
        async for job in BULK_JOBS.all(self._engine):
            if job.ended_ms is not None:  # a crash may have left them
                await forget_lines(self._engine, job.arn, self._fences())
        await BULK_JOBS.forget(self._engine, self._context.store.kept_ms(), self._fences())

    async def put(self, job: BulkJob, progress: Job) -> None:
        """Put all records and the reports, or end a job that was cancelled.

        Raises as `BulkRun.run`, and _TableGoneError.
        """
        try:
            await self._put(job, progress)
        except JobLostError:
            found = await BULK_JOBS.find(self._engine, job.arn)
            if found is not None and found.status == "CANCELLING":
                await self._end(job.arn, "CANCELLED", None)
            raise

    async def _put(self, job: BulkJob, progress: Job) -> None:
        if job.status == "CANCELLING":
            raise JobLostError
        bucket = bucket_of(self._buckets, job.source)
        objects = await listed(bucket, job.source)
        total = sum(entry.size_bytes for entry in objects)
        if job.counts.objects_bytes is None:
            job = await self._changed(job, partial(_sized, total))
        while True:
            run = BulkRun(self._context, await self._table(job), job, self._capacities)
            try:
                await run.run(bucket, objects, progress)
                break
            except StaleFenceError:
                self._fences()
                job = run.job
        await self._report(run.job)

    async def _table(self, job: BulkJob) -> OpenTable:
        """The table as it is now. Raises _TableGoneError."""
        table = await self._context.catalog.open(job.table)
        if table is None or table.number != job.table_number or not table.table.is_served:
            raise _TableGoneError
        return table

    async def _changed(self, job: BulkJob, change: Callable[[BulkJob], BulkJob]) -> BulkJob:
        changed = await BULK_JOBS.change(self._engine, job.arn, change, self._fences())
        if changed is None or changed.status != "IN_PROGRESS":
            raise JobLostError
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

    async def end(self, job: BulkJob, failure: JobFailure | None) -> None:
        """Note how an operation has ended."""
        await self._end(job.arn, None if failure is None else "FAILED", failure)

    async def _end(self, arn: str, status: BulkStatus | None, failure: JobFailure | None) -> None:
        """Note how an operation has ended, and forget the lines of its reports.

        `status` is None if all of its records are done.
        """
        code, text = failure or (None, None)
        now_ms = self._context.now_ms()

        def ended(job: BulkJob) -> BulkJob:
            if job.status not in BULK_GOING_ON:
                return job
            done: BulkStatus = "COMPLETED_WITH_ERRORS" if job.counts.refused else "COMPLETED"
            return _replace(
                job, status=status or done, ended_ms=now_ms, failure_code=code, failure=text
            )

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
