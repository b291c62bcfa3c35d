"""Provisioned throughput over days: dates of the last changes, and how often it may be lowered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.definitions.throughput import (
    changed_throughput,
    check_units,
    decreases_today,
)
from hashrange.errors import DynamoError, Fault
from hashrange.limits.tables import CAPACITY_UNITS_MAX
from hashrange.model.structures.dynamodb import ProvisionedThroughput
from hashrange.model.table import Throughput
from tests.rows import rows
from tests.unit.refusals import refusal
from tests.unit.tables.definitions import HOUR_MS, NOON_MS

DAY_MS = 24 * HOUR_MS
MIDNIGHT_MS = NOON_MS + 12 * HOUR_MS


def units(read, write):
    return ProvisionedThroughput(read_capacity_units=read, write_capacity_units=write)


def fives(**dates):
    return Throughput(**{"read_units": 5, "write_units": 5, **dates})


# Days are those of UTC, and begin with the first millisecond.
@pytest.mark.parametrize(
    ("now_ms", "decreases"),
    [(NOON_MS, 3), (MIDNIGHT_MS - 1, 3), (MIDNIGHT_MS, 0), (NOON_MS + 365 * DAY_MS, 0)],
)
def test_decreases_are_of_today(now_ms, decreases):
    old = fives(decreased_ms=NOON_MS, decreases_today=3)
    assert decreases_today(old, now_ms) == decreases
    assert changed_throughput(old, units(1, 5), now_ms).decreases_today == decreases + 1


def lowered(old, now_ms):
    """The throughput with one read unit less, and what is said if that is refused."""
    try:
        return changed_throughput(old, units(old.read_units - 1, 5), now_ms), None
    except DynamoError as error:
        return old, error.message if error.fault is Fault.LIMIT_EXCEEDED else "another fault"


# After four decreases one waits an hour from the last, or until the day ends. Source: Developer
# Guide, quotas; measured by users, October 2026.
@rows(
    ("today", "last_ms", "now_ms", "allowed"),
    [
        (3, NOON_MS, NOON_MS, True),
        (4, NOON_MS, NOON_MS, False),
        (4, NOON_MS, NOON_MS + HOUR_MS - 1, False),
        (4, NOON_MS, NOON_MS + HOUR_MS, True),
        (5, NOON_MS, NOON_MS + HOUR_MS - 1, False),
        (5, NOON_MS, NOON_MS + HOUR_MS, True),
        (4, MIDNIGHT_MS - 1, MIDNIGHT_MS - 1, False),
        (4, MIDNIGHT_MS - 1, MIDNIGHT_MS, True),
    ],
)
def test_decrease_waits(today, last_ms, now_ms, allowed):
    old = fives(decreased_ms=last_ms, decreases_today=today)
    after, refused = lowered(old, now_ms)
    assert (refused is None) is allowed
    assert after.decreased_ms == (now_ms if allowed else last_ms)


# The whole text, with the two times that it can name. Measured by users, October 2026.
@pytest.mark.parametrize(
    ("last_ms", "last", "next_"),
    [
        (NOON_MS, "12:00:00 PM", "Thursday, January 1, 2026 at 1:00:00 PM"),
        (MIDNIGHT_MS - 60_000, "11:59:00 PM", "Friday, January 2, 2026 at 12:00:00 AM"),
    ],
)
def test_text_of_a_decrease_that_waits(last_ms, last, next_):
    _, text = lowered(fives(decreased_ms=last_ms, decreases_today=4), last_ms + 1)
    assert text == (
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given "
        "UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be "
        "performed at most once every 3600 seconds. Number of decreases today: 4. Last decrease at "
        f"Thursday, January 1, 2026 at {last} Coordinated Universal Time. Next decrease can be "
        f"made at {next_} Coordinated Universal Time"
    )


# Whoever lowers whenever it is allowed comes to 27 in a day. Source: Developer Guide, quotas.
def test_most_decreases_of_a_day():
    throughput = Throughput(read_units=1000, write_units=5)
    for minute in range(24 * 60):
        for _ in range(5):
            throughput, _ = lowered(throughput, MIDNIGHT_MS + minute * 60_000)
    assert throughput.decreases_today == 1000 - throughput.read_units == 27
    assert decreases_today(throughput, MIDNIGHT_MS + DAY_MS) == 0


# Against the obvious model: the list of all changes that were carried out.
@given(
    st.lists(
        st.tuples(
            st.integers(1, 3), st.integers(1, 3), st.sampled_from([0, 1, HOUR_MS // 2, HOUR_MS])
        ),
        min_size=1,
        max_size=40,
    )
)
def test_any_changes(changes):
    throughput, now_ms = Throughput(read_units=2, write_units=2), NOON_MS
    raised, lowered = [], []
    for read, write, later_ms in changes:
        now_ms += later_ms
        down = read < throughput.read_units or write < throughput.write_units
        today = [at_ms for at_ms in lowered if at_ms // DAY_MS == now_ms // DAY_MS]
        too_early = down and len(today) >= 4 and now_ms < today[-1] + HOUR_MS
        if too_early:
            with pytest.raises(DynamoError, match=f"decreases today: {len(today)}\\. "):
                changed_throughput(throughput, units(read, write), now_ms)
            continue
        if read > throughput.read_units or write > throughput.write_units:
            raised.append(now_ms)
        if down:
            lowered.append(now_ms)
            today.append(now_ms)
        throughput = changed_throughput(throughput, units(read, write), now_ms)
        assert (throughput.read_units, throughput.write_units) == (read, write)
        assert throughput.increased_ms == (raised[-1] if raised else None)
        assert throughput.decreased_ms == (lowered[-1] if lowered else None)
        assert decreases_today(throughput, now_ms) == len(today)


@pytest.mark.parametrize("most", [1, CAPACITY_UNITS_MAX])
def test_units_within_bounds(most):
    assert refusal(check_units, units(most, most)) is None
    assert refusal(check_units, None) is None
