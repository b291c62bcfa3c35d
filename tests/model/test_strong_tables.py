"""Histories of a table that three regions write: there is an order that explains every answer."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.regions.consensus import reading
from hashrange.regions.consensus.writes import Outcome, Recent
from tests.effort import effort
from tests.model.linearizability import Read, Write, order_of
from tests.model.simulated_group import Simulation
from tests.model.simulated_member import Plan
from tests.model.simulated_table import Region, Table, histories_of

STEPS = effort(2500, 6000)
SEARCHES = 40
PLANS = [Plan(has_witness=True), Plan(has_witness=False)]

seeds = st.integers(min_value=0, max_value=2**32)


def is_explained(table: Table) -> bool:
    return all(order_of(calls) is not None for calls in table.histories.values())


@given(seeds, st.sampled_from(PLANS))
def test_histories_have_an_order(seed, plan):
    assert is_explained(histories_of(seed, plan, STEPS))


# An empty search would prove nothing.
def test_clients_are_answered_and_get_in_each_others_way():
    tables = [histories_of(seed, plan, STEPS) for seed in range(5) for plan in PLANS]
    assert sum(table.answers for table in tables) > 100
    assert sum(table.conflicts for table in tables) > 5


def read_at_a_leader_that_was_stopped() -> Table:
    """East leads and is stopped, west leads and writes; east goes on, and reads."""
    table = Table(1)
    plan = Plan(has_witness=False, losses=0, doubles=0)
    simulation = Simulation(1, plan, lambda: Region(table))
    east, west = simulation.nodes["east"], simulation.nodes["west"]
    simulation.elect("east", "west")
    simulation.carry("east", "west", "south")
    simulation.elect("west", "south")
    west.application.call(west, b"k", Write(1))
    for _ in range(3):
        simulation.carry("west", "south")
    assert table.answers == 1
    east.application.call(east, b"k", Read())
    simulation.settle(east)
    simulation.settle(east)
    answers = table.answers
    for _ in range(4):
        simulation.carry("east", "west", "south")
    assert table.answers == 2
    assert answers == 1 or not is_explained(table), "answered at once, and wrong"
    return table


def test_a_leader_that_was_stopped_reads_what_was_written_meanwhile():
    [_, read] = read_at_a_leader_that_was_stopped().histories[b"k"]
    assert (read.action, read.answer) == (Read(), 1)


def test_a_stale_strong_read_is_found(monkeypatch):
    monkeypatch.setattr(reading, "is_confirmed", lambda *_: True)
    assert not is_explained(read_at_a_leader_that_was_stopped())


# Two regions that decide on the same state.
def test_a_lost_update_is_found(monkeypatch):
    monkeypatch.setattr(Recent, "judge", lambda *_: Outcome.APPLIED)
    assert not all(is_explained(histories_of(seed, Plan(), STEPS)) for seed in range(SEARCHES))
