"""Global tables whose replicas are of several accounts."""

# Accounts keep a fault, or an intruder, in one of them: a replica must not get there, nor its
# changes, unless all replicas allow it.

import json

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal
from tests.api.replicas import ACCOUNTS, NAME, ON_DEMAND, active, described, items, put, update
from tests.api.tables import keyed
from tests.api.test_replica_scaling import PROVISIONED, TABLE_WRITE, scale, targets, units
from tests.pace import until

REGIONS = ("us-east-1", "eu-west-1", "ap-south-1")
SERVICE = "replication.dynamodb.amazonaws.com"
REPLICATES = [
    "dynamodb:ReadDataForReplication",
    "dynamodb:WriteDataForReplication",
    "dynamodb:ReplicateSettings",
]
DENIED = "AccessDeniedException"


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", regions=",".join(REGIONS), testing=True)


@pytest.fixture
def accounts():
    return [str(next(ACCOUNTS)) for _ in REGIONS]


@pytest.fixture
def clients(endpoint, accounts):
    """One in each region, and each of another account."""
    return [
        client_of(endpoint, region_name=region, aws_access_key_id=account)
        for region, account in zip(REGIONS, accounts, strict=True)
    ]


@pytest.fixture
def arns(accounts):
    return [
        f"arn:aws:dynamodb:{region}:{account}:table/{NAME}"
        for region, account in zip(REGIONS, accounts, strict=True)
    ]


def policy(arns, own, *, lets_in=(), actions=REPLICATES):
    """As the Developer Guide has it."""
    statements = [{
        "Effect": "Allow", "Action": actions, "Resource": own, "Principal": {"Service": [SERVICE]},
        "Condition": {"StringEquals": {
            "aws:SourceAccount": [arn.split(":")[4] for arn in arns], "aws:SourceArn": list(arns),
        }},
    }]  # fmt: skip
    if lets_in:
        statements.append({
            "Effect": "Allow", "Action": "dynamodb:AssociateTableReplica", "Resource": own,
            "Principal": {"AWS": list(lets_in)},
        })  # fmt: skip
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def source(clients, arns, accounts, **definition):
    clients[0].create_table(
        TableName=NAME, GlobalTableSettingsReplicationMode="ENABLED",
        ResourcePolicy=policy(arns, arns[0], lets_in=accounts[1:]),
        **{**ON_DEMAND, **definition},
    )  # fmt: skip


def join(clients, arns, accounts, number=1, origin=0, **more):
    request = {
        "TableName": NAME,
        "GlobalTableSourceArn": arns[origin],
        "GlobalTableSettingsReplicationMode": "ENABLED",
        "ResourcePolicy": policy(arns, arns[number], lets_in=accounts[number + 1 :]),
        **more,
    }
    return clients[number].create_table(**{k: v for k, v in request.items() if v is not None})


def equal(clients, expected):
    until(lambda: all(items(client) == expected for client in clients))


def test_a_table_of_three_accounts(clients, arns, accounts):
    source(clients, arns, accounts)
    first, second, third = clients
    put(first, "before")
    created = join(clients, arns, accounts)["TableDescription"]
    assert (created["TableStatus"], created["TableArn"]) == ("CREATING", arns[1])
    until(lambda: active(first) and active(second))
    join(clients, arns, accounts, 2, origin=1)
    until(lambda: all(active(client) for client in clients))
    for number, client in enumerate(clients):
        put(client, str(number), number)
    equal(clients, {"before": "0", "0": "0", "1": "1", "2": "2"})
    first.delete_item(TableName=NAME, Key={"pk": {"S": "1"}})
    equal(clients, {"before": "0", "0": "0", "2": "2"})
    for client, others in ((first, {1, 2}), (second, {0, 2}), (third, {0, 1})):
        table = described(client)
        assert table["GlobalTableSettingsReplicationMode"] == "ENABLED"
        found = {each["RegionName"]: each["ReplicaArn"] for each in table["Replicas"]}
        assert found == {REGIONS[each]: arns[each] for each in others}
        modes = {each["GlobalTableSettingsReplicationMode"] for each in table["Replicas"]}
        assert modes == {"ENABLED"}
    # Nobody sees tables of other accounts.
    elsewhere = client_of(
        first.meta.endpoint_url, region_name=REGIONS[1], aws_access_key_id=accounts[0]
    )
    assert elsewhere.list_tables()["TableNames"] == []


def test_each_account_deletes_its_replica(clients, arns, accounts):
    source(clients, arns, accounts)
    first, second, _ = clients
    join(clients, arns, accounts)
    until(lambda: active(first) and active(second))
    put(first, "1")
    equal([first, second], {"1": "0"})
    found = refusal(update, client=first, action="Delete", region=REGIONS[1])
    assert found[0] == VALIDATION
    second.delete_table(TableName=NAME)
    until(lambda: "Replicas" not in described(first))
    assert described(first)["GlobalTableSettingsReplicationMode"] == "ENABLED"
    # The region may have one again.
    join(clients, arns, accounts)
    until(lambda: active(first) and active(second))
    equal([first, second], {"1": "0"})


def test_settings_are_those_of_all_and_cannot_be_overridden(clients, arns, accounts):
    source(clients, arns, accounts)
    first, second, _ = clients
    join(clients, arns, accounts, DeletionProtectionEnabled=True, Tags=[{"Key": "a", "Value": "b"}])
    until(lambda: active(first) and active(second))
    assert (described(first)["DeletionProtectionEnabled"]) is False
    assert (described(second)["DeletionProtectionEnabled"]) is True
    tags = second.list_tags_of_resource(ResourceArn=arns[1])["Tags"]
    assert tags == [{"Key": "a", "Value": "b"}]
    assert first.list_tags_of_resource(ResourceArn=arns[0])["Tags"] == []
    second.update_table(TableName=NAME, OnDemandThroughput={"MaxReadRequestUnits": 7})
    assert described(first)["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}
    time_to_live = {"Enabled": True, "AttributeName": "t"}
    first.update_time_to_live(TableName=NAME, TimeToLiveSpecification=time_to_live)
    found = second.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
    assert found["AttributeName"] == "t"
    # The class is of each replica.
    first.update_table(TableName=NAME, TableClass="STANDARD_INFREQUENT_ACCESS")
    assert "TableClassSummary" not in described(second)
    own = {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}}
    assert refusal(update, client=first, action="Update", region=REGIONS[1], **own)[0] == VALIDATION
    assert refusal(update, client=first, action="Create", region=REGIONS[2])[0] == VALIDATION
    mode = {"TableName": NAME, "GlobalTableSettingsReplicationMode": "DISABLED"}
    assert refusal(first.update_table, **mode)[0] == VALIDATION


def test_provisioned_tables_have_their_targets_in_all_accounts(endpoint, clients, arns, accounts):
    scaling = [
        client_of(
            endpoint, "application-autoscaling", region_name=region, aws_access_key_id=account
        )
        for region, account in zip(REGIONS, accounts, strict=True)
    ]
    source(clients, arns, accounts, **PROVISIONED)
    refused = refusal(join, clients=clients, arns=arns, accounts=accounts)
    assert refused == (
        VALIDATION, "Table write capacity should either be Pay-Per-Request or AutoScaled."
    )  # fmt: skip
    scale(scaling[0], TABLE_WRITE)
    join(clients, arns, accounts)
    until(lambda: active(clients[0]) and active(clients[1]))
    assert targets(scaling[1]) == targets(scaling[0]) == {("", "WriteCapacityUnits"): (1, 20)}
    (found,) = scaling[1].describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
    assert f":{accounts[1]}:" in found["ScalableTargetARN"]
    assert f"::{accounts[1]}:role" in found["RoleARN"]
    more = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 8}
    clients[1].update_table(TableName=NAME, ProvisionedThroughput=more)
    assert [units(client) for client in clients[:2]] == [(6, 8), (6, 8)]


def test_members_decide_who_joins(clients, arns, accounts):
    first, second, third = clients
    source(clients, arns, accounts)
    first.put_resource_policy(
        ResourceArn=arns[0], Policy=policy(arns, arns[0], lets_in=[accounts[2]])
    )
    code, text = refusal(join, clients=clients, arns=arns, accounts=accounts)
    assert code == DENIED
    assert "dynamodb:AssociateTableReplica" in text
    assert arns[0] in text
    first.put_resource_policy(
        ResourceArn=arns[0], Policy=policy(arns, arns[0], lets_in=accounts[1:])
    )
    join(clients, arns, accounts, ResourcePolicy=policy(arns, arns[1]))
    until(lambda: active(first) and active(second))
    # All members must let the third one in.
    code, text = refusal(join, clients=clients, arns=arns, accounts=accounts, number=2)
    assert (code, arns[1] in text) == (DENIED, True)
    assert third.list_tables()["TableNames"] == []


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("missing", [None, *REPLICATES])
def test_each_replica_must_allow_replication(clients, arns, accounts, number, missing):
    source(clients, arns, accounts)
    allowed = [each for each in REPLICATES if each != missing]
    known = arns if missing else arns[number : number + 1]  # one that knows itself alone
    weaker = policy(known, arns[number], lets_in=accounts[1:], actions=allowed)
    more = {}
    if number:
        more = {"ResourcePolicy": weaker}
    else:
        clients[0].put_resource_policy(ResourceArn=arns[0], Policy=weaker)
    code, text = refusal(join, clients=clients, arns=arns, accounts=accounts, **more)
    assert code == DENIED
    assert SERVICE in text
    assert (missing or REPLICATES[0]) in text
    assert "Replicas" not in described(clients[0])


def test_replication_stops_while_a_policy_does_not_allow_it(clients, arns, accounts):
    source(clients, arns, accounts)
    first, second, _ = clients
    join(clients, arns, accounts)
    until(lambda: active(first) and active(second))
    put(first, "1")
    equal([first, second], {"1": "0"})
    second.delete_resource_policy(ResourceArn=arns[1])
    status = "REPLICATION_NOT_AUTHORIZED"
    until(lambda: described(second)["TableStatus"] == status)
    assert described(first)["Replicas"][0]["ReplicaStatus"] == status
    put(first, "2")
    put(second, "3")
    # Settings would differ.
    limits = {"TableName": NAME, "OnDemandThroughput": {"MaxReadRequestUnits": 7}}
    for client in (first, second):
        code, text = refusal(client.update_table, **limits)
        assert (code, arns[1] in text) == (DENIED, True)
    assert (items(first), items(second)) == ({"1": "0", "2": "0"}, {"1": "0", "3": "0"})
    second.put_resource_policy(ResourceArn=arns[1], Policy=policy(arns, arns[1]))
    equal([first, second], {"1": "0", "2": "0", "3": "0"})
    until(lambda: active(first))
    first.update_table(**limits)


def test_settings_replication_of_a_table_of_one_region(clients):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND)
    assert "GlobalTableSettingsReplicationMode" not in described(first)
    for mode in ("ENABLED", "ENABLED", "DISABLED"):
        answer = first.update_table(TableName=NAME, GlobalTableSettingsReplicationMode=mode)
        assert answer["TableDescription"]["GlobalTableSettingsReplicationMode"] == mode
        assert described(first)["GlobalTableSettingsReplicationMode"] == mode
    mode = {"TableName": NAME, "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES"}
    text = (
        "Value 'ENABLED_WITH_OVERRIDES' at 'GlobalTableSettingsReplicationMode' failed to satisfy "
        "constraint: Only ENABLED and DISABLED settings replication are supported for a Regional "
        "Table."
    )
    assert refusal(first.update_table, **mode) == (VALIDATION, text)
    update(first, "Create", REGIONS[1])
    until(lambda: active(first))
    table = described(first)
    assert table["GlobalTableSettingsReplicationMode"] == "ENABLED_WITH_OVERRIDES"
    assert table["Replicas"][0]["GlobalTableSettingsReplicationMode"] == "ENABLED_WITH_OVERRIDES"


def test_what_a_joining_table_cannot_have(clients, arns, accounts):
    source(clients, arns, accounts)
    request = {"clients": clients, "arns": arns, "accounts": accounts}
    absent = arns[0].replace(REGIONS[0], REGIONS[2])
    for more, code in (
        ({"GlobalTableSettingsReplicationMode": None}, VALIDATION),
        ({"GlobalTableSettingsReplicationMode": "DISABLED"}, VALIDATION),
        ({"TableName": "another"}, VALIDATION),
        ({"BillingMode": "PAY_PER_REQUEST"}, VALIDATION),
        (keyed(pk="S"), VALIDATION),
        ({"GlobalTableSourceArn": "arn:aws:s3:::bucket"}, VALIDATION),
        ({"GlobalTableSourceArn": absent}, NOT_FOUND),
        ({"GlobalTableSourceArn": arns[0].replace(REGIONS[0], "us-gov-1")}, VALIDATION),
        ({"GlobalTableSourceArn": arns[0].replace(REGIONS[0], REGIONS[1])}, NOT_FOUND),
    ):
        assert refusal(join, **request, **more)[0] == code, more
    clients[0].update_table(TableName=NAME, GlobalTableSettingsReplicationMode="DISABLED")
    code, text = refusal(join, **request)
    assert (code, "must be ENABLED" in text) == (VALIDATION, True)
    clients[1].create_table(TableName=NAME, **ON_DEMAND)
    assert refusal(join, **request)[0] == "ResourceInUseException"


def test_accounts_and_regions_have_one_replica_each(endpoint, clients, arns, accounts):
    source(clients, arns, accounts)
    join(clients, arns, accounts)
    until(lambda: active(clients[0]) and active(clients[1]))
    places = ((REGIONS[2], accounts[0], "account"), (REGIONS[1], accounts[2], "region"))
    for region, account, kind in places:
        other = client_of(endpoint, region_name=region, aws_access_key_id=account)
        code, text = refusal(
            other.create_table, TableName=NAME, GlobalTableSourceArn=arns[0],
            GlobalTableSettingsReplicationMode="ENABLED",
        )  # fmt: skip
        assert code == VALIDATION
        assert f"{kind} of its own" in text or f"an {kind} of its own" in text


def test_a_table_with_replicas_in_its_account_is_no_source(clients, arns, accounts):
    source(clients, arns, accounts)
    update(clients[0], "Create", REGIONS[2])
    until(lambda: active(clients[0]))
    code, text = refusal(join, clients=clients, arns=arns, accounts=accounts)
    assert (code, "in its own account" in text) == (VALIDATION, True)
