"""Global tables beside other features: workers, local indexes, backups, exports, snapshots."""

# Each of these reads or writes tables in a way of its own, and all must see one history.

import json
from datetime import timedelta

import pytest

import hashrange
from hashrange.settings.kinds import Namespaces
from tests.api.backups import available
from tests.api.exports import data_of, exported, in_directory, recoverable
from tests.api.indexes import attributes
from tests.api.refusals import VALIDATION, refusal
from tests.api.replicas import (
    ACCOUNTS,
    NAME,
    ON_DEMAND,
    REGIONS,
    add_replicas,
    described,
    equal,
    in_regions,
    items,
    put,
    replicated,
    update,
)
from tests.pace import until

SEPARATE = {"namespaces": Namespaces.SEPARATE, "regions": ",".join(REGIONS), "testing": True}
KEYS, KEYS_BY_N = (
    [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": name, "KeyType": "RANGE"}]
    for name in ("sk", "n")
)
BY_N = {"IndexName": "by-n", "KeySchema": KEYS_BY_N, "Projection": {"ProjectionType": "ALL"}}
LOCAL = {
    "AttributeDefinitions": attributes(pk="S", sk="S", n="N"),
    "KeySchema": KEYS,
    "LocalSecondaryIndexes": [BY_N],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("buckets")


@pytest.fixture(scope="module")
def server(root):
    with hashrange.start(s3=f"exports={root}", **SEPARATE) as server:
        yield server


@pytest.fixture
def clients(server):
    yield in_regions(server.endpoint, str(next(ACCOUNTS)))
    server.clock.reset()


def is_active(client, name):
    return client.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE"


@pytest.mark.long
@pytest.mark.parametrize("more", [{}, {"workers": 2}])
def test_processes_and_restarts(more, tmp_path):
    account, expected = str(next(ACCOUNTS)), {}
    for run in range(2):
        with hashrange.start(memory=False, data=tmp_path / "data", **more, **SEPARATE) as server:
            clients = in_regions(server.endpoint, account)
            if run == 0:
                replicated(clients)
            equal(clients, expected)
            for number in range(30):
                key = f"{run}-{number}"
                put(clients[number % 3], key, number)
                expected[key] = str(number)
            equal(clients, expected)
            clients[1].delete_item(TableName=NAME, Key={"pk": {"S": f"{run}-0"}})
            del expected[f"{run}-0"]


def test_local_indexes_and_their_collections(clients):
    first, second, _ = clients
    first.create_table(TableName=NAME, **LOCAL)
    for number in range(20):
        item = {"pk": {"S": "a"}, "sk": {"S": str(number)}, "n": {"N": str(100 - number)}}
        first.put_item(TableName=NAME, Item=item)
    add_replicas(clients, ["eu-west-1"])
    second.delete_item(TableName=NAME, Key={"pk": {"S": "a"}, "sk": {"S": "3"}})
    moved = {"pk": {"S": "a"}, "sk": {"S": "4"}, "n": {"N": "1"}}
    second.put_item(TableName=NAME, Item=moved)

    def order(client):
        found = client.query(
            TableName=NAME, IndexName="by-n", KeyConditionExpression="pk = :a",
            ExpressionAttributeValues={":a": {"S": "a"}},
        )["Items"]  # fmt: skip
        return [int(each["sk"]["S"]) for each in found]

    expected = [4, *(number for number in range(19, -1, -1) if number not in {3, 4})]
    until(lambda: order(first) == order(second) == expected)
    sizes = [
        client.put_item(TableName=NAME, Item=moved, ReturnItemCollectionMetrics="SIZE")
        for client in (first, second)
    ]
    assert sizes[0]["ItemCollectionMetrics"] == sizes[1]["ItemCollectionMetrics"]
    assert described(first)["ItemCount"] == described(second)["ItemCount"]


def test_backups_of_a_replica_are_restored_outside_the_group(clients):
    replicated(clients, ["eu-west-1"])
    first, second, _ = clients
    put(first, "a", 1)
    equal(clients[:2], {"a": "1"})
    arn = second.create_backup(TableName=NAME, BackupName="one")["BackupDetails"]["BackupArn"]
    available(second, arn)
    put(first, "a", 2)
    equal(clients[:2], {"a": "2"})
    second.restore_table_from_backup(BackupArn=arn, TargetTableName="restored")
    until(lambda: second.describe_table(TableName="restored")["Table"]["TableStatus"] == "ACTIVE")
    table = second.describe_table(TableName="restored")["Table"]
    assert "Replicas" not in table
    assert "GlobalTableVersion" not in table
    found = second.get_item(TableName="restored", Key={"pk": {"S": "a"}})["Item"]
    assert found["n"] == {"N": "1"}
    # It can become a global table itself.
    updates = [{"Create": {"RegionName": "us-east-1"}}]
    second.update_table(TableName="restored", ReplicaUpdates=updates)
    until(lambda: is_active(first, "restored"))
    found = first.get_item(TableName="restored", Key={"pk": {"S": "a"}})["Item"]
    assert found["n"] == {"N": "1"}


def test_a_replica_is_restored_to_a_time(server, clients):
    replicated(clients, ["eu-west-1"])
    first, second, _ = clients
    second.update_continuous_backups(
        TableName=NAME, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    put(first, "a", 1)
    equal(clients[:2], {"a": "1"})
    server.clock.advance(seconds=60)
    moment = server.clock.now()
    server.clock.advance(seconds=600)
    put(first, "a", 2)
    put(first, "b", 2)
    equal(clients[:2], {"a": "2", "b": "2"})
    second.restore_table_to_point_in_time(
        SourceTableName=NAME, TargetTableName="then", RestoreDateTime=moment
    )
    until(lambda: is_active(second, "then"))
    found = second.scan(TableName="then")["Items"]
    assert [(each["pk"]["S"], each["n"]["N"]) for each in found] == [("a", "1")]
    assert "Replicas" not in second.describe_table(TableName="then")["Table"]


def test_exports_have_changes_of_other_regions(server, clients, root):
    replicated(clients, ["eu-west-1"])
    first, second, _ = clients
    arn = recoverable(second, NAME)
    begin = server.clock.now()
    server.clock.advance(seconds=60)
    put(first, "a", 1)
    put(first, "b", 1)
    equal(clients[:2], {"a": "1", "b": "1"})
    first.delete_item(TableName=NAME, Key={"pk": {"S": "b"}})
    equal(clients[:2], {"a": "1"})
    server.clock.advance(seconds=1200)
    window = {
        "ExportFromTime": begin,
        "ExportToTime": begin + timedelta(minutes=16),
        "ExportViewType": "NEW_AND_OLD_IMAGES",
    }
    found = exported(
        second, arn, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=window
    )
    lines = data_of(in_directory(root), found).decode().splitlines()
    changes = {each["Keys"]["pk"]["S"]: each.get("NewImage") for each in map(json.loads, lines)}
    assert changes["a"]["n"] == {"N": "1"}
    assert changes.get("b") is None


def test_bulk_puts_are_of_tables_without_replicas(clients, root):
    replicated(clients, ["eu-west-1"])
    first = clients[0]
    request = {
        "TableName": NAME,
        "InputS3Configuration": {
            "S3Bucket": "exports", "S3KeyPrefix": "nothing", "InputFormat": "DYNAMODB_JSON",
        },
        "OutputS3Configuration": {
            "S3Bucket": "exports", "S3KeyPrefix": "reports", "OutputType": ["ERROR"],
        },
        "ClientToken": "one",
        "PerformanceTier": "STANDARD",
    }  # fmt: skip
    assert refusal(first.start_bulk_put_items, **request)[0] == VALIDATION
    update(first, "Delete", "eu-west-1")
    until(lambda: "Replicas" not in described(first))
    assert first.start_bulk_put_items(**request)


def test_a_server_is_put_back_to_a_state_with_replicas():
    with hashrange.start(**SEPARATE) as server:
        clients = in_regions(server.endpoint, str(next(ACCOUNTS)))
        replicated(clients)
        put(clients[0], "a", 1)
        equal(clients, {"a": "1"})
        server.snapshots.save("one")
        put(clients[1], "a", 2)
        clients[2].delete_table(TableName=NAME)
        until(lambda: len(described(clients[0])["Replicas"]) == 1)
        server.snapshots.load("one")
        equal(clients, {"a": "1"})
        put(clients[2], "a", 3)
        put(clients[0], "b", 3)
        equal(clients, {"a": "3", "b": "3"})


def test_the_deletion_of_a_replica_leaves_the_others(clients):
    replicated(clients)
    first, second, third = clients
    put(second, "a", 1)
    equal(clients, {"a": "1"})
    second.delete_table(TableName=NAME)
    until(lambda: len(described(first)["Replicas"]) == len(described(third)["Replicas"]) == 1)
    put(third, "b", 2)
    equal([first, third], {"a": "1", "b": "2"})
    # A table of this name is not one of the group, and can be there again only as a replica.
    second.create_table(TableName=NAME, **ON_DEMAND)
    put(second, "own", 1)
    put(first, "c", 1)
    equal([first, third], {"a": "1", "b": "2", "c": "1"})
    assert items(second) == {"own": "1"}
