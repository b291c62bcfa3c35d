"""A server for clients that are programs of their own, and how those are run."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import start_server  # noqa: F401 - a fixture

JAVASCRIPT = Path(__file__).parent / "javascript"
SECONDS_MAX = 100


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "node: needs node and npm, and a registry to install from")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("node") and not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("the toolchain is missing: node and npm are not installed")


@pytest.fixture(scope="session")
def endpoint(start_server: Callable[..., str]) -> str:  # noqa: F811 - the fixture
    """URL of a server of one's own."""
    return start_server()


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables for a client that is to know nothing of the machine's own configuration."""
    nowhere = str(tmp_path_factory.mktemp("aws") / "none")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {
        **kept,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": nowhere,
        "AWS_SHARED_CREDENTIALS_FILE": nowhere,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_PAGER": "",
    }


@pytest.fixture(scope="session")
def aws(endpoint: str, environment: dict[str, str]) -> Callable[..., Any]:
    """Runs `aws dynamodb ...`: what it printed, read as JSON, or its error if it is to fail."""

    def run(*words: str, fails: bool = False) -> Any:
        command = [sys.executable, "-m", "awscli", "--endpoint-url", endpoint, "--output", "json"]
        ended = _run([*command, "dynamodb", *words], environment)
        assert (ended.returncode != 0) == fails, ended.stderr
        if fails:
            return ended.stderr.strip()
        return json.loads(ended.stdout) if ended.stdout.strip() else None

    return run


@pytest.fixture(scope="session")
def javascript(
    endpoint: str, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What the program saw, step by step."""
    place = tmp_path_factory.mktemp("javascript")
    for name in ("package.json", "package-lock.json", "program.mjs"):
        shutil.copy(JAVASCRIPT / name, place)
    installed = _run(["npm", "ci", "--no-audit", "--no-fund"], environment, place)
    assert installed.returncode == 0, installed.stderr
    ended = _run(["node", "program.mjs", endpoint], environment, place)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def _run(
    command: list[str], environment: dict[str, str], place: Path | None = None
) -> subprocess.CompletedProcess[str]:
    # With its full name npm is found on Windows too, where it is a script.
    found = shutil.which(command[0]) or command[0]
    return subprocess.run(
        [found, *command[1:]],
        env=environment,
        cwd=place,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS_MAX,
        check=False,
    )
