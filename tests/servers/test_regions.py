"""Global tables between servers, each of which holds a region: through boto3, killed, cut off."""

import contextlib
import json
import threading
import uuid

import pytest

from hashrange.assembly.verifying import verify
from tests.api.conftest import client_of
from tests.api.refusals import VALIDATION, refusal
from tests.api.replicas import replication_latencies
from tests.api.tables import keyed
from tests.crash.server import Server
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.ports import free_port

NAME = "a-table"
ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
EAST, WEST = "us-east-1", "eu-west-1"
DENIED = "REPLICATION_NOT_AUTHORIZED"


class Side:
    """A server that holds one region, which is stopped and started again on its port."""

    def __init__(self, region, place, *options):
        self.region, self.place, self.port, self.options = region, place, free_port(), options
        self.peer = None
        self.server = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        peer = f"{self.peer.region}={self.peer.url}"
        self.server = Server(
            self.place, "--port", str(self.port), "--regions", self.region, "--peer", peer,
            *self.options,
        )  # fmt: skip
        self.client = client_of(self.url, region_name=self.region)

    def kill(self):
        self.server.kill()
        self.server = None


@contextlib.contextmanager
def two_servers(places, *options):
    sides = [Side(EAST, places[0], *options), Side(WEST, places[1], *options)]
    for side, other in zip(sides, reversed(sides), strict=True):
        side.peer = other
    try:
        for side in sides:
            side.start()
        yield sides
    finally:
        for side in sides:
            if side.server is not None:
                side.server.terminate()


@pytest.fixture
def sides(tmp_path):
    places = [tmp_path / EAST, tmp_path / WEST]
    with two_servers(places) as found:
        yield found
    assert [verify(place) for place in places] == [[], []]


def described(side):
    return side.client.describe_table(TableName=NAME)["Table"]


def states(side):
    table = described(side)
    return table["TableStatus"], {
        each["RegionName"]: each["ReplicaStatus"] for each in table.get("Replicas", ())
    }


def is_active(side):
    with contextlib.suppress(side.client.exceptions.ResourceNotFoundException):
        return states(side) == ("ACTIVE", {side.peer.region: "ACTIVE"})
    return False


def put(side, key, number):
    side.client.put_item(TableName=NAME, Item={"pk": {"S": key}, "n": {"N": str(number)}})


def delete(side, key):
    side.client.delete_item(TableName=NAME, Key={"pk": {"S": key}})


def items(side):
    pages = side.client.get_paginator("scan").paginate(TableName=NAME, ConsistentRead=True)
    return {each["pk"]["S"]: int(each["n"]["N"]) for page in pages for each in page["Items"]}


def update(side, action, region):
    updates = [{action: {"RegionName": region}}]
    return side.client.update_table(TableName=NAME, ReplicaUpdates=updates)["TableDescription"]


def refused(side, action, region):
    updates = [{action: {"RegionName": region}}]
    return refusal(side.client.update_table, TableName=NAME, ReplicaUpdates=updates)


def replicated(sides, count=0):
    """A global table, with items from before it became one."""
    east, west = sides
    east.client.create_table(TableName=NAME, **{**keyed(pk="S"), **ON_DEMAND})
    for number in range(count):
        put(east, str(number), number)
    answer = update(east, "Create", WEST)
    assert answer["TableStatus"] == "UPDATING"
    for side in (east, west):
        until(lambda side=side: is_active(side))


def equal(sides, expected):
    until(lambda: all(items(side) == expected for side in sides))


def test_changes_of_both_sides_meet(sides):
    east, west = sides
    replicated(sides, 250)
    expected = {str(number): number for number in range(250)}
    equal(sides, expected)
    put(west, "west", 1)
    put(east, "0", 1000)
    delete(west, "1")
    delete(east, "2")
    expected.update({"west": 1, "0": 1000})
    del expected["1"], expected["2"]
    equal(sides, expected)
    # The last writer wins, whoever it is.
    for number, side in enumerate((east, west) * 5):
        put(side, "both", number)
    expected["both"] = 9
    equal(sides, expected)
    for side in sides:
        account = described(side)["TableArn"].split(":")[4]
        key = (f"{account}:{side.region}:{NAME}", side.peer.region)
        until(lambda key=key, side=side: set(replication_latencies(side.url)) == {key})
    table = described(west)
    assert table["StreamSpecification"]["StreamEnabled"]
    assert table["TableId"] != described(east)["TableId"]


def test_a_killed_server_catches_up(sides):
    east, west = sides
    replicated(sides, 5)
    west.kill()
    for number in range(300):
        put(east, str(number), 1000 + number)
    delete(east, "3")
    west.start()
    expected = {str(number): 1000 + number for number in range(300) if number != 3}
    equal(sides, expected)
    put(west, "after", 1)
    east.kill()
    put(west, "alone", 2)
    east.start()
    equal(sides, {**expected, "after": 1, "alone": 2})


def test_settings_are_of_all(sides):
    east, west = sides
    replicated(sides, 3)
    create = {
        "IndexName": "by-n",
        "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    west.client.update_table(
        TableName=NAME,
        AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": create}],
    )

    def has_index():
        indexes = described(east).get("GlobalSecondaryIndexes", [])
        return [each["IndexStatus"] for each in indexes] == ["ACTIVE"]

    until(has_index)
    found = east.client.query(
        TableName=NAME, IndexName="by-n", KeyConditionExpression="n = :n",
        ExpressionAttributeValues={":n": {"N": "2"}},
    )  # fmt: skip
    assert [each["pk"]["S"] for each in found["Items"]] == ["2"]
    east.client.update_table(
        TableName=NAME, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-n"}}]
    )
    until(lambda: "GlobalSecondaryIndexes" not in described(west))


def test_items_that_expire_go_everywhere(sides):
    east, west = sides
    replicated(sides)
    specification = {"Enabled": True, "AttributeName": "n"}
    east.client.update_time_to_live(TableName=NAME, TimeToLiveSpecification=specification)

    def is_enabled():
        found = west.client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
        return found.get("TimeToLiveStatus") == "ENABLED"

    until(is_enabled)
    now = 1_790_000_000  # within the last five years of any clock that runs this
    put(west, "old", now)
    put(west, "new", 4_000_000_000)
    equal(sides, {"new": 4_000_000_000})


def test_a_replica_is_removed_from_either_side(sides):
    east, west = sides
    replicated(sides, 3)
    update(east, "Delete", WEST)

    def is_gone():
        with contextlib.suppress(west.client.exceptions.ResourceNotFoundException):
            described(west)
            return False
        return True

    until(is_gone)
    until(lambda: states(east) == ("ACTIVE", {}))
    put(east, "more", 1)
    update(east, "Create", WEST)
    until(lambda: is_active(east) and is_active(west))
    equal(sides, {"0": 0, "1": 1, "2": 2, "more": 1})
    east.client.delete_table(TableName=NAME)
    until(lambda: states(west) == ("ACTIVE", {}))
    assert len(items(west)) == 4


# Source of the refusal: PutItem says ResourceNotFoundException of a table that is not ACTIVE.
def test_a_replica_is_removed_while_clients_write_to_it(sides):
    east, west = sides
    replicated(sides)
    written, refusals, is_over = [], [], threading.Event()

    def write(client):
        while not is_over.is_set():
            key = uuid.uuid4().hex
            try:
                client.put_item(TableName=NAME, Item={"pk": {"S": key}, "n": {"N": "1"}})
            except client.exceptions.ClientError as error:
                refusals.append(error.response["Error"])
                return
            written.append(key)

    threads = [
        threading.Thread(target=write, args=(side.client,)) for side in (east, west, west, west)
    ]
    for thread in threads:
        thread.start()
    until(lambda: len(written) > 50)
    update(east, "Delete", WEST)
    try:
        until(lambda: states(east) == ("ACTIVE", {}))
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    missing = {"Code": "ResourceNotFoundException", "Message": "Requested resource not found"}
    assert refusals == [missing] * 3
    assert {*items(east)} == {*written}


def test_a_table_of_the_name_is_no_replica(sides):
    east, west = sides
    for side in sides:
        side.client.create_table(TableName=NAME, **{**keyed(pk="S"), **ON_DEMAND})
    west.kill()
    update(east, "Create", WEST)
    west.start()
    until(lambda: states(east)[1] == {WEST: "CREATION_FAILED"})
    assert states(west) == ("ACTIVE", {})
    update(east, "Delete", WEST)
    until(lambda: states(east) == ("ACTIVE", {}))


def test_a_server_that_was_away_for_too_long_gets_a_copy(tmp_path):
    with two_servers([tmp_path / EAST, tmp_path / WEST], "--peer-log-seconds", "1") as sides:
        east, west = sides
        replicated(sides, 20)
        equal(sides, {str(number): number for number in range(20)})
        west.kill()
        for number in range(40):
            put(east, str(number), 100 + number)
        delete(east, "7")

        def log():
            return [each["copy"] for each in ()]

        assert log() == []
        put(east, "last", 1)
        west.start()
        expected = {str(number): 100 + number for number in range(40) if number != 7}
        equal(sides, {**expected, "last": 1})


def test_sqlite_and_postgres(tmp_path):
    with two_servers([tmp_path / EAST, url_of("regions")]) as sides:
        east, west = sides
        replicated(sides, 150)
        put(west, "west", 1)
        delete(west, "5")
        put(east, "6", 66)
        expected = {str(number): number for number in range(150) if number != 5}
        equal(sides, {**expected, "west": 1, "6": 66})
        west.kill()
        put(east, "alone", 1)
        west.start()
        equal(sides, {**expected, "west": 1, "6": 66, "alone": 1})


def test_a_policy_stops_replication_between_servers(sides):
    east, west = sides
    replicated(sides)
    arn = described(west)["TableArn"]
    role = (
        "aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRoleForDynamoDBReplication"
    )
    statement = {
        "Effect": "Deny", "Principal": {"AWS": f"arn:aws:iam::{arn.split(':')[4]}:role/{role}"},
        "Action": "dynamodb:PutItem", "Resource": arn,
    }  # fmt: skip
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    west.client.put_resource_policy(ResourceArn=arn, Policy=policy)
    until(lambda: states(east) == ("ACTIVE", {WEST: DENIED}))
    assert states(west) == (DENIED, {EAST: "ACTIVE"})
    put(east, "east", 1)
    put(west, "west", 1)
    east.kill()
    east.start()
    assert states(east) == ("ACTIVE", {WEST: DENIED})
    assert (items(east), items(west)) == ({"east": 1}, {"west": 1})
    west.client.delete_resource_policy(ResourceArn=arn)
    until(lambda: items(east) == items(west) == {"east": 1, "west": 1})
    until(lambda: is_active(east) and is_active(west))


def test_what_a_peer_has_is_seen_before_a_request_is_answered(sides):
    east, west = sides
    for side in sides:
        side.client.create_table(TableName=NAME, **{**keyed(pk="S"), **ON_DEMAND})
    code, text = refused(east, "Create", WEST)
    assert (code, "already existed as tables" in text) == (VALIDATION, True)
    assert states(east) == ("ACTIVE", {})
    west.client.delete_table(TableName=NAME)
    update(east, "Create", WEST)
    until(lambda: is_active(east) and is_active(west))
    west.client.update_table(TableName=NAME, DeletionProtectionEnabled=True)
    code, text = refused(east, "Delete", WEST)
    assert (code, "deletion protection" in text) == (VALIDATION, True)
    assert is_active(east)
    west.client.update_table(TableName=NAME, DeletionProtectionEnabled=False)
    update(east, "Delete", WEST)
    until(lambda: states(east) == ("ACTIVE", {}))
