"""Where a hot partition is cut, by the requests that it had."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.heat import COOLED_MS, HEATED_MS, SAMPLE_MS, SAMPLES_MAX, Heat, cuts
from hashrange.capacity.heat import successor as next_hash


def place(number, sort=b""):
    return number.to_bytes(16, "big") + sort


def sorts(values):
    return [place(5, value.to_bytes(4, "big")) for value in values]


SHUFFLED = [number * 37 % 101 for number in range(101)]


def test_many_collections_are_cut_in_the_middle_of_the_load():
    positions = [place(number) for number in (1, 1, 1, 2, 3, 4, 9, 9, 9)]
    assert cuts(positions, b"", b"", inside=True) in {(place(3),), (place(4),)}


# Isolation: the rest of the partition is rid of it, and it has the partition to itself.
def test_one_hot_collection_gets_a_partition_of_its_own():
    positions = [place(5)] * 9 + [place(1), place(7)]
    assert cuts(positions, b"", b"", inside=True) == (place(5), place(6))
    assert cuts(positions, b"", b"", inside=False) == (place(5), place(6))
    assert cuts(positions, place(5), b"", inside=True) == (place(6),)
    assert cuts(positions, b"", place(6), inside=True) == (place(5),)


def test_a_hot_collection_is_split_by_its_sort_key():
    positions = sorts(SHUFFLED)
    assert cuts(positions, place(5), place(6), inside=True) == (sorts([50])[0],)


# A local index keeps item collections whole.
def test_a_collection_with_a_local_index_is_not_split():
    assert cuts(sorts(SHUFFLED), place(5), place(6), inside=False) == ()


def test_a_rising_sort_key_is_not_split():
    assert cuts(sorts(range(100)), place(5), place(6), inside=True) == ()


def test_one_hot_item_is_isolated_and_then_left_alone():
    hot = place(5, b"hot")
    positions = [hot] * 90 + sorts(SHUFFLED[:10])
    assert cuts(positions, place(5), place(6), inside=True) == (hot, hot + b"\0")
    assert cuts([hot] * 90, hot, hot + b"\0", inside=True) == ()


def test_one_hot_key_without_sort_keys_cannot_be_helped():
    assert cuts([place(5)] * 90, place(5), place(6), inside=True) == ()


@pytest.mark.parametrize(
    ("value", "after"), [(b"\x00\xff", b"\x01\x00"), (b"\x01", b"\x02"), (b"\xff\xff", b"")]
)
def test_successor(value, after):
    assert next_hash(value) == after


POSITIONS = st.lists(
    st.builds(place, st.integers(3, 8), st.binary(max_size=2)), min_size=1, max_size=80
)


@given(POSITIONS, st.booleans())
def test_cuts_are_inside_and_rising(positions, inside):
    start, end = place(3), place(9)
    found = cuts(positions, start, end, inside=inside)
    assert list(found) == sorted(set(found))
    assert all(start < cut < end for cut in found)
    if not inside:
        assert all(len(cut) == 16 for cut in found)


def test_a_partition_is_due_after_minutes_of_heat():
    heat = Heat()
    for now_ms in range(0, HEATED_MS, SAMPLE_MS):
        heat.add(place(1), now_ms)
        assert not heat.is_due(now_ms)
    heat.add(place(1), HEATED_MS)
    assert heat.is_due(HEATED_MS)
    assert not heat.is_due(HEATED_MS + COOLED_MS)
    assert len(heat.positions) == SAMPLES_MAX


def test_a_pause_lets_a_partition_cool_down():
    heat = Heat()
    for now_ms in range(0, HEATED_MS, SAMPLE_MS):
        heat.add(place(1), now_ms)
    heat.add(place(2), HEATED_MS + COOLED_MS)
    assert heat.positions == [place(2)]
    assert heat.since_ms == HEATED_MS + COOLED_MS


# A client that sends in rounds has the same requests at the same times, again and again.
def test_one_request_of_each_period_is_drawn_from_all():
    heat = Heat()
    for now_ms in range(0, 200 * SAMPLE_MS, SAMPLE_MS):
        for number in range(10):
            heat.add(place(number), now_ms)
    drawn = [heat.positions.count(place(number)) for number in range(10)]
    assert sum(drawn) == 200
    assert all(8 <= count <= 40 for count in drawn), drawn
