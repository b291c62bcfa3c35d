"""`hashrange count TABLE`: counts items."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING, Any

import click

from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import never_asks
from hashrange.cli.refusals import Misuse
from hashrange.cli.scan_options import (
    json_option,
    options_of,
    pace_options,
    read_options,
    run_at,
    scan_failures,
    table_argument,
)
from hashrange.cli.scan_progress import ScanProgress, scan_progress, summary
from hashrange.cli.seeding import quiet_option

if TYPE_CHECKING:
    from hashrange.tools.copying.endpoint import Endpoint
    from hashrange.tools.scanning.scan import ScanOptions, ScanResult


@click.command()
@table_argument
@read_options
@pace_options
@click.option(
    "--estimate",
    is_flag=True,
    help="The count of DescribeTable, without a scan; AWS updates it every six hours.",
)
@json_option
@quiet_option
@never_asks
@endpoint_options
def count(
    *, table: str, address: Address, estimate: bool, as_json: bool, quiet: bool, **options: Any
) -> None:
    """Count the items of TABLE, by a scan that returns no items.

    \b
    Examples:
      hashrange count orders
      hashrange count orders --filter 'total > :t' --values '{":t": 100}' --json
      hashrange count orders --estimate
    """  # noqa: D301 - click reads \b as an escape
    if estimate and options["filter"] is not None:
        raise Misuse("--estimate knows no filter")
    with scan_failures(), scan_progress(quiet=quiet) as progress:
        chosen = options_of(table, options)
        result = run_at(address, lambda place: _counted(place, chosen, progress, estimate=estimate))
        if as_json:
            from hashrange.cli.scan_progress import totals_json

            click.echo(totals_json(table, result, estimate=estimate))
        else:
            click.echo(str(result.totals.items))
            if not estimate:
                progress.note(f"{table}: {summary(result.totals)}")


async def _counted(
    place: "Endpoint", options: "ScanOptions", progress: ScanProgress, *, estimate: bool
) -> "ScanResult":
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.jobs import Totals
    from hashrange.tools.scanning.scan import ScanResult, counted
    from hashrange.tools.scanning.segments import scan_target

    target = await scan_target(place, options.table, options.index)
    if estimate:
        return ScanResult(Totals(items=target.items), 0)
    progress.begins(options.table, target.items)
    return await counted(place, options, SystemClock(), progress.moved)
