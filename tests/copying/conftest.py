"""Servers and directories for copies, and the command as people call it."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient

import hashrange
from tests.copying.tables import client_of, fill, seen
from tests.unit.processes import run


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A directory with tables, which no test changes, and what its clients see."""
    directory = tmp_path_factory.mktemp("copying") / "filled"
    with serving(directory) as (client, _):
        fill(client)
        return directory, seen(client)


@contextlib.contextmanager
def serving(directory: Path | None, **settings: Any) -> Iterator[tuple[BaseClient, str]]:
    """A server on a directory, or in memory: a client of it, and its URL."""
    place = {"memory": True} if directory is None else {"memory": False, "data": directory}
    with hashrange.start(**place, **settings) as server:
        yield client_of(server.endpoint), server.endpoint


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs the command in a folder of its own; no credentials are set."""
    monkeypatch.chdir(tmp_path)

    def copy(*arguments: object, code: int = 0, **variables: str) -> Any:
        empty = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"), "")
        ended = run("copy", *map(str, arguments), **empty, **variables)
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended

    return copy
