"""Admission: what one table, its indexes and its partitions grant, and how they refuse."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.capacity.reservations import RESERVATION_SECONDS
from hashrange.capacity.resources import TableCapacity, Terms
from hashrange.capacity.units import Charge, HashRange
from hashrange.errors import Fault
from hashrange.messages.items import throttling
from tests.unit.capacity.tables import (
    ARN,
    admitted,
    hash_of,
    key,
    limiter,
    placed,
    provisioned,
    read,
    table,
    taken,
    write,
)


def reasons(refusal):
    return [(each.reason, each.resource) for each in refusal.reasons]


def test_a_provisioned_table_grants_its_units():
    made = table(provisioned(writes=10))
    limit = limiter(made)
    assert admitted(limit, write(), 0.0, 20) == 10
    assert admitted(limit, write(), 500.0, 20) == 5
    refused = limit.admit([write()], 500.0)
    assert refused.fault is Fault.THROUGHPUT_EXCEEDED
    assert refused.message == throttling.provisioned_table()
    assert reasons(refused) == [("TableWriteProvisionedThroughputExceeded", ARN)]


def test_reads_and_writes_are_apart():
    limit = limiter(table(provisioned(reads=1, writes=1)))
    assert admitted(limit, write(), 0.0, 5) == 1
    assert admitted(limit, read(), 0.0, 5) == 2


# There is no even share: one partition of many may take all that the table has.
def test_a_partition_takes_what_the_table_has_left():
    made = table(provisioned(writes=4000))
    assert len(made.table.partitions) == 4
    limit = limiter(made)
    assert admitted(limit, write(), 0.0, 3000) == 1000
    assert admitted(limit, write(), 1000.0, 3000) == 1000


def test_a_hot_key_is_refused_by_its_partition():
    limit = limiter(table(provisioned(writes=4000)))
    admitted(limit, write(), 0.0, 1000)
    refused = limit.admit([write()], 0.0)
    assert refused.fault is Fault.THROUGHPUT_EXCEEDED
    assert reasons(refused) == [("TableWriteKeyRangeThroughputExceeded", ARN)]
    limit = limiter(table())
    admitted(limit, write(), 0.0, 1000)
    refused = limit.admit([write()], 0.0)
    assert refused.fault is Fault.THROTTLED
    assert refused.message == throttling.hot_key()
    assert reasons(refused) == [("TableWriteKeyRangeThroughputExceeded", ARN)]


def test_all_limits_that_refuse_are_named():
    limit = limiter(table(provisioned(writes=1000)))
    admitted(limit, write(), 0.0, 1000)
    assert reasons(limit.admit([write()], 0.0)) == [
        ("TableWriteProvisionedThroughputExceeded", ARN),
        ("TableWriteKeyRangeThroughputExceeded", ARN),
    ]


def test_a_maximum_on_demand():
    limit = limiter(table(Terms(max_write_units=5.0)))
    assert admitted(limit, write(), 0.0, 9) == 5
    refused = limit.admit([write()], 0.0)
    assert refused.fault is Fault.THROTTLED
    assert refused.message == throttling.on_demand_maximum()
    assert reasons(refused) == [("TableWriteMaxOnDemandThroughputExceeded", ARN)]


# 40,000 units a second are those of the table and of all its indexes together.
def test_the_quota_counts_a_table_with_its_indexes():
    warm = Terms(warm_write_units=40_000.0)
    made = table(warm, indexes={"I": warm})
    limit = limiter(made)
    spread = [HashRange(partition.start, b"") for partition in made.table.partitions]
    assert len(spread) == 40
    done = 0
    for place in spread:
        on_table = Charge("T", place, write_units=1.0)
        entry = Charge("T", place, "I", write_units=1.0)
        count, refused = limit.admit_many([on_table, entry], 1000, 0.0)
        done += count
    assert done == 20_000
    assert refused.fault is Fault.REQUEST_LIMIT_EXCEEDED
    assert refused.message == throttling.account()
    assert reasons(refused) == [("TableWriteAccountLimitExceeded", ARN)]


def test_an_index_refuses_a_write_whose_entry_is_named():
    made = table(provisioned(writes=100), indexes={"I": provisioned(writes=2)})
    limit = limiter(made)
    charges = [write("a"), write("x", index="I")]
    assert [limit.admit(charges, 0.0) is None for _ in range(3)] == [True, True, False]
    refused = limit.admit(charges, 0.0)
    assert refused.is_back_pressure
    assert refused.fault is Fault.THROUGHPUT_EXCEEDED
    assert refused.message == throttling.provisioned_index()
    assert reasons(refused) == [("IndexWriteProvisionedThroughputExceeded", f"{ARN}/index/I")]
    # All or nothing: the refused ones took nothing of the table.
    assert made.table.write.level == 98.0
    assert limit.admit([write("a")], 0.0) is None


# Which entries an update writes is known after it: the index is charged, and the next one waits.
def test_an_index_below_zero_refuses_writes_of_its_table():
    made = table(provisioned(writes=100), indexes={"I": provisioned(writes=2)})
    limit = limiter(made)
    assert limit.admit([write()], 0.0) is None
    limit.charge([write(), write("x", 6.0, index="I")], 0.0, [write()])
    refused = limit.admit([write()], 1000.0)
    assert reasons(refused) == [("IndexWriteProvisionedThroughputExceeded", f"{ARN}/index/I")]
    assert limit.admit([read()], 1000.0) is None, "reads go on"
    without_entry = Charge("T", key("x"), "I")
    assert limit.admit([write(), without_entry], 1000.0) is None, "it has no entry there"
    assert limit.admit([write()], 2000.0) is None


def test_back_pressure_is_counted_of_the_index():
    made = table(provisioned(writes=100), indexes={"I": provisioned(writes=2)})
    limit = limiter(made)
    limit.charge([write("x", 6.0, index="I")], 0.0)
    assert limit.admit_many([write()], 5, 0.0)[0] == 0
    assert limit.admit([write()], 0.0) is not None
    reason = "IndexWriteProvisionedThroughputExceeded"
    assert made.indexes["I"].minute.throttled == {reason: 6}
    assert made.table.minute.throttled == {}


def test_a_hot_partition_of_an_index_refuses_too():
    made = table(indexes={"I": Terms()})
    limit = limiter(made)
    for number in range(1000):
        charges = [write(f"k{number}"), write("open", index="I")]
        assert limit.admit(charges, 0.0) is None
    refused = limit.admit([write("k"), write("open", index="I")], 0.0)
    assert refused.fault is Fault.THROTTLED
    assert refused.message == throttling.on_demand_index()
    assert reasons(refused) == [("IndexWriteKeyRangeThroughputExceeded", f"{ARN}/index/I")]
    assert limit.admit([write("k"), write("closed", index="I")], 0.0) is None


def test_reads_of_an_index_are_refused_by_the_index():
    made = table(provisioned(reads=100), indexes={"I": provisioned(reads=1)})
    limit = limiter(made)
    assert admitted(limit, read(index="I"), 0.0, 9) == 2
    refused = limit.admit([read(index="I")], 0.0)
    assert not refused.is_back_pressure
    assert reasons(refused) == [("IndexReadProvisionedThroughputExceeded", f"{ARN}/index/I")]


def test_a_local_index_is_in_the_partitions_of_its_table():
    made = table(provisioned(reads=1), local_indexes=["L"])
    limit = limiter(made)
    assert admitted(limit, read(index="L"), 0.0, 9) == 2
    assert limit.admit([read()], 0.0) is not None


def test_a_page_is_admitted_at_its_least_and_charged_in_full():
    made = table(provisioned(reads=10))
    limit = limiter(made)
    assert limit.admit([read()], 0.0) is None
    limit.charge([read(units=128.0)], 0.0, [read()])
    assert made.table.read.level == 10.0 - 128.0
    assert limit.admit([read()], 11_850.0) is None
    assert limit.admit([read()], 11_850.0) is not None


def test_costs_without_a_partition_are_of_those_that_were_admitted():
    made = table()
    limit = limiter(made)
    least = [write("a", 2.0), write("b", 2.0)]
    assert limit.admit(least, 0.0) is None
    limit.charge([Charge("T", write_units=10.0)], 0.0, least)
    assert made.table.write.level == 4000.0 - 10.0
    assert sum(1000.0 - each.write.level for each in made.table.partitions) == 10.0


def test_a_table_without_limits_has_none():
    limit = limiter(table())
    assert limit.admit([Charge("U", key("k"), write_units=1e9)], 0.0) is None
    limit.charge([Charge("U", key("k"), write_units=1e9)], 0.0)


def test_members_of_the_error():
    limit = limiter(table(provisioned(writes=1)))
    admitted(limit, write(), 0.0, 1)
    error = limit.admit([write()], 0.0).error()
    reason = {"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN}
    assert error.fault.wire_name.endswith("#ProvisionedThroughputExceededException")
    assert error.members == {"ThrottlingReasons": [reason]}
    limit = limiter(table(Terms(max_write_units=1.0)))
    admitted(limit, write(), 0.0, 1)
    error = limit.admit([write()], 0.0).error()
    reason = {"reason": "TableWriteMaxOnDemandThroughputExceeded", "resource": ARN}
    assert error.members == {"throttlingReasons": [reason]}, "of ThrottlingException: lower case"


def test_minutes_count_what_was_consumed_and_refused():
    made = table(provisioned(writes=3))
    limit = limiter(made)
    admitted(limit, write(), 0.0, 5)
    minute = made.table.minute
    assert minute.write_units == 3.0
    assert minute.throttled == {"TableWriteProvisionedThroughputExceeded": 2}
    made.table.finish_minutes(180_000.0)
    assert [each.write_units for each in made.table.minutes] == [3.0, 0.0, 0.0]


def test_a_long_pause_is_some_minutes_without_requests():
    made = table()
    made.table.finish_minutes(1e12)
    assert len(made.table.minutes) == 20
    assert 0 <= 1e12 - made.table.minute.start_ms < 60_000


KEYS = st.sampled_from(["a", "b", "c", "d"])
REQUESTS = st.lists(
    st.tuples(st.integers(0, 800), KEYS, KEYS, st.integers(1, 4), st.integers(1, 40)), max_size=30
)


# The simulation rests on it.
@given(REQUESTS, st.booleans())
def test_bundles_are_as_many_as_single_requests(requests, on_demand):
    terms = Terms(max_write_units=64.0) if on_demand else provisioned(writes=64)
    starved = Terms(max_write_units=32.0) if on_demand else provisioned(writes=32)
    bundled, single = (table(terms, indexes={"I": starved}) for _ in range(2))
    many, one = limiter(bundled), limiter(single)
    now_ms = 0.0
    for pause, text, entry, units, count in requests:
        now_ms += pause * 125.0
        charges = [write(text, float(units)), write(entry, float(units), index="I")]
        done, refused = many.admit_many(charges, count, now_ms)
        answers = [one.admit(charges, now_ms) for _ in range(count)]
        assert done == answers.count(None)
        assert refused == next((each for each in answers if each is not None), None)
    assert msgspec.to_builtins(bundled) == msgspec.to_builtins(single)


@given(REQUESTS)
def test_a_partition_never_grants_more_than_its_own(requests):
    made = table(provisioned(writes=40_000))
    limit = limiter(made)
    now_ms, granted = 0.0, {}
    for pause, text, _entry, units, count in requests:
        now_ms += pause
        done, _refused = limit.admit_many([write(text, units * 10.0)], count, now_ms)
        number = made.table.at(hash_of(key(text))).number
        granted[number] = granted.get(number, 0.0) + done * units * 10.0
    assert all(units <= 1000.0 + now_ms + 1e-6 for units in granted.values())


# The way of nearly all requests, which looks at the buckets for some of them only.
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 9, 10, 11, 200]), KEYS, st.sampled_from([1, 10, 100])),
        max_size=20,
    )
)
def test_what_is_taken_at_once_is_what_is_admitted(requests):
    made = table(provisioned(writes=9000))
    limit = limiter(made)
    now_ms, grants = 0.0, {}
    for pause, text, units in requests:
        now_ms += pause
        charge = placed(write(text, float(units)))
        for _ in range(20):
            if taken(made, charge, now_ms):
                grants.setdefault(made.table.at(charge.position).number, []).append((now_ms, units))
            else:
                assert limit.admit([charge], now_ms) is not None, "what take refuses is throttled"
    for times in grants.values():
        for number, (begin_ms, _units) in enumerate(times):
            granted = 0.0
            for at_ms, units in times[number:]:
                granted += units
                flowed = at_ms - begin_ms + 1000 * RESERVATION_SECONDS
                assert granted <= 1000.0 + flowed + 1e-6


# Another process goes on with what this one has left.
@pytest.mark.parametrize("codec", [msgspec.json, msgspec.msgpack], ids=["json", "msgpack"])
def test_the_state_is_plain_data(codec):
    made = table(provisioned(writes=5), indexes={"I": Terms()}, local_indexes=["L"])
    limit = limiter(made)
    admitted(limit, write(), 10.0, 9)
    limit.charge([write("x", 5000.0, index="I")], 10.0)
    again = codec.decode(codec.encode(made), type=TableCapacity)
    assert again == made
    assert limiter(again).admit([read()], 10.0) == limit.admit([read()], 10.0)
