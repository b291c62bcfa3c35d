"""One history: clients at work, kills meanwhile, and whether what they saw has an order."""

from tests.crash.server import verify
from tests.servers.fleet import Fleet
from tests.servers.histories import Recorder, unexplained


def record(fleet: Fleet, seed: int, answers: int, *, kills: int) -> int:
    """Kill a server after so many answers each, and look; how many answers there were.

    Ends the fleet. Raises AssertionError.
    """
    try:
        with Recorder(fleet, seed) as recorder:
            for _ in range(kills):
                recorder.further(answers)
                fleet.kill(fleet.servers[0])
                fleet.start()
            recorder.further(answers)
        histories = recorder.histories
        for key, calls in unexplained(histories).items():
            raise AssertionError(f"{key} has no order: {calls}")
    finally:
        fleet.end()
    findings = verify(fleet.place)
    assert not findings, findings
    return sum(each.returned is not None for calls in histories.values() for each in calls)
