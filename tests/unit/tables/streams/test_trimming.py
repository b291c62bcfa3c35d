"""Trimming, step by step: records are marked, then deleted page by page."""

from functools import partial

import pytest

from hashrange.tables.keys.log_keys import logs_range, record_number
from hashrange.tables.streams import trimming
from tests.unit.tables.streams.still_streams import DAY_MS, StillStreams


@pytest.fixture
def server():
    made = StillStreams()
    yield made
    made.check()
    made.end()


def records(server):
    return server.run(server.engine.scan(*logs_range(1), limit=10_000, bytes_max=10**9))


def logged(server):
    opened = server.run(server.catalog.open("a-table"))
    (owner,) = opened.fences
    return trimming.LoggedTable(opened.table, owner)


def mark(server, **more):
    """Mark the records that go, which nobody sees from then on."""
    table, times = logged(server).table, {"now_ms": server.time_ms, "stream_ms": DAY_MS}
    found = server.run(trimming.horizons(server.engine, table, **times, **more))
    change = partial(server.catalog.change, "a-table")
    server.run(trimming.set_horizons(change, found))


# A stop at any point: what is marked is cleared by whoever comes next.
def test_trimming_goes_on_where_it_was_left(server):
    arn = server.begin()
    for number in range(7):
        server.put(str(number))
    server.later(DAY_MS + 1)
    server.put("new")
    mark(server)
    assert server.names(arn) == ["new"], "nobody sees what is marked"
    assert len(records(server)) == 8
    server.check()
    server.run(trimming.clear_page(server.engine, logged(server), page_rows=2))
    assert len(records(server)) == 6
    assert server.names(arn) == ["new"]
    server.check()
    server.run(server.upkeep.sweep())
    assert len(records(server)) == 1


# The stream shows them no longer.
def test_records_that_replicas_do_not_have_stay(server):
    arn = server.begin()
    for number in range(7):
        server.put(str(number))
    fourth, (shard,) = records(server)[3], logged(server).table.log.shards
    server.later(DAY_MS + 1)
    mark(server, needed={shard.number: record_number(fourth[0])})
    server.run(trimming.clear_page(server.engine, logged(server)))
    assert (server.names(arn), len(records(server))) == ([], 4)
