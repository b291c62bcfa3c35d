"""Policies of replicas that deny replication to the role of the service."""

import json

import pytest

import hashrange
from hashrange.settings.kinds import Namespaces
from tests.api.refusals import VALIDATION, refusal
from tests.api.replicas import (
    ACCOUNTS,
    NAME,
    ON_DEMAND,
    REGIONS,
    active,
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
DENIED = "REPLICATION_NOT_AUTHORIZED"
WRITES = ["dynamodb:PutItem", "dynamodb:DeleteItem"]


@pytest.fixture(scope="module")
def server():
    with hashrange.start(**SEPARATE) as started:
        yield started


@pytest.fixture
def account():
    return str(next(ACCOUNTS))


@pytest.fixture
def clients(server, account):
    made = in_regions(server.endpoint, account)
    replicated(made)
    return made


def role(account):
    name = "AWSServiceRoleForDynamoDBReplication"
    return f"arn:aws:iam::{account}:role/aws-service-role/replication.dynamodb.amazonaws.com/{name}"


def denial(arn, principal, actions=WRITES, **more):
    statement = {"Effect": "Deny", "Principal": principal, "Action": actions, "Resource": arn}
    return json.dumps({"Version": "2012-10-17", "Statement": [{**statement, **more}]})


def deny(client, principal, actions=WRITES, place="TableArn", **more):
    """Give a table such a policy, or with `LatestStreamArn` its stream."""
    arn = described(client)[place]
    client.put_resource_policy(ResourceArn=arn, Policy=denial(arn, principal, actions, **more))
    return arn


def states(client):
    return {each["RegionName"]: each["ReplicaStatus"] for each in described(client)["Replicas"]}


def is_denied(clients):
    """Whether the replica of the second client is shown so, in all regions."""
    of_others = {states(each)[REGIONS[1]] for each in (clients[0], *clients[2:])}
    return described(clients[1])["TableStatus"] == DENIED and of_others == {DENIED}


def all_active(clients):
    return all(map(active, clients))


def test_a_policy_stops_replication_to_a_replica_and_from_it(server, clients, account):
    first, second, third = clients
    put(first, "before", 1)
    equal(clients, {"before": "1"})
    arn = deny(second, {"AWS": role(account)})
    until(lambda: is_denied(clients))
    put(first, "one", 1)
    put(second, "two", 2)
    put(third, "three", 3)
    equal([first, third], {"before": "1", "one": "1", "three": "3"})
    server.clock.advance(minutes=5)
    assert items(second) == {"before": "1", "two": "2"}
    assert items(first) == {"before": "1", "one": "1", "three": "3"}
    assert states(second) == {REGIONS[0]: "ACTIVE", REGIONS[2]: "ACTIVE"}
    second.delete_resource_policy(ResourceArn=arn)
    equal(clients, {"before": "1", "one": "1", "two": "2", "three": "3"})
    until(lambda: all_active(clients))


@pytest.mark.parametrize(
    ("principal", "more"),
    [
        ("role", {"actions": ["dynamodb:Scan"]}),
        ("role", {"actions": ["dynamodb:Get*"]}),
        ("account", {}),
        ("anyone", {"Condition": {"StringNotLike": {"aws:PrincipalArn": "*role/admin*"}}}),
        ("anyone", {"Condition": {"NotIpAddress": {"aws:SourceIp": "10.0.0.0/8"}}}),
        ("anyone", {"Condition": {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}}}),
        ("role", {"actions": ["dynamodb:GetRecords"], "place": "LatestStreamArn"}),
    ],
)
def test_policies_that_deny_an_action_of_the_role(clients, account, principal, more):
    named = {"role": {"AWS": role(account)}, "account": {"AWS": account}, "anyone": "*"}[principal]
    deny(clients[1], named, **more)
    until(lambda: is_denied(clients))
    put(clients[0], "a", 1)
    equal([clients[2]], {"a": "1"})
    assert items(clients[1]) == {}


@pytest.mark.parametrize(
    ("principal", "more"),
    [
        ("other", {}),
        ("role", {"actions": ["dynamodb:CreateBackup", "dynamodb:Query"]}),
        ("anyone", {"Condition": {"Bool": {"aws:SecureTransport": "false"}}}),
        ("anyone", {"Condition": {"StringNotLike": {"aws:PrincipalArn": "*Replication"}}}),
        ("role", {"Condition": {"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}}),
    ],
)
def test_policies_that_do_not(server, clients, account, principal, more):
    other = {"AWS": f"arn:aws:iam::{account}:role/other"}
    named = {"role": {"AWS": role(account)}, "other": other, "anyone": "*"}[principal]
    deny(clients[1], named, **more)
    server.clock.advance(minutes=5)
    put(clients[0], "a", 1)
    put(clients[1], "b", 1)
    equal(clients, {"a": "1", "b": "1"})
    assert all_active(clients)


def test_replicas_are_not_added_or_removed_meanwhile(clients, account):
    arn = deny(clients[1], {"AWS": role(account)})
    until(lambda: is_denied(clients))
    for region in REGIONS[1:]:
        code, text = refusal(
            clients[0].update_table,
            TableName=NAME,
            ReplicaUpdates=[{"Delete": {"RegionName": region}}],
        )
        assert (code, REGIONS[1] in text) == (VALIDATION, True)
    clients[1].delete_resource_policy(ResourceArn=arn)
    until(lambda: all_active(clients))
    update(clients[0], "Delete", REGIONS[1])
    until(lambda: active(clients[0]) and set(states(clients[0])) == {REGIONS[2]})


def test_a_table_that_denies_replication_gets_no_replica(server, account):
    clients = in_regions(server.endpoint, account)
    first = clients[0]
    arn = f"arn:aws:dynamodb:{REGIONS[0]}:{account}:table/{NAME}"
    policy = denial(arn, {"AWS": role(account)})
    first.create_table(TableName=NAME, ResourcePolicy=policy, **ON_DEMAND)
    create = [{"Create": {"RegionName": REGIONS[1]}}]
    code, text = refusal(first.update_table, TableName=NAME, ReplicaUpdates=create)
    assert (code, REGIONS[0] in text) == (VALIDATION, True)
    assert described(first)["TableStatus"] == "ACTIVE"
    first.delete_resource_policy(ResourceArn=arn)
    update(first, "Create", REGIONS[1])
    until(lambda: active(first))


# A table of one region again: what its last replica denied is over.
def test_a_replica_that_denies_replication_may_be_deleted(clients, account):
    first, second, third = clients
    deny(second, {"AWS": role(account)})
    until(lambda: is_denied(clients))
    second.delete_table(TableName=NAME)
    until(lambda: set(states(first)) == {REGIONS[2]})
    until(lambda: active(first))
    deny(first, {"AWS": role(account)})
    until(lambda: described(first)["TableStatus"] == DENIED)
    third.delete_table(TableName=NAME)
    until(lambda: described(first)["TableStatus"] == "ACTIVE")
    assert "Replicas" not in described(first)


# Whoever cannot replicate for 20 hours is a table of one region for good.
def test_a_replica_that_denies_replication_for_long_leaves_for_good(server, clients, account):
    first, second, third = clients
    put(first, "a", 1)
    equal(clients, {"a": "1"})
    arn = deny(second, {"AWS": role(account)})
    until(lambda: is_denied(clients))
    put(first, "b", 1)
    server.clock.advance(hours=19)
    until(lambda: is_denied(clients))
    server.clock.advance(hours=2)
    until(lambda: "Replicas" not in described(second))
    assert described(second)["TableStatus"] == "ACTIVE"
    assert states(first) == {REGIONS[2]: "ACTIVE"}
    assert states(third) == {REGIONS[0]: "ACTIVE"}
    second.delete_resource_policy(ResourceArn=arn)
    put(second, "c", 1)
    put(third, "d", 1)
    equal([first, third], {"a": "1", "b": "1", "d": "1"})
    assert items(second) == {"a": "1", "c": "1"}
    server.clock.advance(hours=1)
    assert items(second) == {"a": "1", "c": "1"}


# A short time without the policy begins the 20 hours anew.
def test_the_time_is_that_of_one_denial(server, clients, account):
    arn = deny(clients[1], {"AWS": role(account)})
    until(lambda: is_denied(clients))
    server.clock.advance(hours=19)
    clients[1].delete_resource_policy(ResourceArn=arn)
    until(lambda: all_active(clients))
    deny(clients[1], {"AWS": role(account)})
    until(lambda: is_denied(clients))
    server.clock.advance(hours=19)
    assert is_denied(clients)
    clients[1].delete_resource_policy(ResourceArn=arn)
    put(clients[0], "late", 1)
    equal(clients, {"late": "1"})


@pytest.mark.long
def test_a_denial_outlives_a_restart(tmp_path, account):
    with hashrange.start(memory=False, data=tmp_path / "data", **SEPARATE) as server:
        clients = in_regions(server.endpoint, account)
        replicated(clients, REGIONS[1:2])
        deny(clients[1], {"AWS": role(account)})
        until(lambda: is_denied(clients[:2]))
        put(clients[0], "a", 1)
    with hashrange.start(memory=False, data=tmp_path / "data", **SEPARATE) as server:
        clients = in_regions(server.endpoint, account)
        assert is_denied(clients[:2])
        server.clock.advance(minutes=5)
        assert items(clients[1]) == {}
        server.clock.advance(hours=21)
        until(lambda: "Replicas" not in described(clients[0]))
        assert items(clients[1]) == {}


@pytest.mark.parametrize("place", [0, 1])
def test_expired_items_are_deleted_on_both_sides(server, account, place):
    clients = in_regions(server.endpoint, account)
    replicated(clients, REGIONS[1:2])
    pair = clients[:2]
    setting = {"Enabled": True, "AttributeName": "n"}
    pair[0].update_time_to_live(TableName=NAME, TimeToLiveSpecification=setting)
    deny(pair[place], {"AWS": role(account)})
    until(lambda: described(pair[place])["TableStatus"] == DENIED)
    soon = int(server.clock.now().timestamp()) + 3600
    for client in pair:
        put(client, "gone", soon)
    server.clock.advance(hours=2)
    equal(pair, {})
