"""The option --quiet, the progress and the errors of commands that move items."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.refusals import Misuse, Refusal, text_of_error

if TYPE_CHECKING:
    from hashrange.cli.seed_progress import Progress

STANDARD: Final = "-"
"""The name of standard input or standard output."""
CSV: Final = ".csv"
_OF_NAMED_FILES: Final = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError)
"""Errors of files that cannot be used, which the arguments name."""

quiet_option: Final = click.option("--quiet", is_flag=True, help="Print errors only.")


@contextlib.contextmanager
def progress_of(*, quiet: bool) -> "Iterator[Progress]":
    """The progress of a command, on stderr."""
    from hashrange.cli.seed_progress import Progress
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
