"""The progress of a load or a dump, on stderr, since stdout may be the dump itself."""

from collections.abc import Callable
from typing import Final

import click

LINE_SECONDS: Final = 10
LIVE_SECONDS: Final = 0.2
_LIVE_CHARS: Final = 40
_NS_PER_S: Final = 1_000_000_000


class Progress:
    """Counts items, and prints the count in intervals.

    Args:
        monotonic_ns: the clock.
        is_quiet: print nothing.
        is_live: stderr is a terminal: rewrite one line every 0.2 seconds, rather than print a line
            every ten seconds.
    """

    def __init__(self, monotonic_ns: Callable[[], int], *, is_quiet: bool, is_live: bool) -> None:
        self._monotonic_ns = monotonic_ns
        self._is_quiet = is_quiet
        self._is_live = is_live
        self._printed_ns = monotonic_ns()
        self._items = 0
        self._has_live_line = False

    def note(self, text: str) -> None:
        """Print a line, unless quiet."""
        self.close()
        if not self._is_quiet:
            click.echo(text, err=True)

    def moved(self, items: int) -> None:
        """Count items that were written; print the count if the last line is old enough."""
        self._items += items
        now_ns = self._monotonic_ns()
        seconds = LIVE_SECONDS if self._is_live else LINE_SECONDS
        if self._is_quiet or now_ns - self._printed_ns < seconds * _NS_PER_S:
            return
        self._printed_ns = now_ns
        text = f"{self._items:,} items"
        if self._is_live:
            click.echo(f"\r{text}", err=True, nl=False)
            self._has_live_line = True
        else:
            click.echo(text, err=True)

    def ends(self, text: str) -> None:
        """Print the last line."""
        self.note(text)

    def close(self) -> None:
        """Erase the line that is rewritten."""
        if self._has_live_line:
            click.echo(f"\r{' ' * _LIVE_CHARS}\r", err=True, nl=False)
            self._has_live_line = False
