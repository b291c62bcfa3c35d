"""What a reader process sees of the data file: the last commit, through one connection."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import apsw

from hashrange.storage.engine import Fences, Pair, StorageError
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.lookups import page, values
from hashrange.storage.workers.counter import CommitCounter

CACHE_BYTES: Final = 16 * 1024 * 1024
"""As each connection of the writer has."""
BUSY_MS: Final = 1000
"""While the writer repairs the index of the WAL after a crash, nobody reads."""
_KIB: Final = 1024
_NEVER: Final = -1


class Snapshot:
    """Reads a data file that another process writes.

    A transaction is held open, and begun anew when the counter has moved, and for each read while
    the counter is odd: what is read was committed before, and is not older than the call, nor than
    what a read of another process has shown before the call. The transaction is ended when nobody
    reads for a while, for the write-ahead log starts anew only when nobody reads from it.

    Attributes:
        connection: to the data file, of this moment: it is opened anew after a failure.

    Args:
        path: of a data file, which the writer has open.
        counter: odd while a commit may become visible.
    """

    def __init__(self, path: Path, counter: CommitCounter) -> None:
        self._path = path
        self._counter = counter
        self._seen = _NEVER
        self._fences = FenceCache(self._value)
        self._open()

    def _open(self) -> None:
        """Raises apsw.Error."""
        self.connection = connection = apsw.Connection(
            str(self._path), flags=apsw.SQLITE_OPEN_READONLY
        )
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        # To copy the WAL to the data file is the writer's part.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.set_busy_timeout(BUSY_MS)
        connection.pragma("cache_size", -CACHE_BYTES // _KIB)
        self._execute = connection.cursor().execute
        self._seen = _NEVER

    def read(self, keys: Sequence[bytes], fences: Fences) -> list[bytes | None]:
        """The values of keys. Raises StaleFenceError, StorageError."""
        try:
            self._renew()
            if fences:
                self._fences.check(fences)
            return values(self._execute, keys)
        except apsw.Error:
            self._open_again()
            self._fences.check(fences)
            return values(self._execute, keys)

    def scan(
        self,
        bounds: tuple[bytes, bytes],
        fences: Fences,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool,
    ) -> list[Pair]:
        """A page, as `Engine.scan` counts it. Raises StaleFenceError, StorageError."""
        start, end = bounds

        def read() -> list[Pair]:
            return page(
                self._execute, start, end, limit=limit, bytes_max=bytes_max, reverse=reverse
            )

        try:
            self._renew()
            if fences:
                self._fences.check(fences)
            return read()
        except apsw.Error:
            self._open_again()
            self._fences.check(fences)
            return read()

    def _renew(self) -> None:
        # The counter is read before SQLite takes the snapshot, which the first SELECT does: so the
        # snapshot may be newer than the counter says, and is then begun once more than needed.
        now = self._counter.value()
        if now != self._seen:
            self.let_go()
            self._execute("BEGIN")
            if now % 2 == 0:
                self._seen = now

    def let_go(self) -> None:
        """End the transaction; the next read begins another one."""
        self._fences.forget()
        self._seen = _NEVER
        if self.connection.in_transaction:
            self._execute("COMMIT")

    def _open_again(self) -> None:
        """After a read has failed. Raises StorageError."""
        try:
            self.connection.close(True)  # noqa: FBT003 - positional only: whatever is still open
            self._fences.forget()
            self._open()
            self._renew()
        except apsw.Error as error:
            raise StorageError(f"cannot read: {error}") from error

    def _value(self, key: bytes) -> bytes | None:
        return values(self._execute, (key,))[0]

    def close(self) -> None:
        """Close the connection, whatever it is at."""
        self.connection.close(True)  # noqa: FBT003 - positional only
