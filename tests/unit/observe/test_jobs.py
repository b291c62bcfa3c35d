"""How far jobs have come, and how long the rest takes."""

import pytest

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
        job.reached(0.25, "by_day")
        assert jobs.figures()["online_index_percent@orders@by_day"] == 25
        job.reached(0.0, "by_place")
        assert jobs.figures()["online_index_percent@orders@by_place"] == 0
    assert list(jobs.figures()) == ["jobs_running", "jobs_ended_total", "job_failures_total"]
