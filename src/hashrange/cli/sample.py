"""`hashrange sample TABLE N`: random items of a table."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import Amount, never_asks
from hashrange.cli.scan_options import (
    json_option,
    options_of,
    read_options,
    run_at,
    scan_failures,
    table_argument,
)
from hashrange.cli.scan_progress import ScanProgress, scan_progress, summary
from hashrange.cli.seeding import quiet_option

if TYPE_CHECKING:
    from hashrange.tools.copying.endpoint import Endpoint
    from hashrange.tools.scanning.sampling import Sample
    from hashrange.tools.scanning.scan import ScanOptions

_ITEMS_MAX: Final = 100_000


@click.command()
@table_argument
@click.argument("size", metavar="N", type=click.IntRange(1, _ITEMS_MAX), default=10)
@read_options
@click.option("--projection", metavar="EXPRESSION", help="Only these attributes.")
@click.option(
    "--rate-limit",
    metavar="UNITS",
    type=Amount(above=True),
    help="Read units a second, at most.",
)
@click.option("--exact", is_flag=True, help="Read all items: every set of N is equally likely.")
@click.option("--typed", is_flag=True, help="DynamoDB JSON, and not plain.")
@json_option
@quiet_option
@never_asks
@endpoint_options
def sample(
    *,
    table: str,
    size: int,
    address: Address,
    quiet: bool,
    **options: Any,
) -> None:
    """Print N random items of TABLE, one JSON object a line.

    Random small segments of the table are read as a whole, so each item is equally likely. Items
    with one partition key, and with near hashes, come together, since they are in one segment. With
    --exact, and for small tables, all items are read, and each set of N is equally likely.

    \b
    Examples:
      hashrange sample orders 100
      hashrange sample orders 20 --filter 'attribute_exists(coupon)' --exact
    """  # noqa: D301 - click reads \b as an escape
    exact, as_json = options.pop("exact"), options.pop("as_json")
    with scan_failures(), scan_progress(quiet=quiet) as progress:
        chosen = options_of(table, options)
        found = run_at(address, lambda place: _sampled(place, chosen, size, progress, exact=exact))
        from hashrange.tools.scanning.outputs import line_form

        line = line_form(typed=chosen.typed)
        lines = [line(item).decode() for item in found.items]
        if as_json:
            import msgspec

            members = {
                "table": table,
                "items": [msgspec.Raw(each.encode()) for each in lines],
                "method": found.method,
                "scanned": found.totals.scanned,
                "units": found.totals.units,
                "seconds": round(found.totals.seconds, 3),
            }
            click.echo(msgspec.json.encode(members).decode())
            return
        for each in lines:
            click.echo(each)
        progress.note(f"{table}: {summary(found.totals)}, {found.method}")


async def _sampled(
    place: "Endpoint", options: "ScanOptions", size: int, progress: ScanProgress, *, exact: bool
) -> "Sample":
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.sampling import sampled

    progress.begins(options.table, 0)
    return await sampled(place, options, size, SystemClock(), exact=exact, on_totals=progress.moved)
