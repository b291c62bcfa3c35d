"""Backups in the engine: their descriptions, and the numbers of their items.

A backup owns the rows of a number that no table has. When it is deleted, its number goes to the
list of dropped tables, and the rows are deleted as those of a table.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import msgspec

from hashrange.model.backup import Backup
from hashrange.model.log import Log
from hashrange.model.table import Table
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables import system_keys
from hashrange.tables.snapshot_keys import backup_key, backups_range

PAGE_BYTES: Final = 4 * 1024 * 1024
_PAGE_ROWS: Final = 100

_decode: Final = msgspec.json.Decoder(Backup).decode
_decode_table: Final = msgspec.json.Decoder(Table).decode
_encode: Final = msgspec.json.Encoder().encode
_replace: Final = msgspec.structs.replace


async def new_number(engine: Engine) -> int:
    """A number for rows, which no table has had or will have."""
    key = system_keys.sequence_key()

    def decide(stored: list[bytes | None]) -> Changes[int]:
        (sequence,) = stored
        number = 1 if sequence is None else int.from_bytes(sequence, "big")
        return Changes(answer=number, puts={key: (number + 1).to_bytes(4, "big")})

    return await engine.write([key], decide)


def row_of(backup: Backup) -> tuple[bytes, bytes]:
    """The key and the value of a description."""
    return backup_key(backup.arn), _encode(backup)


def backup_from(value: bytes) -> Backup:
    """The description in a stored value. Raises msgspec.DecodeError."""
    return _decode(value)


async def find_backup(engine: Engine, arn: str) -> Backup | None:
    """The backup with an ARN."""
    (value,) = await engine.read([backup_key(arn)])
    return None if value is None else _decode(value)


async def page_of_backups(
    engine: Engine, prefix: str, after: str | None, limit: int
) -> Sequence[Backup]:
    """At most `limit` backups whose ARN begins with a prefix, behind an ARN, in their order."""
    start, end = backups_range(prefix)
    if after is not None:
        start = max(start, backup_key(after) + b"\x00")
    found: list[Backup] = []
    while len(found) < limit:
        rows = limit - len(found)
        page = await engine.scan(start, end, limit=rows, bytes_max=PAGE_BYTES)
        if not page:
            break
        found += [_decode(value) for _, value in page]
        start = page[-1][0] + b"\x00"
    return found


async def all_backups(
    engine: Engine, prefix: str = "", after: str | None = None
) -> AsyncIterator[Backup]:
    """All backups whose ARN begins with a prefix, behind an ARN."""
    while page := await page_of_backups(engine, prefix, after, _PAGE_ROWS):
        for backup in page:
            yield backup
        after = page[-1].arn


async def change_backup(
    engine: Engine,
    arn: str,
    change: Callable[[Backup], Backup],
    *,
    fences: Fences = NO_FENCES,
) -> Backup | None:
    """Replace a description by the result of `change`, which is pure and may run again.

    Returns the new description; None if there is no such backup.
    """
    key = backup_key(arn)

    def decide(stored: list[bytes | None]) -> Changes[Backup | None]:
        (value,) = stored
        if value is None:
            return Changes(answer=None)
        changed = change(_decode(value))
        return Changes(answer=changed, puts={key: _encode(changed)})

    return await engine.write([key], decide, fences=fences)


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
        backup = _decode(value)
        allow(backup)
        # The table of a backup of a deleted table may be on the list still, for its streams.
        table = _only_rows(backup) if listed is None else _decode_table(listed)
        puts = {dropped: _encode(_replace(table, keeps_items=False))}
        adds = {system_keys.changes_key(): 1}  # other processes look at the list then
        return Changes(answer=backup, puts=puts, deletes=[key], adds=adds)

    return await engine.write([key, dropped], decide)


def _only_rows(backup: Backup) -> Table:
    """A dropped table that stands for the items of a backup, and is never shown."""
    return _replace(
        backup.table, number=backup.items, log=Log(), streams=(), indexes=(), deleted_ms=0
    )
