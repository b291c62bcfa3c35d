"""Restoring a table: items of a backup or a snapshot are written as all items are."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.backups.items import Keep
from hashrange.model.snapshot import Restore
from hashrange.model.table import Table
from hashrange.storage.engine import Fences, Pair
from hashrange.tables.catalog import Catalog
from hashrange.tables.images import Image, image_from
from hashrange.tables.shards import without_reader
from hashrange.tables.snapshot_keys import moved
from hashrange.tables.snapshots import SnapshotAt, SnapshotLostError, with_snapshot
from hashrange.tables.store import Store
from hashrange.tables.writer import Decision, ItemWrite, write_items

_READER: Final = "restore:"
"""Before the number of a table that is being restored."""


def snapshot_for(table: Table, restore: Restore) -> SnapshotAt:
    """The snapshot from which a table is restored."""
    assert restore.source is not None, "no backup"
    return SnapshotAt(
        name=restore.source,
        table=restore.source_number,
        reader=f"{_READER}{table.number}",
        time_ms=restore.time_ms,
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
        decide = [partial(_as_stored, image_from(value)) for _, value in rows]
        writes = [
            ItemWrite(table, moved(table.number, key), each)
            for (key, _), each in zip(rows, decide, strict=True)
        ]
        await write_items(store, writes)

    return keep


def _as_stored(image: Image, _before: Image | None) -> Decision[None]:
    return Decision(image, None)


def restored(table: Table) -> Table:
    """The table when all of its items are restored."""
    return msgspec.structs.replace(table, restore=None)
