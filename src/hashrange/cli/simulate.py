"""`hashrange simulate`: the throttling of a workload."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
from pathlib import Path
from typing import Final

import click

from hashrange.cli.refusals import Misuse, Refusal

_FILE_BYTES_MAX: Final = 1024 * 1024


@click.command()
@click.argument("workload", metavar="WORKLOAD.toml", type=click.Path(path_type=Path))
@click.option(
    "--chart",
    "charts",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Write a chart, .png or .svg; may be given several times. Needs matplotlib.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all minutes as JSON.")
def simulate(workload: Path, charts: tuple[Path, ...], *, as_json: bool) -> None:
    """Simulate the throttling of a workload, without a server.

    Reads the design of a table and its traffic from a file. Prints the requests that DynamoDB would
    throttle with the reasons, splits of partitions, decisions of auto scaling, and the cost of
    on-demand and of provisioned capacity. docs/simulate.md describes the format of the file.

    \b
    Examples:
      hashrange simulate examples/workloads/celebrity.toml
      hashrange simulate --chart celebrity.svg examples/workloads/celebrity.toml
    """  # noqa: D301 - click reads \b as an escape
    import msgspec

    from hashrange.capacity.schedules import ScheduleError
    from hashrange.optional_packages import MissingPackageError
    from hashrange.simulation.charts import FORMATS, draw
    from hashrange.simulation.report import report
    from hashrange.simulation.simulator import simulate as simulated
    from hashrange.simulation.workload import WorkloadError, parsed

    for chart in charts:
        if chart.suffix not in FORMATS:
            raise Misuse(f"{chart}: a chart is {' or '.join(FORMATS)}")
    try:
        result = simulated(parsed(_text(workload)))
        click.echo(msgspec.json.encode(result) if as_json else report(result), nl=as_json)
        for chart in charts:
            draw(result, chart)
    except (WorkloadError, ScheduleError) as error:
        raise Misuse(f"{workload}: {error}") from error
    except MissingPackageError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(str(error)) from error


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_BYTES_MAX + 1)
        if len(data) > _FILE_BYTES_MAX:
            raise Misuse(f"{path}: larger than {_FILE_BYTES_MAX} bytes")
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: {error}") from error
