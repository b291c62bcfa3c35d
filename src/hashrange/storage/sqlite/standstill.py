"""Work on a database between two groups: its pages copied, replaced, or kept as they are.

Nothing here suspends, so that no request comes between.

SQLite copies nothing from the write-ahead log to the data file as long as a transaction reads from
the data file alone. So the log is copied as a whole, and such a transaction begun; commits go on,
into the log, which grows until `close`.
"""

import asyncio
from pathlib import Path

import apsw

from hashrange.limits.backups import FROZEN_WAL_BYTES_MAX
from hashrange.storage.engine import StorageError
from hashrange.storage.sqlite.committer import Committer
from hashrange.storage.sqlite.damage import page_findings
from hashrange.storage.sqlite.database import Database
from hashrange.storage.sqlite.directory import DataDirectory
from hashrange.storage.sqlite.fences import FenceCache
from hashrange.storage.sqlite.key_file import KEY_FILE
from hashrange.storage.sqlite.read_only import ReadOnlyEngine
from hashrange.storage.sqlite.recovery import Recovery


class FrozenFile:
    """`hashrange.storage.saved_states.FrozenData` of a data file.

    Args:
        database: was frozen just now.
        connection: whose transaction freezes it.
        data_id: of the data.
        key_file: the content of the key file; None if the data are not encrypted.
        master_key_id: of the key in it.
    """

    def __init__(
        self,
        database: Database,
        connection: apsw.Connection,
        data_id: str,
        *,
        key_file: bytes | None,
        master_key_id: str | None,
    ) -> None:
        assert database.path is not None, "there is a file"
        self._database = database
        self._connection = connection
        self._page_bytes: int = connection.pragma("page_size")
        self.path: Path = database.path
        self.engine = ReadOnlyEngine(connection)
        self.size_bytes = self.path.stat().st_size
        self.data_id = data_id
        self.key_file = key_file
        self.master_key_id = master_key_id

    def check(self) -> None:
        """Raises StorageError: the database was opened anew since, or its log is too long."""
        if self._database.freezer is not self._connection:
            raise StorageError("the storage was opened anew after a failure")
        if self._database.wal_pages * self._page_bytes > FROZEN_WAL_BYTES_MAX:
            raise StorageError(
                f"more than {FROZEN_WAL_BYTES_MAX // 1024**2} MiB were written meanwhile: try "
                "again; a backup goes on with what is stored"
            )

    def damage(self) -> list[str]:
        """Faults of the pages of the file; all are read, so it is called in a thread."""
        return page_findings(self._connection)

    def close(self) -> None:
        """Let checkpoints write to the file again."""
        if self._database.freezer is self._connection:
            self._connection.interrupt()  # a check whose caller was cancelled
            self._database.thaw()


class Standstill:
    """Stops the groups of an engine for the time of a call.

    Args:
        database: connected.
        committer: of its groups.
        recovery: notified of failures.
        fences: forgotten when the data are others.
        directory: of the data file; None in memory.

    Attributes:
        database: as above.
        directory: as above.
    """

    def __init__(
        self,
        database: Database,
        committer: Committer,
        recovery: Recovery,
        fences: FenceCache,
        *,
        directory: DataDirectory | None,
    ) -> None:
        self.database = database
        self.directory = directory
        self._committer = committer
        self._recovery = recovery
        self._fences = fences

    def source(self) -> apsw.Connection:
        """A connection that sees all commits, until the caller suspends. Raises StorageError."""
        self._committer.pause()
        self._recovery.ensure()
        return self.database.connection

    def replace(self, source: apsw.Connection) -> None:
        """Put all data back to those of another database, durably.

        Writes that wait are decided afterwards. Raises StorageError.
        """
        self._committer.pause()
        self._recovery.ensure()
        try:
            self._recovery.guard.confirm()
            self.database.replace(source)
            self._recovery.guard.confirm()
        except (apsw.Error, OSError) as error:
            self._recovery.failed(error)
            raise StorageError(f"the data cannot be put back: {error}") from error
        finally:
            self._fences.forget()
        loop = asyncio.get_running_loop()
        loop.call_soon(self._committer.maintenance.catch_up, loop)

    def freeze(self, data_id: str) -> FrozenFile:
        """Keep the data file as it is, until the answer is closed; requests go on.

        `data_id` is that of the data. Raises StorageError, OSError.
        """
        if self.directory is None:
            raise StorageError("data in memory have no file")
        path, cipher = self.directory.path / KEY_FILE, self.directory.cipher
        key_file = None if cipher is None else path.read_bytes()
        connection = self._frozen()
        return FrozenFile(
            self.database,
            connection,
            data_id,
            key_file=key_file,
            master_key_id=None if cipher is None else cipher.master_key_id,
        )

    def _frozen(self) -> apsw.Connection:
        self._committer.pause()
        self._recovery.ensure()
        if self.database.freezer is not None:
            raise StorageError("a backup is under way")
        try:
            return self.database.freeze()
        except apsw.BusyError as error:
            self.database.view.show()
            raise StorageError("other processes read without a pause") from error
        except (apsw.Error, OSError) as error:
            self._recovery.failed(error)
            raise StorageError(f"the data file cannot be kept as it is: {error}") from error
