"""The data file of a database while no checkpoint writes to it, for backups of a running server.

SQLite copies nothing from the write-ahead log to the data file as long as a transaction reads from
the data file alone. So the log is copied as a whole, and such a transaction begun; commits go on,
into the log, which grows until `close`.
"""

from pathlib import Path

import apsw

from hashrange.limits.backups import FROZEN_WAL_BYTES_MAX
from hashrange.storage.engine import StorageError
from hashrange.storage.sqlite.database import Database


class FrozenFile:
    """`hashrange.storage.frozen_data.FrozenData` of a data file.

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
                f"more than {FROZEN_WAL_BYTES_MAX // 1024**2} MiB were written meanwhile; the next "
                "backup goes on with what is stored"
            )

    def close(self) -> None:
        """Let checkpoints write to the file again."""
        if self._database.freezer is self._connection:
            self._database.thaw()
