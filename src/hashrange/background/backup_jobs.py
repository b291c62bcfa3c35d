"""Makes backups, restores tables, and removes backups whose time is over.

What is to be done stands in the catalog: a table of which a backup is made has a reader of its log,
and a table that is being restored says from what. Items are stored in the order of their keys, so
work that a stop or a crash interrupts goes on behind the last item. Work that fills the disk is
given up after some attempts, and its room is given back.
"""

import contextlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.background.attempts import Attempts
from hashrange.background.changed_tables import ChangedTables
from hashrange.background.pacer import Pacer
from hashrange.backups.items import Keep, Source, StoredItems, forget_images, start_of_rest
from hashrange.backups.making import backups_of, keeping, made, released, snapshot_of
from hashrange.backups.restoring import (
    restored,
    restores_of,
    restoring,
    snapshot_for,
    with_snapshot_for,
    without_snapshot_for,
)
from hashrange.errors import DynamoError
from hashrange.model.backup import Backup
from hashrange.model.snapshot import Restore
from hashrange.model.table import Table
from hashrange.observe.jobs import Job
from hashrange.replication.deletions import copy_deletions
from hashrange.replication.groups import change_group, copied, names_of
from hashrange.storage.engine import Fences
from hashrange.tables.backups import BACKUPS, delete_backup
from hashrange.tables.catalog import Catalog, pages_of_tables
from hashrange.tables.keyspace import share_before
from hashrange.tables.snapshot_keys import backup_key
from hashrange.tables.snapshots import SnapshotAt, SnapshotLostError, SnapshotReader
from hashrange.tables.store import Store

_log: Final = logging.getLogger(__name__)


class BackupJobs:
    """A background task that finishes backups and restores, one page at a time.

    Args:
        store: the items, and the clock.
        catalog: the whole catalog.
        pacer: gives turns, one for each page.
        fences: of writes, so that nothing is written once another server does the work.

    Attributes:
        changed: is told of tables that were changed.
        run: works until it is cancelled.
    """

    def __init__(
        self, store: Store, catalog: Catalog, *, pacer: Pacer, fences: Callable[[], Fences]
    ) -> None:
        self._store = store
        self._engine = store.engine
        self._now_ms = store.clock.now_ms
        self._catalog = catalog
        self._pacer = pacer
        self._fences = fences
        self._attempts = Attempts()
        self.changed = ChangedTables("a backup", self.work, self._finish)
        self.run = self.changed.run

    async def work(self) -> None:
        """Finish all backups and restores, and remove the backups whose time is over."""
        read: list[tuple[str, int]] = []
        async for tables in pages_of_tables(self._engine):
            for name, opened in tables.items():
                read += [(name, number) for number in restores_of(opened.table)]
                if _is_restored(opened.table) or backups_of(opened.table):
                    await self._finish(name)
        if read:
            await self._release(read)
        async for backup in BACKUPS.all(self._engine):
            if backup.expires_ms is not None and backup.expires_ms <= self._store.kept_ms():
                await delete_backup(self._engine, backup, lambda _: None)

    async def _release(self, read: Sequence[tuple[str, int]]) -> None:
        """Remove the snapshots of restores that have ended: a crash may have left them.

        `read` has their tables and the numbers of their targets, and was found first, since a
        target is created before its snapshot.
        """
        targets = {
            opened.table.number
            async for tables in pages_of_tables(self._engine)
            for opened in tables.values()
            if opened.table.restore is not None
        }
        for name, number in read:
            if number not in targets:
                with contextlib.suppress(DynamoError):
                    change = partial(without_snapshot_for, number, self._now_ms())
                    await self._catalog.change(name, change)

    async def _finish(self, name: str) -> None:
        opened = await self._catalog.open(name)
        if opened is None:
            return
        table, restore = opened.table, opened.table.restore
        for arn in backups_of(table):
            if not await self._attempts.done(arn, self._make(name, arn)):
                await self._give_up_backup(arn)
        if restore is not None and not restore.is_sent:
            work = self._restore(name, table, restore, opened.catalog_key)
            if restore.regions:  # a replica of a global table: its group knows of it
                await work
            elif not await self._attempts.done(table.arn, work):
                await self._give_up_restore(name, restore)

    async def _give_up_backup(self, arn: str) -> None:
        """Remove a backup that cannot be stored."""
        backup = await BACKUPS.find(self._engine, arn)
        if backup is not None and backup.source is not None:
            await delete_backup(self._engine, backup, lambda _: None)
            await self._reader(snapshot_of(backup)).end()

    async def _give_up_restore(self, name: str, restore: Restore) -> None:
        """Remove a table that cannot be restored."""
        if restore.backup_arn is not None:
            await BACKUPS.change(self._engine, restore.backup_arn, _free)
        await self._catalog.drop(name, self._now_ms(), lambda _: None)

    async def _make(self, name: str, arn: str) -> None:
        """Store the items of a backup of the table `name`, unless that was done before."""
        backup = await BACKUPS.find(self._engine, arn)
        if backup is None or backup.source is None:
            with contextlib.suppress(DynamoError):
                await self._catalog.change(name, partial(released, arn, self._now_ms()))
            return
        source = self._reader(snapshot_of(backup))
        start = await start_of_rest(self._engine, copied=backup.items, source=backup.table.number)
        try:
            with self._pacer.jobs.begun("backup", name, backup.name) as job:
                await self._copy(source, keeping(self._engine, backup, self._fences), start, job)
        except SnapshotLostError:
            _log.error("the backup %s is not made: its table is gone", arn)
            await delete_backup(self._engine, backup, lambda _: None)
            await source.end()
            return
        await self._forget_images(backup.items, backup_key(arn))
        # At once: a table whose backup is available can be deleted.
        with contextlib.suppress(DynamoError):
            await self._catalog.change(name, partial(released, arn, self._now_ms()), made(arn))

    async def _restore(self, name: str, table: Table, restore: Restore, owner: bytes) -> None:
        """Write the items of a table that is being restored."""
        source: Source
        try:
            if restore.items is None:
                source = await self._begun(snapshot_for(table, restore))
                number = restore.source_number
            else:
                source, number = StoredItems(self._engine, restore.items), restore.items
            start = await start_of_rest(self._engine, copied=table.number, source=number)
            keep = restoring(self._store, self._catalog, name, self._fences)
            with self._pacer.jobs.begun("replica" if restore.regions else "restore", name) as job:
                await self._copy(source, keep, start, job)
        except SnapshotLostError:
            _log.error("the table %s is not restored: its source is gone", name)
            await self._catalog.drop(name, self._now_ms(), lambda _: None)
            return
        await self._forget_images(table.number, owner)
        if restore.backup_arn is not None:
            await BACKUPS.change(self._engine, restore.backup_arn, _free)
        await self._complete(name, table, restore)
        await source.end()

    async def _complete(self, name: str, table: Table, restore: Restore) -> None:
        """Let the table be used; all of its items are stored."""
        if restore.regions:
            await self._copy_deletions(name, restore)
            change = partial(copied, region=table.region, now_ms=self._now_ms())
            await change_group(self._catalog, names_of(self._catalog, table), change)
        else:
            await self._catalog.change(name, restored)

    async def _copy_deletions(self, name: str, restore: Restore) -> None:
        """Copy the tombstones of the source to a new replica."""
        start: bytes | None = None
        while True:
            async with self._pacer.turn():
                target = await self._catalog.open(name)
                if target is None or not target.is_replicated:
                    return
                start = await copy_deletions(self._store, target, restore, start)
            if start is None:
                return

    async def _begun(self, snapshot: SnapshotAt) -> Source:
        """The reader of the snapshot of a restore. Raises SnapshotLostError."""
        change = partial(with_snapshot_for, snapshot, self._now_ms())
        try:
            await self._catalog.change(snapshot.name, change)
        except DynamoError as error:
            raise SnapshotLostError from error
        return self._reader(snapshot)

    def _reader(self, snapshot: SnapshotAt) -> SnapshotReader:
        return SnapshotReader(
            self._engine, self._catalog, snapshot, now_ms=self._now_ms, fences=self._fences
        )

    async def _copy(self, source: Source, keep: Keep, start: bytes | None, job: Job) -> None:
        while True:
            async with self._pacer.turn():
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
            async with self._pacer.turn():
                more = await forget_images(self._engine, number, owner, self._fences())


def _is_restored(table: Table) -> bool:
    return table.restore is not None and not table.restore.is_sent


def _free(backup: Backup) -> Backup:
    return msgspec.structs.replace(backup, restoring=None)
