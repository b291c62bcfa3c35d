"""Streams while time passes: shards follow each other, and what is old goes."""

from itertools import pairwise

import pytest

from hashrange.background.log_maintenance import StreamRules
from hashrange.errors import DynamoError, Fault
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import logs_range
from tests.api.streams import iterator_of, replayed
from tests.unit.tables.definitions import HOUR_MS
from tests.unit.tables.streams.still_streams import DAY_MS, RULES, StillStreams

OFF = {"StreamSpecification": {"StreamEnabled": False}}
TRIMMED = "The data you are trying to access has been trimmed"


@pytest.fixture
def server():
    made = StillStreams()
    yield made
    made.check()
    made.end()


def log_rows(server, table=1):
    return len(server.run(server.engine.scan(*logs_range(table), limit=10_000, bytes_max=10**9)))


def refusal(call, **request):
    with pytest.raises(DynamoError) as refused:
        call(**request)
    return refused.value.fault, refused.value.message


# As on the service: about every four hours, written to or not.
def test_shards_follow_each_other(server):
    arn = server.begin()
    for round_ in range(3):
        server.put("a", n={"N": str(round_)})
        server.sweep()
        server.later(RULES.shard_ms)
    server.sweep()
    shards = server.shards(arn)
    ids = [shard["ShardId"] for shard in shards]
    assert ids == sorted(ids)
    assert [shard.get("ParentShardId") for shard in shards] == [None, *ids[:-1]]
    ranges = [shard["SequenceNumberRange"] for shard in shards]
    assert ["EndingSequenceNumber" in each for each in ranges] == [True] * 3 + [False]
    starts = [int(each["StartingSequenceNumber"]) for each in ranges]
    ends = [int(each["EndingSequenceNumber"]) for each in ranges[:-1]]
    assert all(
        start <= end < following
        for start, end, following in zip(starts, ends, starts[1:], strict=False)
    )
    assert server.names(arn) == ["a"] * 3
    assert len(replayed(server.changes(arn))) == 1
    # The way of the Kinesis adapter: from a shard to its children, without listing all.
    for parent, child in pairwise(ids):
        only = {"Type": "CHILD_SHARDS", "ShardId": parent}
        found = server.describe_stream(StreamArn=arn, ShardFilter=only)["StreamDescription"]
        assert [shard["ShardId"] for shard in found["Shards"]] == [child]
    only = {"Type": "CHILD_SHARDS", "ShardId": ids[-1]}
    found = server.describe_stream(StreamArn=arn, ShardFilter=only)["StreamDescription"]
    assert found["Shards"] == []


# A reader of the newest records comes to the end of its shard, and goes on in the child.
def test_reader_comes_to_the_end_of_a_shard(server):
    arn = server.begin()
    (shard,) = server.shards(arn)
    latest = iterator_of(server, arn, shard["ShardId"], "LATEST")
    server.put("a")
    server.later(RULES.shard_ms)
    server.sweep()
    server.later(-RULES.shard_ms)
    server.put("b")
    answer = server.get_records(ShardIterator=latest)
    assert len(answer["Records"]) == 1
    assert "NextShardIterator" not in answer
    child = server.shards(arn)[1]
    assert child["ParentShardId"] == shard["ShardId"]
    assert server.names_from(iterator_of(server, arn, child["ShardId"])) == ["b"]


# A limit that is reached with the last record does not yet tell that it was the last.
def test_closed_shard_ends_once(server):
    arn = server.begin()
    server.put("a")
    server.put("b")
    server.call("UpdateTable", **OFF)
    iterator = iterator_of(server, arn, server.shards(arn)[0]["ShardId"])
    answer = server.get_records(ShardIterator=iterator, Limit=2)
    assert len(answer["Records"]) == 2
    answer = server.get_records(ShardIterator=answer["NextShardIterator"], Limit=2)
    assert answer == {"Records": []}


def test_records_go_after_a_day(server):
    arn = server.begin()
    server.put("old")
    server.later(HOUR_MS)
    server.put("new")
    old = server.changes(arn)[0]["dynamodb"]["SequenceNumber"]
    (shard,) = server.shards(arn)
    first = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    server.later(DAY_MS - HOUR_MS)
    server.sweep()
    assert server.names(arn) == ["old", "new"], "a day is a day"
    server.later(1)
    horizon = iterator_of(server, arn, shard["ShardId"])
    server.sweep()
    assert server.names(arn) == ["new"]
    assert log_rows(server) == 1
    place = {"StreamArn": arn, "ShardId": shard["ShardId"]}
    for number, kind in ((old, "AT"), (first, "AT"), (first, "AFTER")):
        told = refusal(
            server.get_shard_iterator,
            **place,
            ShardIteratorType=f"{kind}_SEQUENCE_NUMBER",
            SequenceNumber=number,
        )
        assert told == (Fault.TRIMMED_DATA, TRIMMED)
    # What comes after a record that is gone is all there.
    after = iterator_of(server, arn, shard["ShardId"], "AFTER_SEQUENCE_NUMBER", SequenceNumber=old)
    assert server.names_from(after) == ["new"]
    # An iterator of a few minutes ago, which pointed at what is gone now.
    assert refusal(server.get_records, ShardIterator=horizon) == (Fault.TRIMMED_DATA, TRIMMED)


# Numbers go on where they were, though nothing is left to go on from.
def test_empty_shard_goes_on():
    server = StillStreams(rules=StreamRules(shard_ms=9 * DAY_MS, retention_ms=DAY_MS))
    arn = server.begin()
    server.put("old")
    (shard,) = server.shards(arn)
    server.later(DAY_MS + 1)
    server.sweep()
    assert log_rows(server) == 0
    latest = iterator_of(server, arn, shard["ShardId"], "LATEST")
    server.put("new")
    assert server.names_from(latest) == server.names(arn) == ["new"]
    server.end()


def test_closed_shards_vanish_after_a_day(server):
    arn = server.begin()
    server.put("a")
    server.later(RULES.shard_ms)
    server.sweep()
    first, second = (shard["ShardId"] for shard in server.shards(arn))
    server.put("b")
    server.later(DAY_MS + 1)
    server.sweep()
    shards = server.shards(arn)
    assert shards[0]["ShardId"] == second
    assert shards[0]["ParentShardId"] == first, "it is known where it came from"
    assert server.names(arn) == []
    request = {"StreamArn": arn, "ShardId": first, "ShardIteratorType": "TRIM_HORIZON"}
    fault, _ = refusal(server.get_shard_iterator, **request)
    assert fault is Fault.RESOURCE_NOT_FOUND
    # Who was told of it before goes on behind it, and to its children.
    page = server.describe_stream(StreamArn=arn, ExclusiveStartShardId=first)
    assert page["StreamDescription"]["Shards"] == shards
    only = {"Type": "CHILD_SHARDS", "ShardId": first}
    found = server.describe_stream(StreamArn=arn, ShardFilter=only)["StreamDescription"]
    assert [shard["ShardId"] for shard in found["Shards"]] == [second]


# Old shards do not pile up: a day of shards, and those that are a day old.
def test_shards_of_many_days(server):
    arn = server.begin()
    for _ in range(60):
        server.put("a", n={"N": str(server.time_ms)})
        server.later(HOUR_MS)
        server.sweep()
    assert len(server.shards(arn)) <= 8
    assert 23 <= len(server.changes(arn)) <= 25


def test_disabled_stream_goes_after_a_day(server):
    arn = server.begin()
    server.put("a")
    server.call("UpdateTable", **OFF)
    server.later(DAY_MS)
    server.sweep()
    assert server.names(arn) == ["a"]
    server.later(1)
    server.sweep()
    fault, text = refusal(server.describe_stream, StreamArn=arn)
    told = f"Requested resource not found: Stream: {arn} not found"
    assert (fault, text) == (Fault.RESOURCE_NOT_FOUND, told)
    assert server.list_streams() == {"Streams": []}
    assert log_rows(server) == 0
    assert server.perform("DescribeTable")["LatestStreamArn"] == arn


# The table's rows go at once; only its logs stay, and go after a day with the table itself.
def test_stream_of_a_deleted_table_goes_after_a_day(server):
    arn = server.begin()
    server.put("a")
    server.call("DeleteTable")
    server.clear()
    rows = server.run(server.engine.scan(*keyspace.table_range(1), limit=100, bytes_max=10**9))
    assert len(rows) == log_rows(server) == 1
    server.sweep()
    assert server.names(arn) == ["a"]
    server.check()
    server.later(DAY_MS + 1)
    server.sweep()
    fault, _ = refusal(server.describe_stream, StreamArn=arn)
    assert fault is Fault.RESOURCE_NOT_FOUND
    assert log_rows(server) == 0
    server.clear()
    assert server.run(server.catalog.dropped.tables()) == []


class TrimsBeforeItScans:
    """An engine on which others go first between the look at the catalog and the records."""

    def __init__(self, engine, trim):
        self._engine = engine
        self.read, self.write = engine.read, engine.write
        self.trim = trim

    async def scan(self, *bounds, **options):
        trim, self.trim = self.trim, None
        if trim is not None:
            await trim()
            await trim()
        return await self._engine.scan(*bounds, **options)


# A reader is told of what is gone, even if it goes while it reads.
@pytest.mark.parametrize("is_deleted", [False, True])
def test_records_that_go_meanwhile(server, is_deleted):
    arn = server.begin()
    server.put("old")
    server.later(DAY_MS)
    server.put("new")
    iterator = iterator_of(server, arn, server.shards(arn)[0]["ShardId"])
    if is_deleted:
        server.call("DeleteTable")
    server.later(1)
    server.store.engine = TrimsBeforeItScans(server.engine, server.upkeep.sweep)
    assert refusal(server.get_records, ShardIterator=iterator) == (Fault.TRIMMED_DATA, TRIMMED)
    assert log_rows(server) == 1


# Source of the 15 minutes: developer guide.
def test_iterators_expire(server):
    arn = server.begin()
    shard = server.shards(arn)[0]["ShardId"]
    iterator = iterator_of(server, arn, shard)
    server.later(15 * 60 * 1000)
    following = server.get_records(ShardIterator=iterator)["NextShardIterator"]
    server.later(1)
    text = (
        "Iterator expired. The iterator was created at time Thu Jan 01 12:00:00 UTC 2026 while "
        "right now it is Thu Jan 01 12:15:00 UTC 2026 which is further in the future than the "
        "tolerated delay of 900000 milliseconds."
    )
    told = refusal(server.get_records, ShardIterator=iterator)
    assert told == (Fault.EXPIRED_ITERATOR, text)
    assert server.get_records(ShardIterator=following)["Records"] == []


@pytest.mark.parametrize("seconds", [0, 1, 2, 3, 4, 5, 6])
def test_records_from_a_time_on(server, seconds):
    arn = server.begin()
    began = server.time_ms
    for second in (1, 1, 2, 4, 4, 5):
        server.time_ms = began + second * 1000
        server.put(f"{second} {server.time_ms}", n={"N": str(len(server.changes(arn)))})
    server.time_ms = began + 10_000
    shard = server.shards(arn)[0]["ShardId"]
    at = (began + seconds * 1000) / 1000
    iterator = iterator_of(server, arn, shard, "AT_TIMESTAMP", Timestamp=at)
    told = [int(name.split()[0]) for name in server.names_from(iterator)]
    assert told == [second for second in (1, 1, 2, 4, 4, 5) if second >= seconds]


# A clock that is set back by a second hides no record.
def test_records_from_a_time_on_with_a_restless_clock(server):
    arn = server.begin()
    began = server.time_ms
    for number, ms in enumerate((0, 900, 400, 1500, 700, 2000)):
        server.time_ms = began + 10_000 + ms
        server.put(str(number))
    shard = server.shards(arn)[0]["ShardId"]
    server.time_ms = began + 20_000
    at = (began + 10_800) / 1000
    iterator = iterator_of(server, arn, shard, "AT_TIMESTAMP", Timestamp=at)
    assert server.names_from(iterator) == ["1", "2", "3", "4", "5"]


def test_transient_statuses():
    server = StillStreams(transient_ms=500)
    arn = server.begin()

    def status():
        return server.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"]

    assert status() == "ENABLING"
    server.later(500)
    assert status() == "ENABLED"
    table = server.update(**OFF)
    assert table["TableStatus"] == "UPDATING"
    assert (status(), server.describe()["TableStatus"]) == ("DISABLING", "UPDATING")
    fault, _ = server.refused(**OFF)
    assert fault is Fault.RESOURCE_IN_USE
    server.later(500)
    assert (status(), server.describe()["TableStatus"]) == ("DISABLED", "ACTIVE")
    server.end()


# What the service itself deletes says so, that a reader may tell it from what people do.
def test_expired_items_say_who_deleted_them(server):
    arn = server.begin()
    enabled = {"Enabled": True, "AttributeName": "until"}
    server.call("UpdateTimeToLive", TimeToLiveSpecification=enabled)
    server.index()
    server.put("a", until={"N": str(server.time_ms // 1000 + 10)})
    server.later(60_000)
    assert server.expire() == 1
    server.put("b")
    server.call("DeleteItem", Key={"pk": {"S": "b"}})
    inserted, expired, _, deleted = server.changes(arn)
    assert expired["eventName"] == deleted["eventName"] == "REMOVE"
    service = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    assert expired["userIdentity"] == service
    assert "userIdentity" not in inserted
    assert "userIdentity" not in deleted
    assert expired["dynamodb"]["OldImage"]["pk"] == {"S": "a"}


# A clock that a test has moved goes back to real time: no record goes too early, and what is
# stored stays sound.
def test_clock_that_goes_back(server):
    arn = server.begin()
    server.put("before")
    server.later(2 * HOUR_MS)
    server.put("ahead")
    server.later(-2 * HOUR_MS)
    server.put("after")
    server.sweep()
    assert server.names(arn) == ["before", "ahead", "after"]
    server.later(10 * HOUR_MS)
    server.sweep()
    server.put("later")
    server.later(-6 * HOUR_MS)
    server.sweep()
    server.check()
    server.later(DAY_MS)
    server.sweep()
    assert "later" in server.names(arn)
    server.later(3 * DAY_MS)
    server.sweep()
    assert server.names(arn) == []
    assert log_rows(server) == 0
