"""A bucket that is a directory: objects are files, which are read and written in threads."""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from hashrange.backups.objects.bucket import BucketError, Failure, ObjectEntry, StoredObject
from hashrange.backups.objects.directory_files import (
    NoBucketError,
    ReadFile,
    Upload,
    delete,
    entries,
    parts_of,
    size_of,
)
from hashrange.limits.backups import OBJECT_CHUNK_BYTES, OBJECT_LIST_PAGE_MAX

T = TypeVar("T")

_LINKS: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EEXIST})
"""A part of the path is something else: a link, or a file where a directory is needed."""


class DirectoryBucket:
    """A bucket that is a directory.

    Args:
        name: of the bucket, for errors.
        root: the directory, which is not created; it may be a link itself.
        new_id: makes ids that no other upload has.
    """

    def __init__(self, name: str, root: Path, *, new_id: Callable[[], str]) -> None:
        self._name = name
        self._root = root
        self._new_id = new_id

    async def put(self, key: str, chunks: AsyncIterator[bytes]) -> StoredObject:
        """Store an object. Raises BucketError."""
        parts = parts_of(key)
        upload = await self._run(key, partial(Upload, self._root, self._new_id()))
        try:
            async for chunk in chunks:
                await self._run(key, partial(upload.write, chunk))
            await self._run(key, partial(upload.complete, parts))
        finally:
            await asyncio.shield(asyncio.to_thread(upload.close))
        return upload.digest.of(key)

    async def get(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes of an object. Raises BucketError."""
        file = await self._run(key, partial(ReadFile, self._root, parts_of(key)))
        try:
            while end is None or start < end:
                most = OBJECT_CHUNK_BYTES if end is None else min(OBJECT_CHUNK_BYTES, end - start)
                chunk = await self._run(key, partial(file.read, start, most))
                if not chunk:
                    return
                start += len(chunk)
                yield chunk
        finally:
            file.close()

    async def list(self, prefix: str) -> AsyncIterator[ObjectEntry]:
        """The objects whose keys begin with a prefix. Raises BucketError."""
        found = entries(self._root, prefix)
        while page := await self._run(prefix, lambda: list(islice(found, OBJECT_LIST_PAGE_MAX))):
            for entry in page:
                yield entry

    async def size(self, key: str) -> int | None:
        """The size of an object in bytes; None if there is none. Raises BucketError."""
        try:
            return await self._run(key, partial(size_of, self._root, parts_of(key)))
        except BucketError as error:
            if error.failure is Failure.NO_SUCH_KEY:
                return None
            raise

    async def delete(self, key: str) -> None:
        """Remove an object. Raises BucketError."""
        try:
            await self._run(key, partial(delete, self._root, parts_of(key)))
        except BucketError as error:
            if error.failure is not Failure.NO_SUCH_KEY:
                raise

    async def _run(self, key: str, work: Callable[[], T]) -> T:
        """The result of work in a thread, with errors of the system as those of buckets."""
        try:
            return await asyncio.to_thread(work)
        except NoBucketError as error:
            text = f"the directory of the bucket {self._name}, {self._root}, does not exist"
            raise BucketError(Failure.NO_SUCH_BUCKET, text) from error
        except OSError as error:
            raise BucketError(_failure_of(error), f"{self._name}/{key}: {error}") from error


def _failure_of(error: OSError) -> Failure:
    match error:
        case FileNotFoundError():
            return Failure.NO_SUCH_KEY
        case PermissionError():
            return Failure.ACCESS_DENIED
        case _ if error.errno in _LINKS:
            return Failure.INVALID_KEY
        case _:
            return Failure.UNAVAILABLE
