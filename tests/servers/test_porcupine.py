"""Another checker of histories says the same as ours: Porcupine, which is a module of Go."""

import os
from dataclasses import replace
from random import Random

import pytest

from hashrange.regions.consensus.writes import Outcome, Recent
from tests.effort import effort
from tests.model.linearizability import (
    Action,
    Add,
    Call,
    Read,
    Remove,
    Swap,
    Write,
    order_of,
    outcome,
)
from tests.model.simulated_member import Plan
from tests.model.simulated_table import histories_of
from tests.servers.porcupine_checker import built
from tests.servers.stale import Tally, search
from tests.workers.planted import Faults

SEED = 20261122
HISTORIES = effort(1000, 3000)
CALLS_MAX = 12
ANSWERS = 500
TABLES = effort(10, 60)
STEPS = 3000
"""Of the simulation of a strong table."""

pytestmark = [pytest.mark.toolchain("go"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """What the program says of histories."""
    return built(tmp_path_factory.mktemp("porcupine"))


def drawn_action(random: Random) -> Action:
    some, other = random.randrange(3), random.choice([None, 0, 1, 2])
    return random.choice([Read(), Read(), Write(some), Remove(), Add(1), Swap(other, some)])


def drawn(random: Random) -> list[Call]:
    """Calls that overlap, answered in some order; often one answer is changed, or missing."""
    value, calls = None, []
    for moment in range(random.randint(1, CALLS_MAX)):
        action = drawn_action(random)
        answer, value = outcome(action, value)
        called = moment * 10 - random.randrange(40)
        returned = moment * 10 + random.randrange(1, 40)
        calls.append(Call(action=action, called=called, returned=returned, answer=answer))
    at = random.randrange(len(calls))
    match random.randrange(4):
        case 0:
            calls[at] = replace(calls[at], answer=random.choice([None, 0, 1, 2]))
        case 1:
            calls[at] = replace(calls[at], returned=None, answer=None)
        case 2:
            calls[at] = replace(calls[at], returned=None, answer=None)
            other = random.randrange(len(calls))
            if calls[other].returned is not None:
                calls[other] = replace(calls[other], answer=random.choice([None, 0, 1, 2]))
        case _:
            pass
    return calls


def test_both_checkers_say_the_same_of_drawn_histories(checked):
    random = Random(SEED)
    histories = [drawn(random) for _ in range(HISTORIES)]
    ours = [order_of(calls) is not None for calls in histories]
    assert HISTORIES / 20 < ours.count(False) < HISTORIES / 2, "too few of one kind"
    assert checked(histories) == ours


class Kept(Tally):
    """Keeps the histories."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[list[Call]] = []

    def add(self, histories: dict[str, list[Call]]) -> None:
        super().add(histories)
        self.kept.extend(histories.values())


# What two workers have answered while the writer slept in its commits and was killed in them.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems")
def test_it_finds_an_order_of_what_workers_have_answered(checked):
    tally = Kept()
    faults = Faults(sleeps=0.5, kills_within=0.03)
    search(faults, SEED, tally, lambda: tally.kills >= 1, answers=ANSWERS)
    assert all(checked(tally.kept))


# What the regions of a strong table have answered while members crashed, slept and were cut off;
# and the same when both of two writes of an item at the same time take effect.
def test_it_says_the_same_of_strong_tables(checked, monkeypatch):
    def histories(plan: Plan) -> list[list[Call]]:
        tables = [histories_of(seed, plan, STEPS) for seed in range(TABLES)]
        return [calls for table in tables for calls in table.histories.values()]

    kept = histories(Plan(has_witness=True)) + histories(Plan(has_witness=False))
    assert sum(each.returned is not None for calls in kept for each in calls) > 100
    assert all(checked(kept))
    monkeypatch.setattr(Recent, "judge", lambda *_: Outcome.APPLIED)
    lost = histories(Plan())
    said = checked(lost)
    assert said == [order_of(calls) is not None for calls in lost]
    assert False in said
