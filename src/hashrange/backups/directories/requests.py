"""Requests of commands for a backup, to the server that has the data directory."""

from typing import Final

import msgspec

from hashrange.storage.request_files import RequestFiles

_BYTES_MAX: Final = 64 * 1024


class BackupRequest(msgspec.Struct, frozen=True):
    """A request: a backup at a target, and then the rule by which others are kept."""

    id: str
    target: str
    keep: str


class BackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How far a request is; `text` once it has ended, and `warnings` if a backup was made."""

    id: str
    done: int = 0
    chunks: int = 0
    has_ended: bool = False
    has_failed: bool = False
    text: str = ""
    warnings: list[str] = []


BACKUP_FILES: Final = RequestFiles(
    "hashrange.backup", (BackupRequest, BackupAnswer), bytes_max=_BYTES_MAX
)
