"""The proof of durability: random clients, power cuts at random moments, nothing lost.

A failure names its seed; `HASHRANGE_POWER_SEED=<seed> pytest tests/power` runs that seed alone, and
`python -m tests.power.soak` runs new ones for as long as asked.
"""

import os

import apsw
import pytest

from hashrange.storage.engine import StorageError, StorageOpenError
from tests.power.cuts import CUTS_PER_SEED, run_seeds

SEEDS_PER_TEST = 30
ASKED = os.environ.get("HASHRANGE_POWER_SEED")
BATCHES = (
    [range(int(ASKED), int(ASKED) + 1)]
    if ASKED
    else [
        range(first, first + SEEDS_PER_TEST)
        for first in range(0, 9 * SEEDS_PER_TEST, SEEDS_PER_TEST)
    ]
)
"""9 * 30 seeds of 8 cuts: 2,160 cuts."""

LOSS = (AssertionError, apsw.Error, StorageError, StorageOpenError)


@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_nothing_is_lost_in_a_power_cut(seeds: range):
    tally = run_seeds(seeds, cuts=CUTS_PER_SEED)
    assert tally.cuts == len(seeds) * CUTS_PER_SEED
    if not ASKED:
        # Otherwise it would be a test of engines that are opened and closed.
        assert tally.writes > 5 * tally.cuts
        assert tally.cuts_in_opening > 0
        assert tally.recoveries > 0


# The check must be able to fail: without syncs, or without one at each commit, writes are lost
# that somebody was told of.
@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_a_missing_sync_is_found(synchronous: str):
    def sabotage(engine):
        engine._database.write(f"PRAGMA synchronous={synchronous}")

    with pytest.raises(LOSS):
        run_seeds(range(1, 3), cuts=CUTS_PER_SEED, sabotage=sabotage)
