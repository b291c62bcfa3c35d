"""Making sure that what files show is what they hold: the WAL first of all."""

import os
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import apsw

from hashrange.storage.sqlite.page_cipher import PLAIN_VFS

_CHUNK_BYTES: Final = 64 * 1024
"""SQLite's own files take less than 128 KiB at a time."""


_HEADER: Final = struct.Struct(">8I")
"""Magic number, version, bytes of a page, number of the log, two salts, two sums of the former.

https://sqlite.org/fileformat2.html#the_write_ahead_log"""
_MAGIC: Final = 0x377F0682
_WORD: Final = 1 << 32


def wal_of(data_file: Path) -> Path:
    """The file of the write-ahead log."""
    return data_file.with_name(data_file.name + "-wal")


def wal_id(data_file: Path) -> int | None:
    """The number that all logs have in common that one connection begins; None without frames.

    The first salt is drawn for the first log, and is increased with the number for each other one.
    Whoever recovers a log goes on with both. The sums decide, as for SQLite, whether it is a log.
    """
    try:
        with wal_of(data_file).open("rb") as file:
            header = file.read(_HEADER.size + 1)
    except FileNotFoundError:
        return None
    if len(header) <= _HEADER.size:
        return None
    words: tuple[int, ...] = _HEADER.unpack_from(header)
    magic, _, _, number, salt, *_ = words
    # The last bit of the magic number is the order of the bytes of what is summed.
    of_sums = words if magic & 1 else struct.unpack_from("<8I", header)
    if magic & ~1 != _MAGIC or words[6:] != _sums(of_sums[:6]):
        return None
    return (salt - number) % _WORD


def _sums(words: tuple[int, ...]) -> tuple[int, int]:
    first = second = 0
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) % _WORD
        second = (second + odd + first) % _WORD
    return first, second


def renew(data_file: Path, *, vfs: str | None) -> bool:
    """Write all bytes of the WAL over themselves and sync them; False if there are none.

    After a failed sync the operating system may show frames that are not on disk and that no later
    sync will put there, as their pages count as clean. To copy such frames to the data file is not
    safe: a power cut halfway leaves pages in it whose companions nobody has. Written again, they
    are as good as any, and a cut meanwhile leaves a WAL with a shorter valid part.

    The file must be locked against other processes, and must be opened anew afterwards. Raises
    apsw.Error.
    """
    path = wal_of(data_file)
    if not path.exists() or not path.stat().st_size:
        return False
    file = _opened(path, vfs)
    try:
        size = file.xFileSize()
        for offset in range(0, size, _CHUNK_BYTES):
            chunk = file.xRead(min(_CHUNK_BYTES, size - offset), offset)
            file.xWrite(chunk, offset)
        file.xSync(apsw.SQLITE_SYNC_FULL)
    finally:
        file.xClose()
    return True


def can_sync(vfs: str | None) -> bool:
    """Whether `WalSync` can do what SQLite's own sync does: macOS wants more than `fsync`."""
    return vfs is not None or hasattr(os, "fdatasync")


class WalSync:
    """Puts what is in the WAL on the disk.

    That the file is there at all is SQLite's care: it syncs the directory with the first header.

    Args:
        data_file: open in SQLite, so that its WAL is there.
        vfs: that of the tests; None for the system's own call, which needs no interpreter.

    Attributes:
        sync: may be called beside the loop. Raises apsw.Error, OSError.
        close: to be called once.
    """

    def __init__(self, data_file: Path, *, vfs: str | None) -> None:
        path = wal_of(data_file)
        self.sync: Callable[[], object]
        self.close: Callable[[], object]
        if vfs is None:
            descriptor = os.open(path, os.O_RDWR)
            self.sync = partial(os.fdatasync, descriptor)
            self.close = partial(os.close, descriptor)
        else:
            file = _opened(path, vfs)
            self.sync = partial(file.xSync, apsw.SQLITE_SYNC_NORMAL)
            self.close = file.xClose


class DataSync:
    """Puts what is in the data file on the disk, after each copy of a part of the WAL.

    SQLite does that at the end of a checkpoint that has copied all of the WAL, and not before.

    Args:
        data_file: open in SQLite. To close a file ends the locks of its process: `close` comes
            after SQLite has closed it.
        vfs: as of `WalSync`.

    Attributes:
        sync: may be called beside the loop. Raises apsw.Error, OSError.
        close: to be called once.
    """

    def __init__(self, data_file: Path, *, vfs: str | None) -> None:
        self.sync: Callable[[], object]
        self.close: Callable[[], object]
        if vfs is None:
            descriptor = os.open(data_file, os.O_RDWR)
            self.sync = partial(os.fdatasync, descriptor)
            self.close = partial(os.close, descriptor)
        else:
            file = _opened(data_file, vfs, apsw.SQLITE_OPEN_MAIN_DB)
            self.sync = partial(file.xSync, apsw.SQLITE_SYNC_NORMAL)
            self.close = file.xClose


def _opened(path: Path, vfs: str | None, kind: int = apsw.SQLITE_OPEN_WAL) -> apsw.VFSFile:
    flags = apsw.SQLITE_OPEN_READWRITE | kind
    # Never by a VFS that encrypts: the bytes go as they are.
    return apsw.VFSFile(vfs or PLAIN_VFS, str(path), [flags, 0])
