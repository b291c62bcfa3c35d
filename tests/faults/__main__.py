"""Plants each fault in a copy of src, and runs the tests that should find it.

`python -m tests.faults` goes on where it was stopped: `.faults/found.jsonl` has what was found, for
the code and the tests as they were. Exits with 1 if a fault was not found.
"""

# ruff: noqa: T201 - a command

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.faults.planted import FAULTS, FAULTS_OF_WORLDS, Fault
from tests.records import add, digest_of, rows_of

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
RECORD = ROOT / ".faults" / "found.jsonl"
FAILED, PASSED = 1, 0
"""Exit codes of pytest; another one is a fault that no test could look for."""
WORLDS = 60
HANG_SECONDS = 1800
"""A test that waits so long for what does not come has noticed it."""


def digest(fault: Fault) -> str:
    """A name of a fault in its file with its tests: the record holds until one of them changes."""
    names = ["simulation"] if fault.form else fault.tests.split()
    tests = [ROOT / "tests" / name for name in names]
    return digest_of([repr(fault)], [SOURCES / "hashrange" / fault.file, *tests])


def _look(fault: Fault, sources: Path) -> int:
    """The exit code of the tests of a fault, which stands in `sources` meanwhile."""
    path = sources / "hashrange" / fault.file
    text = path.read_text("utf-8")
    assert text.count(fault.text) == 1, f"{fault.file} has changed: {fault.text}"
    path.write_text(text.replace(fault.text, fault.planted), "utf-8")
    try:
        environment = {**os.environ, "PYTHONPATH": str(sources)}
        ran = subprocess.run(
            [sys.executable, "-m", *_search(fault)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_SECONDS,
        )
    except subprocess.TimeoutExpired:
        print("    hangs")
        return FAILED
    finally:
        path.write_text(text, "utf-8")
    lines = [line for line in ran.stdout.splitlines() if line.startswith(_SEEN)]
    print("   ", (lines or ran.stdout.splitlines() or [""])[-1][:150])
    return ran.returncode


_SEEN = ("FAILED", "ERROR", "seed ")


def _search(fault: Fault) -> list[str]:
    """The program that should find a fault, and its arguments."""
    if fault.form:
        return ["tests.simulation", "--form", fault.form, "--until-failure", "--count", str(WORLDS)]
    chosen = ["-m", "not long and not toolchain", "-p", "no:cacheprovider"]
    files = [f"tests/{name}" for name in fault.tests.split()]
    return ["pytest", "-q", "-x", "--no-header", "--tb=line", *chosen, *files]


def _codes(faults: list[Fault]) -> Iterator[tuple[Fault, int]]:
    """Each fault with the exit code of its tests, of this run or of an earlier one."""
    known = {row["digest"]: row["code"] for row in rows_of(RECORD)}
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(shutil.copytree(SOURCES, Path(folder) / "src"))
        for fault in faults:
            name = digest(fault)
            print(f"{fault.file}: {fault.breaks}", flush=True)
            if name not in known:
                known[name] = _look(fault, sources)
                add(RECORD, {"digest": name, "code": known[name]})
            yield fault, known[name]


def main() -> None:
    """Prints what was not found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("words", nargs="*", help="plant only what has one of these in its file")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--worlds", action="store_true", help="plant what simulated worlds find")
    chosen = parser.parse_args()
    if chosen.again:
        RECORD.unlink(missing_ok=True)
    words = chosen.words or [""]
    known = FAULTS_OF_WORLDS if chosen.worlds else FAULTS
    codes = dict(_codes([each for each in known if any(word in each.file for word in words)]))
    missed = [fault for fault, code in codes.items() if code == PASSED]
    broken = [fault for fault, code in codes.items() if code not in {PASSED, FAILED}]
    print(f"{len(codes) - len(missed) - len(broken)} of {len(codes)} faults were found")
    for title, faults in (("not found", missed), ("no test ran", broken)):
        for fault in faults:
            print(f"{title}: {fault.file}: {fault.breaks}")
    sys.exit(bool(missed or broken))


if __name__ == "__main__":
    main()
