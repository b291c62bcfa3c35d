"""The option --quiet, the progress and the errors of commands that move items."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Final

import click

from hashrange.cli.refusals import Misuse, Refusal, text_of_error

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


STANDARD: Final = "-"
"""The name of standard input or standard output."""
CSV: Final = ".csv"
_OF_NAMED_FILES: Final = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError)
"""Errors of files that cannot be used, which the arguments name."""

quiet_option: Final = click.option("--quiet", is_flag=True, help="Print errors only.")


@contextlib.contextmanager
def progress_of(*, quiet: bool) -> Iterator[Progress]:
    """The progress of a command, on stderr."""
    from hashrange.clock import SystemClock

    progress = Progress(SystemClock().monotonic_ns, is_quiet=quiet, is_live=sys.stderr.isatty())
    try:
        yield progress
    finally:
        progress.close()


@contextlib.contextmanager
def failures() -> Iterator[None]:
    """Raise errors within the context as Refusal or Misuse, which are printed as one line."""
    from hashrange.tools.copying.place import CopyError

    try:
        yield
    except BrokenPipeError as error:
        # The reader has closed the pipe; the interpreter must not flush to it when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Refusal("standard output was closed") from error
    except _OF_NAMED_FILES as error:
        raise (Refusal if error.filename is None else Misuse)(text_of_error(error)) from error
    except OSError as error:
        raise Refusal(text_of_error(error)) from error
    except CopyError as error:
        raise Refusal(str(error)) from error
    except KeyboardInterrupt as error:
        raise Refusal("stopped") from error
