"""Java programs of other people's clients: what they need is downloaded, then they are compiled."""

import os
import shutil
from pathlib import Path

from tests.clients.programs import run_program
from tests.pace import seconds

DOWNLOAD_SECONDS_MAX = seconds(200)
"""The first run downloads 20 to 25 MB."""


def compiled(program: Path, place: Path, environment: dict[str, str]) -> str:
    """The class path of a program that is copied to a place and compiled there."""
    shutil.copytree(program, place, dirs_exist_ok=True)
    resolve = ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=packages"]
    if run_program([*resolve, "--offline"], environment, place).returncode != 0:
        resolved = run_program(resolve, environment, place, DOWNLOAD_SECONDS_MAX)
        assert resolved.returncode == 0, resolved.stdout + resolved.stderr
    packages = (place / "packages").read_text().strip()
    sources = [str(path) for path in sorted(place.glob("*/*.java"))]
    compile_all = ["javac", "--release", "17", "-encoding", "UTF-8", "-d", ".", "-cp", packages]
    done = run_program([*compile_all, *sources], environment, place)
    assert done.returncode == 0, done.stderr
    return os.pathsep.join([str(place), packages])
