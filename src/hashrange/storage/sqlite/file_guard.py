"""The guard against removal or replacement of the files of an open engine."""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from hashrange.storage.engine import StorageOpenError, StorageUnavailableError
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.presence import FileId, Presence, id_of

LOOK_NS: Final = 10_000_000
"""Between two looks while groups are committed: each takes some 8 µs."""
_NEVER_NS: Final = 1 << 63
_RESCUE: Final = (
    "nothing is read or written until the same files are back. Until this process ends it has "
    "them open, and they can be saved: see 'Removed files' in the manual, under Operating"
)

_log: Final = logging.getLogger(__name__)


class FileGuard:
    """Keeps requests from files that nobody will find again.

    The connections stay open, for they may be all that has the data.

    Args:
        presence: of the files; None for a database in memory, whose guard has nothing to do.
        database: whose reads fail while the files are gone, and until it shows anew what is
            committed.
        fences: forgotten then: a group that was not answered may be committed.
        monotonic_ns: the clock.

    Attributes:
        reason: why nothing is read or written; None if it is.
        look_at_ns: when to `confirm` before writes are answered; long ago if there is a reason.
    """

    def __init__(
        self,
        presence: Presence | None,
        database: Database,
        fences: FenceCache,
        *,
        monotonic_ns: Callable[[], int],
    ) -> None:
        self.reason: str | None = None
        self._presence = presence
        self._database = database
        self._fences = fences
        self._wal_name = None if database.path is None else WalName(database.path)
        self._monotonic_ns = monotonic_ns
        self.look_at_ns = _NEVER_NS if presence is None else 0

    def fault(self) -> str | None:
        """The fault of the files; None if they are those that were opened."""
        return None if self._presence is None else self._presence.fault()

    def check(self) -> None:
        """Before the files are opened anew. Raises StorageOpenError: they are not the same."""
        fault = self.fault()
        if fault is not None:
            raise StorageOpenError(fault)
        if self._wal_name is not None:
            self._wal_name.put_back()

    def connected(self) -> None:
        """After the files were opened, at first or anew."""
        self.reason = None
        if self._wal_name is not None:
            self._wal_name.note()

    def look(self) -> None:
        """Look whether the files are there, and stop serving, or serve again. Never raises."""
        if self._presence is None:
            return
        fault = self.fault()
        self.look_at_ns = self._monotonic_ns() + LOOK_NS if fault is None else 0
        if fault is not None and self.reason is None:
            _log.error("the storage is down: %s; %s", fault, _RESCUE)
            self.reason = fault
            self._fences.forget()
            self._database.view.withhold()
            if self._wal_name is not None:
                self._wal_name.set_aside()
        elif fault is None and self.reason is not None:
            self.reason = None
            if self._wal_name is not None:
                self._wal_name.put_back()
            _log.warning("the storage works again")

    def confirm(self) -> None:
        """See, before writes are answered, that they are where they will be looked for.

        Raises StorageUnavailableError.
        """
        self.look()
        if self.reason is not None:
            raise StorageUnavailableError(f"the storage is down: {self.reason}")


class WalName:
    """The name of our WAL, which must not stand beside the data file of somebody else.

    SQLite takes a WAL for that of the data file beside it: the next server would write our pages
    into the file that has taken the place of ours.

    Args:
        data_file: where ours was.
    """

    def __init__(self, data_file: Path) -> None:
        self._data_file = data_file
        self._path = data_file.with_name(f"{data_file.name}-wal")
        self._aside = data_file.with_name(f"{data_file.name}-wal.of-{os.getpid()}")
        self._file_id: FileId | None = None

    def note(self) -> None:
        """Keep which file it is: SQLite has it open."""
        with suppress(OSError):
            self._file_id = id_of(self._path)

    def set_aside(self) -> None:
        """Give our WAL another name, if another data file is there and the WAL is still ours."""
        with suppress(OSError):
            if self._data_file.exists() and id_of(self._path) == self._file_id:
                self._path.rename(self._aside)
                _log.warning("the write-ahead log of the file before is now %s", self._aside)

    def put_back(self) -> None:
        """Give it its name again, if nobody else has it."""
        with suppress(OSError):
            if not self._path.exists() and id_of(self._aside) == self._file_id:
                self._aside.rename(self._path)
