"""Earlier versions, built from the commits that cut them: a tag of them is not needed."""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.crash.server import Server
from tests.release.building import ROOT, built, exported

COMMITS = {"0.1.0": "81e9f8b412d4"}
"""Of the commit that gave each version its name in CHANGELOG.md."""


def server_of(version: str, folder: Path) -> type[Server]:
    """The servers of a version, whose wheel is built in the folder.

    Skips the test where the commit is not: in a shallow clone, and outside of a repository.
    """
    commit = COMMITS[version]
    looked = subprocess.run(
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if looked.returncode:
        pytest.skip(f"this copy of the repository has no commit {commit}, which is {version}")
    _, wheel = built(exported(folder / "sources", commit), folder / "built")
    installed = folder / "installed"
    with zipfile.ZipFile(wheel) as files:
        files.extractall(installed)

    class Earlier(Server):
        """It runs with the packages of the tests' own environment."""

    Earlier.environment = {**os.environ, "PYTHONPATH": str(installed)}
    return Earlier
