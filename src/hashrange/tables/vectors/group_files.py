"""Files of groups beside the data, so that a start need not read all their rows again.

A file has the entries of a group as they were at a position of the log of its index. Whoever loads
it goes on from there, if the log still has the record of that position; else the rows are read. So
a file may be lost, old, or of other data under the same numbers. One that was written in part has
another hash than its first bytes say. Nothing is synced: no data are in these files alone.

A file is read and not mapped: of a mapped one, a failing disk ends the process with SIGBUS.
"""

import contextlib
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.storage.durable_files import DIRECTORY_MODE, FILE_MODE

_MAGIC: Final = b"hashrange vectors 1 %s\n" % sys.byteorder.encode()
"""Another number for other columns, or for other numbers in them."""
_HASH_BYTES: Final = 32
_SIZE_BYTES: Final = 4
_ALIGNED_BYTES: Final = 64
_SUFFIX: Final = ".vectors"
_UNFINISHED: Final = ".new"


class FileHead(msgspec.Struct, frozen=True):
    """The first part of a file, before its columns.

    Attributes:
        prefix: of the keys of the group.
        position: of the log of the index.
        record: at the position.
        sizes: of the columns, in bytes.
    """

    prefix: bytes
    position: int
    record: bytes
    sizes: Sequence[int]


class LoadedFile(msgspec.Struct, frozen=True):
    """A file that is whole: its head and its columns, which may be changed in memory."""

    head: FileHead
    columns: Sequence[memoryview]


class GroupFiles:
    """The files of a folder, which is made with the first of them.

    Args:
        folder: of one data directory.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, prefix: bytes, position: int, record: bytes, columns: Sequence[Any]) -> None:
        """Replace the file of a group. Raises OSError."""
        views = [memoryview(each).cast("B") for each in columns]
        head = FileHead(prefix, position, record, [each.nbytes for each in views])
        parts = [*_parts(msgspec.msgpack.encode(head), views)]
        hashing = blake2b(digest_size=_HASH_BYTES)
        for part in parts:
            hashing.update(part)
        self._folder.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        path = self._path(prefix)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}{_UNFINISHED}")
        try:
            with open(unfinished, "wb", opener=_private) as file:
                file.writelines([_MAGIC, hashing.digest(), *parts])
            with contextlib.suppress(FileNotFoundError):  # another process has discarded it
                unfinished.replace(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    def load(self, prefix: bytes) -> LoadedFile | None:
        """The file of a group; None if there is none that is whole."""
        try:
            with self._path(prefix).open("rb") as file:
                data = memoryview(bytearray(os.fstat(file.fileno()).st_size))
                file.readinto(data)
        except OSError:  # there is none, or it cannot be read
            return None
        start = len(_MAGIC) + _HASH_BYTES
        hashed = blake2b(data[start:], digest_size=_HASH_BYTES).digest()
        if data[:start] != _MAGIC + hashed:
            return None
        head_start = start + _SIZE_BYTES
        place = head_start + int.from_bytes(data[start:head_start])
        head = msgspec.msgpack.decode(data[head_start:place], type=FileHead)
        columns: list[memoryview] = []
        for size in head.sizes:
            place += -place % _ALIGNED_BYTES
            columns.append(data[place : place + size])
            place += size
        return LoadedFile(head, columns) if head.prefix == prefix else None

    def discard(self, kept: Collection[bytes] = ()) -> None:
        """Delete unfinished files, and those of groups whose prefixes begin with none of `kept`.

        Args:
            kept: of equal lengths.
        """
        heads = {each.hex() for each in kept}
        length = max(map(len, heads), default=0)
        try:
            for path in self._folder.iterdir():
                if path.name[:length] not in heads or path.suffix == _UNFINISHED:
                    path.unlink(missing_ok=True)
        except OSError:
            return  # there is no folder; or a file is in use, and stays until the next call

    def _path(self, prefix: bytes) -> Path:
        return self._folder / f"{prefix.hex()}{_SUFFIX}"


def _parts(head: bytes, columns: Sequence[memoryview]) -> Iterator[bytes | memoryview]:
    """The parts behind the hash: the head with its size, and the columns at aligned places."""
    yield len(head).to_bytes(_SIZE_BYTES)
    yield head
    place = len(_MAGIC) + _HASH_BYTES + _SIZE_BYTES + len(head)
    for column in columns:
        yield bytes(-place % _ALIGNED_BYTES)
        yield column
        place += -place % _ALIGNED_BYTES + column.nbytes


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)
