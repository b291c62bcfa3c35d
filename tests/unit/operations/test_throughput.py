"""Provisioned throughput over days: dates of the last changes, and decreases of a UTC day."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.errors import DynamoError
from hashrange.limits import CAPACITY_UNITS_MAX
from hashrange.model.table import Throughput
from hashrange.operations.descriptions import decreases_today
from hashrange.operations.table_shapes import ProvisionedThroughput
from hashrange.operations.throughput import changed_throughput, check_units, throughput_of
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition

DAY_MS = 24 * HOUR_MS
MIDNIGHT_MS = NOON_MS + 12 * HOUR_MS


def units(read, write):
    return ProvisionedThroughput(read_capacity_units=read, write_capacity_units=write)


def with_units(**throughput):
    return definition(throughput=Throughput(**{"read_units": 5, "write_units": 5, **throughput}))


def test_new_table_has_no_dates():
    assert throughput_of(units(3, 2)) == Throughput(read_units=3, write_units=2)


def test_on_demand_table_has_none():
    assert throughput_of(None) == Throughput(read_units=0, write_units=0)


@pytest.mark.parametrize(
    ("read", "write", "increased_ms", "decreased_ms", "decreases"),
    [
        (6, 5, NOON_MS, None, 0),
        (5, 6, NOON_MS, None, 0),
        (6, 6, NOON_MS, None, 0),
        (4, 5, None, NOON_MS, 1),
        (5, 4, None, NOON_MS, 1),
        (4, 4, None, NOON_MS, 1),
        (6, 4, NOON_MS, NOON_MS, 1),
        (4, 6, NOON_MS, NOON_MS, 1),
    ],
)
def test_change(read, write, increased_ms, decreased_ms, decreases):
    assert changed_throughput(with_units(), units(read, write), NOON_MS) == Throughput(
        read_units=read,
        write_units=write,
        increased_ms=increased_ms,
        decreased_ms=decreased_ms,
        decreases_today=decreases,
    )


# A change in one direction leaves the date of the other as it was.
def test_dates_are_those_of_the_last_changes():
    table = with_units(increased_ms=NOON_MS - 2, decreased_ms=NOON_MS - 1, decreases_today=1)
    raised = changed_throughput(table, units(9, 9), NOON_MS)
    assert (raised.increased_ms, raised.decreased_ms) == (NOON_MS, NOON_MS - 1)
    lowered = changed_throughput(table, units(1, 1), NOON_MS)
    assert (lowered.increased_ms, lowered.decreased_ms) == (NOON_MS - 2, NOON_MS)


# Days are those of UTC, and begin with the first millisecond.
@pytest.mark.parametrize(
    ("now_ms", "decreases"),
    [(NOON_MS, 3), (MIDNIGHT_MS - 1, 3), (MIDNIGHT_MS, 0), (NOON_MS + 365 * DAY_MS, 0)],
)
def test_decreases_are_of_today(now_ms, decreases):
    table = with_units(decreased_ms=NOON_MS, decreases_today=3)
    assert decreases_today(table, now_ms) == decreases
    assert changed_throughput(table, units(1, 5), now_ms).decreases_today == decreases + 1


def test_no_decrease_ever():
    assert decreases_today(with_units(), NOON_MS) == 0


# Against the obvious model: the list of all changes.
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, DAY_MS)),
        min_size=1,
        max_size=8,
    )
)
def test_any_changes(changes):
    table, now_ms = with_units(read_units=2, write_units=2), NOON_MS
    history = [(2, 2, now_ms)]
    for read, write, later_ms in changes:
        now_ms += later_ms
        throughput = changed_throughput(table, units(read, write), now_ms)
        table = definition(throughput=throughput)
        history.append((read, write, now_ms))
    steps = list(itertools.pairwise(history))
    raised = [b[2] for a, b in steps if b[0] > a[0] or b[1] > a[1]]
    lowered = [b[2] for a, b in steps if b[0] < a[0] or b[1] < a[1]]
    assert table.throughput.increased_ms == (raised[-1] if raised else None)
    assert table.throughput.decreased_ms == (lowered[-1] if lowered else None)
    assert decreases_today(table, now_ms) == sum(
        at_ms // DAY_MS == now_ms // DAY_MS for at_ms in lowered
    )


@pytest.mark.parametrize("most", [1, CAPACITY_UNITS_MAX])
def test_units_within_bounds(most):
    check_units(units(most, most))
    check_units(None)


@pytest.mark.parametrize(
    ("asked", "member"),
    [
        (units(CAPACITY_UNITS_MAX + 1, 1), "ReadCapacityUnits"),
        (units(1, CAPACITY_UNITS_MAX + 1), "WriteCapacityUnits"),
        (units(CAPACITY_UNITS_MAX + 1, CAPACITY_UNITS_MAX + 1), "ReadCapacityUnits"),
    ],
)
def test_units_out_of_bounds(asked, member):
    with pytest.raises(DynamoError, match=f"^Given value 1000000000001 for {member} is out of"):
        check_units(asked)
