"""Provisioned global tables: their units, and auto scaling of all replicas."""

import pytest

import hashrange
from hashrange.settings.kinds import Namespaces, Throttle
from tests.api.conftest import client_of
from tests.api.indexes import index_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal
from tests.api.replicas import (
    ACCOUNTS,
    NAME,
    REGIONS,
    active,
    add_replicas,
    described,
    in_regions,
    put,
    replicated,
    replication_latencies,
    update,
)
from tests.api.scaling import place as place_of
from tests.api.scaling import tracking
from tests.api.tables import keyed
from tests.pace import until

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}  # others would throttle replication
PROVISIONED = {**keyed(pk="S"), "BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS}
BY_N = index_of("by-n", "n", ProvisionedThroughput=UNITS)
N = {"AttributeName": "n", "AttributeType": "N"}
INDEXED = {
    **PROVISIONED,
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, N],
    "GlobalSecondaryIndexes": [BY_N],
}
TABLE_WRITE = "dynamodb:table:WriteCapacityUnits"
INDEX_WRITE = "dynamodb:index:WriteCapacityUnits"
DISABLED = {"AutoScalingDisabled": True, "ScalingPolicies": []}


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", regions=",".join(REGIONS), testing=True)


@pytest.fixture
def account():
    return str(next(ACCOUNTS))


@pytest.fixture
def clients(endpoint, account):
    return in_regions(endpoint, account)


@pytest.fixture
def scaling(endpoint, account):
    return [
        client_of(
            endpoint, "application-autoscaling", region_name=region, aws_access_key_id=account
        )
        for region in REGIONS
    ]


def place(dimension=TABLE_WRITE, index=None):
    return place_of(NAME, dimension, index)


def scale(client, dimension=TABLE_WRITE, index=None, **bounds):
    bounds = bounds or {"MinCapacity": 1, "MaxCapacity": 20}
    client.register_scalable_target(**place(dimension, index), **bounds)
    kind = "Write" if "Write" in dimension else "Read"
    policy = tracking(50.0, f"DynamoDB{kind}CapacityUtilization")
    client.put_scaling_policy(**place(dimension, index), **policy)


def targets(client):
    found = client.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
    return {
        (each["ResourceId"].partition("/index/")[2], each["ScalableDimension"].split(":")[2]): (
            each["MinCapacity"], each["MaxCapacity"],
        )
        for each in found
    }  # fmt: skip


def settings(least, most, percent, **policy):
    tracking = {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": percent}}
    return {
        "MinimumUnits": least, "MaximumUnits": most, "ScalingPolicyUpdate": {**tracking, **policy},
    }  # fmt: skip


def units(client):
    throughput = described(client)["ProvisionedThroughput"]
    return throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]


def override(client, region):
    replicas = {each["RegionName"]: each for each in described(client)["Replicas"]}
    return replicas[region].get("ProvisionedThroughputOverride")


def test_writes_of_table_and_indexes_are_to_be_scaled(clients, scaling):
    first = clients[0]
    first.create_table(TableName=NAME, **INDEXED)
    create = {"client": first, "action": "Create", "region": "eu-west-1"}
    text = "Table write capacity should either be Pay-Per-Request or AutoScaled."
    assert refusal(update, **create) == (VALIDATION, text)
    scaling[0].register_scalable_target(**place(), MinCapacity=1, MaxCapacity=20)
    assert refusal(update, **create) == (VALIDATION, text)
    scale(scaling[0])
    text = "GSI write capacity should either be Pay-Per-Request or AutoScaled."
    assert refusal(update, **create) == (VALIDATION, text)
    scale(scaling[0], INDEX_WRITE, "by-n")
    add_replicas(clients, ["eu-west-1"])
    writes = {("", "WriteCapacityUnits"): (1, 20), ("by-n", "WriteCapacityUnits"): (1, 20)}
    assert targets(scaling[1]) == writes
    policies = scaling[1].describe_scaling_policies(ServiceNamespace="dynamodb")
    assert {each["PolicyName"] for each in policies["ScalingPolicies"]} == {"p"}
    assert units(clients[1]) == (5, 5)


def test_scaling_of_writes_is_that_of_all_replicas(clients, scaling):
    clients[0].create_table(TableName=NAME, **PROVISIONED)
    scale(scaling[0])
    add_replicas(clients, ["eu-west-1"])
    scaling[1].register_scalable_target(**place(), MinCapacity=2)
    assert targets(scaling[0]) == targets(scaling[1]) == {("", "WriteCapacityUnits"): (2, 20)}
    scale(scaling[0], "dynamodb:table:ReadCapacityUnits")
    assert (len(targets(scaling[0])), len(targets(scaling[1]))) == (2, 1)
    scaling[1].deregister_scalable_target(**place())
    assert list(targets(scaling[0])) == [("", "ReadCapacityUnits")]
    assert targets(scaling[1]) == {}


def test_an_index_that_is_created_later_is_scaled_by_itself(clients, scaling):
    first, second, _ = clients
    first.create_table(TableName=NAME, **PROVISIONED)
    scale(scaling[0])
    add_replicas(clients, ["eu-west-1"])
    second.update_table(
        TableName=NAME, AttributeDefinitions=[N],
        GlobalSecondaryIndexUpdates=[{"Create": BY_N}],
    )  # fmt: skip
    assert targets(scaling[0])["by-n", "WriteCapacityUnits"] == (1, 10)
    assert targets(scaling[0]) == targets(scaling[1])
    scaling[0].deregister_scalable_target(**place(INDEX_WRITE, "by-n"))
    change = {
        "IndexName": "by-n",
        "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 6},
    }
    until(lambda: described(first)["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE")
    assert refusal(
        first.update_table, TableName=NAME, GlobalSecondaryIndexUpdates=[{"Update": change}]
    ) == (VALIDATION, "GSI write capacity should either be Pay-Per-Request or AutoScaled.")


def test_units_are_those_of_all_but_for_reads_of_one(clients, scaling):
    first, second, third = clients
    first.create_table(TableName=NAME, **PROVISIONED)
    scale(scaling[0])
    add_replicas(clients)
    own = {"ProvisionedThroughputOverride": {"ReadCapacityUnits": 9}}
    update(first, "Update", "eu-west-1", **own)
    assert units(second) == (9, 5)
    assert override(third, "eu-west-1") == {"ReadCapacityUnits": 9}
    more = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 8}
    first.update_table(TableName=NAME, ProvisionedThroughput=more)
    assert [units(client) for client in clients] == [(5, 8), (9, 8), (5, 8)]
    assert override(third, "eu-west-1") == {"ReadCapacityUnits": 9}
    more = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}
    third.update_table(TableName=NAME, ProvisionedThroughput=more)
    assert [units(client) for client in clients] == [(7, 8), (7, 8), (7, 8)]
    assert override(third, "eu-west-1") is None
    # The units of the others are no override.
    update(first, "Update", "eu-west-1", **own)
    update(first, "Update", "eu-west-1", ProvisionedThroughputOverride={"ReadCapacityUnits": 7})
    assert override(first, "eu-west-1") is None
    maximum = {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}}
    text = (
        "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
        "BillingMode is PROVISIONED"
    )
    change = {"client": first, "action": "Update", "region": "eu-west-1", **maximum}
    assert refusal(update, **change) == (VALIDATION, text)


def test_the_mode_of_capacity_is_that_of_all(clients, scaling):
    first, second, _ = clients
    first.create_table(TableName=NAME, **PROVISIONED)
    scale(scaling[0])
    add_replicas(clients, ["eu-west-1"])
    update(first, "Update", "eu-west-1", ProvisionedThroughputOverride={"ReadCapacityUnits": 9})
    second.update_table(TableName=NAME, BillingMode="PAY_PER_REQUEST")
    assert described(first)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert override(first, "eu-west-1") is None
    # The targets are still there.
    provisioned = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS}
    first.update_table(TableName=NAME, **provisioned)
    assert units(second) == (5, 5)
    scaling[0].deregister_scalable_target(**place())
    first.update_table(TableName=NAME, BillingMode="PAY_PER_REQUEST")
    assert refusal(first.update_table, TableName=NAME, **provisioned) == (
        VALIDATION,
        "Table write capacity should either be Pay-Per-Request or AutoScaled.",
    )


def replicas_of(answer):
    found = answer["TableAutoScalingDescription"]
    assert (found["TableName"], found["TableStatus"]) == (NAME, "ACTIVE")
    return {each["RegionName"]: each for each in found["Replicas"]}


READ, WRITE = (f"ReplicaProvisioned{kind}CapacityAutoScalingSettings" for kind in ("Read", "Write"))


def test_settings_of_all_replicas_in_one_request(clients, scaling):
    first, second, _ = clients
    first.create_table(TableName=NAME, **INDEXED)
    scale(scaling[0])
    scale(scaling[0], INDEX_WRITE, "by-n")
    add_replicas(clients, ["eu-west-1"])
    found = replicas_of(second.describe_table_replica_auto_scaling(TableName=NAME))
    assert {each["ReplicaStatus"] for each in found.values()} == {"ACTIVE"}
    for each in found.values():
        assert each[READ] == DISABLED
        write = each[WRITE]
        assert (write["MinimumUnits"], write["MaximumUnits"]) == (1, 20)
        (index,) = each["GlobalSecondaryIndexes"]
        assert (index["IndexName"], index["IndexStatus"]) == ("by-n", "ACTIVE")
    index_reads = {
        "IndexName": "by-n", "ProvisionedReadCapacityAutoScalingUpdate": settings(4, 9, 60.0),
    }  # fmt: skip
    before = replicas_of(first.describe_table_replica_auto_scaling(TableName=NAME))
    answer = first.update_table_replica_auto_scaling(
        TableName=NAME,
        ProvisionedWriteCapacityAutoScalingUpdate=settings(3, 30, 40.0, PolicyName="mine"),
        ReplicaUpdates=[
            {
                "RegionName": "eu-west-1",
                "ReplicaProvisionedReadCapacityAutoScalingUpdate": settings(2, 8, 55.5),
                "ReplicaGlobalSecondaryIndexUpdates": [index_reads],
            }
        ],
    )
    # The answer has what was before. Measured by users, October 2026.
    assert replicas_of(answer) == before
    found = replicas_of(first.describe_table_replica_auto_scaling(TableName=NAME))
    for each in found.values():
        (policy,) = each[WRITE]["ScalingPolicies"]
        assert policy["PolicyName"] == "mine"
    assert found["us-east-1"][READ] == DISABLED
    reads = found["eu-west-1"][READ]
    assert (reads["MinimumUnits"], reads["MaximumUnits"]) == (2, 8)
    assert reads["ScalingPolicies"] == [
        {
            "PolicyName": f"DynamoDBReadCapacityUtilization:table/{NAME}",
            "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 55.5},
        }
    ]
    assert targets(scaling[0])["", "WriteCapacityUnits"] == (3, 30)
    assert targets(scaling[1])["", "ReadCapacityUnits"] == (2, 8)
    assert targets(scaling[1])["by-n", "ReadCapacityUnits"] == (4, 9)
    off = {"ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": True}}
    second.update_table_replica_auto_scaling(TableName=NAME, **off)
    found = replicas_of(second.describe_table_replica_auto_scaling(TableName=NAME))
    assert {str(each[WRITE]) for each in found.values()} == {str(DISABLED)}
    assert ("", "WriteCapacityUnits") not in targets(scaling[0])


FAILED = f"Failed to update settings for global table with name: \u2018{NAME}\u2019"


def test_refusals_of_settings(clients, scaling):
    first = clients[0]
    first.create_table(TableName=NAME, **PROVISIONED)
    call = first.update_table_replica_auto_scaling
    text = f"Global table with name: '{NAME}' does not exist."
    missing = [{"RegionName": "us-east-1"}]
    assert refusal(call, TableName=NAME, ReplicaUpdates=missing) == (NOT_FOUND, text)
    assert refusal(first.describe_table_replica_auto_scaling, TableName=NAME)[0] == NOT_FOUND
    assert refusal(call, TableName="no-table", ReplicaUpdates=missing)[0] == NOT_FOUND
    scale(scaling[0])
    add_replicas(clients, ["eu-west-1"])

    def refused(sent):
        reads = {
            "RegionName": "us-east-1", "ReplicaProvisionedReadCapacityAutoScalingUpdate": sent,
        }  # fmt: skip
        code, text = refusal(call, TableName=NAME, ReplicaUpdates=[reads])
        return text if code == VALIDATION else code

    names = "'MaximumUnits', 'ScalingPolicyUpdate', 'MinimumUnits'"
    unless = "are required unless auto scaling is being disabled."
    assert refused({}) == f"{FAILED}: Parameters {names} {unless}"
    one = {"MinimumUnits": 1, "MaximumUnits": 2}
    assert refused(one) == f"{FAILED}: Parameters 'ScalingPolicyUpdate' {unless}"
    blank = "Parameters 'MaximumUnits', 'MinimumUnits' must be left blank when disabling"
    assert blank in refused({"AutoScalingDisabled": True, **one})
    assert refused(settings(5, 4, 50.0)).startswith("Maximum capacity cannot be less than minimum")
    assert "must be between '10.0' and '90.0', but was '90.1'." in refused(settings(1, 4, 90.1))
    text = (
        f"{FAILED} because at least one update parameter must be specified for region: "
        "\u2018us-east-1\u2019."
    )
    assert refusal(call, TableName=NAME, ReplicaUpdates=missing) == (VALIDATION, text)
    assert refusal(call, TableName=NAME, ReplicaUpdates=missing * 2)[0] == VALIDATION
    elsewhere = [{"RegionName": "ap-south-1"}]
    assert refusal(call, TableName=NAME, ReplicaUpdates=elsewhere)[0] == NOT_FOUND
    index = {
        "IndexName": "no-index", "ProvisionedWriteCapacityAutoScalingUpdate": settings(1, 2, 50.0),
    }  # fmt: skip
    gone = "because the global secondary indexes with names: \u2018[no-index]\u2019 do not exist."
    told = refusal(call, TableName=NAME, GlobalSecondaryIndexUpdates=[index])
    assert told == (NOT_FOUND, f"{FAILED} {gone}")
    assert refusal(call, TableName=NAME)[0] == VALIDATION
    first.update_table(TableName=NAME, BillingMode="PAY_PER_REQUEST")
    code, text = refusal(
        call, TableName=NAME, ProvisionedWriteCapacityAutoScalingUpdate=settings(1, 2, 50.0)
    )
    assert code == VALIDATION
    assert text == (
        f"Failed to update global table with name \u2018{NAME}\u2018. Replicas 'EU-WEST-1', "
        "'US-EAST-1' BillingMode is PayPerRequest. You must convert table's BillingMode to "
        "PROVISIONED to set parameters: "
        "'GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate'."
    )
    # The target of the table is still there, and does nothing.
    found = replicas_of(first.describe_table_replica_auto_scaling(TableName=NAME))
    kept = {"AutoScalingDisabled": True, "MinimumUnits": 1, "MaximumUnits": 20}
    assert kept.items() <= found["us-east-1"][WRITE].items()
    off = {"AutoScalingDisabled": True}
    call(TableName=NAME, ProvisionedWriteCapacityAutoScalingUpdate=off)


def test_a_table_on_demand_gets_replicas_without_scaling(clients):
    replicated(clients, ["eu-west-1"])
    assert active(clients[0])
    found = replicas_of(clients[0].describe_table_replica_auto_scaling(TableName=NAME))
    assert {str(each[WRITE]) for each in found.values()} == {str(DISABLED)}
    assert [each["GlobalSecondaryIndexes"] for each in found.values()] == [[], []]


# The clock moves by a minute, and the scaler works: read units are those of one replica.
def test_reads_are_scaled_by_replica(account):
    with hashrange.start(
        testing=True, namespaces=Namespaces.SEPARATE, regions=",".join(REGIONS)
    ) as server:
        clients = in_regions(server.endpoint, account)
        scaling = [
            client_of(
                server.endpoint, "application-autoscaling", region_name=region,
                aws_access_key_id=account,
            )
            for region in REGIONS
        ]  # fmt: skip
        clients[0].create_table(TableName=NAME, **PROVISIONED)
        scale(scaling[0])
        add_replicas(clients, ["eu-west-1"])
        scaling[1].register_scalable_target(
            **place("dynamodb:table:ReadCapacityUnits"), MinCapacity=8, MaxCapacity=9
        )
        scaling[1].register_scalable_target(**place(), MinCapacity=6)
        server.clock.advance(seconds=61)
        assert [units(client) for client in clients[:2]] == [(5, 6), (8, 6)]
        assert override(clients[0], "eu-west-1") == {"ReadCapacityUnits": 8}


# Each region pays for all writes: a client is throttled by what others write elsewhere.
def test_replicated_writes_consume_the_units_of_each_replica(account):
    with hashrange.start(
        namespaces=Namespaces.SEPARATE, regions=",".join(REGIONS), throttle=Throttle.ON
    ) as server:
        first, second, _ = clients = in_regions(server.endpoint, account)
        scaling = client_of(
            server.endpoint, "application-autoscaling", region_name=REGIONS[0],
            aws_access_key_id=account,
        )  # fmt: skip
        first.create_table(TableName=NAME, **PROVISIONED)
        scale(scaling)
        add_replicas(clients, ["eu-west-1"])
        put(first, "before", 1)
        # Reads would be throttled in their turn.
        there = (f"{account}:us-east-1:{NAME}", "eu-west-1")
        until(lambda: there in replication_latencies(server.endpoint))
        large = {"pk": {"S": "large"}, "n": {"N": "2"}, "pad": {"S": "x" * 300_000}}
        second.put_item(TableName=NAME, Item=large)
        back = (f"{account}:eu-west-1:{NAME}", "us-east-1")
        until(lambda: back in replication_latencies(server.endpoint))
        refused = refusal(first.put_item, TableName=NAME, Item={"pk": {"S": "after"}})
        assert refused[0] == "ProvisionedThroughputExceededException"
