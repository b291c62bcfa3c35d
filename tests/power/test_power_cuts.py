"""The proof of durability: random clients, power cuts at random moments, nothing lost.

A failure names its seed; `HASHRANGE_POWER_SEED=<seed> pytest tests/power` runs that seed alone, and
`python -m tests.power.soak` runs new ones for as long as asked.
"""

import os
from collections.abc import Iterable

import apsw
import pytest

from hashrange.storage.engine import StorageError, StorageOpenError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.page_cipher import PageCipher
from tests.effort import effort
from tests.power.cuts import CUTS_PER_SEED, Sabotage, run_seeds

SEEDS_PER_TEST = 30
BATCH_COUNT = effort(1, 5)
ASKED = os.environ.get("HASHRANGE_POWER_SEED")
BATCHES = (
    [range(int(ASKED), int(ASKED) + 1)]
    if ASKED
    else [
        range(first, first + SEEDS_PER_TEST)
        for first in range(0, BATCH_COUNT * SEEDS_PER_TEST, SEEDS_PER_TEST)
    ]
)
"""Each of 30 seeds with 8 cuts: 240 cuts in all, or 1,200."""

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


# Its pages are random to the file system: what is half written is found by its tag.
def test_nothing_is_lost_in_a_power_cut_of_encrypted_data():
    cipher = PageCipher(key=bytes(range(32)), key_id=bytes(range(16)), master_key_id="it")
    seeds = range(1000, 1000 + effort(8, 30))
    tally = run_seeds(seeds, cuts=CUTS_PER_SEED, cipher=cipher)
    assert tally.writes > 5 * tally.cuts
    assert tally.cuts_in_opening > 0
    assert tally.recoveries > 0


def set_synchronous(engine: SqliteEngine, level: str) -> None:
    engine.database.view.let_go()
    engine.database.write(f"PRAGMA synchronous={level}")
    engine.database.view.show()


def without_syncs_of_sqlite(engine: SqliteEngine) -> None:
    set_synchronous(engine, "OFF")


def without_sync_of_the_data_file(engine: SqliteEngine) -> None:
    engine.database.connections.data_sync.sync = lambda: None


def without_sync_of_pages_given_back(engine: SqliteEngine) -> None:
    database, vacuum = engine.database, engine.database.vacuum

    def vacuum_and_forget(**bounds: int) -> bool:
        remains = vacuum(**bounds)
        database.has_unsynced = False
        return remains

    database.vacuum = vacuum_and_forget


def without_sync_in_the_commit(engine: SqliteEngine) -> None:
    set_synchronous(engine, "NORMAL")


def without_sync_after_the_commit(engine: SqliteEngine) -> None:
    engine.database.sync = lambda: None


def shown_before_it_is_synced(engine: SqliteEngine) -> None:
    queue, hold = engine.committer.queue, engine.committer.queue.hold

    def show_and_hold():
        engine.database.view.show()
        hold()

    queue.hold = show_and_hold


def read_where_it_is_written(engine: SqliteEngine) -> None:
    engine.database.view.look_apart = lambda *, is_apart: None


def answered_before_it_is_synced(engine: SqliteEngine) -> None:
    committer, commit = engine.committer, engine.committer.commit

    def answer_and_commit(group):
        for work in group.works:
            if not work.waiter.done():
                work.waiter.set_result(None)
        commit(group)

    committer.commit = answer_and_commit


# The check must be able to fail: without a sync, or if what is not synced is read or answered from,
# writes are lost that somebody was told of. Seeds that are multiples of 4 sync
# in the commit.
@pytest.mark.parametrize(
    ("sabotage", "seeds"),
    [
        (without_syncs_of_sqlite, [8, 12]),
        (without_sync_of_the_data_file, range(1, 3)),
        (without_sync_of_pages_given_back, [73, 237, 245, 257, 287, 358]),
        (without_sync_in_the_commit, range(12, 17, 4)),
        (without_sync_after_the_commit, [21]),
        (without_sync_after_the_commit, [22]),
        (shown_before_it_is_synced, [2, 11, 18]),
        (read_where_it_is_written, [6, 11, 15]),
        (answered_before_it_is_synced, [10, 66]),
    ],
)
def test_a_missing_sync_is_found(sabotage: Sabotage, seeds: Iterable[int]):
    with pytest.raises(LOSS):
        run_seeds(seeds, cuts=CUTS_PER_SEED, sabotage=sabotage)
