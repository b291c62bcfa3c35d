"""A key that takes most of its partition is said in the log, once, without the key."""

import logging

import pytest

from hashrange.api.admission.hot_keys import AGAIN_MS, HotKeyWarnings, hot_key
from hashrange.capacity.heat import Heat
from hashrange.tables.keys.keyspace import hash16
from tests.unit.api.admission.throttled_server import ThrottledServer

UNITS = 100


def heated(requests):
    """The heat of requests in order, one in each period of the sample."""
    heat = Heat()
    for number, position in enumerate(requests):
        heat.add(position, number * 500.0)
    return heat


def position(text, sort=b""):
    return hash16(({"S": text},)) + sort


def test_the_key_is_that_of_more_than_half_of_the_requests():
    keys = [position("a", bytes((n,))) if n % 3 else position(f"k{n}") for n in range(60)]
    found, share = hot_key(heated(keys), 30_000.0)
    assert found == position("a")
    assert share == pytest.approx(40 / 60)


@pytest.mark.parametrize(
    ("requests", "now_ms"),
    [
        ([position("a")] * 10, 6000.0),  # too few samples
        ([position("a"), position("b")] * 20, 20_000.0),  # no key has more than half
        ([position("a")] * 40, 90_000.0),  # long ago
    ],
)
def test_no_key(requests, now_ms):
    assert hot_key(heated(requests), now_ms) is None


@pytest.mark.parametrize("processes", [1, 2])
def test_a_celebrity_is_said_in_the_log_once(caplog, processes):
    server = ThrottledServer(processes=processes)
    server.create(BillingMode="PAY_PER_REQUEST")
    with caplog.at_level(logging.WARNING, "hashrange.api.admission"):
        server.load(40, 40, lambda _: UNITS * server.put("star", UNITS))
    server.end()
    # Each process says what it sees.
    assert 1 <= len(caplog.records) <= processes
    (line,) = {record.getMessage() for record in caplog.records}
    assert line.startswith("a-table: one partition key takes 100 % of the requests of partition ")
    assert position("star").hex() in line
    assert "star" not in line


def test_it_is_said_again_after_a_while(caplog):
    server = ThrottledServer()
    server.create(BillingMode="PAY_PER_REQUEST")
    server.load(30, 40, lambda _: UNITS * server.put("star", UNITS))
    capacity, warnings = server.capacity(), HotKeyWarnings()
    server.end()
    caplog.clear()
    with caplog.at_level(logging.WARNING, "hashrange.api.admission"):
        for late_ms in (0, 1000, AGAIN_MS):
            for partition in capacity.table.partitions:
                partition.heat.last_ms = server.time_ms + late_ms
            warnings.look(capacity, server.time_ms + late_ms)
    assert len(caplog.records) == 2
