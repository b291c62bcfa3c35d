"""One backup from its beginning to its end, of a server that runs or of a command."""

import asyncio
from collections.abc import Callable
from hashlib import blake2b
from typing import Protocol

import msgspec

from hashrange.backups.directories.claims import Claim, sole
from hashrange.backups.directories.manifests import BackupError, Manifest, RowsManifest
from hashrange.backups.directories.retention import Retention, clean_up
from hashrange.backups.directories.row_chunks import store_rows
from hashrange.backups.directories.storing import Progress, store
from hashrange.backups.directories.target import Target
from hashrange.backups.objects.bucket import BucketError
from hashrange.clock import Clock
from hashrange.optional_packages import MissingPackageError
from hashrange.storage.engine import StorageError, StorageOpenError
from hashrange.storage.saved_states import FrozenData
from hashrange.storage.stored_rows import RowSource

FAILURES = (
    *(BackupError, BucketError, StorageError, StorageOpenError),
    *(MissingPackageError, OSError),
)
"""Errors that end a backup, and nothing else."""


def data_id_of(secret: bytes) -> str:
    """Distinguishes data of different origin, by their secret."""
    return blake2b(secret, digest_size=16, person=b"hashrange backup").hexdigest()


class Order(msgspec.Struct, frozen=True):
    """An order: a backup at a place, and then the rule by which others are kept.

    Attributes:
        place: a directory or a bucket.
        retention: the rule.
        progress: moves on meanwhile.
    """

    place: str
    retention: Retention
    progress: Progress


async def back_up(
    freeze: Callable[[str], FrozenData], order: Order, *, secret: bytes, clock: Clock
) -> Manifest:
    """Make a backup of a data directory, which no other process has.

    Raises one of FAILURES; backups that were there are as they were.
    """
    target = Target.at(order.place, clock.new_uuid)
    contents = await target.contents()
    claim = await sole(contents.generation)
    data = freeze(data_id_of(secret))
    made_ms = contents.later_than_all(clock.now_ms())
    try:
        for line in await asyncio.to_thread(data.damage):
            raise BackupError(f"{data.path} is damaged: {line}")
        manifest = await store(data, target, claim, made_ms=made_ms, progress=order.progress)
    finally:
        data.close()
    order.progress.unread |= await clean_up(target, claim, order.retention)
    return manifest


class Database(Protocol):
    """A database that is read, whose servers may all make backups of it."""

    @property
    def rows(self) -> RowSource:
        """All its rows."""

    async def secret(self) -> bytes:
        """The secret of its servers. Raises StorageError."""

    async def now_ms(self) -> int:
        """Its own clock, so that the clocks of servers need not agree. Raises StorageError."""

    async def take(self, place: str, seen: int) -> Claim:
        """Claim a place: see `backups.directories.claims`. Raises BackupError, StorageError."""


async def back_up_rows(
    database: Database, order: Order, *, new_id: Callable[[], str]
) -> RowsManifest:
    """As `back_up`, of the rows of a database."""
    target = Target.at(order.place, new_id)
    data_id, made_ms = data_id_of(await database.secret()), await database.now_ms()
    contents = await target.contents()
    claim = await database.take(order.place, contents.generation)
    made_ms = contents.later_than_all(made_ms)
    manifest = await store_rows(
        database.rows, target, claim, data_id, made_ms=made_ms, progress=order.progress
    )
    order.progress.unread |= await clean_up(target, claim, order.retention)
    return manifest


def summary_of(manifest: Manifest, progress: Progress) -> str:
    """A line about a backup that was made."""
    key = "" if manifest.master_key_id is None else f", encrypted with {manifest.master_key_id}"
    chunks = f"{progress.chunks} chunk{'' if progress.chunks == 1 else 's'}"
    return (
        f"backup {manifest.id}: {size_text(manifest.data_bytes)} in {chunks}, {progress.stored} of "
        f"them new ({size_text(progress.stored_bytes)} stored){key}; verified"
    )


def size_text(count: int) -> str:
    """A number of bytes for people, in decimal units."""
    for unit_bytes, unit in ((1_000_000, "MB"), (1_000, "KB")):
        if count >= unit_bytes:
            return f"{count / unit_bytes:,.1f} {unit}"
    return f"{count} bytes"


def warnings(progress: Progress) -> list[str]:
    """Lines about what a backup has found damaged at its place; they name the manifests."""
    return [
        f"{reason}; until that file is restored or removed, no old backup of the place is removed"
        for reason in progress.unread.values()
    ]
