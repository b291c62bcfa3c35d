"""A server that is put back to a state, as suites of tests use it."""

import json
import os
import signal
import threading
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import ClientError

import hashrange
from hashrange.assembly.verifying import verify
from hashrange.limits.backups import SAVED_STATES_MAX
from hashrange.storage.encryption.master_key import KEY_BYTES
from hashrange.storage.encryption.sources import KeySource
from hashrange.testing_pages import ServerSnapshots, SnapshotError
from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.indexes import attributes, index_of
from tests.api.streams import arn_of, changes_of, iterator_of, shards_of, streaming
from tests.api.tables import keyed
from tests.served import served

KEYED = keyed(pk="S")
BY_COLOUR = {
    "AttributeDefinitions": attributes(pk="S", colour="S"),
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [index_of("by-colour", "colour")],
    "BillingMode": "PAY_PER_REQUEST",
}


# With workers a load must reach processes other than the one that does it.
@pytest.fixture(scope="module", params=["memory", pytest.param("workers", marks=pytest.mark.long)])
def server(request, tmp_path_factory):
    more = {}
    if request.param == "workers":
        more = {"memory": False, "data": tmp_path_factory.mktemp("states") / "data", "workers": 2}
    with served(testing=True, **more) as server:
        server.snapshots.save("empty")
        yield server


@pytest.fixture
def client(server):
    server.snapshots.load("empty")
    client = client_of(server.endpoint)
    yield client
    client.close()


def put(client, key, table="things", **more):
    client.put_item(TableName=table, Item={"pk": {"S": key}, **more})


def found(client, key, table="things", **how):
    answer = client.get_item(TableName=table, Key={"pk": {"S": key}}, **how)
    return answer.get("Item")


def reds(client):
    answer = client.query(
        TableName="things",
        IndexName="by-colour",
        KeyConditionExpression="colour = :c",
        ExpressionAttributeValues={":c": {"S": "red"}},
    )
    return sorted(item["pk"]["S"] for item in answer["Items"])


# Everything that was done since is gone, whichever process answers: each client has a connection.
def test_all_is_as_it_was(server, client):
    client.create_table(TableName="things", **BY_COLOUR, **streaming())
    put(client, "a", colour={"S": "red"}, text={"S": "x" * 5_000})
    before = client.describe_table(TableName="things")["Table"]
    server.snapshots.save("one")
    put(client, "b", colour={"S": "red"})
    put(client, "a", colour={"S": "blue"})
    client.create_table(TableName="others", **KEYED)
    client.update_table(
        TableName="things", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-colour"}}]
    )
    server.snapshots.load("one")
    for each in [client, *(client_of(server.endpoint) for _ in range(6))]:
        assert each.list_tables()["TableNames"] == ["things"]
        assert reds(each) == ["a"]
        assert each.scan(TableName="things", ConsistentRead=True)["Count"] == 1
        assert each.describe_table(TableName="things")["Table"] == before
    put(client, "c", colour={"S": "red"})
    assert reds(client) == ["a", "c"]


# The rows of a deleted table are deleted in the background, by a task that must not go on.
def test_deleted_table_is_back_and_stays(server, client):
    client.create_table(TableName="things", **KEYED)
    for number in range(50):
        put(client, str(number))
    server.snapshots.save("one")
    for _ in range(3):
        client.delete_table(TableName="things")
        server.snapshots.load("one")
        server.clock.settle()
        assert client.scan(TableName="things", ConsistentRead=True)["Count"] == 50


# An iterator that was made since would name records that are not there, or are others later.
def test_streams_go_on_from_there(server, client):
    streams = client_of(server.endpoint, "dynamodbstreams")
    client.create_table(TableName="things", **KEYED, **streaming())
    put(client, "a")
    arn = arn_of(client, "things")
    server.snapshots.save("one")
    put(client, "b")
    (shard,) = shards_of(streams, arn)
    iterator = iterator_of(streams, arn, shard["ShardId"], "LATEST")
    server.snapshots.load("one")
    for _ in range(4):
        with pytest.raises(ClientError) as refused:
            client_of(server.endpoint, "dynamodbstreams").get_records(ShardIterator=iterator)
        assert refused.value.response["Error"]["Code"] == "ExpiredIteratorException"
    put(client, "c")
    seen = [each["dynamodb"]["Keys"]["pk"]["S"] for each in changes_of(streams, arn)]
    assert seen == ["a", "c"]


# Large values have a table of their own, and the writer knows whether there are any.
def test_large_values_come_back(server, client):
    client.create_table(TableName="things", **KEYED)
    put(client, "a", text={"S": "x" * 50_000})
    server.snapshots.save("large")
    server.snapshots.load("empty")
    server.snapshots.load("large")
    put(client, "a", text={"S": "short"})
    assert found(client, "a", ConsistentRead=True)["text"] == {"S": "short"}


def test_snapshots_have_names(server, client):
    snapshots = server.snapshots
    snapshots.save("B.1_x-")
    assert next(iter(snapshots.sizes())) == "B.1_x-"
    snapshots.delete("B.1_x-")
    for bad in ("B.1_x-", "../data", "a/b", "", ".hidden", "x" * 65, "a\0"):
        with pytest.raises(SnapshotError, match="there is no snapshot"):
            snapshots.load(bad)
        with pytest.raises(SnapshotError, match="there is no snapshot"):
            snapshots.delete(bad)
    for bad in ("../data", "a/b", "", ".hidden", "x" * 65):
        with pytest.raises(SnapshotError, match="cannot name a snapshot"):
            snapshots.save(bad)
    client.create_table(TableName="things", **KEYED)
    before = len(snapshots.sizes())
    for number in range(before, SAVED_STATES_MAX):
        snapshots.save(f"n{number}")
    with pytest.raises(SnapshotError, match="delete one"):
        snapshots.save("one-too-many")
    for number in range(before, SAVED_STATES_MAX):
        snapshots.delete(f"n{number}")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"load": 1}', b'{"save": "a", "load": "a"}', b'{"list": ""}'],
)
def test_what_makes_no_sense_is_refused(server, body):
    request = urllib.request.Request(f"{server.endpoint}/testing/snapshots", body, method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    with refused.value as answer:
        assert answer.code == 400
        assert "the body is JSON like" in json.load(answer)["message"]


# Requests of others go on meanwhile: they get the one state or the other, and no error of ours.
def test_requests_during_loads_get_one_state_or_the_other(server, client):
    client.create_table(TableName="things", **KEYED)
    for number in range(20):
        put(client, str(number))
    server.snapshots.save("one")
    failures, over = [], threading.Event()

    def work():
        mine = client_of(server.endpoint)
        while not over.is_set():
            try:
                put(mine, "more")
                count = mine.scan(TableName="things", ConsistentRead=True)["Count"]
                assert count in {20, 21}, count
            except Exception as error:  # noqa: BLE001 - told below
                failures.append(error)
                return

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    try:
        for _ in range(8):
            server.snapshots.load("one")
    finally:
        over.set()
        for each in threads:
            each.join()
    assert failures == []


def puts_until_throttled(client):
    puts = 0
    try:
        while True:  # bound: a put takes the units of a minute
            put(client, "a", text={"S": "x" * 60_000})
            puts += 1
    except ClientError:
        return puts


# What limits capacity, and what shows old values, is of the state as well.
def test_capacity_and_lag_are_those_of_the_state():
    with served(testing=True, throttle="on", replica_lag="60s") as server:
        client = client_of(server.endpoint)
        units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
        client.create_table(
            TableName="things",
            **{**KEYED, "BillingMode": "PROVISIONED", "ProvisionedThroughput": units},
        )
        put(client, "a", colour={"S": "red"})
        server.clock.advance(minutes=10)
        server.snapshots.save("full")
        accepted = []
        for _ in range(2):
            accepted.append(puts_until_throttled(client))
            server.snapshots.load("full")
            for _ in range(5):
                assert found(client, "a") == {"pk": {"S": "a"}, "colour": {"S": "red"}}
        assert accepted[0] == accepted[1] > 1


def test_server_that_is_not_under_test_has_none(start_server):
    with pytest.raises(SnapshotError, match="start hashrange with --testing"):
        ServerSnapshots(start_server()).save("a")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"auth": "required"}, "need --auth off"),
        ({"audit": "audit"}, "without --audit"),
        ({"dax_port": 0}, "without --dax-port"),
    ],
)
def test_what_a_load_would_put_back_by_force(tmp_path, settings, reason):
    if "audit" in settings:
        settings = {"audit": tmp_path / "audit"}
    with served(testing=True, **settings) as server:
        for act in (server.snapshots.save, server.snapshots.load):
            with pytest.raises(SnapshotError, match=reason):
                act("a")


# Caches and clients of a cluster know the data that a load replaces.
def test_no_load_while_there_are_clusters():
    with served(testing=True) as server:
        client = dax_client(server.endpoint)
        server.snapshots.save("a")
        client.create_cluster(**cluster("c"))
        with pytest.raises(SnapshotError, match="without DAX clusters"):
            server.snapshots.load("a")
        client.close()


# On a disk a state outlives the server, and the load is durable when it is answered.
@pytest.mark.parametrize("encrypted", [False, True])
def test_snapshots_of_a_directory(tmp_path, encrypted):
    data, key = tmp_path / "data", tmp_path / "key"
    key.write_text(os.urandom(KEY_BYTES).hex())
    more = {"encrypt": True, "encryption_key_file": key} if encrypted else {}
    with served(testing=True, memory=False, data=data, **more) as server:
        client = client_of(server.endpoint)
        client.create_table(TableName="things", **KEYED)
        put(client, "a", colour={"S": "chartreuse"})
        server.snapshots.save("one")
        put(client, "b")
    (kept,) = (data / "hashrange.snapshots").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    assert (b"chartreuse" in kept.read_bytes()) is not encrypted
    with hashrange.start(testing=True, memory=False, data=data, **more) as server:
        client = client_of(server.endpoint)
        assert found(client, "b") is not None
        server.snapshots.load("one")
        assert found(client, "b") is None
        os.kill(int((data / "hashrange.lock").read_text().split()[0]), signal.SIGKILL)
    assert verify(data, KeySource(file=key) if encrypted else None) == []
    with served(testing=True, memory=False, data=data, **more) as server:
        client = client_of(server.endpoint)
        assert [found(client, key) is None for key in "ab"] == [False, True]
        kept.write_bytes(b"something else" * 1000)
        with pytest.raises(SnapshotError, match="cannot be loaded"):
            server.snapshots.load("one")
        assert found(client, "a") is not None


# Tables of separate namespaces would not be found in one that all share.
def test_other_namespaces_are_refused(tmp_path):
    data = tmp_path / "data"
    with served(testing=True, memory=False, data=data) as server:
        server.snapshots.save("empty")
        client_of(server.endpoint).create_table(TableName="things", **KEYED)
        server.snapshots.save("shared")
        server.snapshots.load("empty")
    with served(testing=True, memory=False, data=data, namespaces="separate") as server:
        with pytest.raises(SnapshotError, match="--namespaces"):
            server.snapshots.load("shared")
        assert client_of(server.endpoint).list_tables()["TableNames"] == []
