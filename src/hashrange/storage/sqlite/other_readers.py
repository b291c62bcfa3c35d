"""Readers of the data file in other processes, who keep the WAL from starting anew."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import apsw

ASK_AGAIN_SECONDS: Final = 0.0005
ASKED_MAX: Final = 400
"""How often they are asked to let go: for 0.2 s."""


class OtherReaders:
    """Tells them of commits, and makes the WAL start anew in spite of them.

    A passive checkpoint would let it grow without a bound: readers that are busy are never all
    gone. But they begin anew when they are told of a commit, whether there was one or not.

    Args:
        published: tells them; None if there are none.
    """

    def __init__(self, published: Callable[[], None] | None) -> None:
        self._published = published
        self._kept_pages = 0

    def attend(self, writer: apsw.Connection) -> None:
        """Wait for them where the connection must."""
        if self._published is not None:
            writer.set_busy_handler(self._ask)

    def _ask(self, asked: int) -> bool:
        assert self._published is not None, "else there are none"
        self._published()
        time.sleep(ASK_AGAIN_SECONDS)
        return asked < ASKED_MAX

    def committed(self, pages: int) -> int:
        """Tell them; of the pages in the WAL those that they were not asked to let go of yet."""
        if self._published is not None:
            self._published()
        if pages < self._kept_pages:
            self._kept_pages = 0  # the WAL has started anew
        return pages - self._kept_pages

    def checkpoint(self, writer: apsw.Connection, pages: int, *, truncate: bool) -> None:
        """Copy the WAL to the data file, so that the next commit starts it anew.

        Args:
            writer: in no transaction.
            pages: as `committed` gave them.
            truncate: all of it, or apsw.BusyError; otherwise, and if others do not let go in time,
                as much as readers allow.
        """
        if self._published is None:
            mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if truncate else apsw.SQLITE_CHECKPOINT_PASSIVE
            writer.wal_checkpoint(mode=mode)
            return
        mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if truncate else apsw.SQLITE_CHECKPOINT_RESTART
        self._kept_pages += pages
        with suppress(apsw.BusyError):
            writer.wal_checkpoint(mode=mode)
            self._kept_pages = 0
