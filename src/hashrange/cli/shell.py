"""`hashrange shell`: PartiQL at a prompt, from options, or from standard input."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.seeding import failures

_HISTORY: Final = "~/.hashrange_history"
_PACKAGE: Final = "prompt-toolkit>=3.0.36"
_PURPOSE: Final = "The prompt, unlike -c STATEMENT and standard input, needs prompt-toolkit"


@click.command()
@endpoint_options
@click.option(
    "-c",
    "--command",
    "statements",
    metavar="STATEMENT",
    multiple=True,
    help="Run this statement and end; may be given several times.",
)
@click.option(
    "--output",
    type=click.Choice(["table", "json", "plain"]),
    help="json = DynamoDB-JSON, a line for each item; plain = JSON without types, where none is "
    "lost  [default: table on a terminal, else json]",
)
@click.option(
    "--page",
    metavar="ITEMS",
    type=click.IntRange(min=1),
    help="Items that a page of a SELECT evaluates at most  [default: up to 1 MB]",
)
@click.option(
    "--history",
    metavar="FILE",
    default=_HISTORY,
    show_default=True,
    help="Remembers the lines of the prompt; empty for none.",
)
def shell(
    statements: Sequence[str],
    *,
    address: Address,
    output: str | None,
    page: int | None,
    history: str,
) -> None:
    """Run PartiQL statements, at a prompt or from a script.

    The endpoint is this server or any that speaks the API of DynamoDB. On a terminal the command is
    a prompt, with completion by the Tab key; `\\?` lists its commands. From standard input, or with
    -c, it runs the statements in turn, prints all their items, and ends at the first that fails,
    with exit code 1. A statement is not retried: if its response is lost, whether it was carried
    out is unknown.

    \b
    Examples:
      hashrange shell
      hashrange shell -c 'SELECT * FROM "Music"' | jq .
      hashrange shell --endpoint https://dynamodb.eu-west-1.amazonaws.com < statements.sql
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.optional_packages import MissingPackageError, imported
    from hashrange.server.loop import run

    is_prompt = not statements and sys.stdin.isatty()
    if is_prompt:
        try:
            imported("prompt_toolkit", _PACKAGE, _PURPOSE)
        except MissingPackageError as error:
            raise Misuse(str(error)) from error
    form = output or ("table" if sys.stdout.isatty() else "json")
    path = Path(history).expanduser() if history else None
    with failures():
        run(
            _run(
                address,
                statements,
                form=form,
                page=page,
                history=path,
                is_prompt=is_prompt,
            )
        )


async def _run(
    address: Address,
    statements: Sequence[str],
    *,
    form: str,
    page: int | None,
    history: Path | None,
    is_prompt: bool,
) -> None:
    from rich.console import Console

    from hashrange.cli.prompt.session import Session, run_script
    from hashrange.clock import SystemClock
    from hashrange.tools.copying.place import CopyError

    console = Console(highlight=False)
    async with reached_at(address) as place:
        session = Session(place, SystemClock().monotonic_ns, form=form, page_items=page)
        if is_prompt:
            from hashrange.cli.prompt.prompt import Prompt

            console.print(f"PartiQL on {address.url}; \\? for help, \\q to end", markup=False)
            await Prompt(session, console, history).run()
            return
        lines = [f"{statement};\n" for statement in statements] or sys.stdin
        try:
            await run_script(session, lines, console)
        except CopyError as error:
            raise Refusal(str(error)) from error
