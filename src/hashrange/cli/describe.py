"""`hashrange describe TABLE`: a live table as a template or a program."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING

import click

from hashrange.cli.design_writing import OUTPUTS, PARTLY, write
from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import never_asks
from hashrange.cli.refusals import Refusal

if TYPE_CHECKING:
    from hashrange.tools.design.describing import Described


@click.command()
@click.argument("table")
@click.option(
    "--as",
    "output",
    metavar="FORM",
    type=click.Choice(OUTPUTS),
    default=OUTPUTS[0],
    show_default=True,
    help=", ".join(OUTPUTS),
)
@never_asks
@click.option("--json", "as_json", is_flag=True, help="As --as json.")
@endpoint_options
def describe(*, table: str, output: str, as_json: bool, address: Address) -> None:
    """Write a live table as `hashrange design` writes a design.

    With its keys, indexes, units, auto scaling, time to live, stream, recovery, insights, alarms,
    class, tags and protection. What a design does not have is named on standard error, with exit
    code 3.

    \b
    Examples:
      hashrange describe orders
      hashrange describe orders --as terraform --endpoint aws --region eu-west-1
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.cli.seeding import failures
    from hashrange.server.loop import run
    from hashrange.tools.design.designs import design_of

    with failures():
        found = run(_described(table, address))
    if found is None:
        raise Refusal(f"{address.url} has no table {table}")
    write(design_of(found.definition), "json" if as_json else output)
    for text in found.left_out:
        click.echo(f"hashrange: {table}: without {text}", err=True)
    if found.left_out:
        click.get_current_context().exit(PARTLY)


async def _described(table: str, address: Address) -> "Described | None":
    from hashrange.clock import SystemClock
    from hashrange.tools.design.apis import services_at
    from hashrange.tools.design.describing import described

    async with services_at(address.url, address.credentials, SystemClock()) as services:
        return await described(table, services)
