"""Reads of a worker process: the last commit of the data file, through one connection."""

import mmap
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import apsw

from hashrange.storage.engine import Fences, Pair, StorageError
from hashrange.storage.sqlite.damage import DamageReports
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.page_cipher import PageCipher, connect
from hashrange.storage.sqlite.rows import page, values
from hashrange.storage.sqlite.tuning import SHARED_VFS

_BYTES: Final = 8

T = TypeVar("T")


class CommitCounter:
    """A number that is odd while a commit may become visible, and even otherwise.

    It only grows. A commit becomes visible to other processes at some moment between `begin` and
    `end`. So a reader that finds the same even number twice has missed no commit in between; a
    reader that finds an odd number cannot know. This is the counter of a seqlock (ADR 11). Reading
    it costs less than a tenth of a microsecond, beginning a transaction nearly three.

    A writer that is killed between `begin` and `end` leaves an odd number, from which the next
    writer continues. Only one process writes at a time.

    Args:
        descriptor: the shared memory, from `create_shared_memory`; it may be closed afterwards.
    """

    def __init__(self, descriptor: int) -> None:
        self._map = mmap.mmap(descriptor, _BYTES)
        # Aligned words of eight bytes are read and written atomically.
        self._cells = memoryview(self._map).cast("Q")

    def value(self) -> int:
        """The present number."""
        return self._cells[0]

    def begin(self) -> None:
        """Make the number odd: a commit may become visible from now on."""
        self._cells[0] |= 1

    def end(self) -> None:
        """Make the number even: no commit becomes visible until the next `begin`."""
        self._cells[0] += self._cells[0] & 1

    def close(self) -> None:
        """Unmap the memory."""
        self._cells.release()
        self._map.close()


def create_shared_memory() -> int:
    """The descriptor of new shared memory for a counter; child processes may inherit it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("hashrange-commits")
    else:
        import tempfile  # noqa: PLC0415 - few starts need it

        descriptor, name = tempfile.mkstemp(prefix="hashrange-")
        os.unlink(name)  # noqa: PTH108 - only the descriptor is used
    os.ftruncate(descriptor, _BYTES)
    return descriptor


CACHE_BYTES: Final = 16 * 1024 * 1024
"""As for each connection of the writer."""
BUSY_MS: Final = 1000
"""The time limit of a read that waits while the writer recovers the WAL after a crash."""
_KIB: Final = 1024
_NEVER: Final = -1


class Snapshot:
    """Reads a data file that another process writes.

    A read transaction is kept open. It is begun again when the counter has changed, and for each
    read while the counter is odd. So a read returns committed values that are not older than the
    call, nor older than those that another process has read before the call. The engine releases
    the transaction after some time without reads, because the write-ahead log can be reset only
    when no transaction reads from it.

    Attributes:
        connection: to the data file, of this moment: it is opened anew after a failure.
        damage: reports what cannot be read.

    Args:
        path: the data file, which the writer has open.
        counter: the commit sequence.
        cipher: of the pages; None if they are not encrypted.
    """

    def __init__(
        self, path: Path, counter: CommitCounter, cipher: PageCipher | None = None
    ) -> None:
        self._path = path
        self._cipher = cipher
        self._counter = counter
        self._sequence = _NEVER
        self.damage = DamageReports()
        self._fences = FenceCache(self._value)
        self._open()

    def _open(self) -> None:
        """Open the connection, read-only and without checkpoints. Raises apsw.Error."""
        self.connection = connection = connect(
            self._path, flags=apsw.SQLITE_OPEN_READONLY, vfs=SHARED_VFS, cipher=self._cipher
        )
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        # Only the writer makes checkpoints.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_timeout(BUSY_MS)
        connection.pragma("cache_size", -CACHE_BYTES // _KIB)
        self._execute = connection.cursor().execute
        self._sequence = _NEVER

    def read(self, keys: Sequence[bytes], fences: Fences) -> list[bytes | None]:
        """The values of keys. Raises StaleFenceError, StorageError."""
        try:
            self._refresh()
            if fences:
                self._fences.check(fences)
            return values(self._execute, None, keys)
        except apsw.Error:
            self._reopen()
            one = partial(values, self._execute, None)
            return self._again(partial(one, keys), keys, fences, one)

    def scan(
        self,
        bounds: tuple[bytes, bytes],
        fences: Fences,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool,
    ) -> list[Pair]:
        """One page, bounded as by `Engine.scan`. Raises StaleFenceError, StorageError."""
        start, end = bounds

        def read() -> list[Pair]:
            return page(
                self._execute, start, end, limit=limit, bytes_max=bytes_max, reverse=reverse
            )

        try:
            self._refresh()
            if fences:
                self._fences.check(fences)
            return read()
        except apsw.Error:
            self._reopen()
            return self._again(read, (start,), fences, None)

    def _again(
        self,
        read: Callable[[], T],
        keys: Sequence[bytes],
        fences: Fences,
        one: Callable[[Sequence[bytes]], object] | None,
    ) -> T:
        """Read on a new connection, after a failure. Raises StaleFenceError, StorageError."""
        try:
            self._fences.check(fences)
            return read()
        except apsw.Error as error:
            raise self.damage.error_of(error, keys, one) from error

    def _refresh(self) -> None:
        # The counter is read before the first SELECT, with which SQLite takes its snapshot. So the
        # snapshot may be newer than the counter; then it is begun once more than needed.
        sequence = self._counter.value()
        if sequence != self._sequence:
            self.release()
            self._execute("BEGIN")
            if sequence % 2 == 0:
                self._sequence = sequence

    def release(self) -> None:
        """End the transaction; the next read begins a new one."""
        self._fences.forget()
        self._sequence = _NEVER
        if self.connection.in_transaction:
            self._execute("COMMIT")

    def _reopen(self) -> None:
        """Replace the connection after a failed read. Raises StorageError."""
        try:
            self.connection.close(True)  # noqa: FBT003 - positional only: force
            self._fences.forget()
            self._open()
            self._refresh()
        except apsw.Error as error:
            raise StorageError(f"cannot read: {error}") from error

    def _value(self, key: bytes) -> bytes | None:
        return values(self._execute, None, (key,))[0]

    def close(self) -> None:
        """Close the connection, and abort statements that are running."""
        self.connection.close(True)  # noqa: FBT003 - positional only
