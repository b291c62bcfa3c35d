"""Replicas that leave a global table and keep their items: between regions, and between servers.

Source: Developer Guide, "Disassociating a global table replica".
"""

import contextlib
import json

import pytest

import hashrange
from hashrange.settings.kinds import Namespaces
from tests.api.conftest import client_of
from tests.api.refusals import IN_USE, VALIDATION, refusal
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
from tests.ports import free_port
from tests.served import served

MODE = {"DisassociationMode": "WAIT_FOR_REPLICATION"}


@pytest.fixture(scope="module")
def endpoint(start_server):
    return start_server(namespaces="separate", regions=",".join(REGIONS))


@pytest.fixture
def clients(endpoint):
    return in_regions(endpoint, str(next(ACCOUNTS)))


def unprotect(client):
    changed = client.update_table(TableName=NAME, DisassociationProtectionEnabled=False)
    return changed["TableDescription"]


def disassociate(client, region):
    return update(client, "Disassociate", region, **MODE)


def replicas(client):
    return {each["RegionName"] for each in described(client).get("Replicas", ())}


def is_alone(client):
    return active(client) and not replicas(client)


def test_protection_is_of_one_replica(clients):
    first, second, _ = clients
    first.create_table(TableName=NAME, **ON_DEMAND)
    assert "DisassociationProtectionEnabled" not in described(first)
    update(first, "Create", REGIONS[1])
    until(lambda: active(first))
    assert described(first)["DisassociationProtectionEnabled"] is True
    code, text = refusal(
        first.update_table, TableName=NAME, ReplicaUpdates=[
            {"Disassociate": {"RegionName": REGIONS[0], **MODE}}
        ],
    )  # fmt: skip
    assert code == VALIDATION
    assert "disassociation protection" in text
    assert unprotect(first)["DisassociationProtectionEnabled"] is False
    protection = [described(each)["DisassociationProtectionEnabled"] for each in (first, second)]
    assert protection == [False, True]
    assert described(first)["DeletionProtectionEnabled"] is False


def test_a_replica_of_three_becomes_a_table_of_its_own(clients):
    first, second, third = clients
    replicated(clients)
    arn = described(third)["TableArn"]
    put(first, "a")
    put(third, "b")
    unprotect(third)
    answer = disassociate(third, REGIONS[2])
    assert answer["TableStatus"] == "UPDATING"
    until(lambda: is_alone(third))
    assert items(third) == {"a": "0", "b": "0"}
    table = described(third)
    assert table["TableArn"] == arn
    assert {"GlobalTableVersion", "DisassociationProtectionEnabled"} & table.keys() == set()
    assert table["StreamSpecification"]["StreamEnabled"]
    assert [replicas(each) for each in (first, second)] == [{REGIONS[1]}, {REGIONS[0]}]
    put(third, "c")
    put(first, "d")
    equal([first, second], {"a": "0", "b": "0", "d": "0"})
    assert items(third) == {"a": "0", "b": "0", "c": "0"}


def test_two_replicas_become_single_tables(clients):
    first, second, _ = clients
    replicated(clients, REGIONS[1:2])
    put(first, "a")
    put(second, "b")
    unprotect(first)
    disassociate(first, REGIONS[0])
    until(lambda: is_alone(first) and is_alone(second))
    for client in (first, second):
        assert items(client) == {"a": "0", "b": "0"}
        client.delete_table(TableName=NAME)


# Its group is a new one: the table that was its replica is another table.
def test_a_table_that_was_disassociated_can_have_replicas_again(clients):
    first, second, third = clients
    replicated(clients, REGIONS[1:2])
    put(first, "a")
    unprotect(first)
    disassociate(first, REGIONS[0])
    until(lambda: is_alone(first) and is_alone(second))
    grow = [{"Create": {"RegionName": REGIONS[1]}}]
    assert refusal(first.update_table, TableName=NAME, ReplicaUpdates=grow)[0] == VALIDATION
    update(first, "Create", REGIONS[2])
    until(lambda: active(first))
    assert described(first)["DisassociationProtectionEnabled"] is True
    put(third, "b")
    equal([first, third], {"a": "0", "b": "0"})
    assert items(second) == {"a": "0"}


def test_refusals(clients):
    first = clients[0]
    first.create_table(TableName=NAME, **ON_DEMAND)

    def refused(*updates, **more):
        code, text = refusal(first.update_table, TableName=NAME, ReplicaUpdates=[*updates], **more)
        assert code == VALIDATION
        return text

    leave = {"Disassociate": {"RegionName": REGIONS[0], **MODE}}
    assert "not part of the global table" in refused(leave)
    code, text = refusal(first.update_table, TableName=NAME, DisassociationProtectionEnabled=False)
    assert code == VALIDATION
    assert "DisassociationProtectionEnabled is supported for replicas" in text
    update(first, "Create", REGIONS[1])
    until(lambda: active(first))
    unprotect(first)
    grow = {"Create": {"RegionName": REGIONS[2]}}
    for updates in ([leave, grow], [leave, leave]):
        assert "Disassociate must be the only replica update" in refused(*updates)
    assert "more than one type" in refused({**leave, **grow})
    assert "must be the only operation" in refused(leave, DisassociationProtectionEnabled=True)
    elsewhere = {"Disassociate": {"RegionName": REGIONS[1], **MODE}}
    assert "Only the local replica" in refused(elsewhere)
    assert "WAIT_FOR_REPLICATION" in refused(
        {"Disassociate": {"RegionName": REGIONS[0], "DisassociationMode": "AT_ONCE"}}
    )
    code, text = refusal(
        first.update_table, TableName=NAME, DisassociationProtectionEnabled=True,
        DeletionProtectionEnabled=True,
    )  # fmt: skip
    assert (code, "must be the only operation" in text) == (VALIDATION, True)
    assert replicas(first) == {REGIONS[1]}


SEPARATE = {"namespaces": Namespaces.SEPARATE, "regions": ",".join(REGIONS), "testing": True}


# The other regions must not miss a change, nor one have it and another not.
def test_changes_until_the_request_are_replicated_first():
    cut = "us-east-1:eu-west-1:100s-200s;ap-south-1:us-east-1:100s-200s"
    with hashrange.start(replication_cut=cut, **SEPARATE) as server:
        clients = first, second, third = in_regions(server.endpoint, str(next(ACCOUNTS)))
        replicated(clients)
        unprotect(first)
        server.clock.advance(seconds=120)
        put(first, "a")
        put(third, "b")
        disassociate(first, REGIONS[0])
        put(first, "own")
        server.clock.advance(seconds=10)
        assert described(first)["TableStatus"] == "UPDATING"
        assert replicas(first) == {REGIONS[1], REGIONS[2]}
        again = refusal(first.update_table, TableName=NAME, DisassociationProtectionEnabled=True)
        assert again[0] == IN_USE
        server.clock.advance(seconds=100)
        until(lambda: is_alone(first))
        equal([second, third], {"a": "0", "b": "0"})
        assert items(first) == {"a": "0", "b": "0", "own": "0"}


# Documented: the table is ACTIVE again and still has its list of replicas.
def test_a_replica_stays_if_one_denies_replication():
    with hashrange.start(replication_cut="us-east-1:eu-west-1:100s-200s", **SEPARATE) as server:
        account = str(next(ACCOUNTS))
        clients = first, _, third = in_regions(server.endpoint, account)
        replicated(clients)
        unprotect(first)
        server.clock.advance(seconds=120)
        put(first, "a")
        disassociate(first, REGIONS[0])
        put(first, "b")
        arn = described(third)["TableArn"]
        role = (
            f"arn:aws:iam::{account}:role/aws-service-role/replication.dynamodb.amazonaws.com/"
            "AWSServiceRoleForDynamoDBReplication"
        )
        statement = {
            "Effect": "Deny", "Principal": {"AWS": role}, "Action": "dynamodb:PutItem",
            "Resource": arn,
        }  # fmt: skip
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        third.put_resource_policy(ResourceArn=arn, Policy=policy)
        until(lambda: described(first)["TableStatus"] == "ACTIVE")
        assert replicas(first) == {REGIONS[1], REGIONS[2]}
        third.delete_resource_policy(ResourceArn=arn)
        server.clock.advance(seconds=100)
        equal(clients, {"a": "0", "b": "0"})


@pytest.fixture
def far_apart():
    """Clients of three regions: one server holds two, another one the third."""
    ports = free_port(), free_port()
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    east, west, south = REGIONS
    with contextlib.ExitStack() as stack:
        for port, regions, peer in (
            (ports[0], f"{east},{south}", f"{west}={urls[1]}"),
            (ports[1], west, f"{east}={urls[0]};{south}={urls[0]}"),
        ):
            stack.enter_context(
                served(port=port, regions=regions, peer=peer, namespaces="separate")
            )
        yield [
            client_of(url, region_name=region, aws_access_key_id="123456789012")
            for region, url in zip(REGIONS, (urls[0], urls[1], urls[0]), strict=True)
        ]


@pytest.mark.parametrize("leaver", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_replica_leaves_others_on_another_server(far_apart, leaver):
    clients = far_apart
    replicated(clients)
    until(lambda: all(len(replicas(each)) == 2 and active(each) for each in clients))
    for number, client in enumerate(clients):
        put(client, str(number))
    leaving = clients[leaver]
    others = [each for each in clients if each is not leaving]
    unprotect(leaving)
    disassociate(leaving, REGIONS[leaver])
    until(lambda: is_alone(leaving))
    put(leaving, "own")
    until(lambda: all(len(replicas(each)) == 1 and active(each) for each in others))
    for number, client in enumerate(others):
        put(client, f"other-{number}")
    both = {"0": "0", "1": "0", "2": "0"}
    equal(others, {**both, "other-0": "0", "other-1": "0"})
    assert items(leaving) == {**both, "own": "0"}
