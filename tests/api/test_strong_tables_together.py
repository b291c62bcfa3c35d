"""Strong tables beside other features: processes, restarts, backups, settings of one replica."""

import pytest

import hashrange
from tests.api.refusals import VALIDATION, refusal
from tests.api.replicas import ACCOUNTS, NAME, ON_DEMAND, REGIONS, described, in_regions, put
from tests.api.strong_tables import (
    create,
    end,
    is_regional,
    is_strong,
    leave_out_workers,
    make_strong,
    strong,
)
from tests.api.tables import keyed
from tests.pace import until

_, IRELAND, MUMBAI = REGIONS
SEPARATE = {"namespaces": "separate", "regions": ",".join(REGIONS)}


def items(client, name=NAME):
    found = client.scan(TableName=name, ConsistentRead=True)["Items"]
    return {each["pk"]["S"]: int(each["n"]["N"]) for each in found}


# A group goes on where it was; one that ends is ended.
@pytest.mark.long
@pytest.mark.parametrize("witness", [None, MUMBAI])
def test_restarts(tmp_path, witness):
    account, others = str(next(ACCOUNTS)), [IRELAND] if witness else [IRELAND, MUMBAI]
    place = {"memory": False, "data": tmp_path / "data", **SEPARATE}
    with hashrange.start(**place) as server:
        clients = in_regions(server.endpoint, account)
        strong(clients, *others, witness=witness)
        put(clients[0], "a", 1)
    with hashrange.start(**place) as server:
        clients = in_regions(server.endpoint, account)
        assert is_strong(clients[1])
        put(clients[1], "b", 2)
        assert items(clients[0]) == {"a": 1, "b": 2}
        end(clients[0], *others, witness=witness)
    with hashrange.start(**place) as server:
        clients = in_regions(server.endpoint, account)
        until(lambda: is_regional(clients[0]))
        assert items(clients[0]) == {"a": 1, "b": 2}
        put(clients[0], "c", 3)


# The members of a group run in one process, which with workers is none that answers requests.
@pytest.mark.long
def test_there_are_none_with_workers(tmp_path):
    place = {"memory": False, "data": tmp_path / "data", **SEPARATE}
    with hashrange.start(workers=2, **place) as server:
        first = in_regions(server.endpoint, str(next(ACCOUNTS)))[0]
        first.create_table(TableName=NAME, **ON_DEMAND)
        request = {"MultiRegionConsistency": "STRONG", "ReplicaUpdates": create(IRELAND, MUMBAI)}
        code, text = refusal(first.update_table, TableName=NAME, **request)
        assert (code, "--workers" in text) == (VALIDATION, True)
        assert is_regional(first)


@pytest.fixture(scope="module")
def endpoint(start_server, request):
    leave_out_workers(request)
    return start_server(**SEPARATE)


@pytest.fixture
def clients(endpoint):
    return in_regions(endpoint, str(next(ACCOUNTS)))


# A restored table is one of a single region, and no member.
def test_backups_of_a_member(clients):
    first, second, _ = clients
    strong(clients, IRELAND, MUMBAI)
    put(first, "a", 1)
    backup = second.create_backup(TableName=NAME, BackupName="a-backup")["BackupDetails"]
    arn = backup["BackupArn"]

    def is_available():
        found = second.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]
        return found["BackupStatus"] == "AVAILABLE"

    until(is_available)
    put(first, "a", 2)
    second.restore_table_from_backup(TargetTableName="restored", BackupArn=arn)

    def is_restored():
        return second.describe_table(TableName="restored")["Table"]["TableStatus"] == "ACTIVE"

    until(is_restored)
    assert items(second, "restored") == {"a": 1}
    second.put_item(TableName="restored", Item={"pk": {"S": "b"}, "n": {"N": "1"}})
    assert items(second) == {"a": 2}


def test_replicas_have_settings_of_their_own(clients):
    first, second, third = clients
    first.create_table(TableName=NAME, **ON_DEMAND)
    limit = {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}}
    updates = create(IRELAND, MUMBAI)
    updates[0]["Create"].update(limit)
    first.update_table(TableName=NAME, MultiRegionConsistency="STRONG", ReplicaUpdates=updates)
    until(lambda: is_strong(first))
    assert described(second)["OnDemandThroughput"] == {"MaxReadRequestUnits": 5}
    assert "OnDemandThroughput" not in described(third)
    update = {"Update": {"RegionName": MUMBAI, **limit}}
    first.update_table(TableName=NAME, ReplicaUpdates=[update])
    assert described(third)["OnDemandThroughput"] == {"MaxReadRequestUnits": 5}
    put(third, "a", 1)
    assert items(second) == {"a": 1}


def test_the_table_may_have_been_written_before(clients):
    first, second, _ = clients
    first.create_table(TableName=NAME, **ON_DEMAND)
    put(first, "a", 1)
    first.delete_item(TableName=NAME, Key={"pk": {"S": "a"}})
    make_strong(first, IRELAND, MUMBAI)
    until(lambda: is_strong(first))
    put(second, "a", 2)
    assert items(first) == {"a": 2}


# A provisioned table needs what any global table needs: auto scaling of its writes.
def test_provisioned_tables_need_auto_scaling(clients):
    first = clients[0]
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    first.create_table(
        TableName=NAME, **{**keyed(pk="S"), "BillingMode": "PROVISIONED"},
        ProvisionedThroughput=units,
    )  # fmt: skip
    request = {"MultiRegionConsistency": "STRONG", "ReplicaUpdates": create(IRELAND, MUMBAI)}
    code, text = refusal(first.update_table, TableName=NAME, **request)
    assert (code, text) == (
        VALIDATION,
        "Table write capacity should either be Pay-Per-Request or AutoScaled.",
    )
