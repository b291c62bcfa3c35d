"""Replication that stands still for a while, and what replicas are afterwards."""

# Applications must bear regions that do not hear of each other; here they can be tested with it.

import pytest

import hashrange
from hashrange.process import StartError
from hashrange.settings.kinds import Namespaces
from tests.api.replicas import (
    ACCOUNTS,
    NAME,
    REGIONS,
    equal,
    figure,
    in_regions,
    items,
    put,
    replicated,
)

SEPARATE = {"namespaces": Namespaces.SEPARATE, "regions": ",".join(REGIONS), "testing": True}


def test_both_sides_of_a_cut_go_on_and_the_last_writer_wins():
    cut = "us-east-1:eu-west-1:100s-200s;eu-west-1:us-east-1:100s-200s"
    with hashrange.start(replication_cut=cut, **SEPARATE) as server:
        clients = in_regions(server.endpoint, str(next(ACCOUNTS)))
        replicated(clients)
        first, second, third = clients
        put(first, "a", 1)
        equal(clients, {"a": "1"})
        server.clock.advance(seconds=120)
        put(first, "a", 2)
        put(first, "b", 2)
        server.clock.advance(seconds=1)
        put(second, "a", 3)
        server.clock.advance(seconds=1)
        # The third region hears of both; a change is told by its own region only.
        equal([third], {"a": "3", "b": "2"})
        assert items(first) == {"a": "2", "b": "2"}
        assert items(second) == {"a": "3"}
        server.clock.advance(seconds=100)
        equal(clients, {"a": "3", "b": "2"})


# Whose write was lost must be seen by somebody; the writer of the first one has got a 200.
def test_lost_changes_are_counted():
    cut = "us-east-1:eu-west-1:100s-200s;eu-west-1:us-east-1:100s-200s"
    regions = {**SEPARATE, "regions": ",".join(REGIONS[:2])}
    with hashrange.start(replication_cut=cut, **regions) as server:
        clients = in_regions(server.endpoint, str(next(ACCOUNTS)))[:2]
        replicated(clients, REGIONS[1:2])
        first, second = clients
        server.clock.advance(seconds=120)
        put(first, "a", 1)
        put(first, "a", 2)
        server.clock.advance(seconds=1)
        put(second, "a", 3)
        put(second, "b", 3)
        server.clock.advance(seconds=100)
        equal(clients, {"a": "3", "b": "3"})
        assert figure(server.endpoint, "hashrange_replication_conflicts_total") == 1
        put(first, "a", 4)
        equal(clients, {"a": "4", "b": "3"})
        assert figure(server.endpoint, "hashrange_replication_conflicts_total") == 1


# A change that is not one has no time of its own. Source: captures of the service, September 2026.
def test_what_changes_nothing_wins_over_no_other_region():
    with hashrange.start(replication_cut="eu-west-1:us-east-1:100s-200s", **SEPARATE) as server:
        clients = in_regions(server.endpoint, str(next(ACCOUNTS)))
        replicated(clients)
        first, second, _ = clients
        keys = [{"pk": {"S": key}} for key in ("put", "updated")]
        for key in keys:
            first.put_item(TableName=NAME, Item={**key, "n": {"N": "1"}})
        equal(clients, {"put": "1", "updated": "1"})
        server.clock.advance(seconds=120)
        for key in ("put", "updated", "deleted"):
            put(second, key, 2)
        server.clock.advance(seconds=1)
        again = first.put_item(
            TableName=NAME, Item={"n": {"N": "1.0"}, **keys[0]}, ReturnValues="ALL_OLD"
        )
        assert again["Attributes"]["n"] == {"N": "1"}
        first.update_item(
            TableName=NAME, Key=keys[1], UpdateExpression="SET n = :n",
            ExpressionAttributeValues={":n": {"N": "1"}},
        )  # fmt: skip
        first.delete_item(TableName=NAME, Key={"pk": {"S": "deleted"}})
        assert items(first) == {"put": "1", "updated": "1"}
        server.clock.advance(seconds=100)
        equal(clients, {"put": "2", "updated": "2", "deleted": "2"})


def test_a_cut_of_one_direction_for_good():
    with hashrange.start(replication_cut="*:ap-south-1:0s-", **SEPARATE) as server:
        clients = in_regions(server.endpoint, str(next(ACCOUNTS)))
        replicated(clients)
        put(clients[0], "a", 1)
        put(clients[2], "c", 1)
        equal(clients[:2], {"a": "1", "c": "1"})
        server.clock.advance(hours=1)
        assert items(clients[2]) == {"c": "1"}


@pytest.mark.parametrize("rule", ["us-east-1", "a:b:5s-1s", "a:b:x-", "a:b:-", "A:b:1s-"])
def test_other_rules_are_refused(rule):
    with pytest.raises(StartError, match="--replication-cut"):
        hashrange.start(replication_cut=rule, **SEPARATE)
