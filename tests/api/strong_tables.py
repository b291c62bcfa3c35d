"""Strong tables for tests: tables with members in three regions."""

import pytest

from tests.api.replicas import NAME, ON_DEMAND, described
from tests.pace import until


def leave_out_workers(request):
    """Skip on servers of several processes, which have no strong tables."""
    if request.config.getoption("--engine", "memory") == "workers":
        pytest.skip("a server with workers has no strong tables")


def create(*regions):
    return [{"Create": {"RegionName": region}} for region in regions]


def delete(*regions):
    return [{"Delete": {"RegionName": region}} for region in regions]


def make_strong(client, *regions, witness=None):
    """The answer that makes an existing table strong."""
    members = {"ReplicaUpdates": create(*regions)}
    if witness is not None:
        members["GlobalTableWitnessUpdates"] = create(witness)
    answer = client.update_table(TableName=NAME, MultiRegionConsistency="STRONG", **members)
    return answer["TableDescription"]


def end(client, *regions, witness=None):
    """The answer that removes all other members."""
    members = {"ReplicaUpdates": delete(*regions)}
    if witness is not None:
        members["GlobalTableWitnessUpdates"] = delete(witness)
    return client.update_table(TableName=NAME, **members)["TableDescription"]


def is_strong(client):
    """Whether all members of the table are there."""
    table = described(client)
    others = [each["ReplicaStatus"] for each in table.get("Replicas", [])]
    others += [each["WitnessStatus"] for each in table.get("GlobalTableWitnesses", [])]
    return len(others) == 2 and {*others, table["TableStatus"]} == {"ACTIVE"}


def is_regional(client):
    """Whether the table is one of a single region."""
    table = described(client)
    members = {"Replicas", "GlobalTableWitnesses", "GlobalTableVersion", "MultiRegionConsistency"}
    return table["TableStatus"] == "ACTIVE" and not members & table.keys()


def strong(clients, *regions, witness=None, **definition):
    """A strong table that begins in the region of the first client."""
    first = clients[0]
    first.create_table(TableName=NAME, **(definition or ON_DEMAND))
    make_strong(first, *regions, witness=witness)
    until(lambda: is_strong(first))
