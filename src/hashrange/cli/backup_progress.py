"""The line that shows how far a backup or a restore is, and how long it will take."""

from collections.abc import Callable
from typing import Final

from hashrange.cli.scan_progress import time_left

_NS_PER_S: Final = 1_000_000_000
_RATE_SECONDS_MIN: Final = 2
"""Before this time the rate says little."""


class BackupProgress:
    """The line, which is written over itself.

    Args:
        of: what is counted.
        monotonic_ns: of the clock.
    """

    def __init__(self, of: str, monotonic_ns: Callable[[], int]) -> None:
        self._of = of
        self._monotonic_ns = monotonic_ns
        self._began: tuple[int, int] | None = None
        self._width = 0

    def line(self, done: int, total: int) -> str:
        """The text, as long as that before. `total` is at most `done` while it is not known."""
        now_ns = self._monotonic_ns()
        if self._began is None:
            self._began = now_ns, done
        began_ns, done_then = self._began
        text, seconds, more = f"{done:,} {self._of}", (now_ns - began_ns) / _NS_PER_S, total - done
        if more > 0:
            text = f"{done:,} of {total:,} {self._of}"
            if seconds >= _RATE_SECONDS_MIN and done > done_then:
                text += f", {time_left(more * seconds / (done - done_then))} left"
        self._width = max(self._width, len(text))
        return text.ljust(self._width)
