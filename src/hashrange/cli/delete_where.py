"""`hashrange delete-where TABLE`: deletes the items of a table that fulfil a filter."""

import sys
from typing import Any

import click

from hashrange.cli.change_options import ChangeCommand, change_options
from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.refusals import Misuse
from hashrange.cli.scan_options import pace_options, read_options, table_argument


@click.command()
@table_argument
@read_options
@pace_options
@click.option("--yes", is_flag=True, help="Do not ask for the name of the table.")
@click.option("--non-interactive", is_flag=True, help="Ask nothing: delete with --yes only.")
@change_options
@endpoint_options
def delete_where(
    *, table: str, address: Address, yes: bool, non_interactive: bool, **options: Any
) -> None:
    """Delete the items of TABLE that fulfil the filter.

    Each delete has the filter as its condition, so an item that no longer fulfils it stays. The
    command asks for the name of the table, unless --yes is given. --dry-run counts the items. After
    Ctrl-C or a kill, --resume continues.

    \b
    Examples:
      hashrange delete-where sessions --filter 'expires < :now' --values '{":now": 1796000000}'
      hashrange delete-where sessions --filter 'attribute_not_exists(customer)' --dry-run
    """  # noqa: D301 - click reads \b as an escape
    if options["filter"] is None:
        raise Misuse("--filter is missing: it says which items are deleted")
    ChangeCommand(
        "delete-where", "DeleteItem", "deleted", table=table, address=address, options=options
    ).run(lambda: None if yes else _confirm(table, address.url, asks=not non_interactive))


def _confirm(table: str, url: str, *, asks: bool) -> None:
    """Ask for the name of the table. Raises Misuse: another text was typed."""
    if not (asks and sys.stdin.isatty()):
        raise Misuse("nobody can be asked: --yes deletes without a question, --dry-run counts")
    text = f"Items of {table} at {url} are deleted. Type the name of the table to go on"
    typed = click.prompt(text, default="", show_default=False, err=True)
    if typed != table:
        raise Misuse("another name was typed: nothing was deleted")
