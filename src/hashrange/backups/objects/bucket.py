"""The protocol of buckets, and the errors of all of them."""

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Protocol

import msgspec


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


async def whole(bucket: Bucket, key: str, bytes_max: int) -> bytes:
    """A small object. Raises BucketError, also if it is larger than `bytes_max`."""
    found = bytearray()
    async for chunk in bucket.get(key):
        found += chunk
        if len(found) > bytes_max:
            raise BucketError(Failure.INVALID_KEY, f"{key} has more than {bytes_max} bytes")
    return bytes(found)
