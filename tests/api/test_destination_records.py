"""Changes of tables in their destinations: what the records are, and that each is there once."""

from datetime import UTC, datetime, timedelta

import pytest

from hashrange.assembly.verifying import verify
from hashrange.testing_pages import ServerClock, ServerSnapshots
from tests.api.conftest import client_of
from tests.api.destinations import (
    awaited,
    changes_in,
    disable,
    enable,
    statuses,
    update,
    with_destination,
)
from tests.api.kinesis import arn_of, records_of
from tests.api.refusals import table_request
from tests.pace import until
from tests.served import served
from tests.servers.fleet import metric_at


@pytest.fixture(scope="module")
def kinesis(endpoint):
    return client_of(endpoint, "kinesis")


def put(dynamodb, table, key, **more):
    item = {"pk": {"S": key}, **{name: {"S": text} for name, text in more.items()}}
    dynamodb.put_item(TableName=table, Item=item)


def without_ids(change):
    """A change without what differs each time."""
    time = change["dynamodb"].pop("ApproximateCreationDateTime")
    assert len(change.pop("eventID")) == 36
    return change, time


def test_records_are_in_the_envelope(dynamodb, kinesis, new_table):
    table = new_table(sk="N")
    name = with_destination(dynamodb, kinesis, table)
    began_ms = int(datetime.now(UTC).timestamp() * 1000)
    key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
    dynamodb.put_item(TableName=table, Item={**key, "b": {"B": b"\x00\xff"}})
    dynamodb.put_item(TableName=table, Item={**key, "b": {"B": b"\x00\xff"}})  # no change
    dynamodb.update_item(
        TableName=table,
        Key=key,
        UpdateExpression="SET n = :n",
        ExpressionAttributeValues={":n": {"N": "1.50"}},
    )
    dynamodb.delete_item(TableName=table, Key=key)
    found = [without_ids(each) for each in awaited(kinesis, name, 3)]
    assert all(abs(time - began_ms) < 60_000 for _, time in found)
    common = {
        "awsRegion": "us-east-1",
        "userIdentity": None,
        "recordFormat": "application/json",
        "tableName": table,
        "eventSource": "aws:dynamodb",
    }
    first = {**key, "b": {"B": "AP8="}}
    second = {**first, "n": {"N": "1.5"}}
    assert [change for change, _ in found] == [
        {**common, "eventName": event, "dynamodb": {"Keys": key, **images, "SizeBytes": size}}
        for event, images, size in (
            ("INSERT", {"NewImage": first}, 17),
            ("MODIFY", {"NewImage": second, "OldImage": first}, 31),
            ("REMOVE", {"OldImage": second}, 21),
        )
    ]
    (keys,) = {each["PartitionKey"] for each in records_of(kinesis, name)}
    assert len(keys) == 32
    assert keys.isupper()
    assert int(keys, 16)


# Before a destination is enabled and after it is disabled changes are not put; those between are,
# although the service stops soon after it has answered.
def test_changes_between_enabling_and_disabling(dynamodb, kinesis, new_table):
    table = new_table()
    put(dynamodb, table, "before")
    name = with_destination(dynamodb, kinesis, table)
    for number in range(250):  # more than a page
        put(dynamodb, table, f"k-{number}")
    disable(dynamodb, table, arn_of(name))
    put(dynamodb, table, "after")
    keys = [each["dynamodb"]["Keys"]["pk"]["S"] for each in changes_in(kinesis, name)]
    assert sorted(keys) == sorted(f"k-{number}" for number in range(250))
    enable(dynamodb, table, arn_of(name))
    put(dynamodb, table, "again")
    (last,) = awaited(kinesis, name, 251)[250:]
    assert last["dynamodb"]["Keys"] == {"pk": {"S": "again"}}


def test_precision_of_times(dynamodb, kinesis, new_table):
    table = new_table()
    name = with_destination(dynamodb, kinesis, table, precision="MICROSECOND")
    put(dynamodb, table, "fine")
    (fine,) = awaited(kinesis, name, 1)
    assert fine["dynamodb"]["ApproximateCreationDateTimePrecision"] == "MICROSECOND"
    update(dynamodb, table, arn_of(name), "MILLISECOND")
    put(dynamodb, table, "coarse")
    coarse = awaited(kinesis, name, 2)[1]
    assert "ApproximateCreationDateTimePrecision" not in coarse["dynamodb"]
    times = [each["dynamodb"]["ApproximateCreationDateTime"] for each in (fine, coarse)]
    assert 0 <= times[1] - times[0] // 1000 < 60_000


# The changes of an item have one partition key, so they are in one shard, and in their order.
# A stream of the table beside it has them too, whether it is enabled before or after.
def test_changes_of_an_item_are_in_their_order(start_server):
    endpoint = start_server(stream_shards=2)
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    dynamodb.create_table(**table_request(TableName="ordered"))
    name = with_destination(dynamodb, kinesis, "ordered", shards=3)
    for number in range(120):
        put(dynamodb, "ordered", f"k-{number % 7}", n=str(number))
        if number == 40:
            stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
            dynamodb.update_table(TableName="ordered", StreamSpecification=stream)
        if number == 60:
            kinesis.update_shard_count(
                StreamName=name, TargetShardCount=2, ScalingType="UNIFORM_SCALING"
            )
        if number == 80:
            stream = {"StreamEnabled": False}
            dynamodb.update_table(TableName="ordered", StreamSpecification=stream)
    found = awaited(kinesis, name, 120)
    assert len(found) == len({each["eventID"] for each in found}) == 120
    for key in range(7):
        # `changes_in` reads shards by number, and those that were split before their children.
        numbers = [
            int(each["dynamodb"]["NewImage"]["n"]["S"])
            for each in found
            if each["dynamodb"]["Keys"]["pk"]["S"] == f"k-{key}"
        ]
        assert numbers == [*range(key, 120, 7)]


def test_transactions_and_batches(dynamodb, kinesis, new_table):
    table = new_table()
    name = with_destination(dynamodb, kinesis, table)
    puts = [{"Put": {"TableName": table, "Item": {"pk": {"S": f"t-{n}"}}}} for n in range(5)]
    dynamodb.transact_write_items(TransactItems=puts)
    requests = [{"PutRequest": {"Item": {"pk": {"S": f"b-{n}"}}}} for n in range(5)]
    dynamodb.batch_write_item(RequestItems={table: requests})
    found = awaited(kinesis, name, 10)
    assert {each["dynamodb"]["Keys"]["pk"]["S"] for each in found} == {
        f"{letter}-{n}" for letter in "tb" for n in range(5)
    }


# The service names itself as the author of deletions of expired items.
def test_expired_items(start_server):
    endpoint = start_server(testing=True)
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    clock = ServerClock(endpoint)
    dynamodb.create_table(**table_request(TableName="expiring"))
    dynamodb.update_time_to_live(
        TableName="expiring", TimeToLiveSpecification={"AttributeName": "at", "Enabled": True}
    )
    name = with_destination(dynamodb, kinesis, "expiring")
    at = int(datetime.now(UTC).timestamp()) + 600
    dynamodb.put_item(TableName="expiring", Item={"pk": {"S": "a"}, "at": {"N": str(at)}})
    clock.advance(hours=3)
    inserted, removed = awaited(kinesis, name, 2)
    assert inserted["userIdentity"] is None
    assert removed["eventName"] == "REMOVE"
    assert removed["userIdentity"] == {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


# Source: measured; the destination stays ACTIVE. A stream of the same name gets what waits.
def test_a_stream_that_is_deleted(dynamodb, kinesis, new_table):
    table = new_table()
    name = with_destination(dynamodb, kinesis, table)
    put(dynamodb, table, "one")
    awaited(kinesis, name, 1)
    kinesis.delete_stream(StreamName=name)
    put(dynamodb, table, "two")
    assert statuses(dynamodb, table) == [(arn_of(name), "ACTIVE")]
    kinesis.create_stream(StreamName=name, ShardCount=1)
    (found,) = awaited(kinesis, name, 1)
    assert found["dynamodb"]["Keys"] == {"pk": {"S": "two"}}
    kinesis.delete_stream(StreamName=name)
    put(dynamodb, table, "three")
    disable(dynamodb, table, arn_of(name))


# Two images in JSON can be larger than a record. The service drops such changes and counts them.
def test_changes_that_are_too_large(dynamodb, kinesis, new_table):
    table = new_table()
    name = with_destination(dynamodb, kinesis, table)
    large = {"pk": {"S": "a"}, "l": {"L": [{"BOOL": True}] * 150_000}}
    dynamodb.put_item(TableName=table, Item=large)
    put(dynamodb, table, "b")
    (found,) = awaited(kinesis, name, 1)
    assert found["dynamodb"]["Keys"] == {"pk": {"S": "b"}}


# What a shard takes in a second is what a producer may put: the rest waits, and nothing is lost.
def test_throttled_streams(start_server):
    endpoint = start_server(throttle="on")
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    dynamodb.create_table(**table_request(TableName="fast", BillingMode="PAY_PER_REQUEST"))
    name = with_destination(dynamodb, kinesis, "fast")
    text = {"S": "x" * 35_000}
    puts = [
        {"Put": {"TableName": "fast", "Item": {"pk": {"S": f"k-{n}"}, "text": text}}}
        for n in range(100)
    ]
    dynamodb.transact_write_items(TransactItems=puts)
    # In one look, since a shard may be read five times a second.
    until(lambda: metric_at(endpoint, "destination_units_total") == 3500)
    found = changes_in(kinesis, name)
    assert len({each["dynamodb"]["Keys"]["pk"]["S"] for each in found}) == len(found) == 100
    # 3.5 MB at 1 MB a second, with 1 MB at once.
    assert metric_at(endpoint, "destination_throttled_records_total") >= 1


# Changes wait for a day. Those that are older are never put, and counted.
def test_changes_that_wait_for_too_long():
    with served(testing=True) as server:
        check_expired_changes(server.endpoint)


def check_expired_changes(endpoint):
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    clock = ServerClock(endpoint)
    dynamodb.create_table(**table_request(TableName="old"))
    name = with_destination(dynamodb, kinesis, "old")
    kinesis.delete_stream(StreamName=name)
    for number in range(3):
        put(dynamodb, "old", f"old-{number}")
    until(lambda: metric_at(endpoint, "destination_lag_seconds") > 0)
    clock.advance(hours=13)
    put(dynamodb, "old", "new")
    clock.advance(hours=13)
    until(lambda: metric_at(endpoint, "destination_failed_records_total") == 3)
    kinesis.create_stream(StreamName=name, ShardCount=1)
    (found,) = awaited(kinesis, name, 1)
    assert found["dynamodb"]["Keys"] == {"pk": {"S": "new"}}
    clock.advance(minutes=2)
    ages, lost = (
        client_of(endpoint, "cloudwatch").get_metric_statistics(
            Namespace="AWS/DynamoDB",
            MetricName=name,
            Dimensions=[
                {"Name": "TableName", "Value": "old"},
                {"Name": "DelegatedOperation", "Value": "ChangeDataCaptureForKinesisDataStreams"},
            ],
            StartTime=clock.now() - timedelta(days=2),
            EndTime=clock.now(),
            Period=172_800,
            Statistics=["Maximum", "Sum"],
        )["Datapoints"]
        for name in ("AgeOfOldestUnreplicatedRecord", "FailedToReplicateRecordCount")
    )
    assert sum(each["Sum"] for each in lost) == 3
    assert max(each["Maximum"] for each in ages) >= 13 * 3600 * 1000


# A restart, and a directory that is examined, with a destination that is enabled.
def test_destinations_go_on_after_a_restart(tmp_path):
    place = {"memory": False, "data": tmp_path / "data"}
    with served(**place) as server:
        dynamodb, kinesis = client_of(server.endpoint), client_of(server.endpoint, "kinesis")
        dynamodb.create_table(**table_request(TableName="kept"))
        name = with_destination(dynamodb, kinesis, "kept")
        put(dynamodb, "kept", "one")
        awaited(kinesis, name, 1)
        put(dynamodb, "kept", "two")
    assert verify(tmp_path / "data") == []
    with served(**place) as server:
        dynamodb, kinesis = client_of(server.endpoint), client_of(server.endpoint, "kinesis")
        put(dynamodb, "kept", "three")
        keys = [each["dynamodb"]["Keys"]["pk"]["S"] for each in awaited(kinesis, name, 3)]
        assert keys == ["one", "two", "three"]
        dynamodb.delete_table(TableName="kept")
    assert verify(tmp_path / "data") == []


# With namespaces the stream is the one of the table's account and region.
def test_namespaces(start_server):
    endpoint = start_server(namespaces="separate")
    keys = [{"aws_access_key_id": account} for account in ("111111111111", "222222222222")]
    tables = [client_of(endpoint, **key) for key in keys]
    streams = [client_of(endpoint, "kinesis", **key) for key in keys]
    for number, (dynamodb, kinesis) in enumerate(zip(tables, streams, strict=True)):
        dynamodb.create_table(**table_request(TableName="same"))
        kinesis.create_stream(StreamName="same", ShardCount=1)
        account = f"{number + 1}" * 12
        enable(dynamodb, "same", arn_of("same", account=account))
        put(dynamodb, "same", account)
        (found,) = awaited(kinesis, "same", 1)
        assert found["dynamodb"]["Keys"] == {"pk": {"S": account}}
    foreign = arn_of("same", account="2" * 12)
    disable(tables[0], "same", arn_of("same", account="1" * 12))
    enable(tables[0], "same", foreign)
    assert statuses(tables[0], "same")[0] == (foreign, "ENABLE_FAILED")


# A snapshot puts table, stream and positions back together.
def test_snapshots():
    with served(testing=True) as server:
        check_snapshots(server.endpoint)


def check_snapshots(endpoint):
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    snapshots = ServerSnapshots(endpoint)
    dynamodb.create_table(**table_request(TableName="saved"))
    name = with_destination(dynamodb, kinesis, "saved")
    put(dynamodb, "saved", "one")
    awaited(kinesis, name, 1)
    snapshots.save("one")
    put(dynamodb, "saved", "two")
    awaited(kinesis, name, 2)
    snapshots.load("one")
    put(dynamodb, "saved", "three")
    keys = [each["dynamodb"]["Keys"]["pk"]["S"] for each in awaited(kinesis, name, 2)]
    assert keys == ["one", "three"]
