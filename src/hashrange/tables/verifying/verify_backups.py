"""Verifies backups: their descriptions, and the items that they own."""

from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.keys.paging import pairs
from hashrange.tables.verifying.verify_items import checked_items

_FINDINGS_MAX: Final = 1000


async def backup_findings(engine: Engine, tables: AbstractSet[int]) -> tuple[list[str], set[int]]:
    """The faults of backups, and the numbers of their items.

    Args:
        engine: holds them.
        tables: the numbers of tables, dropped ones included; those of deleted tables may be
            backups' as well.
    """
    found: list[str] = []
    numbers: set[int] = set()
    async for key, value in pairs(engine, BACKUPS.range()):
        try:
            backup = BACKUPS.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"backups: the description at {key.hex()} cannot be read: {error}")
            continue
        if key != BACKUPS.key(backup.arn):
            found.append(f"backups: {backup.arn} stands at {key.hex()}, where another belongs")
        if backup.items in numbers or (backup.items in tables and not backup.is_system):
            found.append(f"backups: the items of {backup.arn} belong to something else as well")
        numbers.add(backup.items)
        table = msgspec.structs.replace(backup.table, number=backup.items)
        async for _, fault in checked_items(engine, table):
            if fault is not None and len(found) < _FINDINGS_MAX:
                found.append(f"{backup.arn}: {fault}")
    return found, numbers
