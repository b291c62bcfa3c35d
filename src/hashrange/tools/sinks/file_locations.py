"""The locations of files of changes: a directory, or a bucket behind an API of S3."""

import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator
from pathlib import Path
from typing import Final, Protocol

from hashrange.backups.objects.bucket import BucketError, chunks_of, one_chunk
from hashrange.backups.objects.s3 import S3Bucket
from hashrange.storage.durable_files import DIRECTORY_MODE, replace_file, sync_directory
from hashrange.storage.sqlite.directory import lock_file
from hashrange.tools.copying.place import CopyError

MANIFEST: Final = "manifest.json"
VIEWS: Final = "views.sql"


class FileLocation(Protocol):
    """Files by their names, which have slashes. Methods raise CopyError, OSError."""

    shown: str
    mark: str
    """A part of the names of new files, so that no other process has the same ones."""

    def opened(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Open the location for as long as the context lasts."""

    async def manifest(self) -> bytes | None:
        """The manifest, if there is one."""

    async def replace(self, manifest: bytes, views: bytes) -> None:
        """Store the manifest and views, unless another process has stored a manifest."""

    def begun(self, name: str) -> Path:
        """The path where a new file is written."""

    async def store(self, name: str) -> None:
        """Keep a new file that was written."""

    async def local(self, name: str) -> Path:
        """The path of a file, to read it before the next one is begun."""

    async def remove(self, name: str) -> None:
        """Remove a file."""

    async def names(self) -> Collection[str]:
        """All files, also those of writes that did not end."""

    def source(self, name: str) -> str:
        """The file as views name it."""


class DirectoryLocation:
    """A directory, of which one process at a time is the owner."""

    mark = ""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.shown = str(directory)

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """As of `FileLocation`; the directory is made if it does not exist."""
        self._directory.mkdir(DIRECTORY_MODE, parents=True, exist_ok=True)
        lock = os.open(self._directory / "lock", os.O_RDWR | os.O_CREAT)
        try:
            try:
                lock_file(lock)
            except OSError as error:
                raise CopyError(f"{self._directory}: another process uses it") from error
            yield
        finally:
            os.close(lock)

    async def manifest(self) -> bytes | None:
        """As of `FileLocation`."""
        path = self._directory / MANIFEST
        return path.read_bytes() if path.exists() else None

    async def replace(self, manifest: bytes, views: bytes) -> None:
        """As of `FileLocation`."""
        # First, since nothing may fail once the manifest has its name: it would be done again.
        replace_file(self._directory / VIEWS, views)
        replace_file(self._directory / MANIFEST, manifest)

    def begun(self, name: str) -> Path:
        """As of `FileLocation`."""
        path = self._directory / name
        if not path.parent.exists():
            path.parent.mkdir(DIRECTORY_MODE, parents=True)
            sync_directory(path.parent.parent)
            sync_directory(self._directory)
        return path

    async def store(self, name: str) -> None:
        """As of `FileLocation`: it is there already."""

    async def local(self, name: str) -> Path:
        """As of `FileLocation`."""
        return self._directory / name

    async def remove(self, name: str) -> None:
        """As of `FileLocation`."""
        (self._directory / name).unlink()

    async def names(self) -> Collection[str]:
        """As of `FileLocation`."""
        found = self._directory.glob("*/date=*/*")
        return [path.relative_to(self._directory).as_posix() for path in found]

    def source(self, name: str) -> str:
        """As of `FileLocation`."""
        return str((self._directory / name).absolute())


class BucketLocation:
    """A bucket, or the keys of it that begin with a prefix.

    The manifest is replaced on the condition that it is the one that this process has stored, so a
    second process takes the location over, and the first one is refused from then on.

    Args:
        bucket: holds the files.
        name: of the bucket.
        prefix: of the keys; it ends with a slash, or is empty.
        mark: a random text.
    """

    def __init__(self, bucket: S3Bucket, name: str, prefix: str, mark: str) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._url = f"s3://{name}/{prefix}"
        self._etag: str | None = None
        self._folder = Path()
        self.shown = self._url
        self.mark = f"-{mark}"

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """As of `FileLocation`; files are written in a temporary folder first."""
        with tempfile.TemporaryDirectory(prefix="hashrange-sink-") as folder:
            self._folder = Path(folder)
            yield

    async def manifest(self) -> bytes | None:
        """As of `FileLocation`."""
        with self._failures():
            found = await self._bucket.small(self._key(MANIFEST))
        content, self._etag = (None, None) if found is None else found
        return content

    async def replace(self, manifest: bytes, views: bytes) -> None:
        """As of `FileLocation`."""
        with self._failures():
            etag = await self._bucket.swap(self._key(MANIFEST), manifest, self._etag)
            if etag is None:
                # A request that was sent again, since its answer was lost, is refused as well.
                found = await self._bucket.small(self._key(MANIFEST))
                if found is None or found[0] != manifest:
                    raise CopyError(f"{self.shown}: another process writes it")
                etag = found[1]
            self._etag = etag
            await self._bucket.put(self._key(VIEWS), one_chunk(views))

    def begun(self, name: str) -> Path:
        """As of `FileLocation`."""
        return self._folder / Path(name).name

    async def store(self, name: str) -> None:
        """As of `FileLocation`."""
        path = self.begun(name)
        with self._failures():
            await self._bucket.put(self._key(name), chunks_of(path))
        for file in self._folder.iterdir():
            file.unlink()  # with the parts of a merged file

    async def local(self, name: str) -> Path:
        """As of `FileLocation`."""
        path = self.begun(name)
        with self._failures(), path.open("wb") as file:
            async for chunk in self._bucket.get(self._key(name)):
                file.write(chunk)
        return path

    async def remove(self, name: str) -> None:
        """As of `FileLocation`."""
        with self._failures():
            await self._bucket.delete(self._key(name))

    async def names(self) -> Collection[str]:
        """As of `FileLocation`."""
        with self._failures():
            found = [each.key async for each in self._bucket.list(self._prefix)]
        names = [key.removeprefix(self._prefix) for key in found]
        return [name for name in names if "/date=" in name]

    def source(self, name: str) -> str:
        """As of `FileLocation`."""
        return self._url + name

    def _key(self, name: str) -> str:
        return self._prefix + name

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except BucketError as error:
            raise CopyError(str(error)) from error
