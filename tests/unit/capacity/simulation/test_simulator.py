"""Simulations as a whole, by value, and how long they take."""

import time

import msgspec
import pytest

from hashrange.capacity.simulation.report import report
from hashrange.capacity.simulation.results import Demand, Result
from hashrange.capacity.simulation.simulator import simulate
from hashrange.capacity.simulation.workload import parsed
from tests.effort import effort
from tests.pace import seconds

SMALL = """
title = "Small"
seconds = 600
[table]
mode = "provisioned"
read_units = 10
write_units = 100
[indexes.by_day]
read_units = 10
write_units = 50
[[traffic]]
name = "writes"
operation = "put"
rate = 60
item_bytes = 700
keys = { count = 1000 }
entries = { by_day = { kind = "time", period_seconds = 60 } }
[[traffic]]
name = "pages"
operation = "query"
rate = 2
page_bytes = 40960
index = "by_day"
keys = { count = 1000 }
"""


@pytest.fixture(scope="module")
def small():
    return simulate(parsed(SMALL))


def test_each_place_and_each_kind_has_its_minutes(small):
    assert list(small.places) == ["table", "by_day"]
    assert all(len(minutes) == 10 for minutes in small.places.values())
    assert all(len(minutes) == 10 for minutes in small.traffic.values())
    assert [minute.requests for minute in small.traffic["writes"]] == [3600] * 10


def test_what_is_granted_was_consumed(small):
    granted = [minute.requests - minute.throttled for minute in small.traffic["writes"]]
    assert [minute.write_units for minute in small.places["by_day"]] == granted
    assert sum(granted) == pytest.approx(50 * 600, rel=0.01)


def test_the_index_throttles_writes_of_the_table_and_its_own_reads(small):
    assert set(small.throttled("by_day")) == {"IndexWriteProvisionedThroughputExceeded"}
    assert small.throttled("table") == {}
    # A page takes 5 units at once and 10 a second flow in: two pages a second just fit.
    assert small.total("pages") == Demand(1200, 0)
    more = simulate(parsed(SMALL.replace("rate = 2", "rate = 4")))
    assert set(more.throttled("by_day")) == {
        "IndexReadProvisionedThroughputExceeded",
        "IndexWriteProvisionedThroughputExceeded",
    }
    assert more.total("pages").throttled == pytest.approx(1200, rel=0.02)


@pytest.mark.long
def test_the_same_file_gives_the_same_result(small):
    assert simulate(parsed(SMALL)) == small


def test_all_of_it_is_data(small):
    assert msgspec.json.decode(msgspec.json.encode(small), type=Result) == small


def test_the_report(small):
    text = report(small)
    assert text.startswith("Small: 600 s\n")
    assert "Table: 1 partition\n" in text
    assert "Index by_day: 1 partition\n" in text
    assert "IndexWriteProvisionedThroughputExceeded, in 10 minutes from 1 to 10" in text


@pytest.mark.parametrize("length", [1, 59, 61, 90])
def test_a_minute_that_is_not_full_counts_too(length):
    result = simulate(parsed(SMALL.replace("600", str(length))))
    assert len(result.places["table"]) == -(-length // 60)
    assert result.total("writes").requests == 60 * length
    assert sum(each.write_units for each in result.places["table"]) <= 60 * length
    assert result.provisioned == pytest.approx((20 * length, 150 * length))
    assert report(result)


GROWING = """
title = "Growing"
seconds = 120
[table]
partition_bytes = 1000000
[[traffic]]
name = "writes"
operation = "put"
rate = 100
item_bytes = 1000
keys = { count = 1000 }
"""


def test_partitions_split_as_the_table_grows():
    result = simulate(parsed(GROWING))
    assert {split.reason for split in result.splits} == {"SIZE"}
    assert result.places["table"][-1].partitions > 12
    stored = simulate(parsed(GROWING.replace("[table]", "[table]\nstored_bytes = 1e8")))
    assert stored.partitions["table"] == 128, "it was split before the simulation begins"


SCALED = """
title = "Scaled"
seconds = 2400
start = 2027-01-04T00:00:00Z
[table]
mode = "provisioned"
write_units = 10
[table.scaling.write]
min = 10
max = 100
[[table.scaling.write.actions]]
schedule = "at(2027-01-04T00:35:00)"
min = 20
[[traffic]]
name = "writes"
operation = "update"
rate = [[0, 5], [300, 5], [300.5, 42], [600, 42], [600.5, 5]]
keys = { count = 100 }
"""


def test_auto_scaling_follows_the_traffic():
    result = simulate(parsed(SCALED))
    events = [(event.second, event.before, event.after, event.note) for event in result.scaling]
    # What is throttled is not consumed, so the first decision is too low.
    assert events == [
        (420.0, 10, 51, "HIGH"),
        (600.0, 51, 60, "HIGH"),
        (1500.0, 60, 10, "LOW"),
        (2100.0, 10, 20, "BOUNDS"),
    ]
    rates = [minute.write_rate for minute in result.places["table"]]
    assert rates[5] == 10
    assert max(rates) == 60
    assert rates[-1] == 20, "the scheduled action raised the minimum"


# One goal of the command: it is quicker than to wait for AWS.
def test_an_hour_takes_seconds():
    minutes = effort(10, 60)
    seconds_simulated = str(minutes * 60)
    workload = parsed(
        GROWING.replace("120", seconds_simulated).replace("rate = 100", "rate = 1000")
    )
    began = time.process_time()
    result = simulate(workload)
    took = time.process_time() - began
    assert result.total("writes") == Demand(minutes * 60_000, 0)
    assert took < seconds(10) * minutes / 60
