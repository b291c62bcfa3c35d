"""Backups in the engine: their descriptions, and the numbers of their items.

A backup owns the rows of a number that no table has. When it is deleted, its number goes to the
list of dropped tables, and the rows are deleted as those of a table.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from hashrange.model.backup import Backup
from hashrange.model.log import Log
from hashrange.model.table import Table
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.jobs.descriptions import Descriptions
from hashrange.tables.keys import system_keys
from hashrange.tables.keys.backup_keys import backup_key

BACKUPS: Final = Descriptions(Backup, backup_key)
_decode_table: Final = msgspec.json.Decoder(Table).decode
_replace: Final = msgspec.structs.replace


async def new_number(engine: Engine) -> int:
    """A number for rows, which no table has had or will have."""
    key = system_keys.sequence_key()

    def decide(stored: list[bytes | None]) -> Changes[int]:
        (sequence,) = stored
        number = 1 if sequence is None else int.from_bytes(sequence, "big")
        return Changes(answer=number, puts={key: (number + 1).to_bytes(4, "big")})

    return await engine.write([key], decide)


async def delete_backup(
    engine: Engine, found: Backup, allow: Callable[[Backup], None]
) -> Backup | None:
    """Remove a backup; its items are deleted in the background.

    Args:
        engine: holds the backup.
        found: the backup, as it was read.
        allow: raises to refuse it.

    Returns:
        The removed backup; None if there is none any more.
    """
    key, dropped = backup_key(found.arn), system_keys.dropped_key(found.items)

    def decide(stored: list[bytes | None]) -> Changes[Backup | None]:
        value, listed = stored
        if value is None:
            return Changes(answer=None)
        backup = BACKUPS.decode(value)
        allow(backup)
        # The table of a backup of a deleted table may be on the list still, for its streams.
        table = _only_rows(backup) if listed is None else _decode_table(listed)
        puts = {dropped: msgspec.json.encode(_replace(table, keeps_items=False))}
        adds = {system_keys.changes_key(): 1}  # other processes look at the list then
        return Changes(answer=backup, puts=puts, deletes=[key], adds=adds)

    return await engine.write([key, dropped], decide)


def _only_rows(backup: Backup) -> Table:
    """A dropped table that stands for the items of a backup, and is never shown."""
    return _replace(
        backup.table, number=backup.items, log=Log(), streams=(), indexes=(), deleted_ms=0
    )
