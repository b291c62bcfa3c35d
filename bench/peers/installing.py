"""Peers are installed once, each into a folder of its own under .bench-peers, by its own tool."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
CACHE: Final = _HERE.parents[1] / ".bench-peers"
SECONDS_MAX: Final = 1800
"""For one step: a build of Rust takes minutes."""
_DONE: Final = ".installed"


class MissingError(Exception):
    """The peer cannot be had on this machine; says why."""


def installed(
    name: str, version: str, needs: Sequence[str], install: Callable[[Path], None]
) -> Path:
    """The folder of a peer, which is filled now if it was not.

    Raises MissingError.
    """
    if absent := [program for program in needs if shutil.which(program) is None]:
        raise MissingError(f"not installed: {', '.join(absent)}")
    folder = CACHE / f"{name}-{version}"
    if (folder / _DONE).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install(folder)
    (folder / _DONE).touch()
    return folder


def from_pypi(requirement: str) -> Callable[[Path], None]:
    """Into a virtual environment."""

    def install(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", str(folder)])
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q"]
        _run([*pip, "--disable-pip-version-check", requirement])

    return install


def from_npm(requirement: str) -> Callable[[Path], None]:
    """Into node_modules."""

    def install(folder: Path) -> None:
        silent = ["--no-audit", "--no-fund", "--loglevel=error"]
        _run(["npm", "install", "--prefix", str(folder), *silent, requirement])

    return install


def from_crates(crate: str, version: str, *features: str) -> Callable[[Path], None]:
    """Built from source, with the versions that its authors have locked."""

    def install(folder: Path) -> None:
        build = folder / "build"
        places = ["--root", str(folder), "--target-dir", str(build)]
        chosen = ["--no-default-features", "--features", ",".join(features)]
        _run(["cargo", "install", crate, "--version", version, "--locked", *places, *chosen])
        shutil.rmtree(build)

    return install


def dynamodb_local(version: str) -> Callable[[Path], None]:
    """Its jars and libraries, from Maven Central."""

    def install(folder: Path) -> None:
        pom = (_HERE / "dynamodb-local.xml").read_text().replace("VERSION", version)
        (folder / "pom.xml").write_text(pom)
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime"]
        _run(["mvn", "-q", "-B", "-f", str(folder), *goal, f"-DoutputDirectory={folder / 'lib'}"])
        shutil.copy(_HERE / "Loopback.java", folder)

    return install


def _run(command: list[str]) -> None:
    # In a session of its own, so that what it has started can be ended with it.
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=SECONDS_MAX)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise MissingError(f"{command[0]} took more than {SECONDS_MAX} s") from error
            raise
    if process.returncode:
        lines = output.strip().splitlines()
        told = next((line for line in lines if "rror" in line), lines[-1] if lines else "")
        raise MissingError(f"{command[0]} could not install it: {told[:200]}")
