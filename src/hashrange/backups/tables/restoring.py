"""Restoring a table: items of a backup or a snapshot are written as all items are."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.backups.tables.items import Keep
from hashrange.model.table import Table
from hashrange.model.table_features import Restore
from hashrange.storage.engine import Fences, Pair
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import Image, image_from, version_and_region_of
from hashrange.tables.keys.backup_keys import moved
from hashrange.tables.log.shards import without_reader
from hashrange.tables.log.tombstones import GlobalVersion
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.snapshots.snapshots import SnapshotAt, SnapshotLostError, with_snapshot
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite, replicated_write
from hashrange.tables.writing.writer import write_items

_READER: Final = "restore:"
"""Before the number of a table that is being restored."""


def snapshot_for(table: Table, restore: Restore) -> SnapshotAt:
    """The snapshot from which a table is restored."""
    assert restore.source is not None, "no backup"
    return SnapshotAt(
        name=restore.source,
        table=restore.source_number,
        reader=f"{_READER}{table.number}",
        time_ms=None if restore.regions else restore.time_ms,
        number=table.number,
    )


def restores_of(table: Table) -> list[int]:
    """The numbers of the tables that are, or were, restored from snapshots of a table."""
    names = (reader.name for reader in table.log.readers)
    return [int(name.removeprefix(_READER)) for name in names if name.startswith(_READER)]


def without_snapshot_for(number: int, now_ms: int, source: Table) -> Table:
    """The source of a restore that has ended, without its snapshot."""
    return without_reader(source, f"{_READER}{number}", now_ms)


def with_snapshot_for(snapshot: SnapshotAt, now_ms: int, source: Table) -> Table:
    """The source of a restore, with its snapshot; unchanged if the restore had begun before.

    Raises SnapshotLostError: it is another table of the same name.
    """
    if source.number != snapshot.table:
        raise SnapshotLostError
    if snapshot.reader in {reader.name for reader in source.log.readers}:
        return source
    return with_snapshot(source, snapshot.reader, time_ms=snapshot.time_ms, now_ms=now_ms)


def restoring(store: Store, catalog: Catalog, name: str, fences: Callable[[], Fences]) -> Keep:
    """Writes pages of items to the table `name`, with its index entries and counters."""

    async def keep(rows: Sequence[Pair]) -> None:
        table = await catalog.open(name)
        if table is None or table.table.restore is None:
            raise SnapshotLostError
        fences()
        regions = table.table.restore.regions
        await write_items(store, [_write(table, regions, key, value) for key, value in rows])

    return keep


def _write(table: OpenTable, regions: Sequence[str], key: bytes, value: bytes) -> ItemWrite[None]:
    """The write of one item; to a replica with the version that it has in the source."""
    item = moved(table.number, key)
    if not regions:
        return ItemWrite(table, item, partial(_as_stored, image_from(value)))
    version, region = version_and_region_of(value)
    return replicated_write(table, item, image_from(value), GlobalVersion(version, regions[region]))


def _as_stored(image: Image, _before: Image | None) -> Decision[None]:
    return Decision(image, None)


def restored(table: Table) -> Table:
    """The table when all of its items are restored."""
    return msgspec.structs.replace(table, restore=None)
