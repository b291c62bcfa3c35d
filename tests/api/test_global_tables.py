"""Tables with replicas in several regions of one server."""

import threading

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import index_of
from tests.api.refusals import NOT_FOUND, VALIDATION, absent, refusal, violated
from tests.api.replicas import (
    ACCOUNTS,
    NAME,
    ON_DEMAND,
    REGIONS,
    active,
    add_replicas,
    described,
    equal,
    in_regions,
    items,
    put,
    replicated,
    update,
)
from tests.api.streams import changes_of, streaming
from tests.api.tables import keyed
from tests.pace import until

INVALID = "One or more parameter values were invalid: "


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", regions=",".join((*REGIONS, "sa-east-1")))


@pytest.fixture
def account():
    """One of its own for each test, whose tables no other test sees."""
    return str(next(ACCOUNTS))


@pytest.fixture
def clients(endpoint, account):
    return in_regions(endpoint, account)


def test_a_new_replica_has_the_items(clients):
    first, second, _ = clients
    first.create_table(TableName=NAME, **ON_DEMAND)
    for number in range(30):
        put(first, str(number), number)
    answer = update(first, "Create", "eu-west-1")
    assert answer["TableStatus"] == "UPDATING"
    assert answer["StreamSpecification"] == {
        "StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES",
    }  # fmt: skip
    until(lambda: active(first))
    assert items(second) == {str(number): str(number) for number in range(30)}
    for client, other in ((first, "eu-west-1"), (second, "us-east-1")):
        table = described(client)
        assert table["GlobalTableVersion"] == "2019.11.21"
        assert table["GlobalTableSettingsReplicationMode"] == "ENABLED_WITH_OVERRIDES"
        assert table["Replicas"] == [
            {
                "RegionName": other,
                "ReplicaStatus": "ACTIVE",
                "WarmThroughput": table["WarmThroughput"],
                "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES",
            }
        ]
    assert described(first)["TableId"] != described(second)["TableId"]


# The rest is described when the replica is there. Source: captures of the service, September 2026.
def test_replicas_that_come_and_go(clients):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND)
    replica = {"RegionName": "eu-west-1"}
    answer = update(first, "Create", "eu-west-1")
    assert answer["Replicas"] == [{**replica, "ReplicaStatus": "CREATING"}]
    assert answer["GlobalTableSettingsReplicationMode"] == "ENABLED_WITH_OVERRIDES"
    until(lambda: active(first))
    answer = update(first, "Delete", "eu-west-1")
    assert answer["Replicas"] == [{**replica, "ReplicaStatus": "DELETING"}]
    until(lambda: "Replicas" not in described(first))
    assert "GlobalTableSettingsReplicationMode" not in described(first)


# Source: a test that another project ran against the service.
@pytest.mark.parametrize("view_type", ["KEYS_ONLY", "NEW_IMAGE"])
def test_a_new_replica_has_the_stream_of_the_table(clients, view_type):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND, **streaming(view_type))
    arn = described(first)["LatestStreamArn"]
    add_replicas(clients)
    assert described(first)["LatestStreamArn"] == arn
    views = [described(each)["StreamSpecification"]["StreamViewType"] for each in clients]
    assert views == [view_type] * 3


def test_items_that_are_written_meanwhile_are_in_the_new_replica(clients):
    first, second, _ = clients
    first.create_table(TableName=NAME, **ON_DEMAND)
    for number in range(300):
        put(first, str(number), 1)
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            put(first, str(number % 300), 2 + number)
            first.delete_item(TableName=NAME, Key={"pk": {"S": str((number * 7) % 300)}})
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        update(first, "Create", "eu-west-1")
        until(lambda: active(first))
    finally:
        stop.set()
        writer.join()
    equal([second], items(first))


def test_changes_reach_all_replicas(clients):
    replicated(clients)
    for number, client in enumerate(clients):
        put(client, f"k{number}", number)
    equal(clients, {"k0": "0", "k1": "1", "k2": "2"})
    clients[2].delete_item(TableName=NAME, Key={"pk": {"S": "k0"}})
    clients[1].update_item(
        TableName=NAME, Key={"pk": {"S": "k2"}}, UpdateExpression="SET n = :n",
        ExpressionAttributeValues={":n": {"N": "9"}},
    )  # fmt: skip
    clients[0].transact_write_items(
        TransactItems=[{"Put": {"TableName": NAME, "Item": {"pk": {"S": "t"}, "n": {"N": "1"}}}}]
    )
    equal(clients, {"k1": "1", "k2": "9", "t": "1"})


def test_the_last_of_several_writers_wins_everywhere(clients):
    replicated(clients)

    def write(client, offset):
        for number in range(30):
            put(client, str(number % 3), offset + number)

    threads = [
        threading.Thread(target=write, args=(client, 100 * number))
        for number, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: items(clients[0]) == items(clients[1]) == items(clients[2]))
    put(clients[1], "0", 7)
    until(lambda: all(items(client)["0"] == "7" for client in clients))


def test_streams_show_changes_of_other_regions_but_no_write_without_a_change(
    endpoint, account, clients
):
    replicated(clients, ["eu-west-1"])
    put(clients[0], "a", 1)
    put(clients[0], "a", 1)
    put(clients[0], "a", 2)
    equal(clients[:2], {"a": "2"})
    streams = in_regions(endpoint, account, "dynamodbstreams")
    for client, stream in zip(clients[:2], streams, strict=False):
        arn = described(client)["LatestStreamArn"]
        found = changes_of(stream, arn)
        images = [each["dynamodb"]["NewImage"]["n"]["N"] for each in found]
        assert images[-1] == "2"
        assert len(images) <= 2


def test_settings_change_in_all_replicas(clients):
    replicated(clients)
    first, second, third = clients
    second.update_table(
        TableName=NAME,
        AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": index_of("by-n", "n")}],
    )
    put(first, "a", 1)

    def entries(client):
        if described(client)["GlobalSecondaryIndexes"][0]["IndexStatus"] != "ACTIVE":
            return -1
        return client.query(
            TableName=NAME, IndexName="by-n", KeyConditionExpression="n = :n",
            ExpressionAttributeValues={":n": {"N": "1"}},
        )["Count"]  # fmt: skip

    until(lambda: [entries(client) for client in clients] == [1, 1, 1])
    (index,) = described(first)["Replicas"][0]["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "by-n"
    third.update_time_to_live(
        TableName=NAME, TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"}
    )
    for client in clients:
        found = client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
        assert found["AttributeName"] == "t"
    first.update_table(TableName=NAME, DeletionProtectionEnabled=True)
    assert [described(client)["DeletionProtectionEnabled"] for client in clients] == [
        True, False, False,
    ]  # fmt: skip


def test_expired_items_are_deleted_everywhere(clients):
    replicated(clients, ["eu-west-1"])
    clients[0].update_time_to_live(
        TableName=NAME, TimeToLiveSpecification={"Enabled": True, "AttributeName": "n"}
    )
    put(clients[0], "a", 1_700_000_000)
    put(clients[1], "b", 1_700_000_000)
    put(clients[1], "c", 0)
    equal(clients[:2], {"c": "0"})


def test_a_replica_is_removed(clients):
    first, second, third = clients
    replicated(clients)
    update(second, "Delete", "ap-south-1")
    until(lambda: [each["RegionName"] for each in described(first)["Replicas"]] == ["eu-west-1"])
    assert refusal(third.describe_table, TableName=NAME)[0] == NOT_FOUND
    until(lambda: active(first) and active(second))
    put(first, "a", 1)
    equal([first, second], {"a": "1"})
    # It can be added again, also by another replica.
    update(second, "Create", "ap-south-1")
    until(lambda: active(second))
    equal(clients, {"a": "1"})


def test_the_last_replica_leaves_a_table_of_one_region(clients):
    first, second, _ = clients
    replicated(clients, ["eu-west-1"])
    put(first, "a", 1)
    second.delete_table(TableName=NAME)
    until(lambda: "Replicas" not in described(first))
    assert "GlobalTableVersion" not in described(first)
    assert described(first)["StreamSpecification"]["StreamEnabled"]
    assert items(first) == {"a": "1"}
    first.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
    first.delete_item(TableName=NAME, Key={"pk": {"S": "a"}})
    assert items(first) == {}


def test_a_protected_replica_is_not_removed(clients):
    replicated(clients, ["eu-west-1"])
    clients[1].update_table(TableName=NAME, DeletionProtectionEnabled=True)
    updates = [{"Delete": {"RegionName": "eu-west-1"}}]
    told = (
        VALIDATION,
        (
            "Cannot delete table a-table in region eu-west-1 because it has deletion protection "
            "enabled. Disable deletion protection first."
        ),
    )
    assert refusal(clients[0].update_table, TableName=NAME, ReplicaUpdates=updates) == told
    assert refusal(clients[1].delete_table, TableName=NAME) == told


def test_refusals(clients):
    first = clients[0]
    replicated(clients, ["eu-west-1"])

    def refused(*updates, **more):
        return refusal(first.update_table, TableName=NAME, ReplicaUpdates=list(updates), **more)

    create, delete = (
        {"Create": {"RegionName": "eu-west-1"}},
        {"Delete": {"RegionName": "sa-east-1"}},
    )
    local = (
        "Cannot add or delete the local region through ReplicaUpdates. "
        "Use CreateTable, DeleteTable, or UpdateTable as required."
    )
    assert refused({"Create": {"RegionName": "us-east-1"}}) == (VALIDATION, local)
    assert refused({"Delete": {"RegionName": "us-east-1"}}) == (VALIDATION, local)
    assert refused(create) == (
        VALIDATION,
        (
            "Failed to create a the new replica of table with name: \u2018a-table\u2019 because "
            "one or "
            "more replicas already existed as tables."
        ),
    )
    assert refused(delete) == (
        VALIDATION,
        (
            "Update global table operation failed because one or more replicas were not part of "
            "the global table. Please retry the request without these replicas: [sa-east-1]."
        ),
    )
    assert refused({"Create": {"RegionName": "us-fake-1"}}) == (
        VALIDATION,
        (
            "Region us-fake-1 is not supported. The latest version of global tables are only "
            "supported "
            "in the following regions: [us-east-1, eu-west-1, ap-south-1, sa-east-1]"
        ),
    )


def test_actions_that_exclude_each_other_are_refused(clients):
    first = clients[0]
    replicated(clients, ["eu-west-1"])

    def refused(*updates, **more):
        return refusal(first.update_table, TableName=NAME, ReplicaUpdates=list(updates), **more)

    create = {"Create": {"RegionName": "eu-west-1"}}
    delete = {"Delete": {"RegionName": "sa-east-1"}}
    nothing = "There are no actions specified in the Replica Update Action of the request."
    assert refused({}) == (VALIDATION, nothing)
    kinds = "Update table operation with more than one type of replica actions not allowed."
    assert refused({**create, **delete}) == (VALIDATION, kinds)
    assert refused(create, delete) == (VALIDATION, kinds)
    several = (
        "Update table operation with more than one create or delete replica actions not allowed"
    )
    other = {"Create": {"RegionName": "sa-east-1"}}
    assert refused(create, other) == (VALIDATION, several)
    assert refused(create, DeletionProtectionEnabled=True) == (
        VALIDATION,
        INVALID + "Replica modification must be the only operation in the request",
    )
    assert refusal(
        first.update_table, TableName=NAME, StreamSpecification={"StreamEnabled": False}
    ) == (VALIDATION, INVALID + "Disabling Stream is not allowed for a Global Table replica.")
    assert (
        refusal(first.update_table, TableName="no-table", ReplicaUpdates=[create])[0] == NOT_FOUND
    )
    assert first.update_table(TableName=NAME, ReplicaUpdates=[other, other])


def test_a_table_of_the_name_is_not_made_a_replica(clients):
    for client in clients[:2]:
        client.create_table(TableName=NAME, **ON_DEMAND)
    updates = [{"Create": {"RegionName": "eu-west-1"}}]
    code, text = refusal(clients[0].update_table, TableName=NAME, ReplicaUpdates=updates)
    assert (code, "already existed as tables" in text) == (VALIDATION, True)
    assert "Replicas" not in described(clients[0])


def test_a_provisioned_table_gets_no_replica_without_auto_scaling(clients):
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    provisioned = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units}
    clients[0].create_table(TableName=NAME, **{**keyed(pk="S"), **provisioned})
    updates = [{"Create": {"RegionName": "eu-west-1"}}]
    assert refusal(clients[0].update_table, TableName=NAME, ReplicaUpdates=updates) == (
        VALIDATION,
        "Table write capacity should either be Pay-Per-Request or AutoScaled.",
    )
    clients[0].update_table(TableName=NAME, BillingMode="PAY_PER_REQUEST")
    update(clients[0], "Create", "eu-west-1")
    until(lambda: active(clients[0]))
    assert refusal(clients[0].update_table, TableName=NAME, **provisioned)[0] == VALIDATION


def test_a_server_without_regions_refuses_replicas(start_server):
    client = client_of(start_server())
    client.create_table(TableName=NAME, **ON_DEMAND)
    updates = [{"Create": {"RegionName": "eu-west-1"}}]
    code, text = refusal(client.update_table, TableName=NAME, ReplicaUpdates=updates)
    assert code == VALIDATION
    assert "--regions" in text


def test_a_region_is_required(clients, endpoint, account):
    unchecked = client_of(
        endpoint, region_name=REGIONS[0], aws_access_key_id=account,
        config=type(clients[0].meta.config)(parameter_validation=False),
    )  # fmt: skip
    unchecked.create_table(TableName=NAME, **ON_DEMAND)
    assert refusal(
        unchecked.update_table, TableName=NAME, ReplicaUpdates=[{"Create": {}}]
    ) == violated(absent("replicaUpdates.1.member.create.regionName"))
