"""No worker answers a strong read with a value older than one that another worker has answered.

The process that writes stands still in the middle of its commits, which makes the moment long at
which a commit is visible and its end is not told; `python -m tests.servers.stale` goes on longer.
"""

import os

import pytest

from tests.servers.stale import Tally, search
from tests.workers.planted import Faults

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems"),
    pytest.mark.timeout(300),
]

SEED = 20261122
ANSWERS = 500
HISTORIES_MAX = 300
"""Until a planted fault is found: about one of ten shows it."""


def test_reads_of_all_workers_have_an_order_though_the_writer_is_killed_in_commits():
    tally = Tally()
    faults = Faults(sleeps=0.5, kills_before=0.02, kills_within=0.02, kills_after=0.02)
    search(faults, SEED, tally, lambda: tally.kills >= 2, answers=ANSWERS)
    assert tally.unexplained == []


# The search must be able to find what it is for.
def test_the_search_finds_a_counter_that_is_moved_after_the_commit_only():
    tally = Tally()
    faults = Faults(sleeps=1, sleep_seconds=0.01, is_late=True)

    def is_over():
        return bool(tally.unexplained) or tally.histories >= HISTORIES_MAX

    search(faults, SEED, tally, is_over, answers=ANSWERS)
    assert tally.unexplained
