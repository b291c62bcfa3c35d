"""Runs the tests again and again on a machine that is disturbed: none may fail by that.

`python -m tests.steady` passes `make test` three times under each disturbance, and once on the
newest Python. It goes on where it was stopped: `.steady/runs.jsonl` has the runs of the code as it
is, `.steady/logs` what they printed. Words are passed to pytest, such as tests/unit.
"""

# ruff: noqa: T201 - a command

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests import pace, records
from tests.steady.disturbances import DISTURBANCES, MissingError, slow_syncs

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".steady"
RECORD = FOLDER / "runs.jsonl"
OLDEST, NEWEST = "3.11", "3.14"
Run = tuple[str, str]
"""The version of Python, and the disturbance."""


def left(wanted: Mapping[Run, int], passed: Iterable[Run]) -> list[Run]:
    """The runs that are still to be made, each as often as it lacks."""
    return list((Counter(wanted) - Counter(passed)).elements())


def _wanted(under: list[str], times: int) -> dict[Run, int]:
    runs = {(OLDEST, name): times for name in under if name != "none"}
    return runs | ({(NEWEST, "none"): 1} if "none" in under else {})


def _bin(version: str) -> Path:
    """The programs of an environment with a version of Python, which is made if needed."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return Path(sys.executable).parent
    folder = FOLDER / f"python{version}"
    if not (folder / "installed").exists():
        python = folder / "bin" / "python"
        if shutil.which("uv"):
            install = ["uv", "pip", "install", "-q", "--python", str(python)]
            make = ["uv", "venv", "-q", "--allow-existing", "--python", version, str(folder)]
        elif shutil.which(f"python{version}"):
            install = [str(python), "-m", "pip", "install", "-q"]
            make = [f"python{version}", "-m", "venv", str(folder)]
        else:
            raise MissingError(f"Python {version} is missing, and uv, which would fetch it")
        try:
            subprocess.run(make, check=True)
            subprocess.run([*install, "-e", f"{ROOT}[dev]"], check=True)
        except subprocess.CalledProcessError as error:
            raise MissingError(f"Python {version} cannot be set up: {error}") from error
        (folder / "installed").touch()
    return folder / "bin"


def _tests(run: Run, words: list[str], log: Path) -> int:
    """The exit code of `make test`, which prints to a file."""
    version, name = run
    # Limits of time guard against hanging only, and the machine is slow on purpose.
    variables = {**os.environ, "TESTS_PACE": f"{pace.PACE_MAX}"}
    if name == "syncs":
        variables |= slow_syncs(FOLDER)
    command = ["make", "test", f"BIN={_bin(version)}", "DEV=", "ARGS=" + " ".join(words)]
    with (
        log.open("w", encoding="utf-8") as output,
        subprocess.Popen(
            command, cwd=ROOT, env=variables, stdout=output, stderr=subprocess.STDOUT
        ) as tests,
    ):
        try:
            with DISTURBANCES[name](tests.pid):
                return tests.wait()
        finally:
            tests.terminate()


def _try(run: Run, words: list[str], digest: str) -> dict[str, Any]:
    """Makes a run, and records it."""
    log = FOLDER / "logs" / f"{int(time.time())}-{'-'.join(run)}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    code = _tests(run, words, log)
    lines = log.read_text("utf-8", errors="replace").splitlines()
    failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    row = {"digest": digest, "run": run, "code": code, "failed": failed, "log": log.name}
    records.add(RECORD, row)
    return row


def main() -> None:
    """Makes the runs that are left, and prints what failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("words", nargs="*", help="for pytest: folders and files")
    parser.add_argument("--runs", type=int, default=3, help="under each disturbance (default 3)")
    parser.add_argument(
        "--under", action="append", choices=list(DISTURBANCES), help="this one only; repeatable"
    )
    parser.add_argument("--again", action="store_true", help="forget the runs before")
    chosen = parser.parse_args()
    if chosen.again:
        RECORD.unlink(missing_ok=True)
    parts = [ROOT / name for name in ("src", "tests", "pyproject.toml")]
    digest = records.digest_of(chosen.words, parts)
    rows = [row for row in records.rows_of(RECORD) if row["digest"] == digest]
    passed = [tuple(row["run"]) for row in rows if row["code"] == 0]
    wanted = _wanted(chosen.under or list(DISTURBANCES), chosen.runs)
    is_steady = True
    for run in left(wanted, passed):
        print(f"Python {run[0]}, disturbed by {run[1]}: ", end="", flush=True)
        try:
            row = _try(run, chosen.words, digest)
        except MissingError as error:
            print(error)
            is_steady = False
            continue
        print("passed" if row["code"] == 0 else f"failed: {FOLDER / 'logs' / row['log']}")
        print("".join(f"  {line}\n" for line in row["failed"]), end="")
        is_steady &= row["code"] == 0
    print(f"{sum(wanted.values())} runs passed" if is_steady else "not steady: run it again")
    sys.exit(not is_steady)


if __name__ == "__main__":
    main()
