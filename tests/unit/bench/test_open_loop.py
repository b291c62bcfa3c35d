"""An open loop is one only if a slow answer counts against all that were due meanwhile."""

import pytest

from bench.open_loop import Schedule


class Connection:
    def __init__(self):
        self.sent = []

    def send(self, request, due):
        self.sent.append((request, due))


# One connection, a request each second, and a server that takes nine seconds for the first: the
# second and the third have waited too, though they were answered at once when they were sent.
def test_latency_counts_from_when_a_request_was_due():
    schedule = Schedule([1, 2, 3], [b"a", b"b"])
    connection = Connection()
    schedule.begin(100)
    schedule.free(connection, 100)
    assert schedule.pump(100.5) == 101
    assert schedule.pump(101) is None
    for at in (110, 110.5):
        assert not schedule.done(connection.sent[-1][1], at, failed=False)
        schedule.free(connection, at)
        schedule.pump(at)
    assert schedule.done(connection.sent[-1][1], 111, failed=True)
    assert connection.sent == [(b"a", 101), (b"b", 102), (b"a", 103)]
    figures = schedule.answered(3)
    assert (figures.requests, figures.failed) == (3, 1)
    assert (figures.p50_us, figures.p99_us) == (8.5e6, 9e6)


# What the client itself sent late, with a connection free, says nothing of the server.
def test_the_delay_of_the_client_is_told_apart():
    schedule = Schedule([1, 2], [b"a"])
    connection = Connection()
    schedule.begin(0)
    schedule.free(connection, 0)
    schedule.pump(1.25)
    schedule.free(connection, 2.5)
    schedule.pump(2.5)
    assert schedule.answered(2).late_us_p99 == pytest.approx(0.25e6)


def test_what_is_never_answered_has_failed():
    schedule = Schedule([1, 2, 3], [b"a"])
    schedule.begin(0)
    assert schedule.answered(3).failed == 3
