"""The clock of a server under test is one, whichever process answers and whichever was killed."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from hashrange.testing_pages import ClockError, ServerClock
from tests.pace import until
from tests.workers.processes import WorkedServer


# A process that begins with real time would see items as they were days ago.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems")
def test_process_that_takes_the_place_of_another_has_the_same_time(tmp_path: Path) -> None:
    server = WorkedServer(tmp_path / "data", "--testing")
    clock = ServerClock(server.url)
    clock.advance(days=2)
    for role in ("writer", "reader"):
        server.kill_one(role)
        until(server.is_whole)
    # Each connection is of the next process.
    assert {clock.offset for _ in range(4)} == {timedelta(days=2)}

    def moved() -> bool:
        try:
            clock.advance(days=1)
        except (ClockError, OSError):
            return False  # the writer has begun, and is not yet heard
        return True

    until(moved)
    assert {clock.offset for _ in range(4)} <= {timedelta(days=days) for days in (3, 4, 5, 6)}
    assert server.terminate() == 0
