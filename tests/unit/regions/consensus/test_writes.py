"""Which writes of a strong table take effect, by value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.limits.consensus import RECENT_WRITES
from hashrange.regions.consensus.writes import Outcome, Recent, Write, write_data, write_of


def write(region="east", key=b"k", seen=0):
    return Write(incarnation=1, number=2, region=region, key=key, item=b"{}", seen=seen)


def judged(*writes):
    recent = Recent()
    return [recent.judge(index, each) for index, each in enumerate(writes, 1)]


def test_a_write_comes_back_from_its_bytes():
    assert write_of(write_data(write())) == write()


def test_bytes_that_are_no_write_are_refused():
    with pytest.raises(ValueError, match="Expected"):
        write_of(b"\x01")


def test_one_after_the_other():
    assert judged(write("east"), write("west", seen=1)) == [Outcome.APPLIED] * 2


def test_of_two_regions_at_the_same_time_the_second_is_refused():
    assert judged(write("east"), write("west")) == [Outcome.APPLIED, Outcome.CONFLICT]


# It did not change the item, so it is in nobody's way.
def test_a_write_that_was_refused_is_no_conflict():
    outcomes = judged(write("east"), write("west"), write("east", seen=1))
    assert outcomes == [Outcome.APPLIED, Outcome.CONFLICT, Outcome.APPLIED]


def test_a_region_is_not_in_conflict_with_itself():
    assert judged(write(), write()) == [Outcome.APPLIED, Outcome.STALE]


def test_other_items_are_no_conflict():
    assert judged(write(), write("west", key=b"l")) == [Outcome.APPLIED] * 2


def test_a_state_that_is_too_old_to_tell_is_refused():
    assert Recent().judge(RECENT_WRITES + 1, write(seen=0)) is Outcome.STALE
    assert Recent().judge(RECENT_WRITES + 1, write(seen=1)) is Outcome.APPLIED


# Whoever has forgotten a write must not accept what was decided before it.
def test_a_write_is_remembered_as_long_as_states_are_accepted():
    recent = Recent()
    recent.judge(1, write())
    assert recent.judge(RECENT_WRITES, write("west", seen=0)) is Outcome.CONFLICT
    assert recent.judge(RECENT_WRITES + 1, write("west", seen=0)) is Outcome.STALE


writes = st.builds(
    write,
    region=st.sampled_from(["east", "west"]),
    key=st.sampled_from([b"k", b"l", b"m"]),
    seen=st.integers(0, 30),
)


@given(st.lists(writes, max_size=30), st.integers(0, 30))
def test_a_restart_changes_no_outcome(all_writes, at):
    recent, outcomes = Recent(), []
    for index, each in enumerate(all_writes, 1):
        if index == at:
            other = Recent()
            other.load(recent.dump())
            recent = other
        outcomes.append(recent.judge(index, each))
    assert outcomes == judged(*all_writes)
