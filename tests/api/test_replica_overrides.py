"""Settings that one replica of a global table has for itself."""

# A replica whose settings are not those that were asked for is throttled, or billed, otherwise than
# the one that was tested.

import pytest

from tests.api.indexes import attributes, index_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal
from tests.api.replicas import (
    ACCOUNTS,
    NAME,
    ON_DEMAND,
    REGIONS,
    active,
    described,
    in_regions,
    replicated,
    update,
)
from tests.api.tables import keyed
from tests.pace import until

INVALID = "One or more parameter values were invalid: "
KEY_NEEDED = INVALID + "KMSMasterKeyId must be specified for each replica."
BY_N = index_of("by-n", "n")
INDEXED = {
    "BillingMode": "PAY_PER_REQUEST",
    **keyed(pk="S"),
    "AttributeDefinitions": attributes(pk="S", n="N"),
    "GlobalSecondaryIndexes": [BY_N],
}


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", regions=",".join(REGIONS))


@pytest.fixture
def clients(endpoint):
    return in_regions(endpoint, str(next(ACCOUNTS)))


def replica(client, region):
    return next(each for each in described(client)["Replicas"] if each["RegionName"] == region)


def indexes_of(found):
    """The indexes of a replica, without their warm throughput."""
    return [
        {name: value for name, value in index.items() if name != "WarmThroughput"}
        for index in found["GlobalSecondaryIndexes"]
    ]


def maximum(units):
    return {"OnDemandThroughputOverride": {"MaxReadRequestUnits": units}}


def index_maximum(units):
    return {"GlobalSecondaryIndexes": [{"IndexName": "by-n", **maximum(units)}]}


def test_a_new_replica_has_its_own_settings(clients):
    first, second, _ = clients
    first.create_table(TableName=NAME, **INDEXED)
    first.update_table(TableName=NAME, OnDemandThroughput={"MaxReadRequestUnits": 100})
    own = {
        "TableClassOverride": "STANDARD_INFREQUENT_ACCESS", **maximum(40), **index_maximum(30),
    }  # fmt: skip
    update(first, "Create", "eu-west-1", **own)
    until(lambda: active(first))
    found = replica(first, "eu-west-1")
    assert found["OnDemandThroughputOverride"] == {"MaxReadRequestUnits": 40}
    assert found["ReplicaTableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert indexes_of(found) == [{"IndexName": "by-n", **maximum(30)}]
    table = described(second)
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 40}
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    (index,) = table["GlobalSecondaryIndexes"]
    assert index["OnDemandThroughput"] == {"MaxReadRequestUnits": 30}
    assert described(first)["OnDemandThroughput"] == {"MaxReadRequestUnits": 100}
    assert "TableClassSummary" not in described(first)
    assert replica(second, "us-east-1") == {
        "RegionName": "us-east-1",
        "ReplicaStatus": "ACTIVE",
        "WarmThroughput": table["WarmThroughput"],
        "GlobalSecondaryIndexes": [
            {"IndexName": "by-n", "WarmThroughput": index["WarmThroughput"]}
        ],
        "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES",
    }


def test_updates_merge_and_are_known_everywhere(clients):
    replicated(clients, **INDEXED)
    first, second, third = clients
    assert update(third, "Update", "eu-west-1", **maximum(40))["TableStatus"] == "UPDATING"
    update(second, "Update", "eu-west-1", **index_maximum(30))
    for client in (first, third):
        found = replica(client, "eu-west-1")
        assert found["OnDemandThroughputOverride"] == {"MaxReadRequestUnits": 40}
        assert indexes_of(found) == [{"IndexName": "by-n", **maximum(30)}]
    assert described(second)["OnDemandThroughput"] == {"MaxReadRequestUnits": 40}
    # No maximum, also if the others have one; shown as it was sent.
    update(first, "Update", "eu-west-1", **maximum(-1))
    assert replica(third, "eu-west-1")["OnDemandThroughputOverride"] == {"MaxReadRequestUnits": -1}
    assert "OnDemandThroughput" not in described(second)


def test_a_change_elsewhere_overwrites_an_override(clients):
    replicated(clients, **INDEXED)
    first, second, third = clients
    own = {"TableClassOverride": "STANDARD_INFREQUENT_ACCESS", **maximum(40), **index_maximum(30)}
    update(first, "Update", "eu-west-1", **own)
    # A maximum of writes is no change of that of reads.
    third.update_table(TableName=NAME, OnDemandThroughput={"MaxWriteRequestUnits": 70})
    assert described(second)["OnDemandThroughput"] == {
        "MaxReadRequestUnits": 40, "MaxWriteRequestUnits": 70,
    }  # fmt: skip
    assert replica(first, "eu-west-1")["OnDemandThroughputOverride"] == {"MaxReadRequestUnits": 40}
    third.update_table(TableName=NAME, OnDemandThroughput={"MaxReadRequestUnits": 90})
    assert described(second)["OnDemandThroughput"]["MaxReadRequestUnits"] == 90
    assert "OnDemandThroughputOverride" not in replica(first, "eu-west-1")
    change = {"IndexName": "by-n", "OnDemandThroughput": {"MaxReadRequestUnits": 20}}
    third.update_table(TableName=NAME, GlobalSecondaryIndexUpdates=[{"Update": change}])
    assert indexes_of(replica(first, "eu-west-1")) == [{"IndexName": "by-n"}]
    assert described(second)["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] == {
        "MaxReadRequestUnits": 20
    }
    assert "ReplicaTableClassSummary" in replica(first, "eu-west-1")
    third.update_table(TableName=NAME, TableClass="STANDARD_INFREQUENT_ACCESS")
    assert "ReplicaTableClassSummary" not in replica(first, "eu-west-1")


# The limit of each replica counts. Measured by users, October 2026.
def test_the_class_of_another_replica_changes_too_often(clients):
    replicated(clients, ["eu-west-1"])
    first = clients[0]
    for table_class in ("STANDARD_INFREQUENT_ACCESS", "STANDARD"):
        update(first, "Update", "eu-west-1", TableClassOverride=table_class)
    text = (
        "Limit exceeded for replica in eu-west-1. Updates to TableClass are limited to 2 times in "
        "30 day(s)"
    )
    change = {"TableName": NAME, "TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert refusal(first.update_table, **change) == ("LimitExceededException", text)
    assert "TableClassSummary" not in described(first)


def test_a_replica_that_is_added_later_knows_the_overrides(clients):
    replicated(clients, ["eu-west-1"])
    first, second, third = clients
    update(first, "Update", "us-east-1", **maximum(50))
    update(first, "Update", "eu-west-1", **maximum(40))
    update(second, "Create", "ap-south-1")
    until(lambda: active(second))
    found = {each["RegionName"]: each for each in described(third)["Replicas"]}
    assert {name: each["OnDemandThroughputOverride"] for name, each in found.items()} == {
        "us-east-1": {"MaxReadRequestUnits": 50}, "eu-west-1": {"MaxReadRequestUnits": 40},
    }  # fmt: skip


def test_refusals(clients):
    replicated(clients, ["eu-west-1"])
    first = clients[0]

    def refused(action, region="eu-west-1", **more):
        return refusal(update, client=first, action=action, region=region, **more)

    nothing = "There are no actions specified in the Replica Update Action of the request."
    assert refused("Update") == (VALIDATION, nothing)
    assert refused("Update", "ap-south-1", **maximum(1)) == (
        VALIDATION,
        (
            "Update global table operation failed because one or more replicas were not part of "
            "the global table. Please retry the request without these replicas: [ap-south-1]."
        ),
    )
    limit = "MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"
    assert refused("Update", **maximum(0)) == (VALIDATION, INVALID + "Requested " + limit)
    units = {"ProvisionedThroughputOverride": {"ReadCapacityUnits": 1}}
    text = (
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )
    assert refused("Update", **units) == (VALIDATION, text)
    code, text = refused("Update", **index_maximum(3))
    assert (code, "by-n" in text) == (NOT_FOUND, True)
    assert refused("Update", TableClassOverride="GLACIER")[0] == VALIDATION
    several = (
        "Update table operation with more than one create or delete replica actions not allowed"
    )
    updates = [{"Update": {"RegionName": "eu-west-1", **maximum(each)}} for each in (1, 2)]
    assert refusal(first.update_table, TableName=NAME, ReplicaUpdates=updates) == (
        VALIDATION, several,
    )  # fmt: skip
    assert refused("Update", KMSMasterKeyId="alias/mine") == (VALIDATION, KEY_NEEDED)
    # A new replica may have units that mean nothing.
    unknown = {"GlobalSecondaryIndexes": [{"IndexName": "no-index", **units}]}
    update(first, "Create", "ap-south-1", **units, **unknown)
    until(lambda: active(first))
    assert "ProvisionedThroughputOverride" not in replica(first, "ap-south-1")


def test_keys_of_kms(start_server):
    endpoint = start_server(
        namespaces="separate", regions=",".join(REGIONS), accept_encryption_requests=True
    )
    account = str(next(ACCOUNTS))
    first, second, third = in_regions(endpoint, account)
    mine = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/mine"}
    first.create_table(TableName=NAME, **ON_DEMAND, SSESpecification=mine)
    assert refusal(update, client=first, action="Create", region="eu-west-1") == (
        VALIDATION,
        KEY_NEEDED,
    )
    managed = {"KMSMasterKeyId": "alias/aws/dynamodb"}
    assert refusal(update, client=first, action="Create", region="eu-west-1", **managed) == (
        VALIDATION,
        INVALID + "All replica keys must either be Customer Managed CMK or AWS Managed CMK.",
    )
    update(first, "Create", "eu-west-1", KMSMasterKeyId="alias/yours")
    until(lambda: active(first))
    # A replica shows its key by the ARN. Measured by users, October 2026.
    arn = replica(first, "eu-west-1")["KMSMasterKeyId"]
    assert arn == f"arn:aws:kms:eu-west-1:{account}:alias/yours"
    assert described(second)["SSEDescription"]["KMSMasterKeyArn"] == arn
    assert described(first)["SSEDescription"]["KMSMasterKeyArn"].endswith(":alias/mine")
    code, text = refusal(
        first.update_table, TableName=NAME, SSESpecification={**mine, "KMSMasterKeyId": "alias/2"}
    )
    assert (code, "can only be updated through ReplicaUpdates" in text) == (VALIDATION, True)
    one = {"RegionName": "eu-west-1", "KMSMasterKeyId": "alias/new"}
    assert refusal(first.update_table, TableName=NAME, ReplicaUpdates=[{"Update": one}]) == (
        VALIDATION, KEY_NEEDED,
    )  # fmt: skip
    both = [{"Update": one}, {"Update": {**one, "RegionName": "us-east-1"}}]
    first.update_table(TableName=NAME, ReplicaUpdates=both)
    for client in (first, second):
        assert described(client)["SSEDescription"]["KMSMasterKeyArn"].endswith(":alias/new")
    # The kind of encryption is that of all.
    second.update_table(TableName=NAME, SSESpecification={"Enabled": False})
    assert "SSEDescription" not in described(first)
    yours = {"KMSMasterKeyId": "alias/yours"}
    assert "KMSMasterKeyId" not in replica(first, "eu-west-1")
    assert refusal(update, client=first, action="Create", region="ap-south-1", **yours) == (
        VALIDATION, KEY_NEEDED,
    )  # fmt: skip
    second.update_table(TableName=NAME, SSESpecification={"Enabled": True, "SSEType": "KMS"})
    update(first, "Create", "ap-south-1")
    until(lambda: active(first))
    arns = [described(each)["SSEDescription"]["KMSMasterKeyArn"] for each in (first, second, third)]
    assert [arn.split(":")[3] for arn in arns] == list(REGIONS)
    shown = [replica(first, region)["KMSMasterKeyId"] for region in REGIONS[1:]]
    assert shown == arns[1:]
