"""Restores a data directory from a backup, under another name until it is whole and verified.

A restore that was killed goes on: chunks that are in place are not fetched again.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from hashrange.backups.directories.chunks import hash_in, hash_of
from hashrange.backups.directories.manifests import (
    BackupError,
    Manifest,
    RowsManifest,
    UnreadManifestError,
)
from hashrange.backups.directories.storing import Progress
from hashrange.backups.directories.target import Target
from hashrange.storage.durable_files import DIRECTORY_MODE, FILE_MODE, replace_file, sync_directory

_FETCHES: Final = 4
UNFINISHED: Final = ".restoring"
"""Ends the name of a directory that is not whole."""


def refuse_existing(directory: Path) -> None:
    """Raises BackupError if there is anything at the path."""
    if directory.is_symlink() or directory.exists():
        raise BackupError(f"{directory} exists: restore to a directory that does not")


async def chosen(target: Target, backup_id: str | None) -> Manifest:
    """The manifest of a backup, or of the newest. Raises BackupError, BucketError.

    If that of the newest cannot be read, no other one takes its place unasked: it has older data.
    """
    contents = await target.contents()
    if not contents.keys:
        raise BackupError("the target has no backup")
    newest = contents.ids[0]
    if backup_id is not None and backup_id not in contents.keys:
        raise BackupError(f"the target has no backup {backup_id}; the newest is {newest}")
    try:
        return await target.manifest(contents.keys[backup_id or newest])
    except UnreadManifestError as error:
        raise UnreadManifestError(
            f"backup {backup_id or newest} cannot be restored: {error}; restore that file, or name "
            "another backup"
        ) from error


async def fetch(
    target: Target,
    manifest: Manifest,
    directory: Path,
    *,
    names: tuple[str, str],
    verify: Callable[[Path], Sequence[str]] | None,
    progress: Progress,
) -> None:
    """Make a directory of a backup.

    Args:
        target: has the backup.
        manifest: of the backup.
        directory: does not exist; its parent does.
        names: of the data file and of the key file.
        verify: returns what is wrong with the data in a directory; None to look at hashes only.
        progress: moves on meanwhile.

    Raises:
        BackupError: the backup is damaged or of a database, or the directory exists.
        BucketError: the target cannot be read.
        OSError: the directory cannot be written.
    """
    if isinstance(manifest, RowsManifest):
        raise BackupError(
            f"backup {manifest.id} is of a database: restore it to postgresql://…, into a schema "
            "that has nothing"
        )
    refuse_existing(directory)
    unfinished = directory.with_name(directory.name + UNFINISHED)
    unfinished.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
    data_name, key_name = names
    progress.chunks = len(manifest.chunks)
    with os.fdopen(_opened(unfinished / data_name), "r+b") as file:
        file.truncate(manifest.data_bytes)
        for start in range(0, len(manifest.chunks), _FETCHES):
            places = range(start, min(start + _FETCHES, len(manifest.chunks)))
            await asyncio.gather(
                *(_placed(target, manifest, at, file=file, progress=progress) for at in places)
            )
        await asyncio.to_thread(os.fsync, file.fileno())
    if manifest.key_file is not None:
        replace_file(unfinished / key_name, manifest.key_file)
    findings = () if verify is None else await asyncio.to_thread(verify, unfinished)
    if findings:
        raise BackupError(f"the restored data in {unfinished} are not sound: {findings[0]}")
    refuse_existing(directory)
    unfinished.rename(directory)
    sync_directory(directory.parent)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), FILE_MODE)


async def _placed(
    target: Target, manifest: Manifest, at: int, *, file: BinaryIO, progress: Progress
) -> None:
    """Put a chunk where it belongs, unless it is there."""
    name, start = manifest.chunks[at], at * manifest.chunk_bytes
    size = min(manifest.chunk_bytes, manifest.data_bytes - start)
    if not await asyncio.to_thread(_is_there, file.fileno(), name, start, size):
        content = await target.chunk(name, size)
        if len(content) != size:
            raise BackupError(f"chunk {name} is damaged")
        await asyncio.to_thread(_write, file.fileno(), content, start)
        progress.stored += 1
        progress.stored_bytes += size
    progress.done += 1


def _is_there(descriptor: int, name: str, start: int, size: int) -> bool:
    return hash_of(os.pread(descriptor, size, start)) == hash_in(name)


def _write(descriptor: int, content: bytes, start: int) -> None:
    written = 0
    while written < len(content):
        written += os.pwrite(descriptor, content[written:], start + written)
