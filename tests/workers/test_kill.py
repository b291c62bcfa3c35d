"""kill -9 of the processes of a server with workers while it writes."""

import os
from pathlib import Path

import pytest

from tests.crash.rounds import Rounds
from tests.effort import effort
from tests.pace import until
from tests.workers.processes import WorkedServer

SEED = 20261121


def kill_and_go_on(server: WorkedServer, role: str) -> None:
    """A kill of one process, after which the server is whole again, and ends in order."""
    server.kill_one(role)
    until(server.is_whole)
    assert server.terminate() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems")
def test_nothing_acknowledged_is_lost_with_a_process(tmp_path: Path) -> None:
    print(f"seed {SEED}")  # noqa: T201 - the way to see it again
    roles = iter(["reader", "writer", None])

    def kill(server: WorkedServer) -> None:
        role = next(roles)
        if role is None:
            server.kill()
        else:
            kill_and_go_on(server, role)

    most = effort(200, 800)
    rounds = Rounds(tmp_path / "data", SEED, server=WorkedServer, kill=kill, writes_max=most)
    for _ in range(3):
        rounds.run()
    rounds.close()
    assert rounds.acknowledged > rounds.kills == 3
