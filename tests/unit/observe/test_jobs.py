"""How far jobs have come, and how long the rest takes."""

import pytest

from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.observe.jobs import Jobs
from hashrange.observe.snapshot import JobState

S = 10**9


class Clock:
    now_ns = 0

    def monotonic_ns(self):
        return self.now_ns


def test_the_rate_since_the_first_look_tells_how_long_the_rest_takes():
    clock = Clock()
    jobs = Jobs(clock.monotonic_ns)
    with jobs.begun("export", "Orders", "01-ab") as job:
        assert jobs.states() == [JobState("export", "Orders", "01-ab", None, None)]
        clock.now_ns = 100 * S
        job.reached(0.5)  # where it went on after a restart
        assert jobs.states() == [JobState("export", "Orders", "01-ab", 0.5, None)]
        clock.now_ns = 110 * S
        job.reached(0.6)
        assert jobs.states()[0].seconds_left == pytest.approx(40)
    assert jobs.states() == []


def test_a_rate_of_a_moment_tells_nothing():
    clock = Clock()
    with Jobs(clock.monotonic_ns).begun("backup", "Orders") as job:
        job.reached(0.1)
        clock.now_ns = S
        job.reached(0.2)
        assert job.state().seconds_left is None
        clock.now_ns = 2 * S
        assert job.state().seconds_left == pytest.approx(16)


def test_a_job_that_begins_again_has_a_new_rate():
    clock = Clock()
    with Jobs(clock.monotonic_ns).begun("index", "Orders") as job:
        job.reached(0.0)
        clock.now_ns = 10 * S
        job.reached(1.0)
        assert job.state().seconds_left == 0
        job.reached(0.1)
        assert job.state() == JobState("index", "Orders", "", 0.1, None)
        clock.now_ns = 20 * S
        job.reached(0.2)
        assert job.state().seconds_left == pytest.approx(80)


def test_a_job_that_fails_is_gone():
    jobs = Jobs(Clock().monotonic_ns)
    with pytest.raises(OSError, match="full"), jobs.begun("import", "Orders"):
        raise OSError("full")
    assert jobs.states() == []


def test_an_index_that_is_built_is_a_figure():
    jobs = Jobs(Clock().monotonic_ns)
    with jobs.begun("index", "orders") as job:
        job.built("by_day", 0.25, 30)
        assert jobs.figures()["online_index_percent@orders@by_day"] == 25
        job.built("by_day", 0.5, 12)
        job.built("by_place", 0.0, 0)
        assert jobs.figures()["online_index_percent@orders@by_place"] == 0
    # What was written remains, as counters do.
    units = {"online_index_write_units_total@orders@by_day": 42}
    others = {"jobs_running": 0, "jobs_ended_total": 0, "job_failures_total": 0}
    assert jobs.figures() == {**units, **others}


def test_counters_of_indexes_are_bounded():
    jobs = Jobs(Clock().monotonic_ns)
    with jobs.begun("index", "orders") as job:
        for number in range(METRIC_TABLES_MAX + 5):
            job.built(f"i{number}", 0.5, 1)
    assert sum("write_units" in name for name in jobs.figures()) == METRIC_TABLES_MAX
