"""Streams that are enabled and disabled again and again: what stays, and what the entry holds."""

import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.limits.tables import EMPTY_STREAMS_MAX, STREAMS_MAX
from hashrange.messages.tables import streams as messages
from hashrange.tables.keys.log_keys import logs_range
from hashrange.tables.log.shards import with_stream, without_stream
from tests.api.streams import iterator_of, streaming
from tests.unit.tables.streams.still_streams import DAY_MS, StillStreams

OFF = {"StreamSpecification": {"StreamEnabled": False}}
EARLY = 3
"""Streams before the latest that are kept without records."""


@pytest.fixture
def server():
    made = StillStreams()
    yield made
    made.check()
    made.end()


def toggled(server, times):
    """Let streams follow each other; the ARNs of those that are disabled then."""
    arns = []
    for _ in range(times):
        arns.append(server.perform("DescribeTable")["LatestStreamArn"])
        server.call("UpdateTable", **OFF)
        server.later(1)
        server.call("UpdateTable", **streaming())
    return arns


def with_streams(server, streams, shards=1):
    """Let the table have had so many streams, and another one that is enabled."""

    def change(table):
        for _ in range(streams):
            table = without_stream(with_stream(table, "KEYS_ONLY", 1, server.time_ms), 0)
        return with_stream(table, "KEYS_ONLY", shards, server.time_ms)

    return server.run(server.catalog.change("a-table", change))


def log_rows(server):
    return len(server.run(server.engine.scan(*logs_range(1), limit=10, bytes_max=10**6)))


def is_listed(server, arn):
    return arn in {each["StreamArn"] for each in server.list_streams()["Streams"]}


def definition(server):
    return server.run(server.catalog.open("a-table")).table


# The entry is read after each change of the table, and compared by writes.
def test_streams_without_records_do_not_pile_up(server):
    server.begin()
    arns = toggled(server, EMPTY_STREAMS_MAX + EARLY)
    assert len(definition(server).streams) == EMPTY_STREAMS_MAX + EARLY + 1
    server.sweep()
    # As on the service, what was disabled a short time ago is described, empty or not.
    assert [is_listed(server, arn) for arn in arns] == (
        [False] * EARLY + [True] * EMPTY_STREAMS_MAX
    )
    table = definition(server)
    assert len(table.streams) == len(table.log.shards) == EMPTY_STREAMS_MAX + 1
    server.put("a")
    assert server.names(server.perform("DescribeTable")["LatestStreamArn"]) == ["a"]


def test_records_stay_for_their_day_whatever_follows(server):
    arn = server.begin()
    server.put("a")
    (shard,) = server.shards(arn)
    iterator = iterator_of(server, arn, shard["ShardId"])
    toggled(server, 2 * EMPTY_STREAMS_MAX)
    server.sweep()
    assert server.names(arn) == server.names_from(iterator) == ["a"]
    server.later(DAY_MS)
    server.sweep()
    assert not is_listed(server, arn)


# Of a stream with many shards, those without records are most of what the entry has of it.
def test_shards_without_records_go_from_early_streams(server):
    server.begin()
    server.call("UpdateTable", **OFF)
    table = with_streams(server, 0, shards=4)
    arn = server.perform("DescribeTable")["LatestStreamArn"]
    assert len(table.log.open_shards) == 4
    server.put("a")
    toggled(server, EMPTY_STREAMS_MAX)
    server.sweep()
    assert len(server.shards(arn)) == 4
    toggled(server, 1)
    server.sweep()
    assert len(server.shards(arn)) == 1
    assert server.names(arn) == ["a"]


# Records are kept for it longer than for streams; shards without any hold nothing that it needs.
def test_point_in_time_recovery_keeps_records_and_not_empty_shards(server):
    server.begin()
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    server.call("UpdateContinuousBackups", **recovery)
    server.put("a")
    toggled(server, EMPTY_STREAMS_MAX)
    server.later(DAY_MS + 1)
    server.sweep()
    table = definition(server)
    assert len(table.streams) == 1
    # That of the record, and two of the enabled stream, which has gone on in another shard.
    assert [shard.closed_ms is None for shard in table.log.shards] == [False, False, True]
    assert log_rows(server) == 1
    server.put("a", n={"N": "1"})
    server.check()


# Ours: a refusal, rather than an entry of any size. The service has no such limit that is known.
def test_too_many_streams_are_refused_until_some_are_gone(server):
    server.begin()
    server.call("UpdateTable", **OFF)
    with_streams(server, STREAMS_MAX - 2)
    server.call("UpdateTable", **OFF)
    with pytest.raises(DynamoError) as refused:
        server.call("UpdateTable", **streaming())
    assert refused.value.fault is Fault.LIMIT_EXCEEDED
    assert refused.value.message == messages.too_many("a-table", STREAMS_MAX)
    server.sweep()
    server.call("UpdateTable", **streaming())
