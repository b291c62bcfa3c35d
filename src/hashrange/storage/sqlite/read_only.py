"""The engine of a data directory that is only read, as on media that cannot be written."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import apsw

from hashrange.storage.engine import (
    KEY_BYTES_MAX,
    NO_FENCES,
    Changes,
    Fences,
    Pair,
    StorageError,
    StorageOpenError,
)
from hashrange.storage.sqlite.damage import UNREADABLE, page_findings
from hashrange.storage.sqlite.directory import DATA_FILE, LOCK_FILE, held_to_read
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.page_cipher import PageCipher, connect
from hashrange.storage.sqlite.recovery import reason_of
from hashrange.storage.sqlite.rows import page, values
from hashrange.storage.sqlite.schema import recognise
from hashrange.storage.sqlite.unlocking import Unlock, no_key

T = TypeVar("T")

_LOCKLESS_VFS: Final = ("unix-none", "win32-none")


class ReadOnlyEngine:
    """`hashrange.storage.engine.Engine` on a data file that does not change; its writes fail.

    Args:
        connection: to the data file, which nobody writes meanwhile.
    """

    key_bytes_max: Final = KEY_BYTES_MAX

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute
        self._fences = FenceCache(lambda key: values(self._execute, None, (key,))[0])

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """The values of keys, None for those that are absent, at one moment."""
        try:
            self._fences.check(fences)
            return values(self._execute, None, keys)
        except UNREADABLE as error:
            raise StorageError(f"cannot read: {error}") from error

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """A page of the keys in a range, in their order, with values."""
        try:
            self._fences.check(fences)
            return page(
                self._execute, start, end, limit=limit, bytes_max=bytes_max, reverse=reverse
            )
        except UNREADABLE as error:
            raise StorageError(f"cannot read: {error}") from error

    async def write(
        self,
        keys: Sequence[bytes],  # noqa: ARG002 - as every engine has it
        decide: Callable[[list[bytes | None]], Changes[T]],  # noqa: ARG002
        *,
        fences: Fences = NO_FENCES,  # noqa: ARG002
    ) -> T:
        """Raises StorageError."""
        raise StorageError("the data are opened read-only")

    def page_findings(self) -> list[str]:
        """Faults of pages, also of those that have no rows; all are read."""
        return page_findings(self._connection)


@contextmanager
def opened_read_only(
    directory: Path, unlock: Unlock = no_key, *, is_whole: bool = True
) -> Iterator[ReadOnlyEngine]:
    """The engine of a directory that no server uses; no file in it is made or changed.

    Args:
        directory: that holds the data file.
        unlock: gives the cipher of an encrypted directory.
        is_whole: a file that was cut off, or whose WAL is gone or another one, is refused;
            otherwise the pages that it has are read.

    Raises:
        StorageOpenError: in use, no data file, an empty one, one that was cut off, a WAL that is
            missing or another one, one that is damaged, not ours, of a newer version, or encrypted
            with another key.
    """
    with held_to_read(directory) as holder:
        path = directory / DATA_FILE
        if is_whole:
            holder.refuse_other_wal(path, LOCK_FILE)
        try:
            connection = _connected(path, unlock(directory), is_whole=is_whole)
        except (apsw.Error, OSError) as error:
            raise StorageOpenError(f"cannot open {path}: {reason_of(error)}") from error
        with closing(connection):
            yield ReadOnlyEngine(connection)


def _connected(path: Path, cipher: PageCipher | None, *, is_whole: bool) -> apsw.Connection:
    """Raises StorageOpenError, apsw.Error, OSError."""
    size = path.stat().st_size
    if size == 0:
        raise StorageOpenError(f"{path} is empty: it holds no data of hashrange")
    if _has_bytes(path.with_name(f"{path.name}-journal")):
        raise StorageOpenError(f"{path} was not finished when it was made: start a server on it")
    has_wal = _has_bytes(path.with_name(f"{path.name}-wal"))
    if has_wal:
        # SQLite reads the WAL into an index on the heap if it need not share it, which takes an
        # exclusive lock; a file that is open for reading cannot have one, so no lock is asked for.
        (vfs,) = set(_LOCKLESS_VFS) & set(apsw.vfs_names())
        connection = _open(path, "mode=ro", vfs=vfs, cipher=cipher)
        connection.pragma("locking_mode", "EXCLUSIVE")
    else:
        # With another mode SQLite would make a WAL and an index of it beside the data file.
        connection = _open(path, "immutable=1", vfs=None, cipher=cipher)
    try:
        if not is_whole:
            # SQLite then takes the pages of a file that is shorter than its header says.
            connection.pragma("writable_schema", 1)
            connection.pragma("cell_size_check", 1)
        recognise(connection, path)
        if is_whole and not has_wal:  # which may have the pages that are not in the data file
            _refuse_cut_off(connection, path, size)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_cut_off(connection: apsw.Connection, path: Path, size: int) -> None:
    # SQLite misses whole pages, but takes what is missing of the last one for zeros.
    expected = connection.pragma("page_count") * connection.pragma("page_size")
    if size < expected:
        raise StorageOpenError(f"{path} is cut off: it has {size} of {expected} bytes")


def _open(
    path: Path, parameters: str, *, vfs: str | None, cipher: PageCipher | None
) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    uri = f"{path.absolute().as_uri()}?{parameters}"
    connection = connect(uri, flags=flags, vfs=vfs, cipher=cipher)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _has_bytes(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
