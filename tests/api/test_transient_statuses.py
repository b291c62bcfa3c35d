"""CREATING, UPDATING and DELETING for a while, as on AWS, for code that has to wait for them."""

import pytest

import hashrange
from hashrange.settings.kinds import Namespaces
from hashrange.testing_pages import ServerClock
from tests.api.conftest import client_of
from tests.api.refusals import IN_USE, NOT_FOUND, VALIDATION, refusal, table_request
from tests.api.replicas import ACCOUNTS
from tests.pace import until

IN_THE_WAY = "Attempt to change a resource which is still in use: "
STILL_IN_USE = f"{IN_THE_WAY}Table is being "
NO_TTL = "Cannot describe time to live while table is in {0} state: Current table state is {0}"
POLL = {"Delay": 0.05, "MaxAttempts": 400}
HOUR_MS = 60 * 60 * 1000
NAME = {"TableName": "a-table"}


@pytest.fixture(scope="module")
def slow(start_server):
    """A server on which a table that was begun stays CREATING, and the table `creating`."""
    client = client_of(start_server(delay_transient_statuses=True, transient_status_ms=HOUR_MS))
    client.create_table(**table_request(TableName="creating"))
    return client


@pytest.fixture
def movable(start_server):
    """A server whose tables take an hour and whose clock moves, and a table that is ACTIVE."""
    transient = {"delay_transient_statuses": True, "transient_status_ms": HOUR_MS}
    endpoint = start_server(testing=True, **transient)
    client, clock = client_of(endpoint), ServerClock(endpoint)
    client.create_table(**table_request(**NAME))
    assert status(client) == "CREATING"
    await_change(client, clock, "table_exists")
    return client, clock


def status(client):
    return client.describe_table(**NAME)["Table"]["TableStatus"]


def await_change(client, clock, waiter):
    clock.advance(milliseconds=HOUR_MS)
    client.get_waiter(waiter).wait(**NAME, WaiterConfig=POLL)


# The status of a new table, until it can be used. Source: the API Reference.
def test_table_is_creating(slow):
    assert slow.describe_table(TableName="creating")["Table"]["TableStatus"] == "CREATING"
    assert slow.list_tables()["TableNames"] == ["creating"]


# The data plane does not know the table yet. Catalogue 154.
def test_items_of_a_table_that_is_creating(slow):
    told = (NOT_FOUND, "Requested resource not found")
    item = {"pk": {"S": "k"}}
    assert refusal(slow.put_item, TableName="creating", Item=item) == told
    assert refusal(slow.get_item, TableName="creating", Key=item) == told
    assert refusal(slow.scan, TableName="creating") == told
    assert refusal(slow.batch_get_item, RequestItems={"creating": {"Keys": [item]}}) == told


# Catalogue 152.
def test_changes_of_a_table_that_is_creating(slow):
    told = (IN_USE, f"{STILL_IN_USE}created: creating")
    assert refusal(slow.update_table, TableName="creating", TableClass="STANDARD") == told
    assert refusal(slow.delete_table, TableName="creating") == told


# Tags, backups and time to live do not know it yet either, each in words of its own. Measured by
# users, 2026.
def test_what_does_not_know_a_table_that_is_creating(slow):
    arn = slow.describe_table(TableName="creating")["Table"]["TableArn"]
    missing = (NOT_FOUND, f"Requested resource not found: ResourceArn: {arn} not found")
    assert refusal(slow.list_tags_of_resource, ResourceArn=arn) == missing
    assert refusal(slow.tag_resource, ResourceArn=arn, Tags=[{"Key": "k", "Value": ""}]) == missing
    assert refusal(slow.untag_resource, ResourceArn=arn, TagKeys=["k"]) == missing
    told = refusal(slow.describe_continuous_backups, TableName="creating")
    assert told == ("TableNotFoundException", "Table not found: creating")
    told = refusal(slow.describe_time_to_live, TableName="creating")
    assert told == (VALIDATION, NO_TTL.format("CREATING"))
    change = {"Enabled": True, "AttributeName": "a"}
    told = refusal(slow.update_time_to_live, TableName="creating", TimeToLiveSpecification=change)
    assert told == (NOT_FOUND, "Requested resource not found: Table: creating not found")


# The name is taken from the beginning. Measured by users, 2026.
def test_name_of_a_table_that_is_creating(slow):
    told = refusal(slow.create_table, **table_request(TableName="creating"))
    assert told == (IN_USE, f"{STILL_IN_USE}created: creating")


# While UPDATING items are served, the table is described as it was, and another change has to wait.
# Source: the API Reference; measured by users, 2026.
def test_table_is_updating(movable):
    client, clock = movable
    item = {"pk": {"S": "k"}}
    client.put_item(**NAME, Item=item)
    client.update_table(**NAME, TableClass="STANDARD_INFREQUENT_ACCESS")
    table = client.describe_table(**NAME)["Table"]
    assert table["TableStatus"] == "UPDATING"
    assert "TableClassSummary" not in table
    code, text = refusal(client.update_table, **NAME, TableClass="STANDARD")
    assert code == IN_USE
    assert text.endswith("Table: a-table TableClassUpdateInProgress: STANDARD_INFREQUENT_ACCESS")
    assert client.get_item(**NAME, Key=item)["Item"] == item
    told = (IN_USE, f"{IN_THE_WAY}Table: a-table is in the process of being updated.")
    assert refusal(client.delete_table, **NAME) == told
    await_change(client, clock, "table_exists")
    summary = client.describe_table(**NAME)["Table"]["TableClassSummary"]
    assert summary["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert client.update_table(**NAME, TableClass="STANDARD")


# While DELETING the table is described and listed, cannot be changed or deleted again, and items
# are gone; then the table is. Source: the API Reference; measured by users, 2026.
def test_table_is_deleting(movable):
    client, clock = movable
    client.put_item(**NAME, Item={"pk": {"S": "k"}})
    deleted = client.delete_table(**NAME)["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    described = client.describe_table(**NAME)["Table"]
    assert (described["TableStatus"], described["TableId"]) == ("DELETING", deleted["TableId"])
    told = (IN_USE, f"{STILL_IN_USE}deleted: a-table")
    assert refusal(client.delete_table, **NAME) == told
    assert refusal(client.update_table, **NAME, TableClass="STANDARD") == told
    assert client.list_tables()["TableNames"] == ["a-table"]
    told = refusal(client.describe_time_to_live, **NAME)
    assert told == (VALIDATION, NO_TTL.format("DELETING"))
    assert refusal(client.scan, **NAME) == (NOT_FOUND, "Requested resource not found")
    told = refusal(client.create_table, **table_request(**NAME))
    assert told == (IN_USE, "Table already exists: a-table")
    await_change(client, clock, "table_not_exists")
    assert client.list_tables()["TableNames"] == []
    assert client.create_table(**table_request(**NAME))["TableDescription"]["ItemCount"] == 0


def test_table_is_active_when_its_time_has_passed(start_server):
    client = client_of(start_server(delay_transient_statuses=True, transient_status_ms=200))
    client.create_table(**table_request(**NAME))
    client.get_waiter("table_exists").wait(**NAME, WaiterConfig=POLL)
    client.put_item(**NAME, Item={"pk": {"S": "k"}})


# Without the setting nobody waits: the statuses stand in the answers only.
def test_tables_change_at_once_by_default(start_server):
    client = client_of(start_server())
    assert client.create_table(**table_request(**NAME))["TableDescription"]["TableStatus"] == (
        "CREATING"
    )
    assert status(client) == "ACTIVE"
    answer = client.update_table(**NAME, TableClass="STANDARD")
    assert answer["TableDescription"]["TableStatus"] == "UPDATING"
    assert status(client) == "ACTIVE"
    assert client.delete_table(**NAME)["TableDescription"]["TableStatus"] == "DELETING"
    assert refusal(client.describe_table, **NAME)[0] == NOT_FOUND
    assert client.list_tables()["TableNames"] == []


# A table with replicas does not say what goes on. Measured by users, October 2026.
def test_global_table_is_updating():
    transient = {"delay_transient_statuses": True, "transient_status_ms": HOUR_MS}
    regions = {"namespaces": Namespaces.SEPARATE, "regions": "us-east-1,eu-west-1"}
    with hashrange.start(testing=True, **transient, **regions) as server:
        client = client_of(server.endpoint, aws_access_key_id=str(next(ACCOUNTS)))
        client.create_table(**table_request(**NAME))
        server.clock.advance(hours=1)
        create = [{"Create": {"RegionName": "eu-west-1"}}]
        client.update_table(**NAME, ReplicaUpdates=create)
        server.clock.advance(hours=1)
        until(lambda: status(client) == "ACTIVE")
        client.update_table(**NAME, TableClass="STANDARD_INFREQUENT_ACCESS")
        told = (IN_USE, "The resource which you are attempting to change is in use.")
        assert refusal(client.update_table, **NAME, TableClass="STANDARD") == told
        assert refusal(client.delete_table, **NAME) == told
