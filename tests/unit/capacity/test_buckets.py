"""Token buckets: what flows in, what is kept, what is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.buckets import FAR_MS, Bucket, new_bucket

HALVES = st.integers(1, 40).map(lambda number: number / 2)
STEPS = st.lists(st.tuples(st.integers(0, 2000), HALVES), max_size=60)


def test_unused_units_of_300_seconds_are_kept():
    bucket = new_bucket(10.0, 300, 0.0)
    assert bucket.level == 10.0, "a new table has no unused past"
    assert bucket.refill(100_000.0) == 1010.0
    assert bucket.refill(10_000_000.0) == 3000.0


def test_a_bucket_gives_what_it_has():
    bucket = new_bucket(10.0, 300, 0.0)
    assert [bucket.take(4.0, 0.0) for _ in range(3)] == [True, True, False]
    assert bucket.take(4.0, 200.0)


# A page costs more than it was admitted for; then nobody gets anything until that is made up for.
def test_a_bucket_goes_below_zero_and_recovers():
    bucket = new_bucket(10.0, 300, 0.0)
    bucket.charge(35.0, 0.0)
    assert bucket.level == -25.0
    assert bucket.recovers_ms() == 2500.0
    assert not bucket.take(0.5, 2500.0)
    assert bucket.take(0.5, 2550.0)


def test_a_bucket_without_a_rate_never_recovers():
    assert Bucket(rate=0.0, capacity=1.0, level=-1.0, at_ms=0.0).recovers_ms() == FAR_MS


# An item of 400 KB is 400 units; a table of one unit a second keeps 300 at most.
def test_a_full_bucket_gives_more_than_it_holds():
    bucket = Bucket(rate=1.0, capacity=300.0, level=300.0, at_ms=0.0)
    assert bucket.take(400.0, 0.0)
    assert bucket.level == -100.0
    assert not bucket.take(400.0, 399_000.0)
    assert bucket.take(400.0, 400_000.0)


def test_time_that_goes_back_a_little_gives_nothing_twice():
    bucket = Bucket(rate=1000.0, capacity=1000.0, level=0.0, at_ms=5000.0)
    assert bucket.refill(4500.0) == 0.0
    assert bucket.refill(5000.0) == 0.0


# Otherwise a clock that was wrong by a day would stop a table for a day.
def test_a_clock_that_was_set_back_is_followed():
    bucket = Bucket(rate=1000.0, capacity=1000.0, level=0.0, at_ms=86_400_000.0)
    assert bucket.refill(0.0) == 0.0
    assert bucket.refill(500.0) == 500.0


def test_lower_throughput_keeps_no_more_than_its_own_burst():
    bucket = Bucket(rate=100.0, capacity=30_000.0, level=30_000.0, at_ms=0.0)
    bucket.configure(1.0, 300.0, 0.0)
    assert bucket.level == 300.0


@given(STEPS)
def test_no_more_is_given_than_burst_and_refill(steps):
    bucket = Bucket(rate=7.0, capacity=35.0, level=35.0, at_ms=0.0)
    now_ms, given_units, grants = 0, 0.0, []
    for pause_ms, units in steps:
        now_ms += pause_ms
        if bucket.take(units, float(now_ms)):
            given_units += units
            grants.append((now_ms, units))
    assert given_units <= 35.0 + 7.0 * now_ms / 1000 + 1e-6
    for first, (begin, _units) in enumerate(grants):
        window = sum(units for at_ms, units in grants[first:] if at_ms <= begin + 3000)
        assert window <= 35.0 + 7.0 * 3 + 1e-6


@given(STEPS, st.integers(0, 100))
def test_many_at_once_are_as_many_as_one_by_one(steps, count):
    many = Bucket(rate=8.0, capacity=64.0, level=64.0, at_ms=0.0)
    single = Bucket(rate=8.0, capacity=64.0, level=64.0, at_ms=0.0)
    now_ms = 0.0
    for pause_ms, units in steps:
        now_ms += pause_ms * 125  # whole units, which floats have exactly
        told = many.requests(units, count, now_ms)
        taken = sum(single.take(units, now_ms) for _ in range(count))
        assert told == taken
        many.charge(units * told, now_ms)
        assert many.level == pytest.approx(single.level)
