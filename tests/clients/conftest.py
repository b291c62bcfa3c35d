"""A server for clients that are programs of their own, and how those are run."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import client_of, start_server, starting  # noqa: F401 - a fixture
from tests.api.indexes import schema
from tests.clients.music import music, put, service  # noqa: F401 - fixtures
from tests.clients.programs import run_program

JAVASCRIPT = Path(__file__).parent / "javascript"
PYTHON = Path(__file__).parent / "python"


@pytest.fixture(scope="session")
def endpoint(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """URL of a server of one's own."""
    with starting(request, tmp_path_factory) as start:
        yield start()


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
        ended = run_program([*command, "dynamodb", *words], environment)
        assert (ended.returncode != 0) == fails, ended.stderr
        if fails:
            return ended.stderr.strip()
        return json.loads(ended.stdout) if ended.stdout.strip() else None

    return run


@pytest.fixture(scope="session")
def node_place(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs of `javascript/` and the packages that they need."""
    place = tmp_path_factory.mktemp("javascript")
    shutil.copytree(JAVASCRIPT, place, dirs_exist_ok=True, ignore=lambda *_: ["node_modules"])
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = run_program(command, environment, place)
    assert installed.returncode == 0, installed.stderr
    return place


@pytest.fixture(scope="session")
def javascript(
    endpoint: str, environment: dict[str, str], node_place: Path
) -> Callable[[str], Any]:
    """Runs a program of `javascript/`, once: what it saw, step by step."""

    @cache
    def run(program: str) -> Any:
        ended = run_program(["node", program, endpoint], environment, node_place)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


@pytest.fixture(scope="session")
def python_packages(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the packages that want others than ours beside them."""
    place = str(tmp_path_factory.mktemp("packages"))
    install("requirements.txt", place, environment)
    return place


def install(requirements: str, place: str, environment: dict[str, str]) -> None:
    """Installs the packages of a file of `python/` into a folder."""
    uv = ["uv", "pip", "install", "--python", sys.executable]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
    command = [*(uv if shutil.which("uv") else pip), "--quiet", "--target", place]
    installed = run_program([*command, "-r", str(PYTHON / requirements)], environment)
    assert installed.returncode == 0, installed.stderr


@pytest.fixture(scope="session")
def python(
    endpoint: str, environment: dict[str, str], python_packages: str
) -> Callable[[str], Any]:
    """Runs a program of `python/` with those packages, once: what it saw, step by step."""
    variables = environment | {
        "PYTHONPATH": python_packages,
        "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
        "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": endpoint,
    }

    @cache
    def run(program: str) -> Any:
        ended = run_program([sys.executable, str(PYTHON / program), endpoint], variables)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


@pytest.fixture(scope="session")
def notes(endpoint: str) -> None:
    """The table that the programs of docs/clients.md read."""
    client_of(endpoint).create_table(
        TableName="notes",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")
        ],
        KeySchema=schema("pk", sort=("sk",)),
    )
