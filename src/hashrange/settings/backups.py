"""The settings of backups of all data."""

from dataclasses import dataclass
from typing import Annotated

from hashrange.settings.kinds import INTERVAL, KEPT, TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """A part of the settings of a server."""

    backup_to: Annotated[
        str | None,
        TEXT,
        "Directory or bucket (s3://NAME, https://HOST/NAME) that backups of the data directory, or "
        "of the database, are stored in, with --backup-every; docs/backups.md.",
    ] = None
    backup_every: Annotated[
        str | None, INTERVAL, "Interval of these backups; each stores what has changed."
    ] = None
    backup_keep: Annotated[
        str,
        KEPT,
        "Which of them are kept: the newest N, and the newest of each of N days, weeks and months.",
    ] = "all"
