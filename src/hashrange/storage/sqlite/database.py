"""One data file as a thing to begin, commit and check point; where reads and writes meet."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import apsw

from hashrange.storage.sqlite.checkpoint_coordinator import CheckpointCoordinator
from hashrange.storage.sqlite.connections import Connections
from hashrange.storage.sqlite.disk_thread import DiskWorker
from hashrange.storage.sqlite.rows import Rows

_BEGIN: Final = "BEGIN IMMEDIATE"
_LOOK: Final = "SELECT 1 FROM kv LIMIT 0"

Execute: TypeAlias = Callable[..., apsw.Cursor]
"""`Cursor.execute`. One cursor for all statements of a connection: the next one ends the last, so
that no SELECT stays open and keeps the WAL from starting anew."""


class Database:
    """One writing connection and, on a file, one for reads, which sees what is committed.

    The readers' transaction is held open on the last state that is on disk (to begin one for each
    read would cost a third of the rate) and renewed by `show`, after each commit. If the commit
    itself makes durable, it ends before the commit writes. The WAL starts anew only if nobody reads
    from it: after a checkpoint readers read from the data file alone. In memory both are the same
    connection, and no transaction is open between commits.

    The methods raise apsw.Error. After one that writes, or anything else between `begin` and the
    end of `show`, the caller must `abandon` the connections and `connect` anew.

    Args:
        connections: not open yet.
        aside: where `sync` and `checkpoint` may run. Nothing is closed under what runs there.
    """

    rows: Rows
    """Writes rows in that transaction."""
    read: Execute
    """Runs a SELECT on the last committed state."""
    write: Execute
    """Runs a statement in the transaction that `begin` began."""
    begin: Callable[[], object]
    """Begins a transaction for `write` and `rows`."""
    sync: Callable[[], object] | None
    """Makes a commit durable before it may be shown; None if COMMIT does, or nothing.

    Raises apsw.Error, OSError; then nobody knows what is on the disk."""

    def __init__(self, connections: Connections, aside: DiskWorker) -> None:
        self._connections = connections
        commits = connections.commits
        self._others = None if commits is None else CheckpointCoordinator(commits)
        self.aside = aside
        self.path = connections.path
        """Of the data file; None in memory."""
        self.in_memory = self.path is None
        """Whether the data end with the connection."""
        self.is_shared = self._others is not None
        """Whether other processes read."""
        self.wal_pages = 0
        """In the WAL after the last commit; some may be in the data file already."""

    def connect(self) -> None:
        """Open the connections. Raises StorageOpenError if the file is not ours."""
        connections = self._connections
        if self._others is not None:
            self._others.opening()
        connections.open()
        self._writer = self._reader = connections.writer.cursor()
        if not self.in_memory:
            self._reader = connections.reader.cursor()
            # Takes the place of SQLite's own checkpoints, which would run inside of a commit.
            connections.writer.set_wal_hook(self._committed)
            if self._others is not None:
                self._others.attend(connections.writer)
        self.write = self._writer.execute
        self.read = self._reader.execute
        self.rows = Rows(self._writer)
        self.sync = None if connections.wal_sync is None else connections.wal_sync.sync
        commits_durably = self.sync is None and not self.in_memory
        self.begin = self._begin_unread if commits_durably else partial(self.write, _BEGIN)
        self.show()

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self.wal_pages = pages if self._others is None else self._others.unasked(pages)
        return apsw.SQLITE_OK

    def _let_go(self) -> None:
        if self._reader is not self._writer and self._reader.connection.in_transaction:
            self._reader.execute("COMMIT")

    def _begin_unread(self) -> None:
        """For a commit that makes durable itself: nobody reads meanwhile, from the WAL either."""
        self._let_go()
        self.write(_BEGIN)

    @property
    def in_transaction(self) -> bool:
        """Whether it is still open: SQLite ends it by itself after some errors."""
        return self._writer.connection.in_transaction

    def commit(self) -> None:
        """End the transaction, durably unless there is `sync` to see to it."""
        self.write("COMMIT")

    def show(self) -> None:
        """Begin the readers' transaction anew, on what is committed; other processes may, too.

        Not after a commit that has failed: what is committed is known when `connect` has ended.
        """
        reader = self._reader
        self.read = reader.execute
        if reader is not self._writer:
            if reader.connection.in_transaction:
                self.read("COMMIT")
            self.read("BEGIN")
            if self.sync is not None:
                # Now, and not with the first read: by then more may be committed.
                self.read(_LOOK).fetchall()
        if self._others is not None:
            self._others.shown()

    def withhold(self) -> None:
        """Let reads fail until `show`, but keep the connections."""
        self.read = _withheld

    def roll_back(self) -> None:
        """Undo the transaction, for a database in memory, which cannot be opened anew."""
        if self.in_transaction:
            self.write("ROLLBACK")

    def checkpoint(self, *, cut: bool = False) -> None:
        """Copy the WAL to the data file; may run beside the loop, while nobody writes.

        Once readers are shown what is committed, the next commit starts the WAL anew. With `cut`
        the WAL is empty, or apsw.BusyError is raised. With `cut`, and if other processes read,
        which are asked to let go, our readers let go too: it must run in the loop.
        """
        if self.in_memory:
            return
        lets_go = cut or self.is_shared
        if lets_go:
            self._let_go()
        writer = self._writer.connection
        if self._others is not None:
            self._others.checkpoint(writer, self.wal_pages, truncate=cut)
        elif cut:
            writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        else:
            writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        self.wal_pages = 0
        if lets_go:
            self.show()

    def vacuum(self, *, pages: int, keep: int) -> bool:
        """Give up to `pages` free pages back if there are more than `keep`; whether more remain."""
        free: int = self.write("PRAGMA freelist_count").get
        if free <= keep:
            return False
        self._let_go()
        self.write(f"PRAGMA incremental_vacuum({min(pages, free - keep)})").fetchall()
        self.show()
        return free - pages > keep

    def close(self) -> None:
        """Close so that the data file alone holds everything."""
        self.checkpoint(cut=True)
        self._connections.close()

    def abandon(self) -> None:
        """Close without a word to the files, however they are."""
        self.aside.wait()
        self._connections.abandon()


def _withheld(*_statement: object) -> apsw.Cursor:
    raise apsw.ConnectionClosedError("nothing can be read")
