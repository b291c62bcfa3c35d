"""Makes backups, restores tables, and removes backups whose time is over.

What is to be done stands in the catalog: a table of which a backup is made has a reader of its log,
and a table that is being restored says from what. Items are stored in the order of their keys, so
work that a stop or a crash interrupts goes on behind the last item. Work that fills the disk is
given up after some attempts, and its room is given back.
"""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

import msgspec

from hashrange.background.job_runner import (
    ATTEMPTS_MAX,
    JobContext,
    JobFailure,
    JobKind,
    JobLabel,
    JobRunner,
    due_tables,
)
from hashrange.backups.tables.items import Keep, Source, StoredItems, forget_images, start_of_rest
from hashrange.backups.tables.making import backups_of, keeping, made, released, snapshot_of
from hashrange.backups.tables.restoring import (
    restored,
    restores_of,
    restoring,
    snapshot_for,
    with_snapshot_for,
    without_snapshot_for,
)
from hashrange.errors import DynamoError
from hashrange.model.backup import Backup
from hashrange.model.table import Table
from hashrange.model.table_features import Restore
from hashrange.observe.jobs import Job
from hashrange.regions.replication.groups import change_group, copied, names_of
from hashrange.regions.replication.tombstones import copy_deletions
from hashrange.tables.catalog.catalog import pages_of_tables
from hashrange.tables.jobs.backups import BACKUPS, delete_backup
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.jobs.jobs import BACKUP, REPLICA, RESTORE
from hashrange.tables.keys.backup_keys import backup_key
from hashrange.tables.keys.keyspace import share_before
from hashrange.tables.snapshots.snapshots import SnapshotAt, SnapshotLostError, SnapshotReader

_LOST: Final[JobFailure] = ("TableNotFoundException", "its table is gone")


class BackupJob(msgspec.Struct, frozen=True):
    """A backup of the table of a stored name; None if it is described no more."""

    table: str
    arn: str
    backup: Backup | None


class RestoreJob(msgspec.Struct, frozen=True):
    """A table of a stored name that is being restored, and the key of its catalog entry."""

    name: str
    table: Table
    restore: Restore
    owner: bytes


def backup_jobs(context: JobContext) -> JobRunner:
    """A background task that finishes backups and restores, one page at a time."""
    backups, restores = _Backups(context), _Restores(context)
    kinds: tuple[JobKind[BackupJob], JobKind[RestoreJob]] = (
        JobKind(
            due=backups.due,
            label=_label_of_backup,
            work=backups.make,
            failures={SnapshotLostError: lambda _: _LOST},
            end=backups.end,
            attempts_max=lambda _: ATTEMPTS_MAX,
            sweep=backups.sweep,
        ),
        JobKind(
            due=restores.due,
            label=_label_of_restore,
            work=restores.restore,
            failures={SnapshotLostError: lambda _: _LOST},
            end=restores.end,
            # The group of a new replica knows of it.
            attempts_max=lambda job: None if job.restore.regions else ATTEMPTS_MAX,
            sweep=restores.sweep,
        ),
    )
    return JobRunner(kinds, context.pacer)


def _label_of_backup(job: BackupJob) -> JobLabel:
    return JobLabel(BACKUP, job.table, "" if job.backup is None else job.backup.name)


def _label_of_restore(job: RestoreJob) -> JobLabel:
    return JobLabel(REPLICA if job.restore.regions else RESTORE, job.name)


class _Copies:
    """Copies of items, page by page.

    Args:
        context: of the work on jobs.
    """

    def __init__(self, context: JobContext) -> None:
        self._context = context
        self._engine = context.engine
        self._catalog = context.catalog
        self._turn = context.pacer.turn

    def _reader(self, snapshot: SnapshotAt) -> SnapshotReader:
        context = self._context
        return SnapshotReader(
            self._engine,
            self._catalog,
            snapshot,
            now_ms=context.now_ms,
            fences=context.fences,
            page_rows=context.sizes.page_rows,
        )

    async def _copy(self, source: Source, keep: Keep, start: bytes | None, job: Job) -> None:
        while True:
            async with self._turn():
                page = await source.page(start)
                if page.rows:
                    await keep(page.rows)
            start = page.start
            if start is None:
                return
            job.reached(share_before(start))

    async def _forget_images(self, number: int, owner: bytes) -> None:
        more = True
        while more:
            async with self._turn():
                more = await forget_images(self._engine, number, owner, self._context.fences())


class _Backups(_Copies):
    """Backups that are being made."""

    async def due(self, name: str | None) -> AsyncIterator[BackupJob]:
        """Due jobs of a table, or of all."""
        async for each, opened in due_tables(self._engine, self._catalog, name):
            for arn in backups_of(opened.table):
                yield BackupJob(each, arn, await BACKUPS.find(self._engine, arn))

    async def make(self, job: BackupJob, progress: Job) -> None:
        """Store the items, unless that was done before. Raises SnapshotLostError."""
        backup = job.backup
        if backup is None or backup.source is None:
            return
        engine, source = self._engine, self._reader(snapshot_of(backup))
        start = await start_of_rest(engine, copied=backup.items, source=backup.table.number)
        await self._copy(source, keeping(engine, backup, self._context.fences), start, progress)
        await self._forget_images(backup.items, backup_key(job.arn))

    async def end(self, job: BackupJob, failure: JobFailure | None) -> None:
        """Let the backup be available, or remove it, and release its table.

        At once: a table whose backup is available can be deleted.
        """
        if failure is None:
            change = partial(released, job.arn, self._context.now_ms())
            with contextlib.suppress(DynamoError):
                await self._catalog.change(job.table, change, made(job.arn))
            return
        backup = await BACKUPS.find(self._engine, job.arn)
        if backup is not None and backup.source is not None:
            await delete_backup(self._engine, backup, lambda _: None)
            await self._reader(snapshot_of(backup)).end()

    async def sweep(self) -> None:
        """Remove the backups whose time is over."""
        async for backup in BACKUPS.all(self._engine):
            if backup.expires_ms is not None and backup.expires_ms <= self._context.store.kept_ms():
                await delete_backup(self._engine, backup, lambda _: None)


class _Restores(_Copies):
    """Tables that are being restored, and new replicas that are being copied."""

    async def due(self, name: str | None) -> AsyncIterator[RestoreJob]:
        """Due jobs of a table, or of all."""
        async for each, opened in due_tables(self._engine, self._catalog, name):
            restore = opened.table.restore
            if restore is not None and not restore.is_sent:
                yield RestoreJob(each, opened.table, restore, opened.catalog_key)

    async def restore(self, job: RestoreJob, progress: Job) -> None:
        """Write the items, and let the table be used. Raises SnapshotLostError."""
        context, table, restore = self._context, job.table, job.restore
        source: Source
        if restore.items is None:
            source = await self._begun(snapshot_for(table, restore))
            number = restore.source_number
        else:
            source, number = StoredItems(self._engine, restore.items), restore.items
        start = await start_of_rest(self._engine, copied=table.number, source=number)
        keep = restoring(context.store, self._catalog, job.name, context.fences)
        await self._copy(source, keep, start, progress)
        await self._forget_images(table.number, job.owner)
        await self._free(restore)
        if restore.regions:
            await self._copy_deletions(job.name, restore)
            change = partial(copied, region=table.region, now_ms=context.now_ms())
            await change_group(self._catalog, names_of(self._catalog, table), change)
        else:
            await self._catalog.change(job.name, restored)
        await source.end()

    async def end(self, job: RestoreJob, failure: JobFailure | None) -> None:
        """Remove a table that cannot be restored."""
        if failure is not None:
            await self._free(job.restore)
            with contextlib.suppress(DynamoError):
                await self._catalog.drop(job.name, self._context.now_ms(), partial(_allow, job))

    async def sweep(self) -> None:
        """Remove the snapshots of restores that have ended: a crash may have left them.

        The snapshots are found first, since a target is created before its snapshot.
        """
        found = [
            (name, number)
            async for tables in pages_of_tables(self._engine)
            for name, opened in tables.items()
            for number in restores_of(opened.table)
        ]
        if not found:
            return
        targets = {
            opened.table.number
            async for tables in pages_of_tables(self._engine)
            for opened in tables.values()
            if opened.table.restore is not None
        }
        for name, number in found:
            if number not in targets:
                change = partial(without_snapshot_for, number, self._context.now_ms())
                with contextlib.suppress(DynamoError):
                    await self._catalog.change(name, change)

    async def _free(self, restore: Restore) -> None:
        if restore.backup_arn is not None:
            await BACKUPS.change(self._engine, restore.backup_arn, _free)

    async def _copy_deletions(self, name: str, restore: Restore) -> None:
        """Copy the tombstones of the source to a new replica."""
        start: bytes | None = None
        while True:
            async with self._turn():
                target = await self._catalog.open(name)
                if target is None or not target.is_replicated:
                    return
                start = await copy_deletions(self._context.store, target, restore, start)
            if start is None:
                return

    async def _begun(self, snapshot: SnapshotAt) -> Source:
        """The reader of the snapshot of a restore. Raises SnapshotLostError."""
        change = partial(with_snapshot_for, snapshot, self._context.now_ms())
        try:
            await self._catalog.change(snapshot.name, change)
        except DynamoError as error:
            raise SnapshotLostError from error
        return self._reader(snapshot)


def _allow(job: RestoreJob, table: Table) -> None:
    """Raises JobLostError: the table is restored, or it is another one of the same name."""
    if table.restore is None or table.number != job.table.number:
        raise JobLostError


def _free(backup: Backup) -> Backup:
    return msgspec.structs.replace(backup, restoring=None)
