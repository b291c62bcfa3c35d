"""What went wrong at the start, as one line to stderr and an exit code."""

from typing import Final

import click

REFUSED: Final = 1
"""It was tried, and did not work."""
MISUSED: Final = 2
"""It cannot even be tried."""


class Refusal(click.ClickException):
    """The command did not work."""

    exit_code = REFUSED


class Misuse(Refusal):
    """The command cannot even try."""

    exit_code = MISUSED


def line_of(error: click.ClickException) -> str:
    """What is printed; of a misspelt command line also where the right spelling stands."""
    text = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        stop = "" if text.endswith((".", "?", "?)")) else "."
        text = f"{text}{stop} See {error.ctx.command_path} --help"
    return f"hashrange: {text}"
