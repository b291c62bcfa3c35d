"""The program that the README shows is run; its commands are run by `tests/docs`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[2]


# The test that a reader copies into an application: run as it stands, in a folder of its own.
@pytest.mark.long
def test_readme_shows_a_test_that_passes(tmp_path):
    (program,) = re.findall(
        r"```python\n# (test_\w+\.py)\n(.+?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )
    (tmp_path / program[0]).write_text(program[1], "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", program[0]]
    finished = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=seconds(60), check=False
    )
    assert finished.returncode == 0, finished.stdout
    assert "1 passed" in finished.stdout
