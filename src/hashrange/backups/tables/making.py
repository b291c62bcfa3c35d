"""Making a backup: the items of a snapshot are stored under the number of the backup."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from hashrange.backups.tables.items import Keep
from hashrange.model.backup import SYSTEM_SUFFIX, Backup
from hashrange.model.log import Log
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine, Fences, Pair
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.items.images import copied
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.keys.backup_keys import backup_key, moved
from hashrange.tables.log.shards import without_reader
from hashrange.tables.opened.reader import TableSize
from hashrange.tables.snapshots.snapshots import SnapshotAt, SnapshotLostError, with_snapshot

_READER: Final = "backup:"
"""Before the ARN of a backup, in the name of the reader of its table's log."""
SYSTEM_DAYS: Final = 35
"""For how long the backup of a deleted table is kept."""
_SYSTEM_ID: Final = "00000000"
_DAY_MS: Final = 24 * 60 * 60 * 1000

_replace: Final = msgspec.structs.replace


class NewBackup(msgspec.Struct, frozen=True, kw_only=True):
    """A backup that is to be made.

    Attributes:
        name: given by the caller.
        unique: eight hexadecimal digits, which distinguish backups of one millisecond.
        source: the table, as the whole catalog has it.
        number: under which items and images are to be stored.
        size: of the table, at about that time.
        now_ms: the time.
    """

    name: str
    unique: str
    source: str
    number: int
    size: TableSize
    now_ms: int

    def of(self, table: Table) -> Backup:
        """Its description."""
        return Backup(
            arn=_arn(table, self.now_ms, self.unique),
            name=self.name,
            created_ms=self.now_ms,
            table=_replace(table, log=Log()),
            items=self.number,
            item_count=self.size.items,
            item_bytes=self.size.size,
            source=self.source,
        )


def begun(new: NewBackup, table: Table) -> Table:
    """The table when a backup of it begins: with the snapshot of which the backup is made."""
    reader = _READER + _arn(table, new.now_ms, new.unique)
    return with_snapshot(table, reader, time_ms=None, now_ms=new.now_ms)


def described(new: NewBackup) -> ExtraRows:
    """The description of a backup, to be written with the table that `begun` returns."""
    return ExtraRows((), lambda _values, table: BACKUPS.row(new.of(table)))


def kept_at_deletion(size: TableSize, now_ms: int) -> ExtraRows:
    """The backup of a table with point-in-time recovery, to be written when it is deleted.

    It owns the items of the table, which stay where they are.
    """

    def puts(_values: Sequence[bytes | None], dropped: Table) -> dict[bytes, bytes]:
        if not dropped.keeps_items:
            return {}
        backup = Backup(
            arn=_arn(dropped, now_ms, _SYSTEM_ID),
            name=dropped.name + SYSTEM_SUFFIX,
            created_ms=now_ms,
            expires_ms=now_ms + SYSTEM_DAYS * _DAY_MS,
            table=_replace(dropped, deleted_ms=None, keeps_items=False, log=Log()),
            items=dropped.number,
            item_count=size.items,
            item_bytes=size.size,
        )
        return BACKUPS.row(backup)

    return ExtraRows((), puts)


def backups_of(table: Table) -> list[str]:
    """The ARNs of the backups that are being made of a table."""
    readers = (reader.name for reader in table.log.readers)
    return [name.removeprefix(_READER) for name in readers if name.startswith(_READER)]


def released(arn: str, now_ms: int, table: Table) -> Table:
    """The table without the snapshot of a backup that is made, or deleted."""
    return without_reader(table, _READER + arn, now_ms)


def snapshot_of(backup: Backup) -> SnapshotAt:
    """The snapshot of which a backup is made."""
    assert backup.source is not None, "it is being made"
    return SnapshotAt(
        name=backup.source,
        table=backup.table.number,
        reader=_READER + backup.arn,
        time_ms=None,
        number=backup.items,
    )


def keeping(engine: Engine, backup: Backup, fences: Callable[[], Fences]) -> Keep:
    """Stores pages of items as those of a backup. Raises SnapshotLostError: it was deleted."""
    key = backup_key(backup.arn)

    def decide(puts: dict[bytes, bytes], stored: list[bytes | None]) -> Changes[None]:
        if stored[0] is None:
            raise SnapshotLostError
        return Changes(answer=None, puts=puts)

    async def keep(rows: Sequence[Pair]) -> None:
        puts = {
            target: copied(value, item, target)
            for item, value in rows
            for target in (moved(backup.items, item),)
        }
        await engine.write([key], partial(decide, puts), fences=fences())

    return keep


def made(arn: str) -> ExtraRows:
    """The backup when all of its items are stored, to be written with what `released` returns."""

    def puts(values: Sequence[bytes | None], _table: Table) -> dict[bytes, bytes]:
        (value,) = values
        return {} if value is None else BACKUPS.row(_replace(BACKUPS.decode(value), source=None))

    return ExtraRows((backup_key(arn),), puts)


def _arn(table: Table, now_ms: int, unique: str) -> str:
    return f"{table.arn}/backup/{now_ms:014}-{unique}"
