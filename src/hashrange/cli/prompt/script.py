"""Statements of a script, one after the other, up to the first that fails."""

from collections.abc import Iterable
from typing import Final

from rich.console import Console

from hashrange.cli.prompt.rendering import lines_of, table_of
from hashrange.cli.prompt.session import Page, Session, refusal_of
from hashrange.cli.prompt.statements import StatementBuffer, StatementTooLongError
from hashrange.tools.copying.place import CopyError

QUIT: Final = "\\q"
_WIDTH: Final = 10_000
"""Columns of a table that no terminal shows."""


async def run_script(session: Session, lines: Iterable[str], console: Console) -> None:
    """Run statements and commands, with all pages of each. Raises CopyError at the first fault."""
    buffer = StatementBuffer()
    try:
        for line in lines:
            for statement in buffer.add(line):
                if statement == QUIT:
                    return
                await run_all(session, statement, console)
    except StatementTooLongError as error:
        raise CopyError(str(error)) from error
    for statement in buffer.take_rest():
        await run_all(session, statement, console)


async def run_all(session: Session, statement: str, console: Console) -> None:
    """Run a statement or command, and print all that it answers. Raises CopyError."""
    try:
        if statement.startswith("\\"):
            console.print(await session.command(statement), markup=False)
            return
        async for page in session.pages(statement):
            print_items(page, session.form, console)
    except CopyError as error:
        raise CopyError(refusal_of(error)) from error


def print_items(page: Page, form: str, console: Console) -> None:
    """The items of a page, in the form of the session."""
    if form == "table":
        if page.items:
            width = None if console.is_terminal else _WIDTH
            console.print(table_of(page.items), width=width)
        return
    for line in lines_of(page.items, form):
        # Not wrapped: each item is one line, however wide the terminal is.
        console.file.write(line + "\n")
