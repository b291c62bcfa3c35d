"""Statistic sets: merged as if all values were in one."""

import random

import msgspec
import pytest

from hashrange.observe.statistic_sets import (
    VALUES_MAX,
    StatisticSet,
    merged,
    of_statistics,
    of_values,
)

encode = msgspec.msgpack.encode


def test_values_are_kept_exactly_while_they_are_few():
    found = of_values([(2.0, 1), (1.0, 3), (2.0, 4)])
    assert found == StatisticSet(8, 13, 1, 2, ((1, 3), (2, 5)))


@pytest.mark.parametrize("seed", range(5))
def test_a_merge_has_the_statistics_of_all_values(seed):
    draw = random.Random(seed)
    values = [draw.uniform(-50, 5000) for _ in range(400)]
    parts = [values[:1], values[1:40], values[40:]]
    found = merged([of_values([(each, 1) for each in part]) for part in parts])
    assert (found.count, found.minimum, found.maximum) == (400, min(values), max(values))
    assert found.sum == pytest.approx(sum(values))
    assert len(found.values) <= VALUES_MAX
    assert sum(count for _, count in found.values) == pytest.approx(400)


def test_values_that_are_close_share_one():
    found = of_values([(1000 + each / 100, 1) for each in range(200)])
    assert len(found.values) <= VALUES_MAX
    assert all(value == pytest.approx(1001, rel=0.02) for value, _ in found.values)


def test_the_bytes_of_a_set_are_bounded():
    values = [(sign * 10.0**power * 1.0001, 1) for power in range(-100, 108) for sign in (-1, 1)]
    assert len(encode(of_values(values))) < 20 * VALUES_MAX + 60


def test_a_set_without_values_has_none_after_a_merge():
    unknown = of_statistics(2, 5, 1, 4)
    assert unknown.known == ()
    assert merged([unknown, of_values([(2, 1)])]).known == ()
    assert of_statistics(3, 6, 2, 2).known == ((2, 3),)


def test_whole_numbers_take_few_bytes():
    assert len(encode(of_values([(1.0, 1.0)]))) < 10
