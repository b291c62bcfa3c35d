"""Contributor insights: the keys that take the most, with a bounded error."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.contributors import Sketch, new_insights, new_minutes, rules_of
from hashrange.observe.snapshot import Contributor

KEYS = st.lists(st.tuples(st.sampled_from("abcdefghij"), st.integers(1, 9)), max_size=200)


@given(KEYS, st.integers(1, 5))
def test_no_count_is_too_high_or_too_low_by_more_than_the_error(keys, kept):
    sketch, exact = Sketch(kept=kept), Counter()
    for key, weight in keys:
        sketch.add(key, float(weight))
        exact[key] += weight
    assert sketch.total == sum(exact.values())
    assert sketch.error <= sketch.total / (kept + 1)
    assert len(sketch.counts) <= 2 * kept
    for key, count in exact.items():
        assert count - sketch.error <= sketch.counts.get(key, 0.0) <= count


# What is stored are copies: the counters of the present minute go on.
def test_the_counts_since_a_minute():
    minutes = new_minutes(("PKC",), 0)
    for minute in range(3):
        minutes.at(minute * 60_000).access("a", None, 1.0, 0.0)
    found = minutes.since(1, 2 * 60_000)
    assert [(at, each.sketches["PKC"].counts) for at, each in found] == [
        (1, {"a": 1.0}),
        (2, {"a": 1.0}),
    ]
    minutes.at(2 * 60_000).access("a", None, 1.0, 0.0)
    assert found[1][1].sketches["PKC"].total == 1
    assert minutes.since(2, 2 * 60_000)[0][1].sketches["PKC"].total == 2


@given(KEYS, KEYS, st.integers(1, 5))
def test_sketches_of_several_processes_are_one(some, more, kept):
    sketch, other, exact = Sketch(kept=kept), Sketch(kept=kept), Counter()
    for target, keys in ((sketch, some), (other, more)):
        for key, weight in keys:
            target.add(key, float(weight))
            exact[key] += weight
    sketch.merge(other)
    assert sketch.error <= sketch.total / (kept + 1)
    for key, count in exact.items():
        assert count - sketch.error <= sketch.counts.get(key, 0.0) <= count


def test_a_key_that_is_frequent_enough_is_always_there():
    sketch = Sketch(kept=10)
    for number in range(10_000):
        sketch.add(f"other{number}")
        if number % 5 == 0:
            sketch.add("star")
    (first, *_others) = sketch.top()
    assert first.key == "star"
    assert first.count <= 2000 <= first.count_max


ALL = rules_of("ACCESSED_AND_THROTTLED_KEYS", has_sort_key=True)
MINUTE = 60_000


def test_writes_count_three_times():
    insights = new_insights(ALL)
    insights.access("a", "a,1", 2.0, 0.0)
    insights.access("b", "b,1", 0.0, 1.0)
    insights.access("b", "b,2", 0.5, 0.0)
    insights.access("b", None, 1.0, 0.0)
    insights.throttle("a", "a,9")
    assert insights.reports() == {
        "PKC": [Contributor("b", 4.5, 4.5), Contributor("a", 2.0, 2.0)],
        "SKC": [
            Contributor("b,1", 3.0, 3.0),
            Contributor("a,1", 2.0, 2.0),
            Contributor("b,2", 0.5, 0.5),
        ],
        "PKT": [Contributor("a", 1.0, 1.0)],
        "SKT": [Contributor("a,9", 1.0, 1.0)],
    }


def test_a_report_has_25_keys():
    insights = new_insights(["PKC"])
    for number in range(40):
        insights.access(f"k{number}", None, float(number), 0.0)
    report = insights.reports()["PKC"]
    assert len(report) == 25
    assert report[0] == Contributor("k39", 39.0, 39.0)


@pytest.mark.parametrize(
    ("mode", "has_sort_key", "rules"),
    [
        ("ACCESSED_AND_THROTTLED_KEYS", True, ["PKC", "PKT", "SKC", "SKT"]),
        ("ACCESSED_AND_THROTTLED_KEYS", False, ["PKC", "PKT"]),
        ("THROTTLED_KEYS", True, ["PKT", "SKT"]),
        ("THROTTLED_KEYS", False, ["PKT"]),
    ],
)
def test_rules_follow_the_mode_and_the_key(mode, has_sort_key, rules):
    assert rules_of(mode, has_sort_key=has_sort_key) == rules


def test_minutes_are_counted_by_themselves_and_forgotten():
    minutes = new_minutes(("PKC",), 0)
    for minute in range(20):
        minutes.at(minute * MINUTE).access("k", None, 1.0, 0.0)
    now_ms = 19 * MINUTE
    sums = {span: minutes.last(span, now_ms).sketches["PKC"].total for span in (0, 1, 15)}
    assert sums == {0: 1, 1: 1, 15: 15}
    assert minutes.last(15, now_ms + 40 * MINUTE).sketches["PKC"].total == 0


def test_a_minute_that_is_over_has_few_keys_and_a_known_error():
    minutes = new_minutes(("PKC",), 0)
    for number in range(900):
        minutes.at(0).access(f"k{number}", None, 1.0, 0.0)
        minutes.at(0).access("star", None, 2.0, 0.0)
    sketch = minutes.last(1, MINUTE).sketches["PKC"]
    assert len(sketch.counts) <= 100
    assert sketch.error <= sketch.total / 101
    assert sketch.top()[0].count <= 1800 <= sketch.top()[0].count_max


def test_another_mode_keeps_the_counts_of_rules_that_stay():
    minutes = new_minutes(("PKC", "PKT"), 0)
    minutes.at(0).access("a", None, 1.0, 0.0)
    minutes.at(0).throttle("a", None)
    minutes.count_rules(("PKT",))
    minutes.at(0).access("a", None, 1.0, 0.0)
    assert {rule: each.total for rule, each in minutes.at(0).sketches.items()} == {"PKT": 1.0}
