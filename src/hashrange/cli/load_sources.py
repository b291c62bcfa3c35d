"""Where `hashrange capacity --from` takes a load from: a live server, a model, or a simulation."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hashrange.cli.endpoints import Address
from hashrange.cli.files import text_of
from hashrange.cli.live_load import live_usage_of
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.tools.costs.usage import Usage

METRICS: Final = "metrics"
"""As the source: all tables of a server."""
_FILES: Final = (".toml", ".json", ".yaml", ".yml", ".template")


def usage_from(source: str, address: Address, interval: float) -> "tuple[Usage, list[str]]":
    """The usage of a source, and lines that say how it was taken. Raises Misuse, Refusal."""
    if source.endswith(_FILES) or Path(source).is_file():
        return _of_workload(Path(source))
    table = None if source == METRICS else source
    usage, text = live_usage_of(address, table, interval)
    return usage, [text]


def _of_workload(path: Path) -> "tuple[Usage, list[str]]":
    from hashrange.capacity.schedules import ScheduleError
    from hashrange.optional_packages import MissingPackageError
    from hashrange.simulation.simulator import simulate
    from hashrange.simulation.workload import WorkloadError, parsed
    from hashrange.tools.costs.simulated import usage_of

    try:
        result = simulate(parsed(text_of(path)))
    except (WorkloadError, ScheduleError) as error:
        raise Misuse(f"{path}: {error}") from error
    except MissingPackageError as error:
        raise Refusal(str(error)) from error
    usage = usage_of(result)
    writes = usage.write_units + usage.index_write_units
    text = f"simulation of {result.title}, {result.seconds} s: {usage.read_units:,.4g} read and "
    text += f"{writes:,.4g} write units a second; the busiest minute uses 70 % of the units for it"
    return usage, [text]
