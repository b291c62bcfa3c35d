"""The place of the backups of one data directory or database: manifests and chunks in a bucket."""

from collections.abc import Callable
from typing import Final

from hashrange.directory_backups.chunks import CHUNKS, key_of, unpacked
from hashrange.directory_backups.manifests import (
    BackupError,
    Manifest,
    decoded,
    encoded,
    made_ms_of,
)
from hashrange.limits.backups import MANIFEST_BYTES_MAX, STORED_CHUNK_BYTES_MAX
from hashrange.objects.bucket import Bucket, one_chunk, whole
from hashrange.objects.buckets import Buckets
from hashrange.settings.buckets import bucket_places

_NAME: Final = "backups"
_MANIFESTS: Final = "manifests/"
_SUFFIX: Final = ".json"


class Target:
    """Backups in a bucket. All methods raise BucketError.

    Args:
        bucket: holds nothing else.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    @classmethod
    def at(cls, place: str, new_id: Callable[[], str]) -> "Target":
        """The target in a directory, or behind a URL of S3. Raises BackupError, BucketError."""
        try:
            places = bucket_places(f"{_NAME}={place}")
        except ValueError as error:
            raise BackupError(f"{place} is no target of backups: expected {error}") from error
        return cls(Buckets(places, new_id=new_id).opened(_NAME))

    async def ids(self) -> list[str]:
        """The ids of the backups, the newest first."""
        found = []
        async for entry in self._bucket.list(_MANIFESTS):
            name = entry.key.removeprefix(_MANIFESTS)
            if name.endswith(_SUFFIX) and made_ms_of(name.removesuffix(_SUFFIX)) is not None:
                found.append(name.removesuffix(_SUFFIX))
        return sorted(found, reverse=True)

    async def manifest(self, backup_id: str) -> Manifest:
        """That of a backup. Raises BackupError: it is damaged."""
        key = f"{_MANIFESTS}{backup_id}{_SUFFIX}"
        return decoded(await whole(self._bucket, key, MANIFEST_BYTES_MAX))

    async def put_manifest(self, manifest: Manifest) -> None:
        """Make a backup of chunks that are there."""
        key = f"{_MANIFESTS}{manifest.id}{_SUFFIX}"
        await self._bucket.put(key, one_chunk(encoded(manifest)))

    async def remove_manifest(self, backup_id: str) -> None:
        """Remove a backup; its chunks stay."""
        await self._bucket.delete(f"{_MANIFESTS}{backup_id}{_SUFFIX}")

    async def chunks(self) -> dict[str, int]:
        """The bytes of all chunks, by name."""
        found = {}
        async for entry in self._bucket.list(CHUNKS):
            name = entry.key.rpartition("/")[2]
            if entry.key == key_of(name):
                found[name] = entry.size_bytes
        return found

    async def put_chunk(self, name: str, stored: bytes) -> None:
        """Store a chunk."""
        await self._bucket.put(key_of(name), one_chunk(stored))

    async def chunk(self, name: str, bytes_max: int) -> bytes:
        """The content of a chunk. Raises BackupError: it is damaged."""
        stored_max = max(STORED_CHUNK_BYTES_MAX, 2 * bytes_max)
        stored = await whole(self._bucket, key_of(name), stored_max)
        return unpacked(name, stored, bytes_max)

    async def remove_chunk(self, name: str) -> None:
        """Remove a chunk that no backup has."""
        await self._bucket.delete(key_of(name))
