"""Contributor insights: the keys that take the most, with a bounded error."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.contributors import Contributor, Sketch, new_insights

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


def test_writes_count_three_times():
    insights = new_insights("ACCESSED_AND_THROTTLED_KEYS", has_sort_key=True)
    insights.access("a", "1", 2.0, 0.0)
    insights.access("b", "1", 0.0, 1.0)
    insights.access("b", "2", 0.5, 0.0)
    insights.throttle("a", "9")
    insights.throttle("b", "9", is_back_pressure=True)
    assert insights.reports() == {
        "PKC": [Contributor("b", 3.5, 3.5), Contributor("a", 2.0, 2.0)],
        "SKC": [
            Contributor("b,1", 3.0, 3.0),
            Contributor("a,1", 2.0, 2.0),
            Contributor("b,2", 0.5, 0.5),
        ],
        "PKT": [Contributor("a", 1.0, 1.0)],
        "SKT": [Contributor("a,9", 1.0, 1.0)],
    }


def test_a_report_has_25_keys():
    insights = new_insights("ACCESSED_AND_THROTTLED_KEYS", has_sort_key=False)
    for number in range(40):
        insights.access(f"k{number}", None, float(number), 0.0)
    report = insights.reports()["PKC"]
    assert len(report) == 25
    assert report[0] == Contributor("k39", 39.0, 39.0)


@pytest.mark.parametrize(("has_sort_key", "rules"), [(True, {"PKT", "SKT"}), (False, {"PKT"})])
def test_throttled_keys_alone(has_sort_key, rules):
    insights = new_insights("THROTTLED_KEYS", has_sort_key=has_sort_key)
    insights.access("a", "1", 1.0, 0.0)
    insights.throttle("a", "1")
    assert set(insights.reports()) == rules
