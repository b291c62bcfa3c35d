"""Whether the machine is quiet: figures are taken only while the constant answer costs little."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from bench import client, rows, server

F = TypeVar("F", bound=Callable[..., Any])

CONSTANT_US_MAX: Final = 12.0
"""On the machine of docs/performance.md the constant answer costs 8 to 12 µs while it is quiet."""
CONNECTIONS: Final = 32
TRIES: Final = 5
"""Looks at the constant answer, one after the other, of which one has to be cheap."""
_SECONDS: Final = 1.0


def option(command: F) -> F:
    """The option `constant_us_max` of a benchmark."""
    return click.option(
        "--constant-us-max",
        default=CONSTANT_US_MAX,
        show_default=True,
        help="CPU time of the constant answer, in microseconds, on this machine while it is quiet. "
        "The benchmark stops where it costs more.",
    )(command)


def require(constant_us_max: float) -> None:
    """Look at the constant answer. Raises ClickException if the machine is not quiet."""
    with (
        server.started(["-m", "bench.constant", "--port", "0"]) as constant,
        tempfile.TemporaryDirectory() as folder,
    ):
        found = [_cpu_us(constant, Path(folder))]
        while not is_quiet(found[-1], constant_us_max):
            if len(found) == TRIES:
                raise busy(found, constant_us_max)
            found.append(_cpu_us(constant, Path(folder)))


def is_quiet(cpu_us: float | None, constant_us_max: float) -> bool:
    """Whether figures may be taken; yes, if the system does not tell the CPU time of a process."""
    return cpu_us is None or cpu_us <= constant_us_max


def busy(found: list[float | None], constant_us_max: float) -> click.ClickException:
    """The error for a machine where the constant answer costs too much."""
    least = min(each for each in found if each is not None)
    return click.ClickException(
        f"the machine is not quiet: the constant answer costs {least:.1f} µs of CPU, and not "
        f"{constant_us_max:g} or less. Figures of now say nothing. Wait, or name with "
        "--constant-us-max what it costs on this machine while nothing else runs"
    )


def _cpu_us(constant: server.Server, folder: Path) -> float | None:
    load = client.Load(
        port=constant.port,
        requests=rows.requests(rows.GET),
        seconds=_SECONDS,
        connections=CONNECTIONS,
    )
    before = server.cpu_seconds(constant.pid)
    wrk = client.wrk_path() is not None
    answered = client.run_wrk(load, folder) if wrk else client.run_own(load)
    after = server.cpu_seconds(constant.pid)
    if before is None or after is None:
        return None
    return (after - before) / answered.requests * 1e6
