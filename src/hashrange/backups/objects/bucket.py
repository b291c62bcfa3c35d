"""The protocol of buckets, the errors of all of them, and the digests of objects: MD5 and ETag."""

import hashlib
from base64 import b64encode
from collections.abc import AsyncIterator
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

import msgspec

from hashrange.limits.backups import OBJECT_CHUNK_BYTES, OBJECT_PART_BYTES


class Failure(StrEnum):
    """Why a bucket did not do what was asked: the codes of S3's errors, where it has one."""

    NO_SUCH_BUCKET = "NoSuchBucket"
    NO_SUCH_KEY = "NoSuchKey"
    ACCESS_DENIED = "AccessDenied"
    INVALID_KEY = "InvalidKey"
    """The key cannot be held by this bucket; the code is our own."""
    KEY_TOO_LONG = "KeyTooLongError"
    UNAVAILABLE = "ServiceUnavailable"
    """The disk is full, the API is down, or anything else that may be over later."""


class BucketError(Exception):
    """A bucket did not do what was asked; the text is for the caller and the operator."""

    def __init__(self, failure: Failure, text: str) -> None:
        super().__init__(text)
        self.failure = failure


class ObjectEntry(msgspec.Struct, frozen=True):
    """An object in a list."""

    key: str
    size_bytes: int


class StoredObject(msgspec.Struct, frozen=True):
    """The facts of an object that was put.

    Attributes:
        key: its key.
        size_bytes: its size.
        md5: of its content, in base64.
        etag: as S3 makes that of an object which was uploaded in parts.
    """

    key: str
    size_bytes: int
    md5: str
    etag: str


class Bucket(Protocol):
    """Objects by key. All methods raise BucketError; none keeps a whole object in memory."""

    async def put(self, key: str, chunks: AsyncIterator[bytes]) -> StoredObject:
        """Store an object, replacing one of the same key; readers see all of it or none.

        If `chunks` raises an error, nothing is stored, and the error reaches the caller.
        """

    def get(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes of an object in chunks, from `start` up to but not including `end`.

        A range that is beyond the end of the object is cut off. The chunks are of one version of
        the object, or an error is raised in the middle.
        """

    def list(self, prefix: str) -> AsyncIterator[ObjectEntry]:
        """The objects whose keys begin with a prefix, in no certain order."""

    async def size(self, key: str) -> int | None:
        """The size of an object in bytes; None if there is none."""

    async def delete(self, key: str) -> None:
        """Remove an object; nothing happens if there is none."""


async def one_chunk(data: bytes) -> AsyncIterator[bytes]:
    """The chunks of a small object, for `Bucket.put`."""
    yield data


async def chunks_of(path: Path) -> AsyncIterator[bytes]:
    """The content of a file, for `Bucket.put`. Raises OSError."""
    with path.open("rb") as file:
        while chunk := file.read(OBJECT_CHUNK_BYTES):
            yield chunk


async def whole(bucket: Bucket, key: str, bytes_max: int) -> bytes:
    """A small object. Raises BucketError, also if it is larger than `bytes_max`."""
    found = bytearray()
    async for chunk in bucket.get(key):
        found += chunk
        if len(found) > bytes_max:
            raise BucketError(Failure.INVALID_KEY, f"{key} has more than {bytes_max} bytes")
    return bytes(found)


class ObjectDigest:
    """The digests of one object.

    The ETag is that of a multipart upload in parts of OBJECT_PART_BYTES: the MD5 of the MD5s of
    its parts, and their number. It shows changes of content, as MD5 does in S3, and protects
    nothing.
    """

    def __init__(self) -> None:
        self._whole: Final = hashlib.md5(usedforsecurity=False)
        self._part = self._whole
        self._parts: list[bytes] = []
        self._part_bytes = 0
        self.size_bytes = 0

    def update(self, chunk: bytes) -> None:
        """Add the next bytes of the object."""
        rest = memoryview(chunk)
        self.size_bytes += len(rest)
        while rest:
            if self._part_bytes == OBJECT_PART_BYTES:
                self._end_part()
            piece = rest[: OBJECT_PART_BYTES - self._part_bytes]
            self._part.update(piece)
            if self._part is not self._whole:
                self._whole.update(piece)
            self._part_bytes += len(piece)
            rest = rest[len(piece) :]

    def _end_part(self) -> None:
        self._parts.append(self._part.digest())
        self._part, self._part_bytes = hashlib.md5(usedforsecurity=False), 0

    def of(self, key: str) -> StoredObject:
        """The object when all of its bytes were added."""
        parts = [*self._parts, self._part.digest()]
        joined = hashlib.md5(b"".join(parts), usedforsecurity=False).hexdigest()
        return StoredObject(
            key=key,
            size_bytes=self.size_bytes,
            md5=b64encode(self._whole.digest()).decode(),
            etag=f"{joined}-{len(parts)}",
        )
