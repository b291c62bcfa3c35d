"""The report of a benchmark: the machine, and a table of figures."""

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Final

import apsw

from bench.footprint import Footprint, told

_ROOT: Final = Path(__file__).resolve().parents[1]

_HEAD: Final = """\
{cpu}, {cores} cores, Python {python}, SQLite {sqlite}, commit {commit}
client {client}, {connections} connections, {seconds:g} s a row, {item_bytes}-byte items
kept: {kept}; fsync p50 {fsync_ms_p50:.3f} ms
{small}

                   requests/s   p50 ms   p99 ms   CPU µs  |  constant/s  CPU µs  |  ratio  of CPU"""

_ROW: Final = (
    "{row:17}{rate:>12,.0f}{p50_ms:>9.2f}{p99_ms:>9.2f}{cpu:>9}  |{constant:>12,.0f}"
    "{constant_cpu:>8}  |{ratio:>7.2f}{cpu_ratio:>8}"
)


def circumstances(*, wrk: bool) -> dict[str, object]:
    """The machine, versions and options that the figures depend on."""
    return {
        "commit": _git("rev-parse", "--short", "HEAD") + ("-dirty" if _git("status", "-s") else ""),
        "command": " ".join(["python -m bench", *sys.argv[1:]]),
        "client": "wrk" if wrk else "own, in Python",
        "machine": {
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "sqlite": apsw.sqlite_lib_version(),
        },
    }


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(_ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def cpu_model() -> str:
    """The model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")


def table(report: dict[str, object]) -> str:
    """The report as text."""
    small = told(Footprint(**report["footprint"]))
    lines = [_HEAD.format(**report["machine"], **report, small=small)]
    for each in report["rows"]:
        own, constant = each["hashrange"], each["constant"]
        lines.append(
            _ROW.format(
                **own,
                rate=own["requests_per_second"],
                cpu=_us(own),
                constant=constant["requests_per_second"],
                constant_cpu=_us(constant),
                cpu_ratio=_cpu_ratio(constant, own),
            )
        )
    return "\n".join(lines)


def _us(figures: dict[str, object]) -> str:
    return "?" if figures["cpu_us"] is None else f"{figures['cpu_us']:.1f}"


def _cpu_ratio(constant: dict[str, object], own: dict[str, object]) -> str:
    # Steadier than the ratio of rates where other programs, or the client, want the same cores.
    if constant["cpu_us"] is None or not own["cpu_us"]:  # a short run may take no tick of the clock
        return "?"
    return f"{constant['cpu_us'] / own['cpu_us']:.2f}"
