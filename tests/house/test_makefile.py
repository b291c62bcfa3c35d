"""When the Makefile throws a .venv away: too seldom runs the wrong code, too often costs time."""

import shutil
import subprocess

import pytest

from tests.house.sources import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def kept(tmp_path):
    """Whether a .venv is still there after `make help`."""
    shutil.copy(ROOT / "Makefile", tmp_path)

    def keeps(python, made=None):
        program = tmp_path / ".venv" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{python}\n")
        program.chmod(0o755)
        if made is not None:
            (tmp_path / ".venv" / ".made").write_text(made)
        subprocess.run(["make", "help"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
        return program.exists()

    return keeps


def test_a_venv_of_this_folder_is_kept(kept, tmp_path):
    assert kept("exit 0", made=f"{tmp_path}\n")


# Somebody made it by hand.
def test_a_venv_that_names_no_folder_is_kept(kept):
    assert kept("exit 0")


# The system's Python was upgraded.
def test_a_venv_without_its_python_is_made_anew(kept, tmp_path):
    assert not kept("exit 1", made=f"{tmp_path}\n")


# A copy of the folder ran the code of the original, and its tests tested that.
def test_a_venv_of_another_folder_is_made_anew(kept):
    assert not kept("exit 0", made="/elsewhere\n")
