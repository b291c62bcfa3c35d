"""`hashrange simulate`: the throttling and the costs of a workload."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.cost_view import WAYS, conclusion, price_list, prices_option
from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import never_asks, text_of
from hashrange.cli.live_load import interval_option
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.capacity.costs.simulated import SimulatedBill
    from hashrange.capacity.prices import PriceList
    from hashrange.capacity.simulation.results import Result
    from hashrange.capacity.simulation.workload import Workload

MONTHS_MAX: Final = 120
_WIDTH: Final = 36


@click.command()
@click.argument(
    "workload", metavar="[WORKLOAD.toml]", required=False, type=click.Path(path_type=Path)
)
@click.option(
    "--chart",
    "charts",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Write a chart, .png or .svg; may be given several times. Needs matplotlib.",
)
@click.option(
    "--months",
    type=click.IntRange(1, MONTHS_MAX),
    default=1,
    show_default=True,
    help="Months of this load in the costs; storage grows as in the simulated time.",
)
@prices_option
@click.option("--new", is_flag=True, help="Print a commented workload to begin with.")
@click.option(
    "--from",
    "table",
    metavar="TABLE",
    help="Print a workload taken from TABLE of a live server, watched for --interval seconds.",
)
@interval_option
@endpoint_options
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print all minutes and costs as JSON.")
def simulate(
    workload: Path | None, *, address: Address, new: bool, table: str | None, **options: Any
) -> None:
    """Simulate the throttling of a workload, without a server.

    Reads the design of a table and its traffic from a file; - reads standard input. Prints the
    requests that DynamoDB would throttle with the reasons, splits of partitions, decisions of auto
    scaling, and the costs of each way of paying for the capacity, for the simulated time and for
    months of it. docs/simulate.md describes the format of the file.

    \b
    Examples:
      hashrange simulate --new > orders.toml
      hashrange simulate orders.toml
      hashrange simulate --from orders > live.toml
      hashrange simulate --chart celebrity.svg examples/workloads/celebrity.toml
    """  # noqa: D301 - click reads \b as an escape
    if sum([workload is not None, new, table is not None]) != 1:
        raise Misuse("give a WORKLOAD.toml, or --new, or --from TABLE")
    if new:
        from hashrange.capacity.simulation.workload import new_workload

        click.echo(new_workload(), nl=False)
    elif table is not None:
        from hashrange.cli.live_load import live_workload

        click.echo(live_workload(address, table, options["interval"]), nl=False)
    else:
        assert workload is not None, "checked above"
        _simulate(workload, **options)


def _simulate(
    path: Path,
    *,
    charts: tuple[Path, ...],
    price_file: Path | None,
    months: int,
    as_json: bool,
    **_others: object,
) -> None:
    import msgspec

    from hashrange.capacity.costs.simulated import simulated_bill
    from hashrange.capacity.schedules import ScheduleError
    from hashrange.capacity.simulation.charts import FORMATS, draw, require
    from hashrange.capacity.simulation.report import report
    from hashrange.capacity.simulation.simulator import simulate as simulated
    from hashrange.optional_packages import MissingPackageError

    for chart in charts:
        if chart.suffix not in FORMATS:
            raise Misuse(f"{chart}: a chart is {' or '.join(FORMATS)}")
    listed = price_list(price_file)
    try:
        if charts:
            require()
        workload = _parsed(path)
        result = simulated(workload)
        costs = simulated_bill(result, _prices(workload, listed), months=months)
        if as_json:
            shown = {**msgspec.to_builtins(result), "costs": costs, "prices": listed}
            click.echo(msgspec.json.encode(shown))
        else:
            click.echo(report(result))
            click.echo("\n".join(_costs(result, costs, listed, months)))
        for chart in charts:
            draw(result, chart)
    except ScheduleError as error:
        raise Misuse(f"{path}: {error}") from error
    except (MissingPackageError, OSError) as error:
        raise Refusal(str(error)) from error


def _parsed(path: Path) -> "Workload":
    from hashrange.capacity.simulation.workload import WorkloadError, parsed

    try:
        return parsed(text_of(path))
    except WorkloadError as error:
        raise Misuse(f"{path}: {error}") from error


def _prices(workload: "Workload", listed: "PriceList") -> Any:
    from hashrange.capacity.prices import prices_of

    return prices_of(listed).changed(workload.prices)


def _costs(
    result: "Result", costs: "SimulatedBill", listed: "PriceList", months: int
) -> Iterator[str]:
    period = "a month" if months == 1 else f"{months} months"
    yield f"Cost in US dollars, prices of {listed.region} of {listed.date}:"
    yield f"  {'':<{_WIDTH}}{f'{result.seconds} s':>14}{period:>14}"
    yield from _rows(costs, months)
    bill = costs.bill
    stored = bill.capacity["on_demand"][-1]
    yield (
        f"Storage: {stored.quantity:,.4g} GB on average, {stored.usd or 0:,.2f} a month of each "
        f"total; {costs.storage_growth_gb:,.4g} GB more with each month."
    )
    yield from conclusion(bill)


def _rows(costs: "SimulatedBill", months: int) -> Iterator[str]:
    provisioned = costs.run["as_provisioned"]
    if provisioned is not None:
        yield f"  {'as it was provisioned':<{_WIDTH}}{provisioned:>14,.4f}"
    for name, text in WAYS.items():
        run, month = costs.run[name], costs.bill.monthly[name]
        mark = "  cheapest" if name == costs.bill.cheapest else ""
        shown = "no price" if run is None else f"{run:,.4f}"
        whole = "" if month is None else f"{month * months:,.2f}"
        yield f"  {text:<{_WIDTH}}{shown:>14}{whole:>14}{mark}"
