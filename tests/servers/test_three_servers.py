"""Three servers on one database, of which all go away at some time: nothing told is untrue."""

import pytest

from tests.servers.chaos import Blow, Chaos

SEED = 20261121


@pytest.mark.timeout(300)  # three servers, a database and nine clients on a machine with other work
def test_nothing_acknowledged_is_lost() -> None:
    print(f"seed {SEED}")  # noqa: T201 - the way to see it again
    chaos = Chaos(SEED)
    chaos.run([Blow.KILL_LEADER, Blow.CRASH_DATABASE, Blow.KILL_ANY])
    assert chaos.done > 0
