"""A data directory that is removed, moved or replaced under a server, of one process or several."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.server import Client, Server, verify
from tests.pace import until
from tests.workers.processes import WorkedServer, get, make_table, put

GOLDEN = Path(__file__).parents[1] / "golden"
SERVERS = [
    Server,
    pytest.param(
        WorkedServer,
        marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems"),
    ),
]


@contextlib.contextmanager
def clients_of(server: Server) -> Iterator[list[Client]]:
    """Two, which are at different processes if there are any."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(Client(server.url))) for _ in range(2)]


@pytest.fixture(params=SERVERS)
def server(request, tmp_path: Path) -> Iterator[Server]:
    """With a table of one item; it ends in order, whatever became of its data."""
    server = request.param(tmp_path / "data")
    with clients_of(server) as (client, _):
        make_table(client)
        put(client, "k", number="1")
    yield server
    assert server.terminate() == 0


def assert_serves_nothing(server: Server, reason: str) -> None:
    status, text = until(lambda: (seen := server.readiness())[0] == 503 and seen)
    assert (status, reason in text) == (503, True), text
    with clients_of(server) as clients:
        for client in clients:
            # Of another key: whether it has happened is not known. Each process looks for itself.
            until(lambda client=client: refuses(put, client, "refused", number="2"))
            until(lambda client=client: refuses(get, client, "k"))
        for client in clients:
            assert refuses(put, client, "refused", number="2")
            assert refuses(get, client, "k")


def refuses(ask: Callable[..., object], *asked: object, **values: str) -> bool:
    try:
        ask(*asked, **values)
    except RuntimeError as error:
        return "InternalServerError" in str(error)
    return False


# Every answer would be lost when the server ends, and nobody would know before.
def test_a_removed_directory_is_noticed_and_not_made_again(server: Server, tmp_path: Path):
    shutil.rmtree(tmp_path / "data")
    assert_serves_nothing(server, "data was removed or moved while the server used it")
    if isinstance(server, WorkedServer):
        server.kill_one("writer")
        server.kill_one("reader")
        assert_serves_nothing(server, "data was removed or moved")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_comes_back_is_served_again(server: Server, tmp_path: Path):
    (tmp_path / "data").rename(tmp_path / "moved")
    assert_serves_nothing(server, "data was removed or moved")
    (tmp_path / "moved").rename(tmp_path / "data")
    until(lambda: server.readiness()[0] == 200)
    with clients_of(server) as clients:
        assert [get(client, "k")["number"] for client in clients] == ["1", "1"]
        put(clients[0], "k", number="3")  # any process is ready once that which writes is
        assert [get(client, "k")["number"] for client in clients] == ["3", "3"]


# The second one cannot know of the first; the first one must not go on beside it.
def test_a_second_server_in_the_same_place_is_noticed(server: Server, tmp_path: Path):
    (tmp_path / "data").rename(tmp_path / "moved")
    second = type(server)(tmp_path / "data")
    try:
        assert_serves_nothing(server, "while the server used it")
        with clients_of(second) as clients:
            make_table(clients[0])
            put(clients[0], "k", number="5")
            assert [get(client, "k")["number"] for client in clients] == ["5", "5"]
    finally:
        assert second.terminate() == 0
    assert verify(tmp_path / "data") == ""
    assert "moved is in use by process" in verify(tmp_path / "moved")


# The conversion of older data puts another file in the place of the first; all have that one open.
@pytest.mark.parametrize("kind", SERVERS)
def test_data_that_are_converted_at_the_start_are_those_that_were_opened(kind, tmp_path: Path):
    shutil.copytree(GOLDEN / "tables-1", tmp_path / "data")
    server = kind(tmp_path / "data")
    try:
        assert server.readiness() == (200, "ok\n")
        with clients_of(server) as (client, _):
            make_table(client)
            put(client, "k", number="1")
        assert server.readiness() == (200, "ok\n")
    finally:
        assert server.terminate() == 0
    assert verify(tmp_path / "data") == ""
