"""Builds the wheel and the source distribution of a commit."""

import re
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BUILD = (sys.executable, "-m", "hatchling", "build")


def exported(target: Path, commit: str = "HEAD") -> Path:
    """The files of a commit in a folder: what is not committed is not in a release."""
    archive = ["git", "archive", "--format=tar", commit]
    packed = subprocess.run(archive, cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as files:
        files.extractall(target, filter="data")
    return target


def built(sources: Path, target: Path) -> tuple[Path, Path]:
    """The source distribution of a folder, and the wheel that is built from it."""
    subprocess.run([*_BUILD, "-t", "sdist", "-d", target], cwd=sources, check=True)
    (packed,) = target.glob("*.tar.gz")
    unpacked = target.parent / f"{target.name}-unpacked"
    with tarfile.open(packed) as files:
        files.extractall(unpacked, filter="data")
    (inner,) = unpacked.iterdir()
    subprocess.run([*_BUILD, "-t", "wheel", "-d", target.resolve()], cwd=inner, check=True)
    (wheel,) = target.glob("*.whl")
    return packed, wheel


def notes(changelog: str, version: str) -> str:
    """The section of a version in CHANGELOG.md. Raises ValueError if it has none."""
    section = rf"^## \[{re.escape(version)}\].*?(?=^## |\Z)"
    found = re.search(section, changelog, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"CHANGELOG.md has no section {version}")
    return found[0].rstrip() + "\n"
