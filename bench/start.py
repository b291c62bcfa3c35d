"""`python -m bench.start`: the CPU time of a server from exec to its first answer, and its imports.

The server stores in memory and answers ListTables. CPU time is user and system time of its process;
that of `python -c pass`, in turns with it, shows how fast the machine is.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

from bench import server
from bench.asking import ask

ARGUMENTS: Final = ("-m", "hashrange", "serve", "--memory", "--port", "0", "--log-level", "error")
_ENVIRONMENT: Final = {"PYTHONDONTWRITEBYTECODE": ""}
"""Without compiled modules a start compiles all of them."""
_NAMES_AT_END: Final = """\
import atexit, pathlib, sys
from hashrange.cli.commands import main
atexit.register(lambda: pathlib.Path({path!r}).write_text(" ".join(sys.modules)))
main({arguments!r})
"""
_NS_PER_MS: Final = 1_000_000


@click.command()
@click.option("--starts", default=20, show_default=True, help="How many are measured.")
def main(starts: int) -> None:
    """Print the least and the median CPU time of a start, and the number of modules."""
    found = imported()
    own = sum(each.partition(".")[0] == "hashrange" for each in found)
    click.echo(f"{len(found)} modules, {own} of hashrange")
    turns = [(_start_ms(), _bare_ms()) for _ in range(starts)]
    for name, taken in zip(("start", "python -c pass"), zip(*turns, strict=True), strict=True):
        least, median = min(taken), statistics.median(taken)
        click.echo(f"{name:16}{least:6.1f} ms of CPU at least, {median:.1f} at the median")


def imported() -> list[str]:
    """The names of the modules that a server that has answered has imported when it stops."""
    with tempfile.TemporaryDirectory() as folder:
        names = Path(folder) / "modules"
        program = _NAMES_AT_END.format(path=str(names), arguments=list(ARGUMENTS[2:]))
        with server.started(("-c", program), _ENVIRONMENT) as started:
            ask(started.port, "ListTables", {})
        return names.read_text().split()


def _start_ms() -> float:
    with server.started(ARGUMENTS, _ENVIRONMENT) as started:
        ask(started.port, "ListTables", {})
        threads = Path(f"/proc/{started.pid}/task").iterdir()
        return (
            sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / _NS_PER_MS
        )


def _bare_ms() -> float:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return (used.ru_utime + used.ru_stime) * 1000


if __name__ == "__main__":
    main()
