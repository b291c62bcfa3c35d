"""Lines that would come thousands of times a second, and come a few times a second."""

from collections.abc import Callable
from typing import Final

WINDOW_NS: Final = 1_000_000_000


class LogLimiter:
    """Counts what happens, and says when it may be told.

    Args:
        monotonic_ns: the clock.
        lines: how often it may be told in a second.
    """

    def __init__(self, monotonic_ns: Callable[[], int], lines: int = 1) -> None:
        self._monotonic_ns = monotonic_ns
        self._lines = lines
        self._left = 0
        self._untold = 0
        self._next_ns: int | None = None

    def happened(self) -> int:
        """How often it happened since it was last told, if it may be told now; otherwise 0."""
        self._untold += 1
        now_ns = self._monotonic_ns()
        if self._next_ns is None or now_ns >= self._next_ns:
            self._next_ns = now_ns + WINDOW_NS
            self._left = self._lines
        if not self._left:
            return 0
        self._left -= 1
        told, self._untold = self._untold, 0
        return told
