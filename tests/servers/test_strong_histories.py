"""Strong tables of three real servers: whatever happens to one, answers have an order."""

from pathlib import Path

import pytest

from tests.effort import effort
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.histories import TABLE, Recorder, unexplained
from tests.servers.porcupine_checker import built
from tests.servers.strong_regions import EAST, IRELAND, WEST, Regions

SEED = 20261123
NAMES = (EAST, WEST, IRELAND)
ANSWERS = effort(40, 80)


def places(directory: Path) -> dict[str, Path | str]:
    return {name: directory / name for name in NAMES}


def blows(regions: Regions, recorder: Recorder, answers: int) -> None:
    """The region that leads is killed, stopped and cut off, while clients call."""
    recorder.further(answers)
    killed = regions.leader()
    regions.kill(killed)
    recorder.further(answers)
    regions.start(killed)
    recorder.further(answers)
    stopped = regions.leader()
    regions.pause(stopped)
    recorder.further(answers)
    regions.call_again()
    if stopped in regions.readable:  # clients do not call a witness, which may lead for a moment
        until(lambda: recorder.is_called(regions.servers[stopped].url))
    regions.resume(stopped)
    recorder.further(answers)
    regions.links.isolate(regions.leader())
    recorder.further(answers // 4)  # who calls there waits for some seconds until it is refused
    regions.links.cut()
    recorder.further(answers)


def items(regions: Regions, region: str):
    client = regions.client_in(region)
    found = client.call("Scan", TableName=TABLE, ConsistentRead=True)["Items"]
    client.close()
    return sorted(found, key=lambda item: item["pk"]["S"])


@pytest.fixture(scope="module", params=["three", "witness and PostgreSQL"])
def histories(request, tmp_path_factory):
    """What clients of all regions have been answered meanwhile."""
    where, witness = places(tmp_path_factory.mktemp("regions")), None
    if request.param != "three":
        where, witness = {**where, WEST: url_of("strong")}, IRELAND
    with Regions(where, witness=witness) as regions:
        with Recorder(regions, SEED) as recorder:
            blows(regions, recorder, ANSWERS)
        found = [items(regions, region) for region in regions.readable]
        assert all(each == found[0] for each in found)
        regions.end()
        assert regions.findings() == dict.fromkeys(NAMES, "")
    return recorder.histories


def test_answers_have_an_order(histories):
    answered = [each for calls in histories.values() for each in calls if each.returned is not None]
    assert len(answered) > 5 * ANSWERS
    assert unexplained(histories) == {}


@pytest.mark.toolchain("go")
def test_porcupine_finds_one_too(histories, tmp_path):
    assert all(built(tmp_path)([*histories.values()]))
