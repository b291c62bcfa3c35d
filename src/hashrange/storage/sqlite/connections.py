"""Opening a data file: connections that write, read and check point, on a WAL that is on disk."""

from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from hashrange.settings.kinds import Durability
from hashrange.storage.sqlite.page_cipher import PageCipher, connect
from hashrange.storage.sqlite.schema import prepare
from hashrange.storage.sqlite.tuning import Tuning, default_vfs
from hashrange.storage.sqlite.wal import DataSync, WalSync, can_sync, renew

_SYNCHRONOUS: Final = {Durability.FULL: "FULL", Durability.RELAXED: "NORMAL"}
_KIB: Final = 1024


class Connections:
    """The connections to one data file, opened and closed together.

    Args:
        path: of the data file, which exists; None for a database in memory, of one connection.
        durability: when a commit returns.
        tuning: page and cache sizes, and the VFS.
        cipher: of the pages; None if they are not encrypted.
    """

    writer: apsw.Connection
    reader: apsw.Connection
    """The same as `writer` in memory."""
    checkpointer: apsw.Connection
    """Copies the WAL to the data file, in a thread while the others are used. There is none in
    memory, or if other processes read."""
    wal_sync: WalSync | None = None
    """A call that makes a commit durable, if COMMIT does not."""
    data_sync: DataSync | None = None
    """A call that syncs copied pages: those of a part of the WAL, which SQLite would not, and
    those of all of it where the checkpointer syncs nothing."""

    def __init__(
        self,
        path: Path | None,
        *,
        durability: Durability,
        tuning: Tuning,
        cipher: PageCipher | None = None,
    ) -> None:
        self.path = path
        self._cipher = cipher
        self._durability = durability
        self._tuning = tuning
        self._vfs = tuning.vfs or default_vfs()
        self.commits = tuning.commits
        self._opened: list[apsw.Connection] = []
        self._syncs_apart = (
            path is not None
            and durability is Durability.FULL
            and tuning.sync_apart
            and tuning.commits is None  # others would see what is not on disk
            and can_sync(tuning.vfs)
        )

    def open(self) -> None:
        """Open them. Raises apsw.Error, and StorageOpenError if the file is not ours."""
        mode_before = self._open_once()
        if self.path is None:
            return
        # What SQLite found in a WAL before must not be mixed with what is there now; and while a
        # file is made, which happens without a WAL, the lock of `unix-excl` comes to admit readers.
        if mode_before != "wal" or renew(self.path, vfs=self._vfs):
            self.abandon()
            self._open_once()
        if self._syncs_apart:
            self.wal_sync = WalSync(self.path, vfs=self._tuning.vfs)
        if self.commits is None and can_sync(self._tuning.vfs):
            self.data_sync = DataSync(self.path, vfs=self._tuning.vfs)

    def _open_once(self) -> str:
        """The journal mode that the file had."""
        flags = apsw.SQLITE_OPEN_READWRITE
        if self.path is None:
            flags |= apsw.SQLITE_OPEN_CREATE  # a file that is gone must not become an empty one
        self.reader = self.writer = self._connect(flags)
        prepare(self.writer, self.path, page_bytes=self._tuning.page_bytes)
        mode_before: str = self.writer.pragma("journal_mode")
        if self.path is not None:
            self._write_ahead(self.writer)
            self.reader = self._connect(apsw.SQLITE_OPEN_READONLY)
            if self.commits is None:
                if self._cipher is None:  # otherwise SQLite maps nothing
                    self.writer.pragma("mmap_size", self._tuning.mmap_bytes)
                self.checkpointer = self._connect(flags)
                self._write_ahead(self.checkpointer)
                if self._syncs_apart:
                    # Groups are synced before they are copied, and `data_sync` sees to the copy.
                    self.checkpointer.pragma("synchronous", "OFF")
        return mode_before

    def _connect(self, flags: int) -> apsw.Connection:
        if self.path is None:
            connection = apsw.Connection(":memory:", flags=flags)
        else:
            connection = connect(self.path, flags=flags, vfs=self._vfs, cipher=self._cipher)
        self._opened.append(connection)
        # Plans that depend on the schema alone. Otherwise this build of SQLite plans a statement
        # anew for each new value in it: 3.2 instead of 0.9 µs for a page of one row.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.pragma("cache_size", -self._tuning.cache_bytes // _KIB)
        return connection

    def _write_ahead(self, writer: apsw.Connection) -> None:
        writer.pragma("journal_mode", "WAL")
        durability = Durability.RELAXED if self._syncs_apart else self._durability
        writer.pragma("synchronous", _SYNCHRONOUS[durability])
        # On macOS a plain fsync leaves the bytes in the drive's cache; elsewhere these do nothing.
        writer.pragma("fullfsync", int(self._durability is Durability.FULL))
        writer.pragma("checkpoint_fullfsync", 1)
        writer.pragma("journal_size_limit", self._tuning.wal_bytes_max)

    def beginning(self) -> apsw.Connection:
        """One connection more, whose transaction has begun to read. Raises apsw.Error."""
        connection = self._connect(apsw.SQLITE_OPEN_READONLY)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("BEGIN")
        connection.execute("SELECT 1 FROM kv LIMIT 1").fetchall()
        return connection

    def close_one(self, connection: apsw.Connection) -> None:
        """Close what `beginning` has opened."""
        self._opened.remove(connection)
        with suppress(apsw.Error):
            connection.close(True)  # noqa: FBT003 - positional only: whatever is still open

    def close(self) -> None:
        """Close them, the writer last: the last one takes the WAL away."""
        self._close_sync()
        while self._opened:
            self._opened[-1].close()
            self._opened.pop()
        self._close_data_sync()

    def abandon(self) -> None:
        """Close them without a word to the files, however they are."""
        self._close_sync()
        while self._opened:
            connection = self._opened.pop()
            with suppress(apsw.Error):
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            with suppress(apsw.Error):
                connection.close(True)  # noqa: FBT003 - positional only: whatever is still open
        self._close_data_sync()

    def _close_sync(self) -> None:
        if self.wal_sync is not None:
            with suppress(apsw.Error, OSError):
                self.wal_sync.close()
            self.wal_sync = None

    def _close_data_sync(self) -> None:
        if self.data_sync is not None:
            with suppress(apsw.Error, OSError):
                self.data_sync.close()
            self.data_sync = None
