"""Servers and directories for copies, and the command as people call it."""

import contextlib
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient

from hashrange.cli.commands import main
from tests.copying.tables import client_of, fill, seen
from tests.served import served


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
    with served(**place, **settings) as server:
        yield client_of(server.endpoint), server.endpoint


@dataclass(frozen=True)
class Ended:
    """What the command printed."""

    stdout: str
    stderr: str


@pytest.fixture
def copy(command: Callable[..., Ended]) -> Callable[..., Ended]:
    """Runs `hashrange copy`."""
    return partial(command, "copy")


@pytest.fixture
def command(
    in_tmp_path: None,
    monkeypatch: pytest.MonkeyPatch,
    process_environment: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Callable[..., Ended]]:
    """Runs a command in a folder of its own; no credentials are set.

    In this process, for it takes a third of the time that one of its own takes.
    """
    process_environment(
        AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, AWS_REGION=None, AWS_DEFAULT_REGION=None
    )
    thresholds = gc.get_threshold()

    def command(*arguments: object, code: int = 0, **variables: str) -> Ended:
        capsys.readouterr()
        with monkeypatch.context() as patched:
            for name, text in variables.items():
                patched.setenv(name, text)
            with pytest.raises(SystemExit) as ended:
                main([*map(str, arguments)])
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.out + printed.err
        return Ended(printed.out, printed.err)

    yield command
    gc.set_threshold(*thresholds)
