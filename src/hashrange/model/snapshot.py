"""Where the items of a table that is being restored come from, as the catalog stores it."""

import msgspec


class Restore(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A restore of a backup, if `items` is set, or of the state of a table at a time."""

    source_arn: str
    """Of the table whose items they were."""
    time_ms: int
    """The state of that table at this time is restored."""
    backup_arn: str | None = None
    items: int | None = None
    """The items of the backup are stored under this number."""
    source: str | None = None
    """The table, as the whole catalog has it; None for a backup."""
    source_number: int = 0
