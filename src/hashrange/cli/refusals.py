"""Errors of commands, which end them with one line on stderr and an exit code."""

from typing import Final

import click
from click.exceptions import NoArgsIsHelpError

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


def text_of_error(error: OSError) -> str:
    """The file and the reason of an error, without its number."""
    reason = error.strerror or str(error)
    return reason if error.filename is None else f"{error.filename}: {reason}"


def line_of(error: click.ClickException) -> str:
    """The line that is printed; of a usage error with a reference to --help."""
    if isinstance(error, NoArgsIsHelpError):
        assert isinstance(error.ctx.command, click.Group), "only groups need a command"
        names = sorted(error.ctx.command.commands)
        return f"hashrange: name a command: {', '.join(names)}. See {error.ctx.command_path} --help"
    text = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        stop = "" if text.endswith((".", "?", "?)")) else "."
        text = f"{text}{stop} See {error.ctx.command_path} --help"
    return f"hashrange: {text}"
