"""Stores a backup: the chunks that are not there yet, then the manifest; and removes old ones.

Killed at any moment it leaves the backups that were there, and chunks that the next one finds. The
data file is frozen meanwhile: the server goes on, and its writes wait in the write-ahead log.
"""

import asyncio
from collections.abc import Sequence
from typing import BinaryIO, Final

import msgspec

from hashrange.directory_backups.chunks import name_of, packed
from hashrange.directory_backups.manifests import BackupError, Manifest, id_of, made_ms_of
from hashrange.directory_backups.retention import Retention
from hashrange.directory_backups.target import Target
from hashrange.limits.backups import BACKUP_CHUNK_BYTES
from hashrange.storage.frozen_data import FrozenData

_PUTS: Final = 4
"""Chunks that are stored at a time."""


class Progress(msgspec.Struct):
    """How far a backup is.

    Attributes:
        chunks: of the data file.
        done: of these, those that were read.
        stored: those that were not there.
        stored_bytes: of their objects.
    """

    chunks: int = 0
    done: int = 0
    stored: int = 0
    stored_bytes: int = 0


async def store(
    data: FrozenData,
    target: Target,
    *,
    made_ms: int,
    progress: Progress,
) -> Manifest:
    """Make a backup of frozen data, and verify it.

    Args:
        data: of a moment.
        target: the place.
        made_ms: that moment.
        progress: moves on meanwhile.

    Raises:
        BackupError: the target has other data, or lost a chunk.
        BucketError: it cannot be written or read.
        StorageError: the data cannot be read, or are not frozen any more.
        OSError: they cannot be read.
    """
    there = set(await target.chunks())
    await _refuse_other(target, data.data_id)
    progress.chunks = -(-data.size_bytes // BACKUP_CHUNK_BYTES)
    names: list[str] = []
    fresh: dict[str, int] = {}
    with data.path.open("rb") as file:
        while len(names) < progress.chunks:
            count = min(_PUTS, progress.chunks - len(names))
            contents = await asyncio.to_thread(_read, file, count)
            data.check()
            found = [name for name, _ in contents]
            new = {name: content for name, content in contents if name not in there}
            await asyncio.gather(
                *(
                    _put(target, name, content, fresh, is_encrypted=data.key_file is not None)
                    for name, content in new.items()
                )
            )
            there |= new.keys()
            names += found
            progress.done, progress.stored = len(names), len(fresh)
            progress.stored_bytes = sum(fresh.values())
    data.check()
    manifest = Manifest(
        id=id_of(made_ms),
        made_ms=made_ms,
        data_id=data.data_id,
        data_bytes=data.size_bytes,
        chunk_bytes=BACKUP_CHUNK_BYTES,
        chunks=names,
        key_file=data.key_file,
        master_key_id=data.master_key_id,
    )
    await _verify(target, manifest, list(fresh))
    await target.put_manifest(manifest)
    return manifest


async def _refuse_other(target: Target, data_id: str) -> None:
    for newest in (await target.ids())[:1]:
        if (await target.manifest(newest)).data_id != data_id:
            raise BackupError(
                "the target has backups of other data: give each data directory its own"
            )


def _read(file: BinaryIO, count: int) -> list[tuple[str, bytes]]:
    """The next chunks and their names; runs beside the loop."""
    contents = [file.read(BACKUP_CHUNK_BYTES) for _ in range(count)]
    return [(name_of(content), content) for content in contents]


async def _put(
    target: Target, name: str, content: bytes, fresh: dict[str, int], *, is_encrypted: bool
) -> None:
    stored = await asyncio.to_thread(packed, content, is_encrypted=is_encrypted)
    await target.put_chunk(name, stored)
    fresh[name] = len(stored)


async def _verify(target: Target, manifest: Manifest, fresh: Sequence[str]) -> None:
    """See that all chunks are there, and read those that are new. Raises BackupError."""
    missing = set(manifest.chunks) - (await target.chunks()).keys()
    if missing:
        raise BackupError(f"chunk {min(missing)} is gone from the target")
    for start in range(0, len(fresh), _PUTS):
        names = fresh[start : start + _PUTS]
        await asyncio.gather(*(target.chunk(name, manifest.chunk_bytes) for name in names))


async def prune(target: Target, retention: Retention) -> None:
    """Remove the backups that the rule does not keep, then the chunks that none has.

    A manifest that cannot be read keeps all chunks. Raises BackupError, BucketError.
    """
    ids = {made_ms_of(each): each for each in await target.ids()}
    kept = retention.kept([made for made in ids if made is not None])
    going = [each for made, each in ids.items() if made not in kept]
    if not going:
        return
    used: set[str] = set()
    for made in kept:
        used |= set((await target.manifest(ids[made])).chunks)
    for each in going:
        await target.remove_manifest(each)
    for name in (await target.chunks()).keys() - used:
        await target.remove_chunk(name)
