"""Stores a backup: the chunks that are not there yet, then the manifest; and removes old ones.

Killed at any moment it leaves the backups that were there, and chunks that the next one finds. The
data file is frozen meanwhile: the server goes on, and its writes wait in the write-ahead log.

A backup relies on chunks that no clean-up can be removing: those of backups that are there, and
those that are newer than the last clean-up.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import BinaryIO, Final, Self

import msgspec

from hashrange.backups.directories.chunks import hash_in, hash_of, name_in, packed
from hashrange.backups.directories.claims import Claim
from hashrange.backups.directories.manifests import BackupError, Manifest, id_of
from hashrange.backups.directories.target import Contents, Target
from hashrange.backups.directories.totals import totals_of
from hashrange.limits.backups import BACKUP_CHUNK_BYTES
from hashrange.storage.saved_states import FrozenData

PUTS: Final = 4
"""Chunks that are stored at a time."""


class Progress(msgspec.Struct):
    """How far a backup is.

    Attributes:
        chunks: of the data file.
        done: of these, those that were read.
        stored: those that were not there.
        stored_bytes: of their objects.
        unread: why manifests of other backups cannot be read, by their keys.
    """

    chunks: int = 0
    done: int = 0
    stored: int = 0
    stored_bytes: int = 0
    unread: dict[str, str] = msgspec.field(default_factory=dict)


class NewBackup:
    """A backup that is being stored: its chunks in their order, then the manifest.

    Attributes:
        names: of the chunks so far.
    """

    def __init__(
        self,
        target: Target,
        claim: Claim,
        there: dict[str, str],
        progress: Progress,
        *,
        is_encrypted: bool,
    ) -> None:
        self.names: list[str] = []
        self._target = target
        self._claim = claim
        self._there = there
        self._fresh: dict[str, int] = {}
        self._progress = progress
        self._is_encrypted = is_encrypted

    @classmethod
    async def begin(
        cls, target: Target, claim: Claim, data_id: str, progress: Progress, *, is_encrypted: bool
    ) -> Self:
        """Begin at a target; manifests that cannot be read are listed in `progress`.

        Raises BackupError: the target has other data; BucketError.
        """
        contents = await target.contents()
        for key in contents.keys.values():
            newest = await target.readable(key, progress.unread)
            if newest is not None and newest.data_id != data_id:
                raise BackupError(
                    "the target has backups of other data: give each data directory and each "
                    "database its own"
                )
            if newest is not None:
                break
        reliable = await _reliable(target, contents, progress.unread)
        there = {hash_in(name): name for name in reliable}
        return cls(target, claim, there, progress, is_encrypted=is_encrypted)

    async def add(self, contents: Sequence[bytes]) -> None:
        """Store the next chunks, unless they are there; all at a time. Raises BucketError."""
        hashes = await asyncio.to_thread(lambda: list(map(hash_of, contents)))
        new = {
            hashed: content
            for hashed, content in zip(hashes, contents, strict=True)
            if hashed not in self._there
        }
        names = {hashed: name_in(self._claim.generation, hashed) for hashed in new}
        await asyncio.gather(*(self._put(names[hashed], new[hashed]) for hashed in new))
        self._there |= names
        self.names += [self._there[hashed] for hashed in hashes]
        self._progress.done, self._progress.stored = len(self.names), len(self._fresh)
        self._progress.stored_bytes = sum(self._fresh.values())

    async def end(self, manifest: Manifest) -> None:
        """See that all chunks are there, read those that are new, and store the manifest.

        Raises BackupError: a chunk is damaged or gone, or a later backup has begun; BucketError.
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
        await self._claim.check()
        await self._target.put_manifest(self._claim.generation, manifest)
        # If a later backup began in between, it may not have seen the manifest, which is void then.
        await self._claim.check()

    async def _put(self, name: str, content: bytes) -> None:
        stored = await asyncio.to_thread(packed, content, is_encrypted=self._is_encrypted)
        await self._target.put_chunk(name, stored)
        self._fresh[name] = len(stored)


async def _reliable(target: Target, contents: Contents, unread: dict[str, str]) -> set[str]:
    """The names of the chunks that no clean-up is removing.

    Not those of a manifest that cannot be read: if they are needed, they are stored again.
    """
    chunks = await target.chunks()
    if contents.cleaned < 0:
        return set(chunks)
    used = await used_chunks(target, contents.keys.values(), unread)
    return {
        name for name, generation in chunks.items() if generation > contents.cleaned or name in used
    }


async def used_chunks(target: Target, keys: Iterable[str], unread: dict[str, str]) -> set[str]:
    """The names of the chunks of some backups; `unread` gets the manifests that are not known."""
    used: set[str] = set()
    for key in keys:
        manifest = await target.readable(key, unread)
        used |= set() if manifest is None else set(manifest.chunks)
    return used


async def store(
    data: FrozenData,
    target: Target,
    claim: Claim,
    *,
    made_ms: int,
    progress: Progress,
) -> Manifest:
    """Make a backup of frozen data, and verify it.

    Args:
        data: of a moment.
        target: the place.
        claim: of the target.
        made_ms: that moment.
        progress: moves on meanwhile.

    Raises:
        BackupError: the target has other data, or lost a chunk, or a later backup has begun.
        BucketError: it cannot be written or read.
        StorageError: the data cannot be read, or are not frozen any more.
        OSError: they cannot be read.
    """
    is_encrypted = data.key_file is not None
    new = await NewBackup.begin(target, claim, data.data_id, progress, is_encrypted=is_encrypted)
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
        totals=await totals_of(data.engine),
    )
    await new.end(manifest)
    return manifest


def _read(file: BinaryIO, count: int) -> list[bytes]:
    """The next chunks; runs beside the loop."""
    return [file.read(BACKUP_CHUNK_BYTES) for _ in range(count)]
