"""kill -9 of the real server while it writes, and its orderly end."""

import threading
from pathlib import Path

import pytest

from tests.crash.rounds import Rounds, Writer, items_of, make_table
from tests.crash.server import Client, Server, verify
from tests.effort import effort
from tests.pace import seconds

KILLS = effort(3, 6)
WRITES_MAX = effort(200, 800)
SEED = 20261121


def test_nothing_acknowledged_is_lost_by_kill_9(tmp_path: Path) -> None:
    print(f"seed {SEED}")  # noqa: T201 - the way to see it again
    rounds = Rounds(tmp_path / "data", SEED, writes_max=WRITES_MAX)
    for _ in range(KILLS):
        rounds.run()
    rounds.close()
    assert rounds.acknowledged > KILLS


def test_the_check_finds_a_lost_write() -> None:
    # The oracle must be able to fail: an acknowledged item that is not found.
    writer = Writer(0, SEED)
    writer.acknowledged["3"] = {"seq": {"N": "1"}}
    with pytest.raises(AssertionError, match="w0/3: found nothing"):
        writer.settle({})


def test_the_check_finds_a_write_that_nobody_made() -> None:
    writer = Writer(0, SEED)
    with pytest.raises(AssertionError, match="w0/3"):
        writer.settle({"3": {"seq": {"N": "1"}}})


def test_sigterm_loses_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    make_table(directory)
    server = Server(directory)
    writer = Writer(0, SEED)
    begun = threading.Event()
    thread = threading.Thread(target=writer.write, args=(server.url, begun.set))
    thread.start()
    assert begun.wait(seconds(30))
    assert server.terminate() == 0
    thread.join(seconds(30))
    assert verify(directory) == ""
    server = Server(directory)
    client = Client(server.url)
    writer.settle(items_of(client, 0))
    client.close()
    server.kill()


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    server = Server(directory)
    findings = verify(directory)
    server.kill()
    assert "in use" in findings
