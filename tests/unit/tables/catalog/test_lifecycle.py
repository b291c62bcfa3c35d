"""Statuses by value: what was done when, and what is shown now."""

import pytest

from hashrange.tables.catalog.lifecycle import is_warming, status_of, still_shown
from tests.unit.tables.definitions import NOON_MS, definition

SHOWN_MS = 500


@pytest.mark.parametrize(
    ("since_ms", "status"),
    [(0, "CREATING"), (SHOWN_MS - 1, "CREATING"), (SHOWN_MS, "ACTIVE"), (10**9, "ACTIVE")],
)
def test_new_table(since_ms, status):
    assert status_of(definition(), NOON_MS + since_ms, SHOWN_MS) == status


@pytest.mark.parametrize(
    ("since_ms", "status"), [(0, "UPDATING"), (SHOWN_MS - 1, "UPDATING"), (SHOWN_MS, "ACTIVE")]
)
def test_changed_table(since_ms, status):
    changed_ms = NOON_MS + 10_000
    table = definition(changed_ms=changed_ms)
    assert status_of(table, changed_ms + since_ms, SHOWN_MS) == status


# A table that is being created cannot be updated; should clocks disagree, it is CREATING first.
def test_creating_hides_updating():
    table = definition(changed_ms=NOON_MS)
    assert status_of(table, NOON_MS, SHOWN_MS) == "CREATING"


# Another server's clock was ahead, or a test has set the clock back.
def test_times_to_come_are_not_waited_for():
    ahead = definition(created_ms=NOON_MS + 1, changed_ms=NOON_MS + 10**9)
    assert status_of(ahead, NOON_MS, 0) == "ACTIVE"
    assert status_of(ahead, NOON_MS, SHOWN_MS) == "ACTIVE"
    assert not still_shown(definition(deleted_ms=NOON_MS + 1), NOON_MS, SHOWN_MS)


# There is no way back: a dropped table is DELETING as long as anybody sees it.
@pytest.mark.parametrize("now_ms", [NOON_MS, NOON_MS + 10**9])
def test_dropped_table(now_ms):
    assert status_of(definition(deleted_ms=NOON_MS), now_ms, SHOWN_MS) == "DELETING"


@pytest.mark.parametrize(
    "table", [definition(), definition(changed_ms=NOON_MS)], ids=["new", "changed"]
)
def test_nothing_is_shown_that_takes_no_time(table):
    assert status_of(table, NOON_MS, 0) == "ACTIVE"


@pytest.mark.parametrize(
    ("since_ms", "transient_ms", "shown"),
    [
        (0, SHOWN_MS, True),
        (SHOWN_MS - 1, SHOWN_MS, True),
        (SHOWN_MS, SHOWN_MS, False),
        (0, 0, False),
    ],
)
def test_how_long_a_dropped_table_is_shown(since_ms, transient_ms, shown):
    dropped = definition(deleted_ms=NOON_MS)
    assert still_shown(dropped, NOON_MS + since_ms, transient_ms) is shown


# The table stays ACTIVE meanwhile, so this is a status of its own.
@pytest.mark.parametrize(
    ("since_ms", "transient_ms", "warming"),
    [
        (0, SHOWN_MS, True),
        (SHOWN_MS - 1, SHOWN_MS, True),
        (SHOWN_MS, SHOWN_MS, False),
        (0, 0, False),
    ],
)
def test_how_long_a_table_is_warming(since_ms, transient_ms, warming):
    warmed_ms = NOON_MS + 10_000
    table = definition(warm_changed_ms=warmed_ms)
    assert is_warming(table, warmed_ms + since_ms, transient_ms) is warming
    assert not is_warming(definition(), NOON_MS, transient_ms)
    assert status_of(table, warmed_ms + since_ms, transient_ms) == "ACTIVE"
