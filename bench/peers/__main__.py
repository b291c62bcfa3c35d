"""`make bench-peers`: hashrange beside others that speak the same API, in one run on one machine.

Each peer is asked for every workload, and its first answers are checked, before anything is
measured; what it refuses or answers wrongly is told instead of a figure.
"""

import json
import os
import signal
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from bench import bodies, quiet, server
from bench.client import wrk_path
from bench.peers import chart, report
from bench.peers.catalogue import peers
from bench.peers.measuring import Shape, measure
from bench.peers.running import Subject, begun
from bench.peers.workloads import WORKLOADS
from bench.report import circumstances
from hashrange import __version__

RESULTS: Final = Path(__file__).resolve().parents[1] / "results"


@click.command()
@click.option("--seconds", default=2.0, show_default=True, help="Load a row.")
@click.option("--connections", default="32,128,1", show_default=True, help="Of the closed loops.")
@quiet.option
@click.option("--only", default="", help="Peers whose names contain one of these: moto,dynoxide.")
@click.option("--workloads", default="", help="Workloads whose names contain one of these.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    help="Where the results are put, and the data meanwhile: on the disk to be measured.",
)
@click.option(
    "--again",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Measure nothing; show these results again.",
)
def compare(
    directory: Path,
    again: Path | None,
    *,
    seconds: float,
    connections: str,
    constant_us_max: float,
    **chosen: str,
) -> None:
    """Measure all peers that this machine can have."""
    if again is not None:
        _show(json.loads(again.read_text()), again)
        return
    # As Ctrl-C: what was started is ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    directory.mkdir(parents=True, exist_ok=True)
    shape = Shape(
        seconds=seconds,
        connections=[int(each) for each in connections.split(",")],
        workloads=[each for each in WORKLOADS if _is_chosen(each.name, chosen["workloads"])],
    )
    quiet.require(constant_us_max)
    found = _measured(directory, shape, chosen["only"])
    path = directory / f"peers-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
    _show(found, path)


def _measured(directory: Path, shape: Shape, only: str) -> dict[str, Any]:
    chosen = [each for each in peers(__version__) if _is_chosen(each.name, only)]
    with tempfile.TemporaryDirectory(dir=directory) as name, ExitStack() as stack:
        folder = Path(name)
        found = [
            begun(peer, folder / str(number), stack, click.echo)
            for number, peer in enumerate(chosen)
        ]
        subjects = [each for each in found if isinstance(each, Subject)]
        began = time.perf_counter()
        fsync = server.fsync_ms_p50(folder)
        loads = [os.getloadavg()[0]]
        for workload in shape.workloads:
            measure(workload, subjects, shape, click.echo)
            loads.append(os.getloadavg()[0])
        minutes = (time.perf_counter() - began) / 60
    return {
        **circumstances(wrk=wrk_path() is not None),
        "fsync_ms_p50": fsync,
        "load": loads,
        "seconds": shape.seconds,
        "connections": sorted(shape.connections),
        "item_bytes": bodies.ITEM_BYTES,
        "minutes": minutes,
        "peers": [each.about if isinstance(each, Subject) else each for each in found],
    }


def _is_chosen(name: str, words: str) -> bool:
    chosen: Sequence[str] = words.lower().split(",")
    return any(word.strip() in name.lower() for word in chosen)


def _show(found: dict[str, Any], path: Path) -> None:
    click.echo(f"\n{report.tables(found)}\n\n{path}")
    try:
        chart.draw(found, path.with_suffix(".png"))
    except ImportError:
        click.echo("no chart: matplotlib is not installed")
    else:
        click.echo(path.with_suffix(".png"))


if __name__ == "__main__":
    compare()
