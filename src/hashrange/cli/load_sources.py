"""Where `hashrange capacity --from` takes a load from: a live server, a model, or a simulation."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hashrange.cli.endpoints import Address
from hashrange.cli.files import text_of
from hashrange.cli.live_load import live_usage_of
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.capacity.costs.usage import Usage

METRICS: Final = "metrics"
"""As the source: all tables of a server."""
_TOML: Final = ".toml"
_TRAFFIC: Final = "traffic"
_FILES: Final = (_TOML, ".json", ".yaml", ".yml", ".template")


def usage_from(source: str, address: Address, interval: float) -> "tuple[Usage, list[str]]":
    """The usage of a source, and lines that say how it was taken. Raises Misuse, Refusal."""
    if source.endswith(_FILES) or os.sep in source:
        path = Path(source)
        return _of_workload(path) if _is_workload(path) else _of_model(path)
    table = None if source == METRICS else source
    usage, text = live_usage_of(address, table, interval)
    return usage, [text]


def _is_workload(path: Path) -> bool:
    """Whether a file is of `hashrange simulate`, by its list of traffic; others are models."""
    import tomllib

    if path.suffix != _TOML:
        return False
    try:
        return _TRAFFIC in tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise Misuse(f"{path}: {error}") from error


def _of_model(path: Path) -> "tuple[Usage, list[str]]":
    from hashrange.cli.model_files import model_at
    from hashrange.tools.costs.load import usage_of_model

    found = usage_of_model(model_at(path))
    lines = found.arithmetic
    if found.left_out:
        lines = [*lines, f"not counted: {', '.join(found.left_out)}"]
    return found.usage, lines


def _of_workload(path: Path) -> "tuple[Usage, list[str]]":
    from hashrange.capacity.costs.simulated import usage_of
    from hashrange.capacity.schedules import ScheduleError
    from hashrange.capacity.simulation.simulator import simulate
    from hashrange.capacity.simulation.workload import WorkloadError, parsed
    from hashrange.optional_packages import MissingPackageError

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
