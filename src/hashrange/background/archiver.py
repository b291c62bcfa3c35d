"""Stores the items that expire in buckets, as Parquet by date, as the setting `archive` asks.

The deletions are in the change log. When a shard is closed its deletions are stored, and only then
is the log no longer kept for them. What a stop or a crash interrupts is done again, and gives
objects of the same names and contents.
"""

import asyncio
import datetime as dt
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.background.job_runner import (
    JobContext,
    JobKind,
    JobLabel,
    JobRunner,
    due_tables,
)
from hashrange.backups.archives.objects import object_key, object_of, parquet_of
from hashrange.backups.archives.shards import (
    archived_rows,
    begun,
    due_shards,
    ended,
    reader_of,
    stored,
)
from hashrange.backups.objects.bucket import Bucket, BucketError, one_chunk
from hashrange.backups.objects.buckets import Buckets
from hashrange.errors import DynamoError
from hashrange.limits.backups import ARCHIVE_PART_BYTES
from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.model.log import ALL_RECORDS, Shard
from hashrange.model.table import Table
from hashrange.observe.figures import Figures, labelled
from hashrange.observe.jobs import Job
from hashrange.optional_packages import MissingPackageError
from hashrange.settings.archives import ArchiveRule
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.jobs.jobs import ARCHIVE
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import record_key

_UNAVAILABLE: Final = "ServiceUnavailable"
_MS: Final = 1000

_log: Final = logging.getLogger(__name__)


class ArchiveJob(msgspec.Struct, frozen=True):
    """The deletions of a table that are to be stored, or a change of its archive.

    Attributes:
        name: the stored name of the table.
        table: its definition.
        rule: of its archive.
    """

    name: str
    table: Table
    rule: ArchiveRule


class Archiver(JobRunner):
    """A background task that stores the deletions of expired items.

    Args:
        context: of the work on jobs.
        buckets: where the objects are written.
        rules: the archives.
        shards: of a log that is begun.
    """

    def __init__(
        self, context: JobContext, buckets: Buckets, rules: Sequence[ArchiveRule], *, shards: int
    ) -> None:
        kind = JobKind(
            due=self._due,
            label=lambda job: JobLabel(ARCHIVE, job.name),
            work=self._work,
            failures={
                BucketError: lambda error: (error.failure, str(error)),
                MissingPackageError: lambda error: (_UNAVAILABLE, str(error)),
            },
            sweep=self._sweep,
        )
        super().__init__([kind], context.pacer)
        self._engine, self._catalog = context.engine, context.catalog
        self._now_ms, self._turn = context.now_ms, context.pacer.turn
        self._rows = context.sizes.page_rows
        self._buckets, self._shards = buckets, shards
        self._rules: Mapping[str, ArchiveRule] = {each.table: each for each in rules}
        self._oldest_ms: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._warned: set[str] = set()
        self._swept = ""

    def figures(self) -> Figures:
        """Items stored since the start, and the age of the oldest shard that waits, by table."""
        now_ms, found = self._now_ms(), dict[str, float]()
        for name, count in self._counts.items():
            found[labelled("archived_items_total", name)] = count
            age_ms = max(0, now_ms - self._oldest_ms.get(name, now_ms))
            found[labelled("archive_lag_seconds", name)] = age_ms / _MS
        return found

    async def _due(self, name: str | None) -> AsyncIterator[ArchiveJob]:
        async for stored_name, opened in due_tables(self._engine, self._catalog, name):
            table, rule = opened.table, self._rules.get(opened.table.name)
            has_reader = reader_of(table) is not None
            if rule is None:
                if has_reader and stored_name not in self._warned:
                    self._warned.add(stored_name)
                    text = "the log of %s is kept for an archive: give --archive, or %s=off"
                    _log.warning(text, stored_name, table.name)
                continue
            waiting = due_shards(table)
            self._note(stored_name, waiting)
            if waiting or has_reader is (rule.bucket is None):
                yield ArchiveJob(stored_name, table, rule)

    def _note(self, name: str, waiting: Sequence[Shard]) -> None:
        if len(self._counts) < METRIC_TABLES_MAX:
            self._counts.setdefault(name, 0)
        self._oldest_ms.pop(name, None)
        if waiting and name in self._counts:
            self._oldest_ms[name] = waiting[0].closed_ms or 0

    async def _work(self, job: ArchiveJob, progress: Job) -> None:
        """Begin or end an archive, or store what is due. Raises BucketError, JobLostError."""
        now_ms, table = self._now_ms(), job.table
        if job.rule.bucket is None:
            await self._change(job, partial(ended, now_ms=now_ms))
        elif reader_of(table) is None:
            await self._change(job, partial(begun, shards=self._shards, now_ms=now_ms))
        else:
            bucket = self._buckets.opened(job.rule.bucket, storage_class=job.rule.storage_class)
            waiting = due_shards(table)
            for number, shard in enumerate(waiting):
                await self._store(job, bucket, shard)
                change = partial(stored, number=table.number, shard=shard.number)
                await self._change(job, change)
                self._note(job.name, waiting[number + 1 :])
                progress.reached((number + 1) / len(waiting))

    async def _change(self, job: ArchiveJob, change: Callable[[Table], Table]) -> None:
        try:
            await self._catalog.change(job.name, change)
        except DynamoError as error:
            raise JobLostError from error  # the table was dropped

    async def _store(self, job: ArchiveJob, bucket: Bucket, shard: Shard) -> None:
        """Store the deletions of a shard, some at a time; their division is always the same."""
        parts: dict[str, _Part] = {}
        log = keyspace.log_key(job.table.number, shard.number)
        start, end = record_key(log, 0), record_key(log, ALL_RECORDS)
        while True:
            async with self._turn():
                page = await self._engine.scan(
                    start, end, limit=self._rows, bytes_max=ARCHIVE_PART_BYTES
                )
            if not page:
                break
            start = page[-1][0] + b"\x00"
            for row in archived_rows(job.table, page):
                part = parts.setdefault(row.date, _Part(row.date))
                part.lines.append(row.line)
                part.size_bytes += len(row.line)
                if part.size_bytes >= ARCHIVE_PART_BYTES:
                    await self._put(job, bucket, shard, part)
        for part in parts.values():
            if part.lines:
                await self._put(job, bucket, shard, part)

    async def _put(self, job: ArchiveJob, bucket: Bucket, shard: Shard, part: "_Part") -> None:
        assert shard.closed_ms is not None, "the shard is closed"
        key = object_key(
            _folder(job.rule, job.name),
            part.date,
            table=job.table.id,
            shard=shard.number,
            closed_ms=shard.closed_ms,
            part=part.number,
        )
        content = await asyncio.to_thread(parquet_of, part.lines)
        await bucket.put(key, one_chunk(content))
        if job.name in self._counts:
            self._counts[job.name] += len(part.lines)
        part.lines, part.size_bytes, part.number = [], 0, part.number + 1

    async def _sweep(self) -> None:
        """Delete the objects that are older than their rules ask; once a day."""
        today = dt.datetime.fromtimestamp(self._now_ms() / _MS, dt.UTC).date()
        if self._swept == today.isoformat():
            return
        for rule in self._rules.values():
            if rule.bucket is None or rule.days is None:
                continue
            try:
                await self._delete(rule, (today - dt.timedelta(rule.days)).isoformat())
            except (BucketError, MissingPackageError) as error:
                _log.warning("old objects of the archive of %s stay: %s", rule.table, error)
                return
        self._swept = today.isoformat()

    async def _delete(self, rule: ArchiveRule, before: str) -> None:
        assert rule.bucket is not None, "the archive has not ended"
        bucket = self._buckets.opened(rule.bucket)
        prefix = f"{rule.prefix}/" if rule.prefix else ""
        found = [each.key async for each in bucket.list(prefix)]
        for key in found:
            each = object_of(key)
            if each is not None and each.table == rule.table and each.date < before:
                await bucket.delete(key)


class _Part:
    """The rows of one date that are not stored yet, and the number of their object."""

    def __init__(self, date: str) -> None:
        self.date = date
        self.lines: list[bytes] = []
        self.size_bytes = 0
        self.number = 1


def _folder(rule: ArchiveRule, name: str) -> str:
    """The folder of a table: with its account and region where tables have them."""
    parts = [rule.prefix, *name.split(":")]
    return "/".join(filter(None, parts))
