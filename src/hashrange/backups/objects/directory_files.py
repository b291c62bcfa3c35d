"""Files of a bucket that is a directory, opened so that no path leads out of it.

Every name of a path is opened relative to the directory before it, and symbolic links are not
followed. All functions block, and raise OSError; `directory` calls them in threads.

A key is a path within the directory: every part of it is the name of a file or directory. Keys
that S3 would have, and that are no such path, are refused.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

from hashrange.backups.objects.bucket import BucketError, Failure, ObjectDigest, ObjectEntry
from hashrange.limits.backups import (
    OBJECT_KEY_BYTES_MAX,
    OBJECT_KEY_PART_BYTES_MAX,
    OBJECT_UPLOAD_SECONDS_MAX,
)
from hashrange.storage.durable_files import DIRECTORY_MODE

UPLOADS: Final = ".hashrange-uploads"
"""The directory of objects that are being written; no key begins with it."""
_RESERVED: Final = frozenset({"", ".", ".."})


def parts_of(key: str) -> Sequence[str]:
    """The names of directories and file that a key stands for. Raises BucketError."""
    try:
        data = key.encode()
    except UnicodeEncodeError as error:
        raise _invalid(key, "it is not UTF-8") from error
    if len(data) > OBJECT_KEY_BYTES_MAX:
        text = f"a key has at most {OBJECT_KEY_BYTES_MAX} bytes"
        raise BucketError(Failure.KEY_TOO_LONG, text)
    parts = key.split("/")
    if not _RESERVED.isdisjoint(parts):
        raise _invalid(key, "a directory has no names that are empty, . or ..")
    if any(character in key for character in "\0\\"):
        raise _invalid(key, "a directory has no names with NUL or a backslash")
    if max(len(part.encode()) for part in parts) > OBJECT_KEY_PART_BYTES_MAX:
        raise _invalid(key, f"names in a directory have at most {OBJECT_KEY_PART_BYTES_MAX} bytes")
    if parts[0] == UPLOADS:
        raise _invalid(key, f"{UPLOADS} is for objects that are being written")
    return parts


def _invalid(key: str, why: str) -> BucketError:
    return BucketError(Failure.INVALID_KEY, f"the key {key!r} cannot be in a directory: {why}")


# Absent on Windows, where settings refuse directories.
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_READ: Final = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_FILE_MODE: Final = 0o600


class NoBucketError(Exception):
    """The directory of the bucket does not exist."""


@contextmanager
def opened_directory(root: Path, names: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """A directory below a bucket; `create` makes those that are missing, durably."""
    try:
        found = os.open(root, _DIRECTORY)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoBucketError from error
    try:
        for name in names:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(name, DIRECTORY_MODE, dir_fd=found)
                    os.fsync(found)
            below = os.open(name, _DIRECTORY | _NO_LINK, dir_fd=found)
            os.close(found)
            found = below
        yield found
    finally:
        os.close(found)


class ReadFile:
    """A file that is read in threads, and closed once, after a read that runs still."""

    def __init__(self, root: Path, parts: Sequence[str]) -> None:
        *names, last = parts
        with opened_directory(root, names) as directory:
            self._file = os.open(last, _READ, dir_fd=directory)
        self._lock = Lock()
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise FileNotFoundError(last)

    def read(self, start: int, bytes_max: int) -> bytes:
        """Bytes from a position; none behind the end."""
        with self._lock:
            return os.pread(self._file, bytes_max, start)

    def close(self) -> None:
        """Close it."""
        with self._lock:
            os.close(self._file)


class Upload:
    """A file that is written aside, in threads, and then takes its place.

    Args:
        root: the directory of the bucket.
        name: of the file aside; no other upload has it.
    """

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name: Final = name
        self._lock = Lock()
        self._is_there = True
        with opened_directory(root, [UPLOADS], create=True) as uploads:
            self._file = os.open(name, _CREATE, _FILE_MODE, dir_fd=uploads)
            _remove_given_up(uploads, os.fstat(self._file).st_mtime)
        self.digest = ObjectDigest()

    def write(self, chunk: bytes) -> None:
        """Add bytes."""
        with self._lock:
            self.digest.update(chunk)
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(self._file, rest) :]

    def complete(self, parts: Sequence[str]) -> None:
        """Put the file in its place, once it is on disk."""
        *names, last = parts
        with self._lock:
            os.fsync(self._file)
            with (
                opened_directory(self._root, [UPLOADS]) as uploads,
                opened_directory(self._root, names, create=True) as directory,
            ):
                os.replace(self._name, last, src_dir_fd=uploads, dst_dir_fd=directory)
                self._is_there = False
                os.fsync(directory)

    def close(self) -> None:
        """Close the file, and remove it if it is not in its place."""
        with self._lock:
            os.close(self._file)
            if self._is_there:
                with (
                    suppress(OSError, NoBucketError),
                    opened_directory(self._root, [UPLOADS]) as uploads,
                ):
                    os.unlink(self._name, dir_fd=uploads)


def _remove_given_up(uploads: int, now: float) -> None:
    """Remove files of uploads that a kill has left."""
    with os.scandir(uploads) as found:
        for entry in found:
            with suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_mtime < now - OBJECT_UPLOAD_SECONDS_MAX:
                    os.unlink(entry.name, dir_fd=uploads)


def size_of(root: Path, parts: Sequence[str]) -> int:
    """The size of a file."""
    *names, last = parts
    with opened_directory(root, names) as directory:
        found = os.stat(last, dir_fd=directory, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise FileNotFoundError(last)
    return found.st_size


def delete(root: Path, parts: Sequence[str]) -> None:
    """Remove a file; its directories stay."""
    *names, last = parts
    with opened_directory(root, names) as directory:
        os.unlink(last, dir_fd=directory)


def entries(root: Path, prefix: str) -> Iterator[ObjectEntry]:
    """All files whose keys begin with a prefix. What no key can name is left out."""
    with opened_directory(root, []):
        pass
    *names, beginning = prefix.split("/")
    try:
        waiting = [list(parts_of("/".join(names)))] if names else [[]]
    except BucketError:
        return
    while waiting:
        path = waiting.pop()
        with suppress(FileNotFoundError, NotADirectoryError):
            yield from _entries_of(root, path, beginning, waiting)
        beginning = ""


def _entries_of(
    root: Path, path: list[str], beginning: str, waiting: list[list[str]]
) -> Iterator[ObjectEntry]:
    """The files of one directory; its directories are added to those that wait."""
    with opened_directory(root, path) as directory, os.scandir(directory) as found:
        for entry in found:
            if not entry.name.startswith(beginning):
                continue
            below = [*path, entry.name]
            try:
                parts_of("/".join(below))
            except BucketError:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(below)
            elif entry.is_file(follow_symlinks=False):
                size_bytes = entry.stat(follow_symlinks=False).st_size
                yield ObjectEntry("/".join(below), size_bytes)
