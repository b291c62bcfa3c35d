"""`hashrange mcp`: the tables of an endpoint as tools of the Model Context Protocol."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
import click

from hashrange.cli.endpoints import Address, endpoint_options, reached_at
from hashrange.cli.refusals import Refusal
from hashrange.cli.seeding import failures


@click.command()
@click.option("--write", "is_writing", is_flag=True, help="Allow statements that change data.")
@endpoint_options
def mcp(*, is_writing: bool, address: Address) -> None:
    """Give assistants tools for the tables of a server.

    Speaks the Model Context Protocol on standard input and output; an assistant starts it. The
    tools list, describe and read tables, run SELECT statements of PartiQL, check models, price
    loads, show the keys with the most requests, and search this documentation. They change nothing
    without --write. It needs the package mcp.

    \b
    Examples:
      hashrange mcp
      hashrange mcp --endpoint http://127.0.0.1:9000 --write
      hashrange mcp --endpoint aws --profile readonly --region eu-west-1
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.cli.assistants.protocol import check_installed
    from hashrange.optional_packages import MissingPackageError
    from hashrange.server.loop import run

    try:
        check_installed()
    except MissingPackageError as error:
        raise Refusal(str(error)) from error
    with failures():
        run(_serve(address, is_writing=is_writing))


async def _serve(address: Address, *, is_writing: bool) -> None:
    from hashrange.cli.assistants.protocol import serve
    from hashrange.cli.assistants.tools import tools

    async with reached_at(address) as place:
        await serve(tools(place, address, is_writing=is_writing))
