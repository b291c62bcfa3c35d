"""The connections to one data file: transactions, checkpoints, and nothing of what they are for."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import apsw

from hashrange.storage.sqlite.schema import INLINE_BYTES_MAX, prepare
from hashrange.storage.sqlite.tuning import Durability, Tuning, default_vfs
from hashrange.storage.sqlite.wal import renew

Execute: TypeAlias = Callable[..., apsw.Cursor]
"""`Cursor.execute`. One cursor for all statements of a connection: the next one ends the last, so
that no SELECT stays open and keeps the WAL from starting anew."""

# UPSERT and not REPLACE, which makes an update an insert: 6.0 to 6.5 µs.
_PUT: Final = (
    "INSERT INTO kv (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v, large = NULL"
)
_DELETE: Final = "DELETE FROM kv WHERE k = ?"
_DELETE_LARGE: Final = "DELETE FROM large_values WHERE id = (SELECT large FROM kv WHERE k = ?)"
_UPDATE_LARGE: Final = "UPDATE large_values SET v = ? WHERE id = (SELECT large FROM kv WHERE k = ?)"
_INSERT_LARGE: Final = "INSERT INTO large_values (v) VALUES (?)"
_POINT_TO_LARGE: Final = (
    "INSERT INTO kv (k, large) VALUES (?, last_insert_rowid())"
    " ON CONFLICT (k) DO UPDATE SET v = NULL, large = excluded.large"
)
_SET_NEXT_NUMBER: Final = "REPLACE INTO logs VALUES (?, ?)"
_NEXT_NUMBER: Final = "SELECT next FROM logs WHERE log = ?"

_SYNCHRONOUS: Final = {Durability.FULL: "FULL", Durability.RELAXED: "NORMAL"}
_KIB: Final = 1024


class Database:
    """One writing connection and, on a file, one for reads, which sees what is committed.

    The readers' transaction is held open on the last committed state (to begin one for each read
    would cost a third of the rate) and renewed with each commit. It ends before the commit writes:
    the WAL starts anew only if nobody reads from it. In memory both are the same connection, and
    no transaction is open between commits.

    The methods raise apsw.Error. After one that writes, or anything else between `begin` and the
    end of `commit`, the caller must `abandon` the connections and `connect` anew.

    Args:
        path: of the data file, which exists; None for memory.
        durability: when a commit returns.
        tuning: page and cache sizes, and the VFS.
    """

    read: Execute
    """Runs a SELECT on the last committed state."""
    write: Execute
    """Runs a statement in the transaction that `begin` began."""

    def __init__(self, path: Path | None, *, durability: Durability, tuning: Tuning) -> None:
        self._path = path
        self._durability = durability
        self._tuning = tuning
        self._vfs = tuning.vfs or default_vfs()
        self.wal_pages = 0
        """In the WAL after the last commit; some may be in the data file already."""

    @property
    def in_memory(self) -> bool:
        """Whether the data ends with the connection."""
        return self._path is None

    def connect(self) -> None:
        """Open the connections, on a WAL that is sure to be on disk, if there is one.

        Raises StorageOpenError if the file is not ours.
        """
        mode_before = self._connect()
        if self._path is None:
            return
        # What SQLite found in a WAL before must not be mixed with what is there now; and while a
        # file is made, which happens without a WAL, the lock of `unix-excl` comes to admit readers.
        if mode_before != "wal" or renew(self._path, vfs=self._vfs):
            self.abandon()
            self._connect()

    def _connect(self) -> str:
        """The journal mode that the file had."""
        self._connections: list[apsw.Connection] = []
        writer = self._open(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        prepare(writer, self._path, page_bytes=self._tuning.page_bytes)
        mode_before: str = writer.pragma("journal_mode")
        reader = writer
        if self._path is not None:
            self._write_ahead(writer)
            reader = self._open(apsw.SQLITE_OPEN_READONLY)
        self._writer = writer.cursor()
        self._reader = reader.cursor() if reader is not writer else self._writer
        self.write = self._writer.execute
        self.read = self._reader.execute
        # Where all values are small, nobody pays for looking whether one was large.
        self._has_large = bool(self.write("SELECT EXISTS (SELECT 1 FROM large_values)").get)
        self.hold()
        return mode_before

    def _open(self, flags: int) -> apsw.Connection:
        if self._path is None:
            connection = apsw.Connection(":memory:", flags=flags)
        else:
            connection = apsw.Connection(str(self._path), flags=flags, vfs=self._vfs)
        self._connections.append(connection)
        connection.pragma("cache_size", -self._tuning.cache_bytes // _KIB)
        return connection

    def _write_ahead(self, writer: apsw.Connection) -> None:
        full = self._durability is Durability.FULL
        writer.pragma("journal_mode", "WAL")
        writer.pragma("synchronous", _SYNCHRONOUS[self._durability])
        # On macOS a plain fsync leaves the bytes in the drive's cache; elsewhere these do nothing.
        writer.pragma("fullfsync", int(full))
        writer.pragma("checkpoint_fullfsync", 1)
        writer.pragma("journal_size_limit", self._tuning.wal_bytes_max)
        # Takes the place of SQLite's own checkpoints, which would run inside of a commit.
        writer.set_wal_hook(self._committed)

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self.wal_pages = pages
        return apsw.SQLITE_OK

    def hold(self) -> None:
        """Begin the readers' transaction, unless it is open."""
        if self._reader is not self._writer and not self._reader.connection.in_transaction:
            self.read("BEGIN")

    def _let_go(self) -> None:
        if self._reader is not self._writer and self._reader.connection.in_transaction:
            self.read("COMMIT")

    def begin(self) -> None:
        """Begin a transaction for `write`."""
        self.write("BEGIN IMMEDIATE")

    @property
    def in_transaction(self) -> bool:
        """Whether it is still open: SQLite ends it by itself after some errors."""
        return self._writer.connection.in_transaction

    def next_number(self, log: bytes) -> int:
        """What the next record of a log gets, as the transaction sees it."""
        number: int | None = self.write(_NEXT_NUMBER, (log,)).get
        return number or 1

    def apply(
        self, changes: Mapping[bytes, bytes | None], next_numbers: Mapping[bytes, int]
    ) -> None:
        """Put the values, delete the keys whose value is None, set the next numbers of logs."""
        self._let_go()
        small: list[tuple[bytes, bytes]] = []
        large: list[tuple[bytes, bytes]] = []
        gone: list[tuple[bytes]] = []
        for key, value in changes.items():
            if value is None:
                gone.append((key,))
            elif len(key) + len(value) <= INLINE_BYTES_MAX:
                small.append((key, value))
            else:
                large.append((key, value))
        many = self._writer.executemany
        if self._has_large and (small or gone):
            many(_DELETE_LARGE, [*((key,) for key, _ in small), *gone])
        if small:
            many(_PUT, small)
        if gone:
            many(_DELETE, gone)
        for key, value in large:
            self._put_large(key, value)
        if next_numbers:
            many(_SET_NEXT_NUMBER, next_numbers.items())

    def _put_large(self, key: bytes, value: bytes) -> None:
        self.write(_UPDATE_LARGE, (value, key))
        if not self._writer.connection.changes():
            self.write(_INSERT_LARGE, (value,))
            self.write(_POINT_TO_LARGE, (key,))
            self._has_large = True

    def commit(self) -> None:
        """End the transaction; with FULL durability, returns once it is on disk."""
        self.write("COMMIT")
        self.hold()

    def roll_back(self) -> None:
        """Undo the transaction, for a database in memory, which cannot be opened anew."""
        if self.in_transaction:
            self.write("ROLLBACK")

    def checkpoint(self, *, truncate: bool = False) -> None:
        """Copy the WAL to the data file, so that the next commit starts the WAL anew.

        With `truncate` all of it, or apsw.BusyError; otherwise as much as readers allow.
        """
        if self._path is None:
            return
        self._let_go()
        mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if truncate else apsw.SQLITE_CHECKPOINT_PASSIVE
        self._writer.connection.wal_checkpoint(mode=mode)
        self.wal_pages = 0
        self.hold()

    def vacuum(self, *, pages: int, keep: int) -> bool:
        """Give up to `pages` free pages back if there are more than `keep`; whether more remain."""
        free: int = self.write("PRAGMA freelist_count").get
        if free <= keep:
            return False
        self._let_go()
        self.write(f"PRAGMA incremental_vacuum({min(pages, free - keep)})").fetchall()
        self.hold()
        return free - pages > keep

    def close(self) -> None:
        """Close so that the data file alone holds everything."""
        self.checkpoint(truncate=True)
        for connection in reversed(self._connections):
            connection.close()

    def abandon(self) -> None:
        """Close the connections without a word to the files, however they are."""
        for connection in reversed(self._connections):
            with suppress(apsw.Error):
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            with suppress(apsw.Error):
                connection.close(True)  # noqa: FBT003 - positional only: whatever is still open
