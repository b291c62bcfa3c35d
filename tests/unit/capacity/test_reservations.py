"""Reservations: requests take what the buckets gave in advance; nothing is lost or made."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.maintenance import maintain
from hashrange.capacity.reservations import RESERVATION_MS, close_reservations
from hashrange.capacity.resources import Terms
from hashrange.capacity.table_limiter import TableLimiter
from tests.unit.capacity.tables import (
    admitted,
    hash_of,
    limiter,
    placed,
    provisioned,
    read,
    table,
    taken,
    write,
)

PUT = placed(write())


def levels(made):
    """The levels of the buckets of writes: of the table, of its only partition, of the quota."""
    return (made.table.write.level, made.table.partitions[0].write.level, made.quota_write.level)


def rest(made, charge, units):
    """A request that was taken did cost so many units."""
    TableLimiter(made, hash_of).charge_difference(charge, units, 0.0)


def test_a_reservation_has_a_hundredth_of_a_second_of_its_partition():
    made = table(provisioned(writes=1000))
    assert taken(made, PUT, 0.0) == 1.0
    assert levels(made)[:2] == (989.0, 989.0)
    for _ in range(10):
        assert taken(made, PUT, 0.0) == 1.0
    assert levels(made)[:2] == (989.0, 989.0), "nothing more was taken from them"
    assert made.table.minute.write_units == 1.0
    close_reservations(made, 0.0)
    assert levels(made)[:2] == (989.0, 989.0)
    assert made.table.minute.write_units == made.table.partitions[0].write_units == 11.0


def test_the_rest_of_a_reservation_is_returned():
    made = table()
    for charge in (PUT, placed(read())):
        taken(made, charge, 0.0)
        taken(made, charge, 0.0)
    assert made.reservations == 2
    close_reservations(made, 0.0)
    assert (made.reservations, made.table.minute.write_units, made.table.minute.read_units) == (
        0,
        2.0,
        1.0,
    )
    assert made.table.write.level == 4000.0 - 2
    assert made.quota_write.level == 40_000.0 - 2
    assert made.table.at(PUT.position).write.level == 1000.0 - 2
    assert made.table.at(PUT.position).read.level == 3000.0 - 1


# What is in a reservation must not be missing elsewhere: a full table grants all its units to one
# request.
def test_a_request_that_lacks_units_gets_those_of_reservations():
    made = table(Terms(max_write_units=900.0, warm_write_units=900.0))
    limit = limiter(made)
    for text in ("a", "b", "c", "d", "e"):
        assert taken(made, placed(write(text)), 0.0) == 1.0
    assert made.reservations > 1
    assert limit.admit([write("f", 900.0 - 5)], 0.0) is None
    assert made.reservations == 0
    assert limit.admit([write("f")], 0.0) is not None


def test_a_partition_that_is_short_has_no_reservation():
    made = table(provisioned(writes=4000))
    admitted(limiter(made), write(), 0.0, 500)
    assert taken(made, PUT, 0.0) == 1.0
    assert made.reservations == 0
    assert made.table.at(PUT.position).heat.requests, "its requests are sampled"


@pytest.mark.parametrize("writes", [1, 20, 150])
def test_a_small_table_has_no_reservation(writes):
    made = table(provisioned(writes=writes))
    assert taken(made, PUT, 0.0) == 1.0
    assert made.reservations == 0


# Requests are counted in the minute in which they came, also if nobody has looked for long.
def test_a_reservation_is_counted_in_its_minute():
    made = table()
    taken(made, PUT, 30_000.0)
    taken(made, PUT, 30_000.0)
    maintain(made, 180_000.0)
    assert [each.write_units for each in made.table.minutes] == [2.0, 0.0, 0.0]
    assert sum(each.write_units for each in made.table.partitions) == 2.0


# A request is admitted at its least cost: if it cost more than there was, the next ones wait.
def test_a_bucket_below_zero_stops_its_reservation():
    made = table()
    assert taken(made, PUT, 0.0) == 1.0
    rest(made, PUT, 400.0)
    assert taken(made, PUT, 0.0) == 1.0
    rest(made, PUT, 700.0)
    assert taken(made, PUT, 0.0) == 0.0
    assert made.table.minute.write_units == 1100.0
    assert made.table.at(PUT.position).write.level == -100.0


def test_a_table_below_zero_stops_all_reservations():
    made = table(Terms(max_write_units=900.0, warm_write_units=900.0))
    others = [placed(write(text)) for text in "abcdef"]
    for charge in others:
        assert taken(made, charge, 0.0) == 1.0
    rest(made, others[0], 901.0)
    assert [taken(made, charge, 0.0) for charge in others] == [0.0] * 6


def test_a_reservation_bears_what_a_request_costs_beyond_its_least():
    made = table()
    taken(made, PUT, 0.0)
    before = levels(made)
    taken(made, PUT, 0.0)
    rest(made, PUT, 4.0)
    taken(made, PUT, 0.0)
    rest(made, PUT, 0.0)
    assert levels(made) == before
    close_reservations(made, 0.0)
    assert made.table.minute.write_units == 5.0
    assert made.table.write.level == 3995.0


def test_an_index_that_is_short_stops_the_reservations_of_its_table():
    made = table(indexes={"I": Terms(max_write_units=2.0)})
    taken(made, PUT, 0.0)
    limiter(made).charge([write("x", 6.0, index="I")], 0.0)
    assert taken(made, PUT, 0.0) == 0.0
    assert taken(made, placed(read()), 0.0), "reads go on"
    assert taken(made, PUT, 10_000.0) == 1.0


def test_a_split_closes_reservations_first():
    made = table()
    taken(made, PUT, 0.0)
    made.table.at(PUT.position).item_bytes = 20.0
    maintain(made, 0.0, partition_bytes_max=10.0)
    assert made.reservations == 0
    written = sum(each.write_units for each in made.table.partitions)
    assert written == 0.0, "those of the parent are gone with it"
    assert made.table.minute.write_units == 1.0
    assert made.table.write.level == 3999.0


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from([1.0, 3.0]), st.booleans()),
        max_size=40,
    )
)
def test_closed_reservations_leave_what_single_requests_leave(requests):
    many, one = table(), table()
    limit = limiter(one)
    for number, (text, units, is_write) in enumerate(requests):
        charge = placed(write(text, units) if is_write else read(text, units))
        assert taken(many, charge, 0.0) == units
        assert limit.admit([charge], 0.0) is None
        limit.charge([charge], 0.0, [charge])
        if number % 7 == 6:
            close_reservations(many, 0.0)
    close_reservations(many, 0.0)
    for made in (many, one):
        for partition in made.table.partitions:
            for reservation in (partition.read_reservation, partition.write_reservation):
                reservation.until_ms = 0.0
    assert msgspec.to_builtins(many) == msgspec.to_builtins(one)


def test_a_reservation_is_soon_due():
    made = table()
    taken(made, PUT, 5000.0)
    assert made.table.at(PUT.position).write_reservation.until_ms == 5000.0 + RESERVATION_MS
