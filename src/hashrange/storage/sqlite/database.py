"""One data file as a thing to begin, commit and check point, and the state that reads see."""

from collections.abc import Callable
from typing import Any, Final

import apsw

from hashrange.storage.first_reads import FirstReads
from hashrange.storage.sqlite.checkpoint_coordinator import CheckpointCoordinator
from hashrange.storage.sqlite.connections import Connections
from hashrange.storage.sqlite.damage import DamageReports
from hashrange.storage.sqlite.disk_thread import DiskWorker
from hashrange.storage.sqlite.page_cipher import copy_pages
from hashrange.storage.sqlite.rows import Execute, Rows
from hashrange.storage.sqlite.schema import raise_version
from hashrange.storage.sqlite.wal import wal_of

_LOOK: Final = "SELECT 1 FROM kv LIMIT 0"


class ReadView:
    """The transaction that reads use, held open, as to begin one for each read costs 0.7 µs.

    Where commits are durable before the event loop goes on, reads use the connection that writes:
    it keeps its cache and its map of the data file over its own commits, which another connection
    drops. Measured at 2 million rows: 3.5 µs a read, 4.5 between groups, against 6.4 and 8.3. The
    next group goes on in the same transaction.

    Where a commit waits for its sync beside the loop, the connection that writes sees more than is
    on disk. Then reads are *apart*, on a connection of their own, whose transaction is of the state
    before until `show`. They always are if other processes read as well.

    The methods raise apsw.Error.

    Args:
        shown: notified of each `show`, for other processes that read; None if there are none.

    Attributes:
        read: runs a SELECT on the last state that is on disk.
        is_apart: whether reads are apart.
        is_counting: whether `reads` grows with each read, from the next `show` on.
    """

    read: Execute
    _execute: Execute

    def __init__(self, shown: Callable[[], None] | None) -> None:
        self._shown = shown
        self.is_apart = shown is not None
        self._is_pinned = False
        self.is_counting = False
        self.reads = 0

    def connect(self, writer: apsw.Cursor, reader: apsw.Cursor) -> None:
        """Take over new connections, whose states are the same. In memory both are one."""
        self._writer, self._reader = writer, reader
        self._is_pinned = False
        self.show()

    def look_apart(self, *, is_apart: bool) -> None:
        """Choose the connection of reads, while all that is committed is on disk."""
        if not (self._is_pinned and self.is_apart):
            self.let_go()
        self.is_apart = is_apart
        self.show()

    def show(self) -> None:
        """Let reads see what is committed; other processes may, too.

        Not after a commit that has failed: what is committed is known when `connect` has ended.
        """
        cursor = self._reader if self.is_apart else self._writer
        read = self._execute = cursor.execute
        self.read = self._counted if self.is_counting else read
        if cursor.connection.in_transaction:
            read("COMMIT")
        read("BEGIN")
        if self.is_apart:
            # Now, and not with the first read: by then more may be committed.
            read(_LOOK).fetchall()
        if self._shown is not None:
            self._shown()

    def _counted(self, *statement: Any) -> apsw.Cursor:
        self.reads += 1
        return self._execute(*statement)

    def withhold(self) -> None:
        """Let reads fail until `show`, but keep the connections."""
        self.read = _withheld

    def let_go(self) -> None:
        """End the transactions of both connections, until `show`."""
        for cursor in (self._writer, self._reader):
            if cursor.connection.in_transaction:
                cursor.execute("COMMIT")

    def pin(self) -> None:
        """Let no checkpoint copy more than what is committed now, which is on disk, until `unpin`.

        SQLite copies no more than the oldest transaction of a reader sees.
        """
        self._is_pinned = True
        if not self.is_apart:
            self._reader.execute("BEGIN")
            self._reader.execute(_LOOK).fetchall()

    def unpin(self) -> None:
        """Let checkpoints copy all; again has no effect."""
        self._is_pinned = False
        if not self.is_apart and self._reader.connection.in_transaction:
            self._reader.execute("COMMIT")


def _withheld(*_statement: object) -> apsw.Cursor:
    raise apsw.ConnectionClosedError("nothing can be read")


class Database:
    """One connection that writes and, on a file, one that reads and one that check points.

    What is read sees the last state that is on disk: `view`. The WAL starts anew, with the next
    commit, if it is copied to the data file as a whole and nobody reads from it.

    The methods raise apsw.Error. After one that writes, or anything else between `begin` and
    `ReadView.show`, the caller must `abandon` the connections and `connect` anew.

    Args:
        connections: not open yet.
        make_aside: where `sync` and `copy` may run beside the loop. Nothing is closed under what
            runs there.

    Attributes:
        connections: all of them; open after `connect`.
        connection: that writes; SQLite ends its transaction by itself after some errors.
        view: what reads see.
        in_memory: whether the data end with the connection.
        is_shared: whether other processes read.
        path: of the data file; None in memory.
        wal_pages: in the WAL after the last commit, 0 if the next one begins it, or lets it start
            anew; some may be in the data file already.
        copied_pages: of those in the WAL, the first ones, that are in the data file.
        has_unsynced: whether the WAL has commits that no group has synced.
        freezer: whose transaction keeps the data file as it is; None if it may change.
        sync_aside: where `sync` may run.
        copy_aside: where `copy` may run.
        damage: reports what cannot be read.
        first_reads: compares the rows on which writes decide; None to compare nothing.
    """

    rows: Rows
    """Reads and writes rows in that transaction."""
    write: Execute
    """Runs a statement in the transaction that `begin` began."""
    sync: Callable[[], object] | None
    """Makes a commit durable before it may be shown; None if COMMIT does, or nothing.

    Raises apsw.Error, OSError; then nobody knows what is on the disk."""

    def __init__(self, connections: Connections, make_aside: Callable[[], DiskWorker]) -> None:
        self.connections = connections
        commits = connections.commits
        self._others = None if commits is None else CheckpointCoordinator(commits)
        self.sync_aside, self.copy_aside = make_aside(), make_aside()
        self.path = connections.path
        self.in_memory = self.path is None
        self.is_shared = self._others is not None
        self.wal_pages = self.copied_pages = 0
        self.has_unsynced = False
        self.damage = DamageReports()
        self.first_reads: FirstReads | None = None
        self.freezer: apsw.Connection | None = None
        self.view = ReadView(None if self._others is None else self._others.shown)

    def connect(self) -> None:
        """Open the connections. Raises StorageOpenError if the file is not ours."""
        connections = self.connections
        if self._others is not None:
            self._others.opening()
        connections.open()
        self.connection = connections.writer
        cursor = connections.writer.cursor()
        if not self.in_memory:
            # Takes the place of SQLite's own checkpoints, which would run inside of a commit.
            connections.writer.set_wal_hook(self._committed)
            if self._others is not None:
                self._others.attend(connections.writer)
        self.write = cursor.execute
        self.rows = Rows(cursor)
        self.sync = None if connections.wal_sync is None else connections.wal_sync.sync
        reader = cursor if self.in_memory else connections.reader.cursor()
        self.view.connect(cursor, reader)

    def _committed(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self.wal_pages = pages if self._others is None else self._others.unasked(pages)
        if pages < self.copied_pages:
            self.copied_pages = 0  # the WAL has started anew
        return apsw.SQLITE_OK

    def begin(self) -> None:
        """Begin a transaction for `write` and `rows`, if none is open for reads."""
        if self.is_shared:
            self.view.let_go()  # nobody reads meanwhile, so that the WAL can start anew
        self.write("BEGIN IMMEDIATE")

    def roll_back(self) -> None:
        """Undo the transaction, for a database in memory, which cannot be opened anew."""
        if self.connection.in_transaction:
            self.write("ROLLBACK")

    def copy(self) -> None:
        """Copy the WAL to the data file, and put that on the disk.

        It may run beside the loop: while nobody writes, or while the view is pinned. But if other
        processes read, which are asked to let go, it must run in the loop. Raises OSError, too.
        """
        if self._others is not None:
            self.view.let_go()
            self._others.checkpoint(self.connection, self.wal_pages, truncate=False)
            return
        checkpointer, data_sync = self.connections.checkpointer, self.connections.data_sync
        if self.has_unsynced and self.sync is not None:
            self.sync()
        self.has_unsynced = False
        _, copied = checkpointer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if data_sync is not None:
            data_sync.sync()
        self.copied_pages = copied

    def copied(self) -> None:
        """After a copy of all: the next commit starts the WAL anew, as reads let go of it."""
        self.wal_pages = self.copied_pages = 0
        self.view.show()

    def cut(self) -> None:
        """Copy the WAL and leave it empty. Raises apsw.BusyError if that is not possible."""
        if self.in_memory:
            return
        self.view.let_go()
        if self._others is not None:
            self._others.checkpoint(self.connection, self.wal_pages, truncate=True)
        else:
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self.copied()

    def vacuum(self, *, pages: int, keep: int) -> bool:
        """Give up to `pages` free pages back if there are more than `keep`; whether more remain.

        What it commits is on disk after the next `copy`, before which no group may begin.
        """
        free: int = self.write("PRAGMA freelist_count").get
        if free <= keep:
            return False
        self.view.let_go()
        self.has_unsynced = True
        self.write(f"PRAGMA incremental_vacuum({min(pages, free - keep)})").fetchall()
        self.view.show()
        return free - pages > keep

    def freeze(self) -> apsw.Connection:
        """Copy all of the WAL, and let the data file stay as it is from then on; until `thaw`.

        Raises apsw.BusyError: other processes read just now.
        """
        assert self.freezer is None, "not yet frozen"
        self.cut()
        self.freezer = self.connections.beginning()
        return self.freezer

    def thaw(self) -> None:
        """Let the data file change again."""
        freezer, self.freezer = self.freezer, None
        if freezer is not None:
            self.connections.close_one(freezer)

    def replace(self, source: apsw.Connection) -> None:
        """Put all data back to those of another database, durably, while no group is under way.

        Raises OSError, too. As after other writes that fail, nobody then knows what is there.
        """
        if self._others is not None:
            self._others.opening()  # such a commit calls no hook
        self.view.let_go()
        copy_pages(source, self.connection)
        raise_version(self.connection)
        if self.sync is not None:
            self.sync()
        self.rows = Rows(self.connection.cursor())
        if self.path is not None:
            # At most: a part of the file may be left from before the WAL started anew.
            pages = wal_of(self.path).stat().st_size // self.connection.pragma("page_size")
            self._committed(self.connection, "main", pages)
        self.view.show()

    def close(self, copied: Callable[[], None]) -> None:
        """Close so that the data file alone holds everything; `copied` is called once it does.

        Raises OSError of `copied`, too.
        """
        self.thaw()
        self.cut()
        copied()
        self.connections.close()

    def abandon(self) -> None:
        """Close without a word to the files, however they are."""
        self.freezer = None
        self.sync_aside.wait()
        self.copy_aside.wait()
        self.connections.abandon()
