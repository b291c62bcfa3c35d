"""Notices that the disk does not answer: a call beside the loop that does not end."""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from hashrange.storage.sqlite.disk_thread import BackgroundCall

STALL_SECONDS: Final = 5
"""A sync takes milliseconds, on network storage tens of them."""
_NS_PER_S: Final = 1_000_000_000

_log: Final = logging.getLogger(__name__)


class StallWatch:
    """Says why writes wait, while a sync or a copy of the write-ahead log does not end.

    Writes of the group that is synced and those behind it wait; they are answered when the disk is
    back. Reads go on. A sync within the loop, of a disk that has been fast, stops the loop as well.

    Args:
        calls: those beside the loop.
        monotonic_ns: the clock by which they began.
    """

    def __init__(self, calls: Sequence[BackgroundCall], monotonic_ns: Callable[[], int]) -> None:
        self._calls = calls
        self._monotonic_ns = monotonic_ns
        self._is_logged = False

    def reason(self) -> str | None:
        """Why writes wait; None if no call has taken `STALL_SECONDS`."""
        now_ns = self._monotonic_ns()
        waits_ns = [now_ns - call.begun_ns for call in self._calls if call.is_out]
        seconds = max(waits_ns, default=0) // _NS_PER_S
        if seconds < STALL_SECONDS:
            return None
        return f"the disk has not answered a sync for {seconds} s; writes wait, reads go on"

    def look(self) -> None:
        """Log once that the disk does not answer, and once that it does again."""
        reason = self.reason()
        if reason is not None and not self._is_logged:
            _log.error("%s", reason)
        elif reason is None and self._is_logged:
            _log.warning("the disk answers again; the writes that waited go on")
        self._is_logged = reason is not None
