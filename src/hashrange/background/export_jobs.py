"""Writes the objects of exports.

An export in progress is a reader of the log of its table, and its description says which data files
are complete. Work that a stop or a crash interrupts goes on with the data file that it was writing,
whose key stays the same. What cannot be done ends the export with a reason; when the storage of the
server itself fails, the export goes on later.
"""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

import msgspec

from hashrange.api.dynamodb.exports.existing_exports import ExportFilter, stored_filter
from hashrange.background.job_runner import JobContext, JobFailure, JobKind, JobLabel, JobRunner
from hashrange.backups.exports.changes import WindowChanges
from hashrange.backups.exports.data_files import (
    DataFileWriter,
    LinePage,
    ReadLines,
    ended,
    ended_rows,
    exports_of,
    snapshot_of,
    without_export,
)
from hashrange.backups.exports.manifests import (
    checksum,
    data_key,
    files_manifest,
    manifest_key,
    summary_manifest,
)
from hashrange.backups.exports.pages import ChangedItemPages, ItemPages
from hashrange.backups.objects.bucket import Bucket, BucketError, Failure, one_chunk
from hashrange.backups.objects.buckets import Buckets
from hashrange.backups.objects.s3 import ObjectEncryption
from hashrange.backups.tables.items import forget_images
from hashrange.errors import DynamoError
from hashrange.limits.backups import EXPORT_KEPT_MS
from hashrange.messages.tables import backups as messages
from hashrange.model.backup import DataFile, ExportJob
from hashrange.model.values import Item
from hashrange.observe.jobs import Job
from hashrange.optional_packages import MissingPackageError
from hashrange.settings.buckets import S3Location
from hashrange.tables.jobs.jobs import EXPORT
from hashrange.tables.jobs.transfers import EXPORT_STATES, EXPORTS, change_export, forget_export
from hashrange.tables.keys.backup_keys import export_key
from hashrange.tables.keys.keyspace import share_before
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.snapshots.snapshots import SnapshotLostError, SnapshotReader

_KMS: Final = "KMS"
_ALGORITHMS: Final = {"AES256": "AES256", _KMS: "aws:kms"}
_replace: Final = msgspec.structs.replace


def export_jobs(context: JobContext, buckets: Buckets) -> JobRunner:
    """A background task that finishes exports, one after the other, one page at a time.

    Args:
        context: of the work on jobs.
        buckets: where the objects are written.
    """
    exports = _Exports(context, buckets)
    kind = JobKind(
        due=exports.due,
        label=lambda job: JobLabel(EXPORT, job.table, job.id),
        work=exports.write,
        failures={
            BucketError: _failure,
            MissingPackageError: lambda error: ("S3ServiceUnavailable", str(error)),
            SnapshotLostError: lambda _: ("TableNotFoundException", messages.table_lost()),
        },
        end=exports.end,
        sweep=exports.sweep,
    )
    return JobRunner([kind], context.pacer)


class _Exports:
    def __init__(self, context: JobContext, buckets: Buckets) -> None:
        self._engine = context.engine
        self._now_ms, self._kept_ms = context.now_ms, context.store.kept_ms
        self._catalog = context.catalog
        self._buckets = buckets
        self._turn = context.pacer.turn
        self._fences = context.fences
        self._sizes = context.sizes

    async def due(self, name: str | None) -> AsyncIterator[ExportJob]:
        """Jobs in progress."""
        if name is None:
            going_on = EXPORT_STATES.all(self._engine)
            arns = [state.arn async for state in going_on if state.status == "IN_PROGRESS"]
        else:
            opened = await self._catalog.open(name)
            arns = [] if opened is None else exports_of(opened.table)
        for arn in arns:
            job = await EXPORTS.find(self._engine, arn)
            if job is not None and job.ended_ms is None:
                yield job

    async def sweep(self) -> None:
        """Forget those that began long ago."""
        forgotten_ms = self._kept_ms() - EXPORT_KEPT_MS
        async for state in EXPORT_STATES.all(self._engine):
            if state.status != "IN_PROGRESS" and state.started_ms < forgotten_ms:
                await forget_export(self._engine, state, self._fences())

    async def write(self, job: ExportJob, progress: Job) -> None:
        """Write the objects that are missing. Raises BucketError, SnapshotLostError."""
        bucket = self._opened(job)
        table = await self._table(job)
        if not job.files:
            await bucket.put(manifest_key(job, "_started"), one_chunk(b""))
        read = _with_progress(await self._reader(job, table), progress)
        while not job.files or job.position is not None:
            job = await self._data_file(job, bucket, read)
        files, summary = files_manifest(job), summary_manifest(job, self._now_ms())
        for name, content in (
            ("manifest-files.json", files),
            ("manifest-files.md5", checksum(files)),
            ("manifest-summary.md5", checksum(summary)),
            ("manifest-summary.json", summary),
        ):
            await bucket.put(manifest_key(job, name), one_chunk(content))

    def _opened(self, job: ExportJob) -> Bucket:
        """The bucket of an export. Raises BucketError, MissingPackageError."""
        target = job.target
        location = self._buckets.location(target.bucket)
        # Without a setting of its own, a bucket is of whoever has the table.
        owner = location.owner or job.table_arn.split(":")[4]
        if target.owner is not None and target.owner != owner:
            text = messages.other_owner(target.bucket, target.owner)
            raise BucketError(Failure.ACCESS_DENIED, text)
        if target.sse_algorithm == _KMS and not isinstance(location.location, S3Location):
            raise _NoKeysError(target.bucket)
        # Servers without keys refuse every algorithm, so none is named without being asked for.
        encryption = None
        if target.sse_algorithm is not None:
            encryption = ObjectEncryption(_ALGORITHMS[target.sse_algorithm], target.sse_key)
        return self._buckets.opened(target.bucket, encryption)

    async def _table(self, job: ExportJob) -> OpenTable:
        opened = await self._catalog.open(job.table)
        if opened is None or job.arn not in exports_of(opened.table):
            raise SnapshotLostError
        return opened

    async def _reader(self, job: ExportJob, table: OpenTable) -> ReadLines:
        """A reader of the lines of an export; changes of a window are collected first."""
        item_filter = None if job.filter is None else stored_filter(job.filter, table.table)
        if job.window is None:
            source = SnapshotReader(
                self._engine,
                self._catalog,
                snapshot_of(job),
                now_ms=self._now_ms,
                fences=self._fences,
                page_rows=self._sizes.page_rows,
            )
            return self._in_turns(ItemPages(source, job.format, item_filter).read)
        return self._in_turns(await self._changes(job, table, item_filter))

    async def _changes(
        self, job: ExportJob, table: OpenTable, item_filter: ExportFilter | None
    ) -> ReadLines:
        assert job.window is not None, "the export is incremental"
        names = [attribute.name for attribute in table.table.key_attributes]

        def key_of(item: Item) -> Item:
            return {name: item[name] for name in names}

        reader = snapshot_of(job).reader
        first = next(each for each in table.table.log.readers if each.name == reader)
        changes = WindowChanges(
            self._engine,
            job,
            partial(self._table, job),
            first_shard=first.first_shard,
            fences=self._fences,
            page_rows=self._sizes.page_rows,
        )
        more = True
        while more:
            async with self._turn():
                more = await changes.collect(is_again=bool(job.files))
        return ChangedItemPages(
            changes, job.window, job.format, key_of=key_of, item_filter=item_filter
        ).read

    def _in_turns(self, read: ReadLines) -> ReadLines:
        async def paced(start: bytes | None) -> LinePage:
            async with self._turn():
                return await read(start)

        return paced

    async def _data_file(self, job: ExportJob, bucket: Bucket, read: ReadLines) -> ExportJob:
        """Write the next data file. Raises SnapshotLostError: the export has ended meanwhile."""
        writer = DataFileWriter(
            read,
            job.position,
            file_bytes=self._sizes.export_file_bytes,
            chunk_bytes=self._sizes.export_chunk_bytes,
        )
        stored = await bucket.put(data_key(job), writer.chunks())
        file = DataFile(stored.key, writer.items, stored.md5, stored.etag)

        def change(job: ExportJob) -> ExportJob:
            return _replace(
                job,
                files=(*job.files, file),
                position=writer.position,
                items=job.items + writer.items,
                size_bytes=job.size_bytes + writer.size_bytes,
            )

        changed = await change_export(self._engine, job.arn, change, self._fences())
        if changed is None:
            raise SnapshotLostError
        return changed

    async def end(self, job: ExportJob, failure: JobFailure | None) -> None:
        """Write how an export has ended, and release what is kept for it."""
        more = True
        while more:
            async with self._turn():
                more = await forget_images(
                    self._engine, job.number, export_key(job.arn), self._fences()
                )
        now_ms = self._now_ms()
        with contextlib.suppress(DynamoError):
            await self._catalog.change(
                job.table,
                partial(without_export, job.arn, now_ms),
                ended_rows(job.arn, now_ms, failure),
            )
            return
        # The table is gone.
        await change_export(
            self._engine, job.arn, partial(ended, now_ms=now_ms, failure=failure), self._fences()
        )


class _NoKeysError(BucketError):
    """An export is to be encrypted with a key of KMS, in a directory."""

    def __init__(self, bucket: str) -> None:
        super().__init__(Failure.ACCESS_DENIED, messages.no_keys_of_kms(bucket))


def _with_progress(read: ReadLines, progress: Job) -> ReadLines:
    """The same pages, whose progress is noted."""

    async def noted(start: bytes | None) -> LinePage:
        page = await read(start)
        if page.start is not None:
            progress.reached(share_before(page.start))
        return page

    return noted


def _failure(error: BucketError) -> JobFailure:
    """FailureCode and FailureMessage."""
    text = str(error)
    if isinstance(error, _NoKeysError):
        return "KmsNotFoundException", text
    if error.failure is Failure.NO_SUCH_BUCKET:
        text = messages.bucket_missing(text)
    elif error.failure is Failure.ACCESS_DENIED:
        text = messages.access_denied(text)
    return f"S3{error.failure}", text
