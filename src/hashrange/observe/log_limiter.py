"""Limits how often a log line is written that could be written thousands of times a second."""

from collections.abc import Callable
from typing import Final

WINDOW_NS: Final = 1_000_000_000


class LogLimiter:
    """Counts occurrences of an event, and says when to log them.

    Args:
        monotonic_ns: the clock.
        lines: log lines allowed in a second.
    """

    def __init__(self, monotonic_ns: Callable[[], int], lines: int = 1) -> None:
        self._monotonic_ns = monotonic_ns
        self._lines = lines
        self._left = 0
        self._unlogged = 0
        self._next_ns: int | None = None

    def happened(self) -> int:
        """Count an occurrence.

        Returns:
            0 if it is not to be logged now; otherwise the occurrences since the last log line.
        """
        self._unlogged += 1
        now_ns = self._monotonic_ns()
        if self._next_ns is None or now_ns >= self._next_ns:
            self._next_ns = now_ns + WINDOW_NS
            self._left = self._lines
        if not self._left:
            return 0
        self._left -= 1
        count, self._unlogged = self._unlogged, 0
        return count
