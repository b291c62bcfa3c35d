"""Writes the objects of exports.

An export in progress is a reader of the log of its table, and its description says which data files
are complete. Work that a stop or a crash interrupts goes on with the data file that it was writing,
whose key stays the same. What cannot be done ends the export with a reason; when the storage of the
server itself fails, the export goes on later.
"""

import contextlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from hashrange.background.changed_tables import ChangedTables
from hashrange.background.pacer import Pacer
from hashrange.backups.items import forget_images
from hashrange.errors import DynamoError
from hashrange.exports.begun import (
    end_beside,
    ended,
    exports_of,
    snapshot_of,
    without_export,
)
from hashrange.exports.changes import WindowChanges
from hashrange.exports.data_files import DataFileWriter, LinePage, ReadLines
from hashrange.exports.manifests import (
    checksum,
    data_key,
    files_manifest,
    manifest_key,
    summary_manifest,
)
from hashrange.exports.pages import ChangedItemPages, ItemPages
from hashrange.limits.exports import EXPORT_KEPT_MS
from hashrange.messages.tables import exports as messages
from hashrange.model.export_job import DataFile, ExportJob
from hashrange.model.values import Item
from hashrange.objects.bucket import Bucket, BucketError, Failure, one_chunk
from hashrange.objects.buckets import Buckets
from hashrange.objects.s3 import ObjectEncryption
from hashrange.observe.jobs import Job
from hashrange.operations.exports.filters import ExportFilter, stored_filter
from hashrange.optional_packages import MissingPackageError
from hashrange.settings.buckets import S3Place
from hashrange.storage.engine import Fences
from hashrange.tables.catalog import Catalog
from hashrange.tables.export_jobs import EXPORT_STATES, EXPORTS, change_export, forget_export
from hashrange.tables.export_keys import export_key
from hashrange.tables.keyspace import share_before
from hashrange.tables.opened import OpenTable
from hashrange.tables.snapshots import SnapshotLostError, SnapshotReader
from hashrange.tables.store import Store

_KMS: Final = "KMS"
_ALGORITHMS: Final = {"AES256": "AES256", _KMS: "aws:kms"}
_replace: Final = msgspec.structs.replace
_log: Final = logging.getLogger(__name__)


class ExportJobs:
    """A background task that finishes exports, one after the other, one page at a time.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        buckets: where the objects are written.
        pacer: gives turns, one for each page.
        fences: of writes, so that nothing is written once another server does the work.

    Attributes:
        changed: is told of tables that were changed.
        run: works until it is cancelled.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        buckets: Buckets,
        *,
        pacer: Pacer,
        fences: Callable[[], Fences],
    ) -> None:
        self._engine = store.engine
        self._now_ms, self._kept_ms = store.clock.now_ms, store.kept_ms
        self._catalog = catalog
        self._buckets = buckets
        self._pacer = pacer
        self._fences = fences
        self.changed = ChangedTables("an export", self.work, self._on_table)
        self.run = self.changed.run

    async def work(self) -> None:
        """Finish all exports, and forget those that began long ago."""
        forgotten_ms = self._kept_ms() - EXPORT_KEPT_MS
        async for state in EXPORT_STATES.all(self._engine):
            if state.status == "IN_PROGRESS":
                await self._finish(state.arn)
            elif state.started_ms < forgotten_ms:
                await forget_export(self._engine, state, self._fences())

    async def _on_table(self, name: str) -> None:
        opened = await self._catalog.open(name)
        for arn in [] if opened is None else exports_of(opened.table):
            await self._finish(arn)

    async def _finish(self, arn: str) -> None:
        job = await EXPORTS.find(self._engine, arn)
        if job is None or job.ended_ms is not None:
            return
        failure: tuple[str, str] | None
        try:
            job = await self._write(job)
        except BucketError as error:
            failure = _failure(error)
        except MissingPackageError as error:
            failure = ("S3ServiceUnavailable", str(error))
        except SnapshotLostError:
            failure = ("TableNotFoundException", messages.table_lost())
        else:
            failure = None
        if failure is not None:
            _log.warning("the export %s has failed: %s", arn, failure[1])
        await self._end(job, failure)

    async def _write(self, job: ExportJob) -> ExportJob:
        """Write the objects that are missing. Raises BucketError, SnapshotLostError."""
        bucket = self._opened(job)
        table = await self._table(job)
        if not job.files:
            await bucket.put(manifest_key(job, "_started"), one_chunk(b""))
        with self._pacer.jobs.begun("export", job.table, job.arn.rpartition("/")[2]) as progress:
            read = _told(await self._reader(job, table), progress)
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
        return job

    def _opened(self, job: ExportJob) -> Bucket:
        """The bucket of an export. Raises BucketError, MissingPackageError."""
        target = job.target
        place = self._buckets.place(target.bucket)
        # Without a setting of its own, a bucket is of whoever has the table.
        owner = place.owner or job.table_arn.split(":")[4]
        if target.owner is not None and target.owner != owner:
            text = messages.other_owner(target.bucket, target.owner)
            raise BucketError(Failure.ACCESS_DENIED, text)
        if target.sse_algorithm == _KMS and not isinstance(place.place, S3Place):
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
        """What reads the lines of an export; changes of a window are collected first."""
        item_filter = None if job.filter is None else stored_filter(job.filter, table.table)
        if job.window is None:
            source = SnapshotReader(
                self._engine,
                self._catalog,
                snapshot_of(job),
                now_ms=self._now_ms,
                fences=self._fences,
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
        )
        more = True
        while more:
            async with self._pacer.turn():
                more = await changes.collect(is_again=bool(job.files))
        return ChangedItemPages(
            changes, job.window, job.format, key_of=key_of, item_filter=item_filter
        ).read

    def _in_turns(self, read: ReadLines) -> ReadLines:
        async def paced(start: bytes | None) -> LinePage:
            async with self._pacer.turn():
                return await read(start)

        return paced

    async def _data_file(self, job: ExportJob, bucket: Bucket, read: ReadLines) -> ExportJob:
        """Write the next data file. Raises SnapshotLostError: the export has ended meanwhile."""
        writer = DataFileWriter(read, job.position)
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

    async def _end(self, job: ExportJob, failure: tuple[str, str] | None) -> None:
        """Write how an export has ended, and release what is kept for it."""
        more = True
        while more:
            async with self._pacer.turn():
                more = await forget_images(
                    self._engine, job.number, export_key(job.arn), self._fences()
                )
        now_ms = self._now_ms()
        with contextlib.suppress(DynamoError):
            await self._catalog.change(
                job.table,
                partial(without_export, job.arn, now_ms),
                end_beside(job.arn, now_ms, failure),
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


def _told(read: ReadLines, progress: Job) -> ReadLines:
    """Reads the same pages, and notes how far they are."""

    async def noted(start: bytes | None) -> LinePage:
        page = await read(start)
        if page.start is not None:
            progress.reached(share_before(page.start))
        return page

    return noted


def _failure(error: BucketError) -> tuple[str, str]:
    """FailureCode and FailureMessage."""
    text = str(error)
    if isinstance(error, _NoKeysError):
        return "KmsNotFoundException", text
    if error.failure is Failure.NO_SUCH_BUCKET:
        text = messages.bucket_missing(text)
    elif error.failure is Failure.ACCESS_DENIED:
        text = messages.access_denied(text)
    return f"S3{error.failure}", text
