"""The way back to service after a failure of the storage, and after a full disk."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from hashrange.storage.engine import StorageOpenError, StorageUnavailableError
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.file_guard import FileGuard
from hashrange.storage.sqlite.presence import Presence
from hashrange.storage.sqlite.reserve import Reserve
from hashrange.storage.sqlite.schema import FORMAT_VERSION
from hashrange.storage.sqlite.wal import wal_id

RETRY_NS: Final = 100_000_000
"""Between two attempts to recover: each takes about a millisecond of the loop."""
FULL_NS: Final = 5_000_000_000
"""The least time for which a full disk counts as full: under a quota the free space that the file
system reports is not ours, and the reserve must not take at once what deletes need."""


_NEVER_NS: Final = 1 << 63

_log: Final = logging.getLogger(__name__)


class Recovery:
    """Whether the database serves, and the way back when it does not.

    SERVING --a write failed--> RECOVERING --reopened, WAL in the data file--> SERVING
    RECOVERING --failed--> DOWN --RETRY_NS later, at the next call--> RECOVERING
    SERVING --the files are gone--> WITHHELD --the same files are back--> SERVING
    any --close--> CLOSED

    After a failed commit nobody knows what is on disk. So whatever failed, the connections are
    opened anew on a WAL that was written and synced again, SQLite takes from it what there is, and
    nobody is answered before.

    Args:
        database: not connected yet.
        presence: of the files; None for a database in memory.
        reserve: released when the disk is full.
        fences: forgotten with the connections.
        note_wal: keeps the identity of the WAL, or that it is not known: then one may begin.
        monotonic_ns: the clock.

    Attributes:
        reserve: as given; not held while the disk is full.
        guard: of the files.
        down_reason: why the database cannot be opened; None if it is open.
        recoveries: times that a failure was dealt with, and the database served again.
    """

    def __init__(
        self,
        database: Database,
        reserve: Reserve,
        fences: FenceCache,
        *,
        note_wal: Callable[[int | None], None],
        presence: Presence | None,
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._database = database
        self.reserve = reserve
        self._fences = fences
        self._note_wal = note_wal
        self._monotonic_ns = monotonic_ns
        self.down_reason: str | None = None
        self._retry_at_ns = 0
        self._full_until_ns = 0
        self.guard = FileGuard(presence, database, fences, monotonic_ns=monotonic_ns)
        self.recoveries = 0

    def start(self) -> None:
        """Connect for the first time. Raises apsw.Error, OSError, StorageOpenError."""
        try:
            self._connect()
        except apsw.FullError:
            self._release()
            self._connect()
        if not self._full_until_ns:
            self.reserve.take()

    def _connect(self) -> None:
        try:
            self._database.connect()
            if self._database.path is not None:
                self._begin_wal(self._database.path)
            self.guard.connected()
        except BaseException:
            self._database.abandon()
            raise

    def _begin_wal(self, path: Path) -> None:
        """Copy the WAL to the data file, and begin one that is noted, unless the disk is full.

        Only the identity of a WAL that this connection has begun is certain to be that of the next
        ones: SQLite counts them in each connection.
        """
        database = self._database
        try:
            if wal_id(path) is not None:
                database.cut()
            self._note_wal(None)
            if wal_id(path) is None:
                _commit_page(database)
                self._note_wal(wal_id(path))
        except apsw.FullError:
            self._release()
            database.view.show()
            self._note_wal(None)

    def is_shrinking(self) -> bool:
        """Whether the disk is still full, so that only what deletes should be written.

        Takes the reserve again if there is room for it.
        """
        if self.reserve.held:
            return False
        return self._monotonic_ns() < self._full_until_ns or not self.reserve.take()

    @property
    def is_down(self) -> bool:
        """Whether nothing can be read or written for now."""
        return self.down_reason is not None or self.guard.reason is not None

    def failed(self, error: BaseException) -> None:
        """After anything that was to write has failed: make the outcome certain."""
        self._fences.forget()
        if isinstance(error, apsw.FullError):
            self._release()
        if self._database.in_memory:
            self._database.roll_back()
            self.recoveries += 1
        else:
            self._database.abandon()
            self._recover()

    def _recover(self) -> None:
        try:
            self.guard.check()
            self._connect()
        except (apsw.Error, OSError, StorageOpenError) as error:
            if isinstance(error, apsw.FullError):
                self._release()
            reason = str(error) or type(error).__name__
            if not self.is_down:
                _log.error("the storage is down until it can be opened again: %s", reason)
            self.down_reason = reason
            self._retry_at_ns = self._monotonic_ns() + RETRY_NS
        else:
            if self.is_down:
                _log.warning("the storage works again")
            self.down_reason = None
            self.recoveries += 1

    def _release(self) -> None:
        self._full_until_ns = self._monotonic_ns() + FULL_NS
        with suppress(OSError):
            self.reserve.release()

    def ensure(self) -> None:
        """See that the database serves, trying to recover if it is time.

        Raises StorageUnavailableError.
        """
        if self.down_reason is not None:
            if self._monotonic_ns() >= self._retry_at_ns:
                self._recover()
        elif self.guard.reason is not None:
            self.guard.look()
        reason = self.down_reason or self.guard.reason
        if reason is not None:
            raise StorageUnavailableError(f"the storage is down: {reason}")

    def ensure_read(self) -> None:
        """As `ensure`, after a read has failed, which may have lost the readers' transaction."""
        self.ensure()
        try:
            self._database.view.show()
        except apsw.Error as error:
            self.failed(error)
            self.ensure()

    def close(self, copied: Callable[[], None]) -> None:
        """Close the database for good; calls of `ensure` raise from now on.

        `copied` is called when all is in the data file, before the WAL is removed.
        """
        if self.down_reason is None:
            self.guard.look()
        was_down, self.down_reason = self.down_reason is not None, "it is closed"
        self._retry_at_ns = _NEVER_NS
        if was_down:
            return
        if self.guard.reason is not None:
            # SQLite would remove the WAL by its name, and another data file may stand there.
            self._database.abandon()
            with suppress(OSError):
                self._note_wal(None)  # whoever has put other files there may have put a log, too
            return
        try:
            self._database.close(copied)
        except (apsw.Error, OSError):
            self._database.abandon()  # the WAL stays, and is replayed when it is opened again


def _commit_page(database: Database) -> None:
    """Commit a page as it is, so that the WAL has a header."""
    database.view.let_go()
    database.has_unsynced = True
    database.write(f"PRAGMA user_version = {FORMAT_VERSION}")
    database.view.show()


def ignore_wal(_: int | None) -> None:
    """For data in memory, which have no WAL."""


def reason_of(error: apsw.Error | OSError) -> str:
    """The reason that an error of SQLite or of the system stands for."""
    match error:
        case apsw.NotADBError():
            return f"damaged, or not a database ({error})"
        case apsw.CorruptError():
            return f"damaged ({error})"
        case apsw.BusyError() | apsw.LockedError():
            return f"in use by another program ({error})"
        case apsw.FullError():
            return f"the disk is full ({error})"
        case _:
            return str(error)
