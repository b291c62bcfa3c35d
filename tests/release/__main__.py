"""Makes a release in a folder: `python -m tests.release [FOLDER]`.

It builds the commit twice, from two folders, and compares the bytes; installs the wheel in a clean
environment of each supported Python of this machine, and uses its server; then it writes
SHA256SUMS, the bill of materials and the notes of the version.
"""

# ruff: noqa: T201 - a command

import hashlib
import sys
import tempfile
from pathlib import Path

from hashrange import __version__
from tests.release.building import ROOT, built, exported, notes
from tests.release.environments import answers, bill_of_materials, installed, interpreters


def release(target: Path) -> None:
    """Write a release. Raises SystemExit if it is not to be published."""
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise SystemExit(f"{target} is not empty")
    text = notes((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        twice = []
        for name in ("first", "second"):
            sources = exported(scratch / name / "sources")
            (scratch / name / "built").mkdir()
            twice.append(built(sources, scratch / name / "built"))
        for one, other in zip(*twice, strict=True):
            if (one.name, one.read_bytes()) != (other.name, other.read_bytes()):
                raise SystemExit(f"{one.name}: two builds of it are different")
        wheel = twice[0][1]
        for version, python in interpreters().items():
            programs = installed(python, wheel, scratch / version)
            if answers([programs / "hashrange"], scratch) != ["albums", "hashrange console"]:
                raise SystemExit(f"Python {version}: the server of the wheel does not answer")
            print(f"Python {version}: the server of the wheel answers")
        materials = bill_of_materials(programs, __version__)
        for path in twice[0]:
            (target / path.name).write_bytes(path.read_bytes())
    (target / f"hashrange-{__version__}.cdx.json").write_text(materials, "utf-8")
    (target / "NOTES.md").write_text(text, "utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(target.iterdir())
    ]
    (target / "SHA256SUMS").write_text("".join(sums), "utf-8")
    print(f"{target}: {', '.join(sorted(path.name for path in target.iterdir()))}")


release(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
