"""Streams, as their readers see them: what is told of a change, where, and in which order."""

import time
from datetime import UTC, datetime

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import NOT_FOUND, refusal, table_request
from tests.api.streams import (
    VIEW_TYPES,
    arn_of,
    changes_of,
    iterator_of,
    key_of,
    pages_from,
    records_from,
    replayed,
    shards_of,
    streaming,
)
from tests.api.tables import keyed


@pytest.fixture
def table(new_table):
    return new_table(**streaming())


def put(dynamodb, table, pk, **attributes):
    dynamodb.put_item(TableName=table, Item={"pk": {"S": pk}, **attributes})


def delete(dynamodb, table, pk):
    dynamodb.delete_item(TableName=table, Key={"pk": {"S": pk}})


def only_shard(streams, arn):
    (shard,) = shards_of(streams, arn)
    return shard["ShardId"]


# The three kinds of change, with all members that the developer guide shows.
def test_record_of_each_kind_of_change(dynamodb, streams, table):
    began = int(time.time())
    put(dynamodb, table, "a", n={"N": "1"})
    put(dynamodb, table, "a", n={"N": "2"})
    delete(dynamodb, table, "a")
    records = changes_of(streams, arn_of(dynamodb, table))
    keys, one, two = {"pk": {"S": "a"}}, {"N": "1"}, {"N": "2"}
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    assert [record["dynamodb"].get("OldImage") for record in records] == [
        None,
        {**keys, "n": one},
        {**keys, "n": two},
    ]
    assert [record["dynamodb"].get("NewImage") for record in records] == [
        {**keys, "n": one},
        {**keys, "n": two},
        None,
    ]
    for record in records:
        assert record["eventVersion"] == "1.1"
        assert record["eventSource"] == "aws:dynamodb"
        assert record["awsRegion"] == "us-east-1"
        assert len(record["eventID"]) == 32
        assert "userIdentity" not in record, "that is for what the service does"
        change = record["dynamodb"]
        assert change["Keys"] == keys
        assert change["StreamViewType"] == "NEW_AND_OLD_IMAGES"
        assert began <= change["ApproximateCreationDateTime"].timestamp() <= time.time()
        assert change["ApproximateCreationDateTime"].microsecond == 0


# Keys count beside the images. `pk` and `a` are 3 bytes, `n` and a digit 3 more.
def test_size_is_that_of_keys_and_images(dynamodb, streams, table):
    put(dynamodb, table, "a", n={"N": "1"})
    put(dynamodb, table, "a", n={"N": "2"})
    sizes = [r["dynamodb"]["SizeBytes"] for r in changes_of(streams, arn_of(dynamodb, table))]
    assert sizes == [3 + 6, 3 + 6 + 6]


@pytest.mark.parametrize("view_type", VIEW_TYPES)
def test_view_type_says_which_images_there_are(dynamodb, streams, new_table, view_type):
    table = new_table(**streaming(view_type))
    put(dynamodb, table, "a")
    put(dynamodb, table, "a", b={"BOOL": True})
    delete(dynamodb, table, "a")
    first, second, third = (r["dynamodb"] for r in changes_of(streams, arn_of(dynamodb, table)))
    has_old, has_new = "OLD" in view_type, "NEW" in view_type
    assert ["OldImage" in first, "NewImage" in first] == [False, has_new]
    assert ["OldImage" in second, "NewImage" in second] == [has_old, has_new]
    assert ["OldImage" in third, "NewImage" in third] == [has_old, False]
    assert {view_type} == {each["StreamViewType"] for each in (first, second, third)}
    assert first["SizeBytes"] == (3 + 3 if has_new else 3)


# Nobody wants to hear of writes that change nothing. Source: developer guide.
def test_no_record_without_a_change(dynamodb, streams, table):
    put(dynamodb, table, "a", s={"SS": ["x", "y"]}, m={"M": {"p": {"N": "1"}, "q": {"S": ""}}})
    put(dynamodb, table, "a", m={"M": {"q": {"S": ""}, "p": {"N": "1.0"}}}, s={"SS": ["y", "x"]})
    delete(dynamodb, table, "missing")
    values = {":s": {"SS": ["x"]}}
    for change, given in (
        ("SET s = s", {}),
        ("REMOVE lacking", {}),
        ("ADD s :s", {"ExpressionAttributeValues": values}),
    ):
        dynamodb.update_item(
            TableName=table, Key={"pk": {"S": "a"}}, UpdateExpression=change, **given
        )
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.put_item(
            TableName=table, Item={"pk": {"S": "a"}}, ConditionExpression="attribute_not_exists(pk)"
        )
    assert len(changes_of(streams, arn_of(dynamodb, table))) == 1


# Batches and updates that create go the same way.
def test_every_way_to_write_is_told(dynamodb, streams, new_table):
    table = new_table(sk="N", **streaming())
    keys = [{"pk": {"S": "a"}, "sk": {"N": str(n)}} for n in range(4)]
    dynamodb.batch_write_item(
        RequestItems={table: [{"PutRequest": {"Item": key}} for key in keys[:2]]}
    )
    dynamodb.update_item(TableName=table, Key=keys[2])
    dynamodb.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": table, "Item": keys[3]}},
            {"Delete": {"TableName": table, "Key": keys[0]}},
        ]
    )
    records = changes_of(streams, arn_of(dynamodb, table))
    told = sorted((r["eventName"], r["dynamodb"]["Keys"]["sk"]["N"]) for r in records)
    assert told == [("INSERT", str(n)) for n in range(4)] + [("REMOVE", "0")]


# Items of one partition key share a shard, whose records are in the order of the writes.
def test_shards_share_the_items(start_server):
    endpoint = start_server(stream_shards=4)
    dynamodb, streams = client_of(endpoint), client_of(endpoint, "dynamodbstreams")
    dynamodb.create_table(TableName="shared", **keyed(pk="S"), **streaming())
    for round_ in range(3):
        for number in range(40):
            put(dynamodb, "shared", str(number), n={"N": str(round_)})
    arn = arn_of(dynamodb, "shared")
    shards = shards_of(streams, arn, page=3)
    assert len({shard["ShardId"] for shard in shards}) == 4
    items = [
        {key_of(r) for r in records_from(streams, iterator_of(streams, arn, shard["ShardId"]))}
        for shard in shards
    ]
    assert all(items), "each has some"
    assert sum(map(len, items)) == len(set.union(*items)) == 40
    assert len(replayed(changes_of(streams, arn))) == 40


def test_pages_have_as_many_records_as_are_asked_for(dynamodb, streams, table):
    for number in range(7):
        put(dynamodb, table, str(number))
    arn = arn_of(dynamodb, table)
    iterator = iterator_of(streams, arn, only_shard(streams, arn))
    assert [len(page) for page in pages_from(streams, iterator, 3)] == [3, 3, 1]


# An answer has 1 MB at most, but for one record that is larger by itself never happens.
def test_pages_have_a_megabyte_at_most(dynamodb, streams, table):
    for number in range(8):
        put(dynamodb, table, str(number % 2), b={"S": str(number) + "x" * 390_000})
    arn = arn_of(dynamodb, table)
    pages = list(pages_from(streams, iterator_of(streams, arn, only_shard(streams, arn))))
    assert sum(map(len, pages)) == 8
    for page in pages:
        assert sum(record["dynamodb"]["SizeBytes"] for record in page) <= 1024 * 1024


# An open shard always goes on: the iterator of an empty answer finds what is written later.
def test_open_shard_goes_on(dynamodb, streams, table):
    arn = arn_of(dynamodb, table)
    iterator = iterator_of(streams, arn, only_shard(streams, arn), "LATEST")
    for number in range(3):
        answer = streams.get_records(ShardIterator=iterator)
        assert answer["Records"] == []
        put(dynamodb, table, str(number))
        answer = streams.get_records(ShardIterator=answer["NextShardIterator"])
        assert [r["dynamodb"]["Keys"]["pk"]["S"] for r in answer["Records"]] == [str(number)]
        iterator = answer["NextShardIterator"]


def places(dynamodb, streams, table):
    """Five records of one shard; its ARN, its id, and the numbers of the records."""
    for number in range(5):
        put(dynamodb, table, str(number))
    arn = arn_of(dynamodb, table)
    shard = only_shard(streams, arn)
    records = records_from(streams, iterator_of(streams, arn, shard))
    return arn, shard, [record["dynamodb"]["SequenceNumber"] for record in records]


def read_at(streams, arn, shard, kind, **place):
    return [
        int(record["dynamodb"]["Keys"]["pk"]["S"])
        for record in records_from(streams, iterator_of(streams, arn, shard, kind, **place))
    ]


# How the Kinesis adapter goes on from a checkpoint after a restart.
def test_places_by_sequence_number(dynamodb, streams, table):
    arn, shard, numbers = places(dynamodb, streams, table)
    assert numbers == sorted(numbers)
    for place, number in enumerate(numbers):
        at = read_at(streams, arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
        assert at == list(range(place, 5))
        after = read_at(streams, arn, shard, "AFTER_SEQUENCE_NUMBER", SequenceNumber=number)
        assert after == list(range(place + 1, 5))
    first = shards_of(streams, arn)[0]["SequenceNumberRange"]["StartingSequenceNumber"]
    assert len(first) in range(21, 41)
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        assert read_at(streams, arn, shard, kind, SequenceNumber=first) == list(range(5))
    # Checkpoints come back as numbers, with zeros in front or without.
    zeros = numbers[2].zfill(40)
    assert read_at(streams, arn, shard, "AT_SEQUENCE_NUMBER", SequenceNumber=zeros) == [2, 3, 4]


def test_places_by_time(dynamodb, streams, table):
    arn, shard, _ = places(dynamodb, streams, table)
    now = datetime.now(UTC).timestamp()
    for timestamp in (0, now - 60):
        assert read_at(streams, arn, shard, "AT_TIMESTAMP", Timestamp=timestamp) == list(range(5))
    assert read_at(streams, arn, shard, "AT_TIMESTAMP", Timestamp=now) == []


# SDKs read the account from what stands before the bar.
def test_iterator_begins_with_the_arn(dynamodb, streams, table):
    arn = arn_of(dynamodb, table)
    iterator = iterator_of(streams, arn, only_shard(streams, arn))
    assert iterator.startswith(arn + "|")


# A disabled stream is read to its end, and says that there will be no more.
def test_disabled_stream_is_read_to_its_end(dynamodb, streams, table):
    put(dynamodb, table, "a")
    arn = arn_of(dynamodb, table)
    latest = iterator_of(streams, arn, only_shard(streams, arn), "LATEST")
    dynamodb.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    put(dynamodb, table, "b")
    description = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    assert description["StreamStatus"] == "DISABLED"
    (shard,) = description["Shards"]
    answer = streams.get_records(ShardIterator=iterator_of(streams, arn, shard["ShardId"]))
    (record,) = answer["Records"]
    assert record["dynamodb"]["Keys"] == {"pk": {"S": "a"}}
    assert "NextShardIterator" not in answer
    last = shard["SequenceNumberRange"]["EndingSequenceNumber"]
    assert last == record["dynamodb"]["SequenceNumber"]
    answer = streams.get_records(ShardIterator=latest)
    assert (answer["Records"], "NextShardIterator" in answer) == ([], False)


# So that a reader sees what led to the end of the table. Measured by users, 2026.
def test_stream_of_a_deleted_table_is_read(dynamodb, streams, table):
    put(dynamodb, table, "a")
    arn = arn_of(dynamodb, table)
    dynamodb.delete_table(TableName=table)
    description = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    assert (description["StreamStatus"], description["TableName"]) == ("DISABLED", table)
    assert [record["eventName"] for record in changes_of(streams, arn)] == ["INSERT"]
    assert [s["StreamArn"] for s in streams.list_streams(TableName=table)["Streams"]] == [arn]


# A table of the same name has a stream of its own; that of the former one is still there.
def test_table_made_again_has_another_stream(dynamodb, streams, table):
    put(dynamodb, table, "old")
    first = arn_of(dynamodb, table)
    request = {"TableName": table, **keyed(pk="S")}
    dynamodb.delete_table(TableName=table)
    dynamodb.create_table(**request, **streaming())
    put(dynamodb, table, "new")
    second = arn_of(dynamodb, table)
    told = [
        [record["dynamodb"]["Keys"]["pk"]["S"] for record in changes_of(streams, arn)]
        for arn in (first, second)
    ]
    assert told == [["old"], ["new"]]
    listed = [s["StreamArn"] for s in streams.list_streams(TableName=table)["Streams"]]
    assert listed == [first, second]


# Where accounts have tables of their own, they have streams of their own; an iterator is no key.
def test_streams_of_others_are_not_found(start_server):
    endpoint = start_server(namespaces="separate")
    accounts = ("111111111111", "222222222222")
    tables = [client_of(endpoint, aws_access_key_id=account) for account in accounts]
    alice, bob = (
        client_of(endpoint, "dynamodbstreams", aws_access_key_id=account) for account in accounts
    )
    for table in tables:
        table.create_table(**table_request(TableName="same", **streaming()))
    put(tables[0], "same", "secret")
    arn, other = (arn_of(table, "same") for table in tables)
    assert [stream["StreamArn"] for stream in alice.list_streams()["Streams"]] == [arn]
    assert [stream["StreamArn"] for stream in bob.list_streams()["Streams"]] == [other]
    assert len(changes_of(alice, arn)) == 1
    assert changes_of(bob, other) == []
    shard = only_shard(alice, arn)
    iterator = iterator_of(alice, arn, shard)
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    for code, _ in (
        refusal(bob.describe_stream, StreamArn=arn),
        refusal(bob.get_shard_iterator, **request),
        refusal(bob.get_records, ShardIterator=iterator),
    ):
        assert code == NOT_FOUND
