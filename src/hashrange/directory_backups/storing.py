"""Stores a backup: the chunks that are not there yet, then the manifest; and removes old ones.

Killed at any moment it leaves the backups that were there, and chunks that the next one finds. The
data file is frozen meanwhile: the server goes on, and its writes wait in the write-ahead log.
"""

import asyncio
from collections.abc import Sequence
from typing import BinaryIO, Final, Self

import msgspec

from hashrange.directory_backups.chunks import name_of, packed
from hashrange.directory_backups.manifests import BackupError, Manifest, id_of, made_ms_of
from hashrange.directory_backups.retention import Retention
from hashrange.directory_backups.target import Target
from hashrange.limits.backups import BACKUP_CHUNK_BYTES
from hashrange.storage.frozen_data import FrozenData

PUTS: Final = 4
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


class NewBackup:
    """A backup that is being stored: its chunks in their order, then the manifest.

    Attributes:
        names: of the chunks so far.
    """

    def __init__(
        self, target: Target, there: set[str], progress: Progress, *, is_encrypted: bool
    ) -> None:
        self.names: list[str] = []
        self._target = target
        self._there = there
        self._fresh: dict[str, int] = {}
        self._progress = progress
        self._is_encrypted = is_encrypted

    @classmethod
    async def begin(
        cls, target: Target, data_id: str, progress: Progress, *, is_encrypted: bool
    ) -> Self:
        """Begin at a target. Raises BackupError: it has other data; BucketError."""
        there = set(await target.chunks())
        for newest in (await target.ids())[:1]:
            if (await target.manifest(newest)).data_id != data_id:
                raise BackupError(
                    "the target has backups of other data: give each data directory and each "
                    "database its own"
                )
        return cls(target, there, progress, is_encrypted=is_encrypted)

    async def add(self, contents: Sequence[bytes]) -> None:
        """Store the next chunks, unless they are there; all at a time. Raises BucketError."""
        names = await asyncio.to_thread(lambda: list(map(name_of, contents)))
        new = {
            name: content
            for name, content in zip(names, contents, strict=True)
            if name not in self._there
        }
        await asyncio.gather(*(self._put(name, content) for name, content in new.items()))
        self._there |= new.keys()
        self.names += names
        self._progress.done, self._progress.stored = len(self.names), len(self._fresh)
        self._progress.stored_bytes = sum(self._fresh.values())

    async def end(self, manifest: Manifest) -> None:
        """See that all chunks are there, read those that are new, and store the manifest.

        Raises BackupError: a chunk is damaged or gone; BucketError.
        """
        missing = set(manifest.chunks) - (await self._target.chunks()).keys()
        if missing:
            raise BackupError(f"chunk {min(missing)} is gone from the target")
        fresh = list(self._fresh)
        for start in range(0, len(fresh), PUTS):
            names = fresh[start : start + PUTS]
            await asyncio.gather(
                *(self._target.chunk(name, manifest.chunk_bytes) for name in names)
            )
        await self._target.put_manifest(manifest)

    async def _put(self, name: str, content: bytes) -> None:
        stored = await asyncio.to_thread(packed, content, is_encrypted=self._is_encrypted)
        await self._target.put_chunk(name, stored)
        self._fresh[name] = len(stored)


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
    is_encrypted = data.key_file is not None
    new = await NewBackup.begin(target, data.data_id, progress, is_encrypted=is_encrypted)
    progress.chunks = -(-data.size_bytes // BACKUP_CHUNK_BYTES)
    with data.path.open("rb") as file:
        while len(new.names) < progress.chunks:
            count = min(PUTS, progress.chunks - len(new.names))
            contents = await asyncio.to_thread(_read, file, count)
            data.check()
            await new.add(contents)
    data.check()
    manifest = Manifest(
        id=id_of(made_ms),
        made_ms=made_ms,
        data_id=data.data_id,
        data_bytes=data.size_bytes,
        chunk_bytes=BACKUP_CHUNK_BYTES,
        chunks=new.names,
        key_file=data.key_file,
        master_key_id=data.master_key_id,
    )
    await new.end(manifest)
    return manifest


def _read(file: BinaryIO, count: int) -> list[bytes]:
    """The next chunks; runs beside the loop."""
    return [file.read(BACKUP_CHUNK_BYTES) for _ in range(count)]


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
