"""What clients see of single items, on several servers that are killed meanwhile, has an order."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.server import verify
from tests.engines.postgres_server import url_of
from tests.servers.fleet import Fleet
from tests.servers.histories import Recorder, unexplained

SEED = 20261121
KILLS = 2
ANSWERS = 400


def on_postgres(_directory: Path) -> Fleet:
    return Fleet(url_of(str(uuid.uuid4())), 2)


LAUNCHERS: dict[str, Callable[[Path], Fleet]] = {"two-servers-on-postgres": on_postgres}


@pytest.fixture(params=list(LAUNCHERS.values()), ids=list(LAUNCHERS))
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    made = request.param(tmp_path / "data")
    yield made
    made.end()


def test_each_item_has_an_order_across_kills(fleet: Fleet) -> None:
    with Recorder(fleet, SEED) as recorder:
        for _ in range(KILLS):
            recorder.further(ANSWERS)
            fleet.kill(fleet.servers[0])
            fleet.start()
        recorder.further(ANSWERS)
    histories = recorder.histories
    assert unexplained(histories) == {}
    answered = [each for calls in histories.values() for each in calls if each.returned is not None]
    assert len(answered) >= (KILLS + 1) * ANSWERS
    fleet.end()
    assert verify(fleet.place) == ""
