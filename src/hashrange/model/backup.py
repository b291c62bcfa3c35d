"""Backups of tables, as they are stored."""

from typing import Final

import msgspec

from hashrange.model.table import Table

SYSTEM_SUFFIX: Final = "$DeletedTableBackup"
"""Behind the name of a table, in the name of the backup of that table when it was deleted."""


class Backup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A backup: the definition of a table, and the number under which its items are stored."""

    arn: str
    name: str
    created_ms: int
    expires_ms: int | None = None
    """Of the backup of a deleted table, which the service makes and removes itself."""
    table: Table
    items: int
    """The number under which its items are stored; no table has it."""
    item_count: int = 0
    item_bytes: int = 0
    source: str | None = None
    """The table whose items are being stored, as the whole catalog has it; None when all are."""
    restoring: str | None = None
    """The table that is being restored from it."""

    @property
    def is_system(self) -> bool:
        """Whether it is the backup of a deleted table."""
        return self.expires_ms is not None
