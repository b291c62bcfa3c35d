"""`python -m bench.sidebyside`: hashrange and Dynoxide, on disk and in memory, as ratios.

The servers take turns: in each round of a row the echo (`bench.constant`) is loaded first, then
each server. All figures are ratios within a round, and the medians of the rounds are printed: what
other programs take from the machine meanwhile concerns both sides of a ratio. It is printed as
well, in cores. Ratios of CPU time bear a busy machine better than those of rates.
"""

import json
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click
import msgspec

from bench import rows, server
from bench.client import wrk_path
from bench.peers.catalogue import CONSTANT, peers
from bench.peers.measuring import WARM_CONNECTIONS, WARM_SECONDS, closed, is_able
from bench.peers.report import MISSING, markdown
from bench.peers.running import Row, Subject, begun
from bench.peers.workloads import WORKLOADS, Workload
from bench.report import circumstances
from hashrange import __version__

DISK: Final = "hashrange"
MEMORY: Final = "hashrange, memory"
OTHER_DISK: Final = "Dynoxide, disk"
OTHER_MEMORY: Final = "Dynoxide"
SERVERS: Final = (DISK, MEMORY, OTHER_DISK, OTHER_MEMORY)
ROWS: Final = (
    rows.PUT, rows.PUT_STREAMED, rows.GET, rows.UPDATE, rows.QUERY, rows.QUERY_100,
    rows.BATCH_WRITE, rows.TRANSACT,
)  # fmt: skip
_STAT: Final = Path("/proc/stat")
_IDLE: Final = slice(3, 5)
"""The fields of idle and waiting time in the first line of `_STAT`, behind its name."""
_GUEST: Final = 8
"""The fields from there on are parts of those before."""
_HEADS: Final = (
    "row", "connections", *[f"{name}: echoes" for name in SERVERS],
    *[f"times {name}" for name in (OTHER_DISK, OTHER_MEMORY)], "foreign cores",
)  # fmt: skip
"""Echoes: CPU time in that of the echo. Times: the rate of hashrange on disk in that of another."""


class Round(msgspec.Struct, frozen=True):
    """One turn of each server, and how many cores other programs took meanwhile."""

    figures: dict[str, Row]
    foreign_cores: float


class Line(msgspec.Struct, frozen=True):
    """The rounds of one row with one number of connections."""

    row: str
    connections: int
    rounds: list[Round]


@click.command()
@click.option("--seconds", default=1.0, show_default=True, help="Load of each server in a round.")
@click.option("--rounds", default=3, show_default=True, help="Of each row.")
@click.option("--connections", default="1,32,128", show_default=True)
@click.option("--only", default="", help="Servers whose names contain this.")
@click.option("--workloads", default="", help="Rows whose names contain this.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the data are put: on the disk to be measured.",
)
@click.option("--json", "path", type=click.Path(dir_okay=False, path_type=Path), help="Figures.")
def main(
    directory: Path | None,
    path: Path | None,
    *,
    connections: str,
    only: str,
    workloads: str,
    **shape: float,
) -> None:
    """Print CPU time of a request in echoes, and the rates as a ratio to those of Dynoxide."""
    # As Ctrl-C: the servers are ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    counts = [int(each) for each in connections.split(",")]
    names = {row.name for row in ROWS if workloads in row.name}
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(dir=directory) as name, ExitStack() as stack:
        subjects = _begun(Path(name), only, stack)
        for workload in (each for each in WORKLOADS if each.name in names):
            lines += _measured(workload, counts, subjects, **shape)
    about = circumstances(wrk=wrk_path() is not None)
    click.echo(f"\ncommit {about['commit']}, client {about['client']}\n\n{table(lines)}")
    if path is not None:
        path.write_text(json.dumps({**about, "lines": msgspec.to_builtins(lines)}, indent=1))


def _begun(folder: Path, only: str, stack: ExitStack) -> list[Subject]:
    """The echo, and the chosen servers that this machine can have."""
    names = [CONSTANT, *[each for each in SERVERS if only in each]]
    wanted = [each for each in peers(__version__) if each.name in names]
    wanted.sort(key=lambda each: names.index(each.name))
    found = [begun(each, folder / str(at), stack, click.echo) for at, each in enumerate(wanted)]
    return [each for each in found if isinstance(each, Subject)]


def _measured(
    workload: Workload,
    counts: Sequence[int],
    subjects: Sequence[Subject],
    *,
    seconds: float,
    rounds: int,
) -> list[Line]:
    """The rounds of one row, with each number of connections."""
    requests = workload.requests()
    able = [each for each in subjects if is_able(each, workload, click.echo)]
    for each in able:
        closed(each, requests, min(WARM_SECONDS, seconds), WARM_CONNECTIONS)
    lines = []
    for connections in counts:
        found = []
        for _ in range(rounds):
            before, began = _foreign_seconds(subjects), time.perf_counter()
            figures = {
                each.peer.name: closed(each, requests, seconds, connections) for each in able
            }
            taken = _foreign_seconds(subjects) - before
            found.append(Round(figures, taken / (time.perf_counter() - began)))
        lines.append(Line(workload.name, connections, found))
        click.echo(f"{workload.name}, {connections} connections: {' '.join(_cells(lines[-1]))}")
    return lines


def _foreign_seconds(subjects: Sequence[Subject]) -> float:
    """The CPU time that neither the servers nor this process and its loads have taken so far.

    0 where the system does not tell it.
    """
    if not _STAT.exists():
        return 0.0
    ticks = [int(each) for each in _STAT.read_text().splitlines()[0].split()[1:]][:_GUEST]
    busy = (sum(ticks) - sum(ticks[_IDLE])) / os.sysconf("SC_CLK_TCK")
    own = sum(os.times()[:4])
    return busy - own - sum(server.cpu_seconds(each.server.pid) or 0.0 for each in subjects)


def table(lines: Sequence[Line]) -> str:
    """All rows as a table in Markdown."""
    return markdown(_HEADS, [[line.row, str(line.connections), *_cells(line)] for line in lines])


def _cells(line: Line) -> list[str]:
    rates = [
        _ratio(line, DISK, other, "requests_per_second") for other in (OTHER_DISK, OTHER_MEMORY)
    ]
    costs = [_ratio(line, name, CONSTANT, "cpu_us") for name in SERVERS]
    return [*costs, *rates, f"{statistics.median(each.foreign_cores for each in line.rounds):.1f}"]


def _ratio(line: Line, name: str, other: str, figure: str) -> str:
    """The median of the rounds where both servers have the figure."""
    pairs = [(each.figures.get(name), each.figures.get(other)) for each in line.rounds]
    found = [
        one[figure] / two[figure]
        for one, two in pairs
        if one and two and one[figure] and two[figure]
    ]
    return f"{statistics.median(found):.2f}" if found else MISSING


if __name__ == "__main__":
    main()
