"""Readers of the data file in other processes, who keep the WAL from starting anew."""

import time
from contextlib import suppress
from typing import Final, Protocol

import apsw

LOOK_AGAIN_SECONDS: Final = 0.0005
LOOKS_MAX: Final = 400
"""How often it is looked whether they have let go: for 0.2 s."""


class CommitSequence(Protocol):
    """By which readers in other processes know whether their snapshot is the last one.

    Between `begin` and `end` they do not, and begin a new snapshot for each read.
    """

    def begin(self) -> None:
        """Data that are visible to them may change from now on; again has no effect."""

    def end(self) -> None:
        """Data that are visible to them stay so until the next `begin`; again has no effect."""


class CheckpointCoordinator:
    """Notifies them of commits, and makes the WAL start anew in spite of them.

    SQLite shows a commit to other processes in the middle of COMMIT. So they are notified before
    and after: a reader that is notified after it only could answer from its snapshot of the state
        before,
    when another reader has answered from the state behind it. Before, it is SQLite's commit hook
    that notifies them, which no commit of the connection can leave out.

    A passive checkpoint would let the WAL grow without a bound: readers that are busy are never
    all gone. But they go on to new snapshots, of the data file alone, when they are notified of a
    commit, whether there is one or not.

    Args:
        commits: notifies them.
    """

    def __init__(self, commits: CommitSequence) -> None:
        self._commits = commits
        self._kept_pages = 0

    def opening(self) -> None:
        """Before the file is opened, which may show a commit that was not finished."""
        self._commits.begin()

    def attend(self, writer: apsw.Connection) -> None:
        """Notify them of the commits of a connection, and wait for them where it must."""
        writer.set_commit_hook(self._committing)
        writer.set_busy_handler(_wait)

    def _committing(self) -> bool:
        self._commits.begin()
        return False  # anything else would undo the transaction

    def shown(self) -> None:
        """After a commit, whose outcome is known, a checkpoint, or after the file was opened."""
        self._commits.end()

    def unasked(self, pages: int) -> int:
        """Of the pages in the WAL those that they were not asked to let go of yet."""
        if pages < self._kept_pages:
            self._kept_pages = 0  # the WAL has started anew
        return pages - self._kept_pages

    def checkpoint(self, writer: apsw.Connection, pages: int, *, truncate: bool) -> None:
        """Copy the WAL to the data file, so that the next commit starts it anew.

        Args:
            writer: in no transaction.
            pages: as `unasked` gave them.
            truncate: all of it; otherwise, and if others do not let go in time, as much as readers
                allow.
        """
        self._commits.begin()
        mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if truncate else apsw.SQLITE_CHECKPOINT_RESTART
        self._kept_pages += pages
        with suppress(apsw.BusyError):
            writer.wal_checkpoint(mode=mode)
            self._kept_pages = 0


def _wait(looked: int) -> bool:
    time.sleep(LOOK_AGAIN_SECONDS)
    return looked < LOOKS_MAX
