"""The README's commands are run as a reader would run them, against a server of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[2]
ENDPOINT = "http://127.0.0.1:8000"
FENCE = re.compile(r"```(bash run|python run|text)\n(.*?)```", re.DOTALL)
EXPORT = re.compile(r"^export (.+)$", re.MULTILINE)


@pytest.fixture
def endpoint():
    command = [sys.executable, "-m", "hashrange", "serve", "--port", "0", "--memory"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield re.search(r"http://\S+", server.stdout.readline())[0]
        server.terminate()


def _environment(text, endpoint):
    """What the README tells the reader to export, and nothing that this machine has set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    kept["AWS_CONFIG_FILE"] = kept["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    for line in EXPORT.findall(text):
        kept.update(assignment.split("=", 1) for assignment in line.split())
    for name in ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_DYNAMODB_STREAMS"):
        assert kept[name] == ENDPOINT
        kept[name] = endpoint
    return kept


# A reader's first ten minutes decide whether there is an eleventh.
@pytest.mark.long
def test_readme_commands_print_what_the_readme_says(endpoint, tmp_path):
    text = (ROOT / "README.md").read_text("utf-8")
    environment = _environment(text, endpoint)
    programs = {
        "bash run": ["bash", "-euo", "pipefail", "-c"],
        "python run": [sys.executable, "-c"],
    }
    printed = ""
    blocks = FENCE.findall(text)
    assert {kind for kind, _ in blocks} == {"bash run", "python run", "text"}
    for kind, block in blocks:
        if kind == "text":
            assert printed == block
            printed = ""
            continue
        finished = subprocess.run(
            [*programs[kind], block],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=seconds(60),
            check=False,
        )
        assert (finished.returncode, finished.stderr) == (0, "")
        printed += finished.stdout
    assert printed == "", "output that the README does not show"


# The test that a reader copies into an application: run as it stands, in a folder of its own.
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
