"""Restores a database from a backup, under another name until it is whole and verified.

A restore that was killed goes on: chunks that are loaded are not fetched again.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.backups.directories.manifests import BackupError, Manifest, RowsManifest
from hashrange.backups.directories.row_chunks import rows_of
from hashrange.backups.directories.storing import Progress
from hashrange.backups.directories.target import Target
from hashrange.storage.stored_rows import RowSink

_LOADS: Final = 4
"""Chunks that are fetched and loaded at a time."""


def of_rows(manifest: Manifest) -> RowsManifest:
    """A manifest that can be restored to a database. Raises BackupError: it is another one."""
    if not isinstance(manifest, RowsManifest):
        raise BackupError(
            f"backup {manifest.id} is of a data directory: restore it to a directory; "
            "`hashrange copy` copies its tables to a database"
        )
    return manifest


async def load(
    target: Target,
    manifest: RowsManifest,
    sink: RowSink,
    *,
    verify: Callable[[str], Sequence[str]],
    progress: Progress,
) -> None:
    """Make a database of a backup.

    Args:
        target: has the backup.
        manifest: of the backup.
        sink: the database.
        verify: returns what is wrong with the data in a database.
        progress: moves on meanwhile.

    Raises:
        BackupError: the backup is damaged.
        BucketError: the target cannot be read.
        StorageError: the database cannot be written, or has other data by now.
    """
    if manifest.tables_format not in sink.formats:
        raise BackupError(
            f"backup {manifest.id} has tables of format {manifest.tables_format}, this build "
            f"restores {' and '.join(map(str, sorted(sink.formats)))}: use the build that made it"
        )
    there = await sink.begin(manifest.id)
    missing = [at for at in range(len(manifest.chunks)) if at not in there]
    progress.chunks = len(manifest.chunks)
    progress.done = progress.chunks - len(missing)

    async def place(at: int) -> None:
        content = await target.chunk(manifest.chunks[at], manifest.chunk_bytes)
        await sink.load(at, await asyncio.to_thread(rows_of, content))
        progress.done += 1
        progress.stored += 1
        progress.stored_bytes += len(content)

    for start in range(0, len(missing), _LOADS):
        await asyncio.gather(*map(place, missing[start : start + _LOADS]))
    counts = await sink.counts()
    if counts != manifest.counts:
        raise BackupError(
            f"{sink.shown} has rows {dict(counts)}, and the backup {manifest.counts}: drop that "
            "schema, and begin again"
        )
    findings = await asyncio.to_thread(verify, sink.place)
    if findings:
        raise BackupError(f"the restored data in {sink.shown} are not sound: {findings[0]}")
    await sink.publish()
