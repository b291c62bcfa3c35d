"""Global tables of servers whose peers are not there."""

import json
import re
import urllib.request
from pathlib import Path

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import VALIDATION
from tests.api.tables import keyed
from tests.copied_pages import fresh
from tests.pace import seconds

NAME, EAST, WEST = "a-table", "us-east-1", "eu-west-1"
KEPT_MS = 60 * 60 * 1000


@pytest.fixture
def endpoint(start_server):
    return start_server(
        namespaces="separate", regions=EAST, peer=f"{WEST}=http://127.0.0.1:1", testing=True,
        peer_log_seconds=KEPT_MS // 1000,
    )  # fmt: skip


@pytest.fixture
def client(endpoint):
    made = client_of(endpoint)
    made.create_table(TableName=NAME, **keyed(pk="S"))
    return made


def update(client, action, region=WEST, **members):
    updates = [{action: {"RegionName": region, **members}}]
    return client.update_table(TableName=NAME, ReplicaUpdates=updates)


def later(endpoint, **units):
    body = json.dumps(units).encode()
    moved = urllib.request.Request(f"{endpoint}/testing/clock", data=body, method="POST")
    with urllib.request.urlopen(moved, timeout=seconds(30)) as answer:
        assert answer.status == 200


def states(client):
    replicas = client.describe_table(TableName=NAME)["Table"].get("Replicas", [])
    return [(each["RegionName"], each["ReplicaStatus"]) for each in replicas]


def test_a_replica_is_created_when_its_server_is_there(client, endpoint):
    update(client, "Create")
    later(endpoint, minutes=10)
    assert states(client) == [(WEST, "CREATING")]
    client.put_item(TableName=NAME, Item={"pk": {"S": "1"}})
    assert client.get_item(TableName=NAME, Key={"pk": {"S": "1"}})["Item"] == {"pk": {"S": "1"}}


def test_other_regions_are_refused(client):
    with pytest.raises(client.exceptions.ClientError) as error:
        update(client, "Create", "ap-south-1")
    assert error.value.response["Error"]["Code"] == VALIDATION


def test_tables_in_the_region_of_another_server_have_no_replicas(endpoint):
    elsewhere = client_of(endpoint, region_name=WEST)
    elsewhere.create_table(TableName=NAME, **keyed(pk="S"))
    with pytest.raises(elsewhere.exceptions.ClientError) as error:
        update(elsewhere, "Create", EAST)
    assert error.value.response["Error"]["Code"] == VALIDATION
    assert "Region eu-west-1 is not supported" in error.value.response["Error"]["Message"]


def test_metrics_tell_of_peers(client, endpoint):
    update(client, "Create")
    later(endpoint, minutes=1)
    lines = fresh(f"{endpoint}/metrics").splitlines()
    rows = (line.split() for line in lines if line.startswith("hashrange_peer_"))
    found = {name.partition("{")[0]: value for name, value in rows}
    assert float(found["hashrange_peer_call_failures_total"]) > 0
    assert float(found["hashrange_peer_changes_total"]) == 0
    page = (Path(__file__).resolve().parents[2] / "docs" / "operating.md").read_text("utf-8")
    assert set(found) == set(re.findall(r"^\| `(hashrange_peer_[a-z_]+)` \|", page, re.MULTILINE))
