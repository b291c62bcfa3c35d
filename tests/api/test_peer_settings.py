"""Settings of a global table, one replica of which is on another server."""

# Units that a server did not hear of throttle its clients, and replication.

import contextlib

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal
from tests.api.replicas import ACCOUNTS, NAME, ON_DEMAND, active, described, equal, put, update
from tests.api.test_replica_overrides import INDEXED as INDEXED_ON_DEMAND
from tests.api.test_replica_overrides import KEY_NEEDED, indexes_of
from tests.api.test_replica_scaling import (
    INDEX_WRITE,
    INDEXED,
    PROVISIONED,
    TABLE_WRITE,
    UNITS,
    override,
    place,
    scale,
    settings,
    targets,
    units,
)
from tests.pace import until
from tests.ports import free_port
from tests.served import served

EAST, SOUTH, WEST = "us-east-1", "ap-south-1", "eu-west-1"
REGIONS = (EAST, SOUTH, WEST)


@pytest.fixture(scope="module")
def endpoints():
    """By region: one server holds two regions, another one the third."""
    ports = free_port(), free_port()
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    common = {"namespaces": "separate", "accept_encryption_requests": True}
    with contextlib.ExitStack() as stack:
        first = served(port=ports[0], regions=f"{EAST},{SOUTH}", peer=f"{WEST}={urls[1]}", **common)
        second = served(
            port=ports[1], regions=WEST, peer=f"{EAST}={urls[0]};{SOUTH}={urls[0]}", **common
        )
        stack.enter_context(first)
        stack.enter_context(second)
        yield dict(zip(REGIONS, (urls[0], urls[0], urls[1]), strict=True))


@pytest.fixture
def account():
    return str(next(ACCOUNTS))


@pytest.fixture
def clients(endpoints, account):
    return [
        client_of(url, region_name=region, aws_access_key_id=account)
        for region, url in endpoints.items()
    ]


@pytest.fixture
def scaling(endpoints, account):
    return [
        client_of(url, "application-autoscaling", region_name=region, aws_access_key_id=account)
        for region, url in endpoints.items()
    ]


def settled(clients):
    until(lambda: all(there(client) and active(client) for client in clients))


def there(client):
    with contextlib.suppress(client.exceptions.ResourceNotFoundException):
        return len(described(client).get("Replicas", ())) == len(REGIONS) - 1
    return False


def grown(clients, **definition):
    """A table in the first region, then one on the other server, then one on its own."""
    first = clients[0]
    first.create_table(TableName=NAME, **definition)
    update(first, "Create", WEST)
    until(lambda: active(first))
    update(first, "Create", SOUTH)
    settled(clients)


def test_a_new_replica_elsewhere_has_its_own_settings(clients):
    first, second, third = clients
    first.create_table(TableName=NAME, **INDEXED_ON_DEMAND)
    first.update_table(TableName=NAME, OnDemandThroughput={"MaxReadRequestUnits": 100})
    maximum = {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 40}}
    least = {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 30}}
    own = {
        "TableClassOverride": "STANDARD_INFREQUENT_ACCESS", **maximum,
        "GlobalSecondaryIndexes": [{"IndexName": "by-n", **least}],
    }  # fmt: skip
    update(first, "Create", WEST, **own)
    until(lambda: active(first))
    found = described(third)
    assert found["OnDemandThroughput"] == {"MaxReadRequestUnits": 40}
    assert found["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert found["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] == {"MaxReadRequestUnits": 30}
    (replica,) = described(first)["Replicas"]
    assert replica["OnDemandThroughputOverride"] == {"MaxReadRequestUnits": 40}
    assert replica["ReplicaTableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert indexes_of(replica) == [{"IndexName": "by-n", **least}]
    # One that is added by the server with settings of its own has those of all.
    update(first, "Create", SOUTH)
    settled(clients)
    assert described(second)["OnDemandThroughput"] == {"MaxReadRequestUnits": 100}
    assert "TableClassSummary" not in described(second)
    # What all get replaces what one has.
    second.update_table(TableName=NAME, OnDemandThroughput={"MaxReadRequestUnits": 60})
    until(lambda: described(third)["OnDemandThroughput"] == {"MaxReadRequestUnits": 60})
    replicas = {each["RegionName"]: each for each in described(first)["Replicas"]}
    assert "OnDemandThroughputOverride" not in replicas[WEST]
    assert replicas[WEST]["ReplicaTableClassSummary"]


def test_overrides_are_updated_in_any_region(clients):
    grown(clients, **ON_DEMAND)
    first, second, third = clients
    for number, client in enumerate(clients, 1):
        own = {"OnDemandThroughputOverride": {"MaxReadRequestUnits": number}}
        update(client, "Update", WEST, **own)
        maximum = {"MaxReadRequestUnits": number}
        until(lambda want=maximum: described(third).get("OnDemandThroughput") == want)
        for other in (first, second):
            until(lambda at=other, want=maximum: maxima(at)[WEST] == want)
        assert "OnDemandThroughput" not in described(first)
    update(third, "Update", SOUTH, OnDemandThroughputOverride={"MaxReadRequestUnits": 7})
    until(lambda: described(second).get("OnDemandThroughput") == {"MaxReadRequestUnits": 7})
    assert maxima(third) == {EAST: None, SOUTH: {"MaxReadRequestUnits": 7}}


def maxima(client):
    return {
        each["RegionName"]: each.get("OnDemandThroughputOverride")
        for each in described(client)["Replicas"]
    }


def test_impossible_settings_of_a_replica_elsewhere_are_refused(clients):
    grown(clients, **ON_DEMAND)
    first = clients[0]
    for change, fault in (
        ({"ProvisionedThroughputOverride": {"ReadCapacityUnits": 5}}, VALIDATION),
        ({"KMSMasterKeyId": "alias/a"}, VALIDATION),
        ({"TableClassOverride": "GLACIER"}, VALIDATION),
        ({"GlobalSecondaryIndexes": [
            {"IndexName": "absent", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}}
        ]}, NOT_FOUND),
    ):  # fmt: skip
        found = refusal(update, client=first, action="Update", region=WEST, **change)
        assert found[0] == fault, change


@pytest.mark.long
def test_provisioned_tables_are_replicated_with_their_targets(clients, scaling):
    first, second, third = clients
    first.create_table(TableName=NAME, **INDEXED)
    text = "Table write capacity should either be Pay-Per-Request or AutoScaled."
    assert refusal(update, client=first, action="Create", region=WEST) == (VALIDATION, text)
    scale(scaling[0])
    text = "GSI write capacity should either be Pay-Per-Request or AutoScaled."
    assert refusal(update, client=first, action="Create", region=WEST) == (VALIDATION, text)
    scale(scaling[0], INDEX_WRITE, "by-n")
    own = {"ProvisionedThroughputOverride": {"ReadCapacityUnits": 9}}
    update(first, "Create", WEST, **own)
    until(lambda: active(first))
    update(first, "Create", SOUTH)
    settled(clients)
    writes = {("", "WriteCapacityUnits"): (1, 20), ("by-n", "WriteCapacityUnits"): (1, 20)}
    assert [targets(each) for each in scaling] == [writes] * 3
    policies = scaling[2].describe_scaling_policies(ServiceNamespace="dynamodb")
    assert {each["PolicyName"] for each in policies["ScalingPolicies"]} == {"p"}
    assert [units(each) for each in clients] == [(5, 5), (5, 5), (9, 5)]
    assert override(first, WEST) == override(second, WEST) == {"ReadCapacityUnits": 9}
    put(first, "1")
    equal(clients, {"1": "0"})
    # Write units are those of all, read units that did not change are not touched.
    more = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 8}
    first.update_table(TableName=NAME, ProvisionedThroughput=more)
    until(lambda: [units(each) for each in clients] == [(5, 8), (5, 8), (9, 8)])
    more = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}
    third.update_table(TableName=NAME, ProvisionedThroughput=more)
    until(lambda: [units(each) for each in clients] == [(7, 8)] * 3)
    assert override(first, WEST) is None
    # The units of all are no override.
    update(third, "Update", EAST, **own)
    until(lambda: units(first) == (9, 8))
    update(first, "Update", EAST, ProvisionedThroughputOverride={"ReadCapacityUnits": 7})
    until(lambda: (units(first), override(third, EAST)) == ((7, 8), None))


def test_targets_of_writes_are_the_same_everywhere(clients, scaling):
    first, _, third = clients
    first.create_table(TableName=NAME, **PROVISIONED)
    scale(scaling[0])
    update(first, "Create", WEST)
    until(lambda: active(first))
    update(first, "Create", SOUTH)
    settled(clients)
    scaling[2].register_scalable_target(**place(), MinCapacity=2)
    both = {("", "WriteCapacityUnits"): (2, 20)}
    until(lambda: [targets(each) for each in scaling] == [both] * 3)
    # An index that is created later is scaled by itself.
    by_n = INDEXED["GlobalSecondaryIndexes"][0]
    third.update_table(
        TableName=NAME, AttributeDefinitions=INDEXED["AttributeDefinitions"],
        GlobalSecondaryIndexUpdates=[{"Create": by_n}],
    )  # fmt: skip
    indexed = {**both, ("by-n", "WriteCapacityUnits"): (1, 10)}
    until(lambda: [targets(each) for each in scaling] == [indexed] * 3)
    scaling[1].deregister_scalable_target(**place())
    left = {("by-n", "WriteCapacityUnits"): (1, 10)}
    until(lambda: [targets(each) for each in scaling] == [left] * 3)


def test_scaling_of_all_replicas_is_shown_and_changed_in_any_region(clients, scaling):
    first, _, third = clients
    first.create_table(TableName=NAME, **INDEXED)
    for dimension, index in ((TABLE_WRITE, None), (INDEX_WRITE, "by-n")):
        scale(scaling[0], dimension, index)
    update(first, "Create", WEST)
    until(lambda: active(first))
    update(first, "Create", SOUTH)
    settled(clients)
    reads = settings(3, 30, 60.0)
    first.update_table_replica_auto_scaling(
        TableName=NAME, ProvisionedWriteCapacityAutoScalingUpdate=settings(2, 40, 55.0),
        ReplicaUpdates=[{
            "RegionName": WEST, "ReplicaProvisionedReadCapacityAutoScalingUpdate": reads,
            "ReplicaGlobalSecondaryIndexUpdates": [
                {"IndexName": "by-n", "ProvisionedReadCapacityAutoScalingUpdate": reads},
            ],
        }],
    )  # fmt: skip
    until(lambda: ("", "ReadCapacityUnits") in targets(scaling[2]))
    writes = {("", "WriteCapacityUnits"): (2, 40), ("by-n", "WriteCapacityUnits"): (1, 20)}
    expected = {**writes, **{(each, "ReadCapacityUnits"): (3, 30) for each in ("", "by-n")}}
    assert [targets(each) for each in scaling] == [writes, writes, expected]
    until(lambda: scaled(first) == scaled(third))
    shown = scaled(first)
    assert [each["RegionName"] for each in shown] == sorted(REGIONS)
    assert read_bounds(shown) == {EAST: None, SOUTH: None, WEST: (3, 30)}
    # A target that its own region registers is shown, too.
    reads = place("dynamodb:table:ReadCapacityUnits")
    scaling[2].register_scalable_target(**reads, MinCapacity=4, MaxCapacity=50)
    until(lambda: read_bounds(scaled(first))[WEST] == (4, 50))
    first.update_table_replica_auto_scaling(
        TableName=NAME, ReplicaUpdates=[{
            "RegionName": WEST,
            "ReplicaProvisionedReadCapacityAutoScalingUpdate": {"AutoScalingDisabled": True},
        }],
    )  # fmt: skip
    until(lambda: ("", "ReadCapacityUnits") not in targets(scaling[2]))


def scaled(client):
    found = client.describe_table_replica_auto_scaling(TableName=NAME)
    return found["TableAutoScalingDescription"]["Replicas"]


def read_bounds(replicas):
    key = "ReplicaProvisionedReadCapacityAutoScalingSettings"
    return {
        each["RegionName"]: (
            None if "MinimumUnits" not in each[key]
            else (each[key]["MinimumUnits"], each[key]["MaximumUnits"])
        )
        for each in replicas
    }  # fmt: skip


def test_the_mode_of_capacity_is_that_of_all(clients, scaling):
    first, _, third = clients
    first.create_table(TableName=NAME, **INDEXED)
    for dimension, index in ((TABLE_WRITE, None), (INDEX_WRITE, "by-n")):
        scale(scaling[0], dimension, index)
    update(first, "Create", WEST)
    until(lambda: active(first))
    update(first, "Create", SOUTH)
    settled(clients)
    own = {"ProvisionedThroughputOverride": {"ReadCapacityUnits": 9}}
    update(first, "Update", WEST, **own)
    until(lambda: units(third) == (9, 5))
    third.update_table(TableName=NAME, BillingMode="PAY_PER_REQUEST")
    until(lambda: [modes(each) for each in clients] == ["PAY_PER_REQUEST"] * 3)
    assert [units(each) for each in clients] == [(0, 0)] * 3
    assert override(first, WEST) is None
    found = refusal(update, client=first, action="Update", region=WEST, **own)
    assert found[0] == VALIDATION
    first.update_table(
        TableName=NAME, BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 6, "WriteCapacityUnits": 6},
        GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by-n", "ProvisionedThroughput": UNITS}}
        ],
    )  # fmt: skip
    until(lambda: [modes(each) for each in clients] == ["PROVISIONED"] * 3)
    assert [units(each) for each in clients] == [(6, 6)] * 3
    index = described(third)["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
    assert (index["ReadCapacityUnits"], index["WriteCapacityUnits"]) == (5, 5)


def modes(client):
    """The mode that was set last; None before it was ever changed."""
    return described(client).get("BillingModeSummary", {}).get("BillingMode")


def key_of(client):
    return described(client).get("SSEDescription", {}).get("KMSMasterKeyArn")


def keys(client):
    return {
        each["RegionName"]: each.get("KMSMasterKeyId") for each in described(client)["Replicas"]
    }


@pytest.mark.long
def test_each_replica_has_a_key_of_its_region(clients, account):
    first, _, third = clients
    arns = [f"arn:aws:kms:{region}:{account}:key/{region}" for region in (EAST, WEST)]
    sse = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": arns[0]}
    first.create_table(TableName=NAME, SSESpecification=sse, **ON_DEMAND)
    found = refusal(update, client=first, action="Create", region=WEST)
    assert found == (VALIDATION, KEY_NEEDED)
    update(first, "Create", WEST, KMSMasterKeyId=arns[1])
    until(lambda: active(first))
    assert [key_of(first), key_of(third)] == arns
    assert (keys(first), keys(third)) == ({WEST: arns[1]}, {EAST: arns[0]})
    new = [arn + "-2" for arn in arns]
    updates = [
        {"Update": {"RegionName": region, "KMSMasterKeyId": arn}}
        for region, arn in zip((EAST, WEST), new, strict=True)
    ]
    third.update_table(TableName=NAME, ReplicaUpdates=updates)
    until(lambda: [key_of(first), key_of(third)] == new)
    assert (keys(first), keys(third)) == ({WEST: new[1]}, {EAST: new[0]})
    managed = {"Enabled": True, "SSEType": "KMS"}
    first.update_table(TableName=NAME, SSESpecification=managed)
    until(lambda: (key_of(third) or "").startswith(f"arn:aws:kms:{WEST}:"))
    until(lambda: key_of(third) != new[1])
    assert keys(first) == {WEST: None}
    third.update_table(TableName=NAME, SSESpecification={"Enabled": False})
    until(lambda: key_of(first) is None)


def test_a_server_without_encryption_gets_no_replica_that_needs_it(account):
    ports = free_port(), free_port()
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    with (
        served(
            port=ports[0], regions=EAST, peer=f"{WEST}={urls[1]}", namespaces="separate",
            accept_encryption_requests=True,
        ),
        served(port=ports[1], regions=WEST, peer=f"{EAST}={urls[0]}", namespaces="separate"),
    ):  # fmt: skip
        first = client_of(urls[0], region_name=EAST, aws_access_key_id=account)
        sse = {"Enabled": True, "SSEType": "KMS"}
        first.create_table(TableName=NAME, SSESpecification=sse, **ON_DEMAND)
        code, text = refusal(update, client=first, action="Create", region=WEST)
        assert code == VALIDATION
        assert "encrypt" in text
        first.update_table(TableName=NAME, SSESpecification={"Enabled": False})
        update(first, "Create", WEST)
        until(lambda: active(first))
        assert refusal(first.update_table, TableName=NAME, SSESpecification=sse) == (code, text)
