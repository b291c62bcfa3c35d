"""Backups of tables and exports, as they are stored."""

from typing import Any, Final, Literal, TypeAlias

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


ExportStatus: TypeAlias = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]
FULL: Final = "FULL_EXPORT"
INCREMENTAL: Final = "INCREMENTAL_EXPORT"
NEW_IMAGE: Final = "NEW_IMAGE"
NEW_AND_OLD_IMAGES: Final = "NEW_AND_OLD_IMAGES"
ION: Final = "ION"
DYNAMODB_JSON: Final = "DYNAMODB_JSON"


class Target(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The objects that an export writes, as the request names them."""

    bucket: str
    owner: str | None = None
    prefix: str | None = None
    sse_algorithm: str | None = None
    """None for what the bucket does by itself, which is described as AES256."""
    sse_key: str | None = None

    @property
    def shown_algorithm(self) -> str:
        """The algorithm in descriptions."""
        return self.sse_algorithm or "AES256"


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of an incremental export: from a time on, and before another one."""

    from_ms: int
    to_ms: int
    view_type: str


class ExportToken(msgspec.Struct, frozen=True, kw_only=True):
    """The first request with a ClientToken: its export, and a digest of its members."""

    arn: str
    digest: str
    started_ms: int


class DataFile(msgspec.Struct, frozen=True):
    """A data file that is complete."""

    key: str
    items: int
    md5: str
    etag: str


class ExportState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of an export for lists and quotas."""

    arn: str
    table_arn: str
    table_id: str
    table: str
    """As the whole catalog has it."""
    started_ms: int
    status: ExportStatus = "IN_PROGRESS"
    namespace: str = ""
    """The prefix of the names of the tables that its caller sees."""
    token: str | None = None
    """The ClientToken."""
    window: Window | None = None
    sent_type: str | None = None
    """ExportType, as sent."""
    ended_ms: int | None = None
    failure: tuple[str, str] | None = None
    """Code and message."""

    @property
    def id(self) -> str:
        """The last part of its ARN."""
        return self.arn.rpartition("/")[2]

    @property
    def kind(self) -> str:
        """Its ExportType."""
        return FULL if self.window is None else INCREMENTAL


class ExportJob(ExportState, frozen=True, kw_only=True, omit_defaults=True):
    """An export: the request, how far it has come, and how it ended."""

    table_number: int
    number: int
    """Under which images of items are stored meanwhile; no table has it."""
    target: Target
    format: str = DYNAMODB_JSON
    time_ms: int | None = None
    """The moment of a full export; None for the moment at which it was begun."""
    filter: dict[str, Any] | None = None
    """The FilterSpecification, as sent."""
    files: tuple[DataFile, ...] = ()
    position: bytes | None = None
    """Where the next file begins: the key of an item in the engine."""
    items: int = 0
    size_bytes: int = 0
    """Of the items that were read."""
