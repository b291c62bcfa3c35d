"""Errors of commands, which end them with one line on stderr and an exit code."""

from typing import Final

import click

REFUSED: Final = 1
"""Exit code of a command that failed."""
MISUSED: Final = 2
"""Exit code of a command whose arguments cannot be used."""


class Refusal(click.ClickException):
    """The command failed."""

    exit_code = REFUSED


class Misuse(Refusal):
    """The arguments of the command cannot be used."""

    exit_code = MISUSED


def line_of(error: click.ClickException) -> str:
    """The line that is printed; of a usage error with a reference to --help."""
    text = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        stop = "" if text.endswith((".", "?", "?)")) else "."
        text = f"{text}{stop} See {error.ctx.command_path} --help"
    return f"hashrange: {text}"
