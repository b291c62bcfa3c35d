"""One backup from its beginning to its end, of a server that runs or of a command."""

from collections.abc import Callable
from hashlib import blake2b

from hashrange.clock import Clock
from hashrange.directory_backups.manifests import BackupError, Manifest
from hashrange.directory_backups.retention import Retention
from hashrange.directory_backups.storing import Progress, prune, store
from hashrange.directory_backups.storing_rows import store_rows
from hashrange.directory_backups.target import Target
from hashrange.objects.bucket import BucketError
from hashrange.optional_packages import MissingPackageError
from hashrange.storage.engine import StorageError
from hashrange.storage.frozen_data import FrozenData
from hashrange.storage.stored_rows import RowSource

FAILURES = (BackupError, BucketError, StorageError, MissingPackageError, OSError)
"""What ends a backup, and nothing else."""


def data_id_of(secret: bytes) -> str:
    """Tells data of different origin apart, by the secret that they have."""
    return blake2b(secret, digest_size=16, person=b"hashrange backup").hexdigest()


async def back_up(
    freeze: Callable[[str], FrozenData],
    place: str,
    retention: Retention,
    *,
    secret: bytes,
    clock: Clock,
    progress: Progress,
) -> Manifest:
    """Make a backup at a place, and remove those that the rule does not keep.

    Raises one of FAILURES; backups that were there are as they were.
    """
    target = Target.at(place, clock.new_uuid)
    data = freeze(data_id_of(secret))
    made_ms = clock.now_ms()
    try:
        manifest = await store(data, target, made_ms=made_ms, progress=progress)
    finally:
        data.close()
    await prune(target, retention)
    return manifest


async def back_up_rows(
    rows: RowSource,
    place: str,
    retention: Retention,
    *,
    secret: bytes,
    clock: Clock,
    progress: Progress,
) -> Manifest:
    """As `back_up`, of the rows of a database."""
    target = Target.at(place, clock.new_uuid)
    data_id, made_ms = data_id_of(secret), clock.now_ms()
    manifest = await store_rows(rows, target, data_id, made_ms=made_ms, progress=progress)
    await prune(target, retention)
    return manifest


def told(manifest: Manifest, progress: Progress) -> str:
    """A line about a backup that was made."""
    key = "" if manifest.master_key_id is None else f", encrypted with {manifest.master_key_id}"
    mb = 1_000_000
    return (
        f"backup {manifest.id}: {manifest.data_bytes / mb:.1f} MB in {progress.chunks} chunks, of "
        f"which {progress.stored} are new ({progress.stored_bytes / mb:.1f} MB stored){key}; "
        "verified"
    )
