"""The place of the backups of one data directory or database: manifests and chunks in a bucket.

A clean-up stores which backups it keeps, before it removes the others. Of the backups that had
begun by then, those that it does not name are void: a manifest that a slow process stores too late
is no backup, for the chunks in it may be gone.
"""

import errno
from collections.abc import Callable, Collection, Mapping
from typing import Final

import msgspec

from hashrange.backups.directories.chunks import CHUNKS, generation_of, key_of, unpacked
from hashrange.backups.directories.manifests import (
    BackupError,
    Manifest,
    UnreadManifestError,
    decoded,
    encoded,
    made_ms_of,
)
from hashrange.backups.objects.bucket import Bucket, BucketError, Failure, one_chunk, whole
from hashrange.backups.objects.buckets import Buckets
from hashrange.limits.backups import (
    KEPT_BYTES_MAX,
    MANIFEST_BYTES_MAX,
    STORED_CHUNK_BYTES_MAX,
)
from hashrange.settings.buckets import bucket_locations

_NAME: Final = "backups"
_MANIFESTS: Final = "manifests/"
_KEPT: Final = "kept/"
_SUFFIX: Final = ".json"
_DONE: Final = ".done"
_SEPARATOR: Final = "-"

_encode: Final = msgspec.json.Encoder().encode
_decode_keys: Final = msgspec.json.Decoder(list[str]).decode


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """The backups of a target at one moment.

    Attributes:
        keys: of the manifests, by the ids of the backups, the newest first.
        void: keys of manifests that are no backups.
        generation: the greatest that was seen.
        cleaned: that of the last clean-up; -1 if there was none.
        is_clean: whether that one has removed all that it was to remove.
    """

    keys: Mapping[str, str]
    void: Collection[str]
    generation: int
    cleaned: int
    is_clean: bool

    @property
    def ids(self) -> list[str]:
        """The ids of the backups, the newest first."""
        return list(self.keys)

    def later_than_all(self, now_ms: int) -> int:
        """The time of a new backup: now, or behind the newest if the clock was set back since.

        By times it is known which backups are old.
        """
        newest_ms = max([made_ms_of(each) or 0 for each in self.keys], default=0)
        return max(now_ms, newest_ms + 1)


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
            locations = bucket_locations(f"{_NAME}={place}")
        except ValueError as error:
            raise BackupError(f"{place} is no target of backups: expected {error}") from error
        return cls(Buckets(locations, new_id=new_id).opened(_NAME))

    async def contents(self) -> Contents:
        """The backups. Raises BackupError: what was kept cannot be read."""
        clean_ups, done = {-1}, set[int]()
        async for entry in self._bucket.list(_KEPT):
            each, is_list = _kept_in(entry.key)
            if each is not None:
                (clean_ups if is_list else done).add(each)
        cleaned = max(clean_ups)
        kept = set() if cleaned < 0 else await self._kept(cleaned)
        found: list[tuple[str, int, str]] = []
        async for entry in self._bucket.list(_MANIFESTS):
            place = _place_of(entry.key)
            if place is not None:
                found.append((*place, entry.key))
        found.sort(reverse=True)
        keys: dict[str, str] = {}
        for backup_id, generation, key in found:
            if generation > cleaned or key in kept:
                keys.setdefault(backup_id, key)
        valid = set(keys.values())
        return Contents(
            keys=keys,
            void=[key for _, _, key in found if key not in valid],
            generation=max([0, cleaned, *(generation for _, generation, _ in found)]),
            cleaned=cleaned,
            is_clean=cleaned < 0 or cleaned in done,
        )

    async def _kept(self, generation: int) -> set[str]:
        """The keys of the manifests that a clean-up has kept."""
        stored = await whole(self._bucket, _kept_key(generation, _SUFFIX), KEPT_BYTES_MAX)
        try:
            return set(_decode_keys(stored))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BackupError(f"{_kept_key(generation, _SUFFIX)} is damaged: {error}") from error

    async def put_kept(self, generation: int, keys: Collection[str]) -> None:
        """Void all manifests of this generation and of earlier ones but those."""
        await self._bucket.put(_kept_key(generation, _SUFFIX), one_chunk(_encode(list(keys))))

    async def end_clean_up(self, generation: int) -> None:
        """Note that what a clean-up had to remove is gone, and remove the notes of earlier ones."""
        await self._bucket.put(_kept_key(generation, _DONE), one_chunk(b""))
        earlier = []
        async for entry in self._bucket.list(_KEPT):
            other, _ = _kept_in(entry.key)
            if other is not None and other < generation:
                earlier.append(entry.key)
        for key in earlier:
            await self._bucket.delete(key)

    async def manifest(self, key: str) -> Manifest:
        """The manifest at a key. Raises UnreadManifestError: it is damaged, or its object is."""
        try:
            return decoded(await whole(self._bucket, key, MANIFEST_BYTES_MAX))
        except BackupError as error:
            raise UnreadManifestError(f"{key}: {error}") from error
        except BucketError as error:
            if _is_of_one_object(error):
                raise UnreadManifestError(str(error)) from error
            raise

    async def readable(self, key: str, unread: dict[str, str]) -> Manifest | None:
        """The manifest at a key; None if it cannot be read, and `unread` gets the reason."""
        try:
            return await self.manifest(key)
        except UnreadManifestError as error:
            unread[key] = str(error)
            return None

    async def put_manifest(self, generation: int, manifest: Manifest) -> None:
        """Make a backup of chunks that are there."""
        key = f"{_MANIFESTS}{manifest.id}{_SEPARATOR}{generation:x}{_SUFFIX}"
        await self._bucket.put(key, one_chunk(encoded(manifest)))

    async def remove_manifest(self, key: str) -> None:
        """Remove a backup; its chunks stay."""
        await self._bucket.delete(key)

    async def chunks(self) -> dict[str, int]:
        """The generations of all chunks, by name."""
        found = {}
        async for entry in self._bucket.list(CHUNKS):
            name = entry.key.rpartition("/")[2]
            generation = generation_of(name)
            if generation is not None and entry.key == key_of(name):
                found[name] = generation
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


def _is_of_one_object(error: BucketError) -> bool:
    """Whether other objects may be read all the same, and a later attempt changes nothing."""
    if error.failure in {Failure.ACCESS_DENIED, Failure.INVALID_KEY}:
        return True
    # A bad block of a disk, unlike a disk or an API that is gone.
    return isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EIO


def _place_of(key: str) -> tuple[str, int] | None:
    """The id and the generation in the key of a manifest; None if it is none.

    Manifests of builds without generations have none.
    """
    name = key.removeprefix(_MANIFESTS)
    backup_id, separator, text = name.removesuffix(_SUFFIX).partition(_SEPARATOR)
    if not name.endswith(_SUFFIX) or made_ms_of(backup_id) is None:
        return None
    generation = _number(text) if separator else 0
    return None if generation is None else (backup_id, generation)


def _kept_key(generation: int, suffix: str) -> str:
    return f"{_KEPT}{generation:x}{suffix}"


def _kept_in(key: str) -> tuple[int | None, bool]:
    """The generation in the key of a note of a clean-up, and whether it is what that one kept."""
    name = key.removeprefix(_KEPT)
    text, dot, suffix = name.partition(".")
    generation = _number(text) if dot + suffix in {_SUFFIX, _DONE} else None
    return generation, dot + suffix == _SUFFIX


def _number(text: str) -> int | None:
    try:
        return int(text, 16)
    except ValueError:
        return None
