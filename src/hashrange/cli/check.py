"""`hashrange check MODEL`: runs the access patterns of a model."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.endpoints import Address, address_of, endpoint_option, reached_at
from hashrange.cli.files import never_asks
from hashrange.cli.model_files import model_at
from hashrange.cli.refusals import Refusal

if TYPE_CHECKING:
    from hashrange.tools.checking.results import Report
    from hashrange.tools.models.schema import Model

FAILED: Final = 1
"""Exit code if the check found errors."""
_RANDOM_BYTES: Final = 4


@click.command()
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@endpoint_option
@click.option("--profile", metavar="NAME", help="Profile of the shared AWS files.")
@click.option("--region", metavar="NAME", help="Region of the requests.")
@click.option(
    "--live",
    is_flag=True,
    help="Compare with the tables of the server, instead of making scratch tables.",
)
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def check(
    model_file: Path,
    endpoint: str | None,
    profile: str | None,
    region: str | None,
    *,
    live: bool,
    as_json: bool,
) -> None:
    """Run the access patterns of a model.

    MODEL is a file in any form that docs/models.md lists. Without --endpoint the patterns run on a
    server in memory that ends with the command. With it the tables are made under names with the
    prefix scratch- and removed at the end. Exit codes: 0, 1 if the check found errors, 2 if MODEL
    cannot be read.

    \b
    Examples:
      hashrange check shop.toml
      hashrange check shop.toml --json --endpoint http://127.0.0.1:8000
      hashrange check template.yaml --live --endpoint aws --region eu-west-1
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.cli.check_view import text_of
    from hashrange.server.loop import run
    from hashrange.tools.checking.results import as_members
    from hashrange.tools.models.files import json_text

    found = model_at(model_file)
    needs_server = endpoint is not None or profile is not None or region is not None or live
    if needs_server:
        report = run(_report(found, address_of(endpoint, profile, region), live=live))
    else:
        report = _in_memory(found)
    click.echo(json_text(as_members(report)) if as_json else text_of(report))
    if report.has_errors:
        click.get_current_context().exit(FAILED)


def _in_memory(model: "Model") -> "Report":
    from hashrange.process import StartError, started
    from hashrange.server.loop import run

    try:
        server = started({"memory": True, "port": 0})
    except StartError as error:
        raise Refusal(str(error)) from error
    with server:
        return run(_report(model, address_of(server.endpoint), live=False, prefix=""))


async def _report(
    model: "Model", address: Address, *, live: bool, prefix: str | None = None
) -> "Report":
    from hashrange.clock import SystemClock
    from hashrange.tools.checking.checks import SCRATCH, compare_live
    from hashrange.tools.checking.checks import check as checked
    from hashrange.tools.copying.place import CopyError

    clock = SystemClock()
    if prefix is None:
        prefix = f"{SCRATCH}{clock.random_bytes(_RANDOM_BYTES).hex()}-"
    async with reached_at(address) as place:
        try:
            if live:
                return await compare_live(model, place)
            return await checked(
                model,
                place,
                prefix=prefix,
                pause=asyncio.sleep,
                monotonic_ns=clock.monotonic_ns,
            )
        except CopyError as error:
            raise Refusal(str(error)) from error
