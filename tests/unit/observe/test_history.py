"""The minutes of a server, made of sums of its counts."""

import pytest

from hashrange.observe.counts import LATENCY_BOUNDS_S
from hashrange.observe.history import MINUTE_TABLES_MAX, MINUTES_MAX, History
from hashrange.observe.report import Report, Throttles, Units
from hashrange.observe.snapshot import Requests, Spread

BUCKETS = len(LATENCY_BOUNDS_S) + 1
MINUTE = 60_000


def report(fast=0, slow=0, units=(), throttles=(), **codes):
    buckets = [0] * BUCKETS
    buckets[3], buckets[10] = fast, slow
    return Report(
        operations={"PutItem": Requests(codes, Spread(buckets, 0))},
        units=[Units(*each) for each in units],
        throttles=[Throttles(*each) for each in throttles],
    )


def provisioned(name):
    return (5.0, 10.0) if name == "orders" else None


@pytest.fixture
def history():
    return History(provisioned)


def test_a_minute_is_the_difference_of_two_sums(history):
    history.take(report(units=[("orders", "PutItem", 0.0, 600.0)]), MINUTE)
    later = report(
        fast=99,
        slow=1,
        units=[("orders", "PutItem", 0.0, 1200.0), ("orders", "Query", 60.0, 0.0)],
        throttles=[
            ("orders", "", "WriteThrottleEvents", 30),
            ("orders", "by_day", "WriteThrottleEvents", 30),
            ("orders", "", "ThrottledRequests", 60),
        ],
        TransactionConflictException=6,
        ConditionalCheckFailedException=12,
    )
    (minute,) = history.minutes(later, 2 * MINUTE)
    orders = minute.tables["orders"]
    assert (orders.read_units, orders.write_units) == (1.0, 10.0)
    assert (orders.throttled_reads, orders.throttled_writes) == (0.0, 1.0)
    assert (orders.read_provisioned, orders.write_provisioned) == (5.0, 10.0)
    assert (minute.at_ms, minute.seconds) == (MINUTE, 60.0)
    assert (minute.conflicts, minute.conditions) == (0.1, 0.2)
    assert minute.requests == pytest.approx(100 / 60)
    assert 0.25 < minute.p50_ms <= 0.5
    assert minute.p99_ms <= 0.5


def test_the_present_minute_is_shown_and_not_kept(history):
    history.take(report(), MINUTE)
    (half,) = history.minutes(report(units=[("a", "Scan", 30.0, 0.0)]), MINUTE + 30_000)
    assert (half.seconds, half.tables["a"].read_units) == (30.0, 1.0)
    assert half.tables["a"].read_provisioned is None
    (whole,) = history.minutes(report(units=[("a", "Scan", 60.0, 0.0)]), 2 * MINUTE)
    assert (whole.seconds, whole.tables["a"].read_units) == (60.0, 1.0)


def test_the_first_minute_ends_with_the_minute_of_the_clock(history):
    history.take(report(), MINUTE + 50_000)
    history.take(report(units=[("a", "Scan", 10.0, 0.0)]), 2 * MINUTE)
    (first,) = history.minutes(report(units=[("a", "Scan", 10.0, 0.0)]), 2 * MINUTE)
    assert (first.seconds, first.tables["a"].read_units) == (10.0, 1.0)


def test_memory_is_bounded(history):
    for minute in range(2 * MINUTES_MAX):
        units = [(f"t{number}", "Scan", float(minute * number), 0.0) for number in range(300)]
        history.take(report(units=units), minute * MINUTE)
    found = history.minutes(report(units=units), minute * MINUTE)
    assert len(found) == MINUTES_MAX
    assert len(found[-1].tables) == MINUTE_TABLES_MAX
    assert "t299" in found[-1].tables


def test_a_clock_that_is_set_back_begins_anew(history):
    history.take(report(), 10 * MINUTE)
    history.take(report(units=[("a", "Scan", 60.0, 0.0)]), 2 * MINUTE)
    (found,) = history.minutes(report(units=[("a", "Scan", 120.0, 0.0)]), 3 * MINUTE)
    assert found.tables["a"].read_units == 1.0
