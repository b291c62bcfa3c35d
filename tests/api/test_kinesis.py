"""Kinesis data streams through boto3: streams, their shards and their records."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import md5

import pytest

from hashrange.assembly.verifying import verify
from hashrange.testing_pages import ServerClock
from tests.api.conftest import client_of
from tests.api.kinesis import (
    HASHES,
    arn_of,
    created,
    data_of,
    ids_of,
    iterator_of,
    put,
    records_of,
    refused,
    shard_id,
    shards_of,
)
from tests.served import served


@pytest.fixture(scope="module")
def kinesis(endpoint):
    client = client_of(endpoint, "kinesis")
    yield client
    client.close()


@pytest.fixture(scope="module")
def moving():
    """A server whose clock is moved, and its client."""
    with served(testing=True) as server:
        yield server, client_of(server.endpoint, "kinesis")


@pytest.fixture
def moved(moving):
    """The same without streams."""
    yield moving
    _, client = moving
    for name in client.list_streams()["StreamNames"]:
        client.delete_stream(StreamName=name)


# What a template or a program makes, waits for, describes and removes.
def test_a_stream(kinesis):
    name = created(kinesis, 3, Tags={"a": "b"})
    kinesis.get_waiter("stream_exists").wait(StreamName=name)
    found = kinesis.describe_stream(StreamARN=arn_of(name))["StreamDescription"]
    assert found["StreamARN"] == arn_of(name)
    assert found["StreamStatus"] == "ACTIVE"
    assert found["StreamModeDetails"] == {"StreamMode": "PROVISIONED"}
    assert (found["RetentionPeriodHours"], found["HasMoreShards"]) == (24, False)
    # The ranges of the service for three shards.
    assert [each["HashKeyRange"]["EndingHashKey"] for each in found["Shards"]] == [
        "113427455640312821154458202477256070484",
        "226854911280625642308916404954512140969",
        "340282366920938463463374607431768211455",
    ]
    numbers = [each["SequenceNumberRange"]["StartingSequenceNumber"] for each in found["Shards"]]
    assert [len(each) for each in numbers] == [56] * 3
    assert sorted(numbers) == numbers
    summary = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    assert (summary["OpenShardCount"], summary["ConsumerCount"]) == (3, 0)
    page = kinesis.describe_stream(StreamName=name, Limit=2)["StreamDescription"]
    assert page["HasMoreShards"]
    start = page["Shards"][-1]["ShardId"]
    rest = kinesis.describe_stream(StreamName=name, ExclusiveStartShardId=start)
    assert [each["ShardId"] for each in rest["StreamDescription"]["Shards"]] == [shard_id(2)]
    kinesis.delete_stream(StreamName=name)
    kinesis.get_waiter("stream_not_exists").wait(StreamName=name)


def test_an_on_demand_stream(kinesis):
    name = "on-demand-stream"
    kinesis.create_stream(StreamName=name, StreamModeDetails={"StreamMode": "ON_DEMAND"})
    assert ids_of(kinesis, name) == [0, 1, 2, 3]
    details = {"StreamMode": "PROVISIONED"}
    kinesis.update_stream_mode(StreamARN=arn_of(name), StreamModeDetails=details)
    summary = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    assert summary["StreamModeDetails"] == details
    kinesis.delete_stream(StreamName=name)


def test_streams_are_listed_by_name_in_pages(moved):
    _, client = moved
    names = [f"list-{letter}" for letter in "abc"]
    for name in reversed(names):
        client.create_stream(StreamName=name, ShardCount=1)
    assert client.list_streams()["StreamNames"] == names
    page = client.list_streams(Limit=2)
    assert (page["StreamNames"], page["HasMoreStreams"]) == (names[:2], True)
    assert [each["StreamARN"] for each in page["StreamSummaries"]] == [*map(arn_of, names[:2])]
    assert client.list_streams(NextToken=page["NextToken"])["StreamNames"] == names[2:]
    assert client.list_streams(ExclusiveStartStreamName="list-b")["StreamNames"] == names[2:]
    limits = client.describe_limits()
    assert (limits["OpenShardCount"], limits["OnDemandStreamCount"]) == (3, 0)


# The shard of a record is that of the MD5 of its key, or of the hash key that was sent.
def test_records_are_in_the_shards_of_their_keys(kinesis):
    name = created(kinesis, 4)
    sent = [{"Data": b"%d" % n, "PartitionKey": f"key-{n}"} for n in range(40)]
    sent[7]["ExplicitHashKey"] = str(HASHES - 1)
    answer = kinesis.put_records(StreamName=name, Records=sent)
    assert answer["FailedRecordCount"] == 0
    shards = []
    for record, result in zip(sent, answer["Records"], strict=True):
        hashed = int(md5(record["PartitionKey"].encode(), usedforsecurity=False).hexdigest(), 16)
        shards.append(int(record.get("ExplicitHashKey", hashed)) * 4 // HASHES)
        assert result["ShardId"] == shard_id(shards[-1])
    for shard in range(4):
        found = records_of(kinesis, name, shard)
        expected = [each for each, at in zip(sent, shards, strict=True) if at == shard]
        assert [each["Data"] for each in found] == [each["Data"] for each in expected]
        keys = [each["PartitionKey"] for each in found]
        assert keys == [each["PartitionKey"] for each in expected]
        numbers = [int(each["SequenceNumber"]) for each in found]
        assert sorted(set(numbers)) == numbers
    assert put(kinesis, name, b"", ExplicitHashKey="0")[0] == 0


def test_iterators_begin_at_each_kind_of_place(moved):
    server, client = moved
    name = created(client)
    numbers = []
    for data in (b"a", b"b", b"c"):
        numbers.append(put(client, name, data)[1])
        server.clock.advance(minutes=1)
    times = [each["ApproximateArrivalTimestamp"] for each in records_of(client, name)]
    latest = iterator_of(client, name, kind="LATEST")
    for kind, more, expected in (
        ("TRIM_HORIZON", {}, [b"a", b"b", b"c"]),
        ("AT_SEQUENCE_NUMBER", {"StartingSequenceNumber": numbers[1]}, [b"b", b"c"]),
        ("AFTER_SEQUENCE_NUMBER", {"StartingSequenceNumber": numbers[1]}, [b"c"]),
        ("AT_TIMESTAMP", {"Timestamp": times[2]}, [b"c"]),
        ("AT_TIMESTAMP", {"Timestamp": times[0] - timedelta(hours=1)}, [b"a", b"b", b"c"]),
        ("AT_TIMESTAMP", {"Timestamp": times[1] + timedelta(seconds=1)}, [b"c"]),
    ):
        assert data_of(client, name, kind=kind, **more) == expected, kind
    start = shards_of(client, name)[0]["SequenceNumberRange"]["StartingSequenceNumber"]
    after = {"kind": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": start}
    assert data_of(client, name, **after) == [b"a", b"b", b"c"]
    put(client, name, b"d")
    (only,) = client.get_records(ShardIterator=latest)["Records"]
    assert only["Data"] == b"d"


# A page tells how far it is behind; the next iterator goes on where it ended.
def test_pages_of_records(moved):
    server, client = moved
    name = created(client)
    for number in range(5):
        put(client, name, b"%d" % number)
        server.clock.advance(seconds=10)
    iterator, found = iterator_of(client, name), []
    behind = []
    for _ in range(3):
        page = client.get_records(ShardIterator=iterator, Limit=2)
        found += [each["Data"] for each in page["Records"]]
        behind.append(page["MillisBehindLatest"] // 10_000)
        iterator = page["NextShardIterator"]
    assert found == [b"0", b"1", b"2", b"3", b"4"]
    assert behind == [4, 2, 0]
    assert client.get_records(ShardIterator=iterator)["Records"] == []
    server.clock.advance(minutes=6)
    code, _ = refused(client.get_records, ShardIterator=iterator)
    assert code == "ExpiredIteratorException"


# 12 MB are more than an answer may have.
def test_large_records_come_in_several_pages(kinesis):
    name = created(kinesis)
    for _ in range(2):
        records = [{"Data": bytes(1_000_000), "PartitionKey": "k"}] * 6
        assert kinesis.put_records(StreamName=name, Records=records)["FailedRecordCount"] == 0
    page = kinesis.get_records(ShardIterator=iterator_of(kinesis, name))
    assert len(page["Records"]) == 10
    rest = kinesis.get_records(ShardIterator=page["NextShardIterator"])
    assert (len(rest["Records"]), rest["MillisBehindLatest"]) == (2, 0)


# A consumer reads a shard to its end, and goes on with its children: no record is lost or twice.
def test_split_and_merged_shards_are_read_to_their_ends(kinesis):
    name = created(kinesis)
    put(kinesis, name, b"parent")
    kinesis.split_shard(
        StreamName=name, ShardToSplit=shard_id(0), NewStartingHashKey=str(HASHES // 2)
    )
    assert put(kinesis, name, b"left", ExplicitHashKey="0")[0] == 1
    assert put(kinesis, name, b"right", ExplicitHashKey=str(HASHES - 1))[0] == 2
    kinesis.merge_shards(
        StreamName=name, ShardToMerge=shard_id(1), AdjacentShardToMerge=shard_id(2)
    )
    assert put(kinesis, name, b"merged")[0] == 3
    last = kinesis.get_records(ShardIterator=iterator_of(kinesis, name))
    assert [each["Data"] for each in last["Records"]] == [b"parent"]
    assert "NextShardIterator" not in last
    assert [each["ShardId"] for each in last["ChildShards"]] == [shard_id(1), shard_id(2)]
    assert last["ChildShards"][0]["ParentShards"] == [shard_id(0)]
    (child,) = kinesis.get_records(ShardIterator=iterator_of(kinesis, name, 1))["ChildShards"]
    assert child["ParentShards"] == [shard_id(1), shard_id(2)]
    assert data_of(kinesis, name, 3) == [b"merged"]
    shards = shards_of(kinesis, name)
    assert "EndingSequenceNumber" in shards[0]["SequenceNumberRange"]
    assert (shards[3]["ParentShardId"], shards[3]["AdjacentParentShardId"]) == (
        shard_id(1),
        shard_id(2),
    )


def test_the_number_of_shards_is_changed(kinesis):
    name = created(kinesis, 2)
    for target in (3, 5, 4, 2):
        answer = kinesis.update_shard_count(
            StreamName=name, TargetShardCount=target, ScalingType="UNIFORM_SCALING"
        )
        assert answer["TargetShardCount"] == target
        found = shards_of(kinesis, name, ShardFilter={"Type": "AT_LATEST"})
        starts = sorted(int(each["HashKeyRange"]["StartingHashKey"]) for each in found)
        assert starts == [HASHES // target * number for number in range(target)]
    more = {"StreamName": name, "ScalingType": "UNIFORM_SCALING"}
    assert refused(kinesis.update_shard_count, TargetShardCount=5, **more) == (
        "LimitExceededException",
        (
            "UpdateShardCount cannot scale up over double your current open shard count. "
            "Current open shard count: 2, Target shard count: 5"
        ),
    )


def test_shards_are_listed_by_filters_and_in_pages(moved):
    server, client = moved
    name = created(client)
    server.clock.advance(hours=1)
    client.split_shard(
        StreamName=name, ShardToSplit=shard_id(0), NewStartingHashKey=str(HASHES // 2)
    )
    at_split = datetime.fromtimestamp(server.clock.now().timestamp(), UTC)
    server.clock.advance(hours=1)
    for only, expected in (
        ({"Type": "AT_LATEST"}, [1, 2]),
        ({"Type": "AT_TRIM_HORIZON"}, [0]),
        ({"Type": "FROM_TRIM_HORIZON"}, [0, 1, 2]),
        ({"Type": "AT_TIMESTAMP", "Timestamp": at_split - timedelta(minutes=1)}, [0]),
        ({"Type": "FROM_TIMESTAMP", "Timestamp": at_split + timedelta(minutes=1)}, [1, 2]),
        ({"Type": "AFTER_SHARD_ID", "ShardId": shard_id(1)}, [2]),
    ):
        assert ids_of(client, name, ShardFilter=only) == expected, only
    assert ids_of(client, name, ExclusiveStartShardId=shard_id(0)) == [1, 2]
    page = client.list_shards(StreamName=name, MaxResults=2)
    rest = client.list_shards(NextToken=page["NextToken"], MaxResults=2)
    assert [each["ShardId"] for each in rest["Shards"]] == [shard_id(2)]
    server.clock.advance(minutes=6)
    assert refused(client.list_shards, NextToken=page["NextToken"]) == (
        "ExpiredNextTokenException",
        "NextToken has expired.",
    )


# Records go after the retention, and closed shards with them.
def test_records_and_shards_are_trimmed(moved):
    server, client = moved
    name = created(client)
    put(client, name, b"old")
    client.increase_stream_retention_period(StreamName=name, RetentionPeriodHours=48)
    client.split_shard(
        StreamName=name, ShardToSplit=shard_id(0), NewStartingHashKey=str(HASHES // 2)
    )
    server.clock.advance(hours=30)
    assert data_of(client, name) == [b"old"]
    put(client, name, b"new", ExplicitHashKey="0")
    # What is too old is not shown at once, before it is deleted.
    client.decrease_stream_retention_period(StreamName=name, RetentionPeriodHours=24)
    assert data_of(client, name) == []
    server.clock.advance(hours=1)
    assert ids_of(client, name) == [1, 2]
    assert "ParentShardId" not in shards_of(client, name)[0]
    assert data_of(client, name, 1) == [b"new"]


def test_consumers(kinesis):
    name = created(kinesis)
    arn = arn_of(name)
    made = kinesis.register_stream_consumer(StreamARN=arn, ConsumerName="first", Tags={"a": "b"})[
        "Consumer"
    ]
    assert made["ConsumerARN"].startswith(f"{arn}/consumer/first:")
    kinesis.register_stream_consumer(StreamARN=arn, ConsumerName="second")
    by_arn = kinesis.describe_stream_consumer(ConsumerARN=made["ConsumerARN"])
    by_name = kinesis.describe_stream_consumer(StreamARN=arn, ConsumerName="first")
    assert by_arn["ConsumerDescription"] == by_name["ConsumerDescription"] | {"StreamARN": arn}
    page = kinesis.list_stream_consumers(StreamARN=arn, MaxResults=1)
    rest = kinesis.list_stream_consumers(StreamARN=arn, NextToken=page["NextToken"])
    listed = [each["ConsumerName"] for each in (*page["Consumers"], *rest["Consumers"])]
    assert listed == ["first", "second"]
    tags = kinesis.list_tags_for_resource(ResourceARN=made["ConsumerARN"])["Tags"]
    assert tags == [{"Key": "a", "Value": "b"}]
    assert refused(kinesis.delete_stream, StreamName=name)[0] == "ResourceInUseException"
    kinesis.deregister_stream_consumer(ConsumerARN=made["ConsumerARN"])
    code, _ = refused(kinesis.describe_stream_consumer, StreamARN=arn, ConsumerName="first")
    assert code == "ResourceNotFoundException"
    kinesis.delete_stream(StreamName=name, EnforceConsumerDeletion=True)


def test_tags(kinesis):
    name = created(kinesis, Tags={"a": "1"})
    kinesis.add_tags_to_stream(StreamName=name, Tags={"b": "2", "c": "3"})
    page = kinesis.list_tags_for_stream(StreamName=name, Limit=2)
    assert ([each["Key"] for each in page["Tags"]], page["HasMoreTags"]) == (["a", "b"], True)
    rest = kinesis.list_tags_for_stream(StreamName=name, ExclusiveStartTagKey="b")
    assert rest["Tags"] == [{"Key": "c", "Value": "3"}]
    kinesis.remove_tags_from_stream(StreamName=name, TagKeys=["a"])
    kinesis.tag_resource(ResourceARN=arn_of(name), Tags={"b": "4"})
    kinesis.untag_resource(ResourceARN=arn_of(name), TagKeys=["c"])
    tags = kinesis.list_tags_for_resource(ResourceARN=arn_of(name))["Tags"]
    assert tags == [{"Key": "b", "Value": "4"}]


# A program may only see the states that the service has, if it asks for delays.
def test_changes_are_shown_for_a_while():
    with served(testing=True, delay_transient_statuses=True, transient_status_ms=5000) as server:
        client = client_of(server.endpoint, "kinesis")
        name = created(client)
        found = client.describe_stream(StreamName=name)["StreamDescription"]
        assert (found["StreamStatus"], found["Shards"]) == ("CREATING", [])
        code, _ = refused(client.put_record, StreamName=name, Data=b"", PartitionKey="k")
        assert code == "ResourceNotFoundException"
        server.clock.advance(seconds=5)
        split = {"ShardToSplit": shard_id(0), "NewStartingHashKey": str(HASHES // 2)}
        client.split_shard(StreamName=name, **split)
        found = client.describe_stream(StreamName=name)["StreamDescription"]
        assert found["StreamStatus"] == "UPDATING"
        merge = {"ShardToMerge": shard_id(1), "AdjacentShardToMerge": shard_id(2)}
        assert refused(client.merge_shards, StreamName=name, **merge) == (
            "ResourceInUseException",
            f"Stream {name} under account 000000000000 not ACTIVE, instead in state UPDATING",
        )
        assert put(client, name, b"x", ExplicitHashKey="0")[0] == 1


# 1 MB a second; the other records of the request are written.
def test_records_beyond_the_rate_of_a_shard_are_refused_by_themselves():
    with served(throttle="on") as server:
        client = client_of(server.endpoint, "kinesis")
        name = created(client)
        records = [{"Data": b"%d" % n + bytes(500_000), "PartitionKey": "k"} for n in range(8)]
        answer = client.put_records(StreamName=name, Records=records)
        assert answer["FailedRecordCount"] == 6
        code = "ProvisionedThroughputExceededException"
        text = f"Rate exceeded for shard {shard_id(0)} in stream {name} under account 000000000000."
        assert answer["Records"][2] == {"ErrorCode": code, "ErrorMessage": text}
        assert [each[:1] for each in data_of(client, name)] == [b"0", b"1"]


# Source: Developer Guide, "Quotas and limits": after 10 MB nothing is read for the next 5 seconds.
def test_reads_beyond_the_rate_of_a_shard_are_refused():
    with served(throttle="on", testing=True) as server:
        client, clock = client_of(server.endpoint, "kinesis"), ServerClock(server.endpoint)
        name = created(client)
        for _ in range(9):
            put(client, name, bytes(1_000_000))
            clock.advance(seconds=1)
        read = {"ShardIterator": iterator_of(client, name)}
        # Begun at once: a slow machine may take the five seconds for one after the other.
        with ThreadPoolExecutor(8) as threads:
            reads = [threads.submit(client.get_records, **read) for _ in range(8)]
        assert max(len(each.result()["Records"]) for each in reads if not each.exception()) == 9
        error = next(each.exception() for each in reads if each.exception()).response["Error"]
        assert error["Code"] == "ProvisionedThroughputExceededException"
        text = f"Rate exceeded for shard {shard_id(0)} in stream {name} under"
        assert error["Message"].startswith(text)
        clock.advance(seconds=5)
        assert client.get_records(**read)["Records"]


def test_what_was_written_is_there_after_a_restart(tmp_path):
    place = {"memory": False, "data": tmp_path / "data"}
    with served(**place) as server:
        client = client_of(server.endpoint, "kinesis")
        name, gone = created(client, 2, Tags={"a": "b"}), created(client)
        put(client, name, b"kept", ExplicitHashKey="0")
        put(client, gone, b"gone")
        client.delete_stream(StreamName=gone)
    assert verify(tmp_path / "data") == []
    with served(**place) as server:
        client = client_of(server.endpoint, "kinesis")
        assert client.list_streams()["StreamNames"] == [name]
        assert data_of(client, name) == [b"kept"]
        assert client.list_tags_for_stream(StreamName=name)["Tags"] == [{"Key": "a", "Value": "b"}]
        client.create_stream(StreamName=gone, ShardCount=1)
        assert data_of(client, gone) == []
    assert verify(tmp_path / "data") == []
