"""The measures that other tests rely on can fail."""

import pytest

from tests import pace


def work(loops):
    for _ in range(loops):
        pace.loop_cpu_seconds()


def test_work_beyond_the_loops_fails():
    with pytest.raises(AssertionError, match="of 2 at most"), pace.costs_at_most(2):
        work(12)


def test_work_within_the_loops_passes():
    with pace.costs_at_most(30):
        work(5)


def test_limits_are_never_shorter_than_on_a_quiet_machine():
    assert pace.seconds(60) == 60 * pace.PACE
    assert 1 <= pace.measured() <= pace.PACE_MAX
