"""`make bench-check`: compares the length of the hot paths with a baseline.

The counts do not depend on the load of the machine, and two runs give the same counts:

- bytecode: instructions of Python's virtual machine per request. The count depends on the minor
  version of Python and on our code, hardly on anything else, so tests check it on every machine. It
  does not include the work of C functions.
- instructions: those of the processor per request, counted by callgrind if valgrind and a C
  compiler are installed. The count includes everything but waiting and cache misses. It depends on
  the builds of Python, of packages in C and of libc, and on the processor: if these differ from the
  baseline, the counts are printed but not compared.

`--update` stores what it finds as the baseline of this minor version of Python.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import click

from bench.hot_paths import ALL_ROWS, REQUESTS
from bench.report import cpu_model

_HERE: Final = Path(__file__).parent
BASELINE: Final = _HERE / "baseline.json"
MARGIN_PERCENT: Final = 5.0
_ROOT: Final = _HERE.parent
_PACKAGES: Final = ("apsw-sqlite3mc", "msgspec", "uvloop")
"""Packages with C extensions, whose versions the count of instructions depends on."""
_TOTALS: Final = re.compile(
    r"^desc: Trigger: Client Request: (.+?)$.*?^totals: (\d+)$", re.DOTALL | re.MULTILINE
)

Counts = dict[str, int]
"""Of a request, by row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A count, and its baseline; None if there is none."""

    row: str
    count: int
    baseline: int | None

    @property
    def percent(self) -> float:
        """How much more than the baseline; 0 without one."""
        return 0.0 if not self.baseline else (self.count - self.baseline) * 100 / self.baseline


@click.command()
@click.option("--update", is_flag=True, help="Store the counts as the new baseline.")
@click.option("--bytecode-only", is_flag=True, help="Do not count instructions.")
@click.option(
    "--baseline",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=BASELINE,
    help="The stored counts.",
)
@click.option("--margin", default=MARGIN_PERCENT, show_default=True, help="Percent allowed.")
def check(path: Path, *, update: bool, bytecode_only: bool, margin: float) -> None:
    """Count what requests cost and compare it with the baseline."""
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    stored = json.loads(path.read_text()) if path.exists() else {}
    found: dict[str, Any] = {"bytecode": bytecode()}
    if not bytecode_only and (counted := instructions()):
        found |= {"instructions": counted, "instructions_of": circumstances()}
    if update:
        stored[minor] = {**stored.get(minor, {}), **found}
        path.write_text(json.dumps(stored, indent=2, sort_keys=True) + "\n")
        click.echo(f"stored for Python {minor} in {path}")
        return
    if minor not in stored:
        known = ", ".join(sorted(stored)) or "none"
        click.echo(f"No baseline for Python {minor} (there is: {known}); --update stores one.")
        return
    if more := _compared(found, stored[minor], margin):
        what = "; ".join(more)
        raise click.ClickException(
            f"more than {margin:g} % more: {what}. If it must be: make bench-check ARGS=--update"
        )


def _compared(found: dict[str, Any], stored: dict[str, Any], margin: float) -> list[str]:
    """Print a table for each measure; returns the rows beyond the margin, of compared measures."""
    more = []
    for measure in ("bytecode", "instructions"):
        if measure not in found:
            continue
        changes = compared(found[measure], stored.get(measure, {}))
        decides = measure == "bytecode" or stored.get("instructions_of") == circumstances()
        click.echo(table(measure, changes, margin))
        if not decides:
            click.echo(f"  another build than the baseline's: {stored.get('instructions_of')}")
            continue
        more += grown(measure, changes, margin)
    return more


def grown(measure: str, changes: list[Change], margin: float) -> list[str]:
    """The names of rows that grew by more than the margin."""
    return [f"{measure} of {each.row}" for each in changes if each.percent > margin]


def compared(counts: Counts, baseline: Counts) -> list[Change]:
    """Each row with its baseline."""
    return [
        Change(row=row, count=count, baseline=baseline.get(row)) for row, count in counts.items()
    ]


def table(measure: str, changes: list[Change], margin: float) -> str:
    """The table as text; rows that grew by more than the margin are marked."""
    lines = [f"{measure + ' a request':32}{'now':>12}{'baseline':>12}{'more':>10}"]
    for each in changes:
        baseline = "none" if each.baseline is None else f"{each.baseline:,.0f}"
        mark = "  <-" if each.percent > margin else ""
        lines.append(
            f"  {each.row:30}{each.count:>12,.0f}{baseline:>12}{each.percent:>+8.2f} %{mark}"
        )
    return "\n".join(lines)


def bytecode() -> Counts:
    """The counts of bytecodes, from the interpreter of a separate process."""
    return json.loads(_run([sys.executable, "-m", "bench.hot_paths"]))


def instructions() -> Counts | None:
    """The counts of instructions, from callgrind; None if it is not installed."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if shutil.which("valgrind") is None or compiler is None:
        click.echo("valgrind or a C compiler is missing: instructions are not counted.")
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/marks.so"
        _run([compiler, "-shared", "-fPIC", "-O1", "-o", library, str(_HERE / "callgrind.c")])
        tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no"]
        tool.append(f"--callgrind-out-file={folder}/out")
        _run([*tool, sys.executable, "-m", "bench.hot_paths", library])
        found = [_TOTALS.search(path.read_text()) for path in Path(folder).glob("out.*")]
    totals = {match[1]: int(match[2]) for match in found if match}
    return {row.name: round(totals[row.name] / REQUESTS) for row in ALL_ROWS}


def circumstances() -> dict[str, str]:
    """The versions and the processor that counts of instructions depend on."""
    return {
        "cpu": cpu_model(),
        "libc": " ".join(platform.libc_ver()),
        "python": f"{platform.python_version()} {platform.python_build()[1]}",
        "compiler": platform.python_compiler(),
        **{name: metadata.version(name) for name in _PACKAGES},
    }


def _run(command: list[str]) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    ended = subprocess.run(
        command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise click.ClickException(f"{command[0]} ended with {ended.returncode}: {ended.stderr}")
    return ended.stdout


if __name__ == "__main__":
    check()
