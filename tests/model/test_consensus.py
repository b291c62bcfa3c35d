"""Random failures of a group of three: what consensus promises holds in each history.

Each promise is also seen to fail when a fault is planted, so that the search is known to find it.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.limits.consensus import BATCH_BYTES_MAX
from hashrange.regions.consensus import reading, replicating
from hashrange.regions.consensus.messages import AppendRequest, Entry, Message, Position
from tests.effort import effort
from tests.model.simulated_group import Simulation
from tests.model.simulated_member import BrokenError, Plan

STEPS = effort(2000, 6000)
SEARCHES = 40

seeds = st.integers(min_value=0, max_value=2**32)
quiet = {"losses": 0, "doubles": 0}


@given(seeds, st.booleans())
def test_promises_hold_in_all_histories(seed, has_witness):
    simulation = Simulation(seed, Plan(has_witness=has_witness))
    simulation.run(STEPS)
    simulation.heal()
    states = [node.application.state.pairs for node in simulation.full]
    # The last proposal may be in the log twice, and one member may be ahead with the second.
    shared = min(map(len, states))
    assert shared
    assert all(state[:shared] == states[0][:shared] for state in states)


# A leader that answered before its disk would lose what it has promised.
def test_a_member_that_acknowledges_before_it_has_saved_is_found():
    def search() -> None:
        for seed in range(SEARCHES):
            Simulation(seed, Plan(acknowledges_early=True, crashes=0.004)).run(4000)

    with pytest.raises(BrokenError, match=r"leader completeness|log matching|state machine"):
        search()


def vote_after_restart(*, forgets: bool) -> Simulation:
    """West votes for east, restarts, and is asked by south in the same term."""
    simulation = Simulation(1, Plan(has_witness=False, forgets_votes=forgets, **quiet))
    west, south = simulation.nodes["west"], simulation.nodes["south"]
    simulation.time_out("south")
    simulation.carry("south", "west", is_over=lambda: south.raft.role == "CANDIDATE")
    late, simulation.network = simulation.network, []
    simulation.elect("east", "west")
    assert simulation.watch.leaders == {1: "east"}
    west.crash()
    simulation.network = late
    simulation.carry("south", "west")
    return simulation


def test_a_vote_survives_a_restart():
    simulation = vote_after_restart(forgets=False)
    assert simulation.watch.leaders == {1: "east"}
    assert simulation.nodes["south"].raft.role == "CANDIDATE"


def test_a_vote_that_was_forgotten_is_found():
    with pytest.raises(BrokenError, match="election safety"):
        vote_after_restart(forgets=True)


def entry_of_an_earlier_term() -> Simulation:
    """A majority has an entry of term 1, and a later leader has another one in its place.

    East alone has the entry in term 1, and south another one in term 2; in term 3 east sends its
    own to west, then south leads. The entry is so large that it travels alone.
    """
    simulation = Simulation(1, Plan(has_witness=False, **quiet))
    east, west, south = (simulation.nodes[name] for name in ("east", "west", "south"))
    simulation.elect("east", "west")
    simulation.carry("east", "west", "south")
    east.raft.propose([b"x" * (BATCH_BYTES_MAX + 1)])
    simulation.carry("east")
    east.crash()
    simulation.elect("south", "west")
    assert (south.raft.term, south.raft.log.last) == (2, Position(2, 2))
    south.crash()
    simulation.elect("east", "west")
    assert east.raft.term == 3
    simulation.carry(
        "east",
        "west",
        is_kept=lambda message: all(entry.term == 1 for entry in entries_of(message)),
    )
    assert west.raft.log.last == Position(1, 2)
    simulation.elect("south", "west")
    simulation.carry("south", "west")
    return simulation


def entries_of(message: Message) -> Sequence[Entry]:
    return message.entries if isinstance(message, AppendRequest) else ()


# A majority has it, and yet it is gone: so it was not committed.
def test_an_entry_of_an_earlier_term_is_not_committed_by_count():
    simulation = entry_of_an_earlier_term()
    assert simulation.watch.chosen[2].data == b""
    assert simulation.watch.leaders == {1: "east", 2: "south", 3: "east", 4: "south"}


def test_a_commit_by_count_of_an_earlier_term_is_found(monkeypatch):
    monkeypatch.setattr(replicating, "is_committed_by_count", lambda *_: True)
    with pytest.raises(BrokenError, match="leader completeness"):
        entry_of_an_earlier_term()


def read_at_an_old_leader() -> Simulation:
    """East leads and is stopped; west leads, and commits; east goes on, and reads."""
    simulation = Simulation(1, Plan(has_witness=False, **quiet))
    simulation.elect("east", "west")
    simulation.carry("east", "west", "south")
    simulation.elect("west", "south")
    simulation.carry("west", "south")
    assert simulation.watch.committed == 2
    east = simulation.nodes["east"]
    assert east.raft.role == "LEADER"
    simulation.read(east)
    simulation.settle(east)
    simulation.settle(east)
    return simulation


def test_a_leader_that_was_stopped_answers_no_read():
    simulation = read_at_an_old_leader()
    assert simulation.reads_ready == 0
    simulation.carry("east", "west", "south")
    for _ in range(4):
        simulation.carry("east", "west", "south")
        simulation.nodes["east"].raft.tick()
    assert simulation.reads_ready == 1, "the leader of the new term has confirmed it"


def test_a_read_that_is_not_confirmed_is_found(monkeypatch):
    monkeypatch.setattr(reading, "is_confirmed", lambda *_: True)
    with pytest.raises(BrokenError, match="reads see all"):
        read_at_an_old_leader()
