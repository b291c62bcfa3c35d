"""The bytes that connections hold together, by value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.server.endpoint_state import ByteBudget

MAX = 10


@pytest.mark.parametrize(
    ("counted", "given_up"),
    [
        ([("a", 4), ("b", 6)], []),
        ([("a", 4), ("b", 6), ("c", 1)], ["a"]),
        # The oldest is the one that began first, not the one that grew last.
        ([("a", 1), ("b", 6), ("a", 3), ("c", 2)], ["a"]),
        ([("a", 1), ("b", 2), ("c", 10)], ["a", "b"]),
        ([("a", 1), ("b", 11)], ["a", "b"]),
        ([("a", 9), ("a", 1), ("b", 9)], []),
    ],
)
def test_the_oldest_are_given_up(counted, given_up):
    found = []
    budget = ByteBudget(MAX, found.append)
    for holder, size in counted:
        assert budget.count(holder, size) == (holder not in found)
    assert found == given_up


def test_what_is_pinned_stays():
    found = []
    budget = ByteBudget(MAX, found.append)
    assert budget.count("a", 8)
    budget.pin("a")
    assert budget.count("b", 2)
    assert not budget.count("c", 3)
    assert found == ["b", "c"]
    budget.forget("a")
    assert budget.count("d", 10)
    assert found == ["b", "c"]


def test_room_for_what_is_pinned():
    found = []
    budget = ByteBudget(MAX, found.append)
    budget.count("a", 3)
    budget.count("b", 3)
    assert budget.reserve("b", 7)
    assert not budget.reserve("b", 11)
    assert found == ["a"], "it makes room even if that does not suffice"
    assert budget.count("c", 3)
    assert budget.reserve("d", 3)
    assert found == ["a", "c"]
    budget.forget("b")
    budget.forget("d")
    assert budget.count("e", MAX)


# Whatever connections do: what is not pinned is never more than the maximum leaves, nobody is given
# up without need, and in the end nothing is counted.
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, MAX), st.sampled_from("cpf"))))
def test_any_steps(steps):
    held, pinned = {}, {}

    def give_up(holder):
        assert sum(held.values()) + sum(pinned.values()) > MAX
        assert holder == next(iter(held)), "the oldest"
        del held[holder]

    budget = ByteBudget(MAX, give_up)
    for holder, size, step in steps:
        if step == "f":
            held.pop(holder, None)
            pinned.pop(holder, None)
            budget.forget(holder)
        elif step == "p" and holder in held:
            pinned[holder] = held.pop(holder)
            budget.pin(holder)
        elif holder not in pinned:
            held[holder] = size
            assert budget.count(holder, size) == (holder in held)
        assert not held or sum(held.values()) + sum(pinned.values()) <= MAX
    for holder in range(8):
        held.pop(holder, None)
        pinned.pop(holder, None)
        budget.forget(holder)
    held["last"] = MAX
    assert budget.count("last", MAX)
