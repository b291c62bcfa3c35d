"""Index entries whose keys are as long as legal items make them."""

import pytest

from hashrange.assembly.verifying import verify
from hashrange.settings.settings import Settings
from tests.api.conftest import client_of
from tests.api.refusals import table_request
from tests.served import ServerThread

NAMES = ("a", "b", "c", "d")
INDEX = {
    "IndexName": "long",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        *({"AttributeName": name, "KeyType": "RANGE"} for name in NAMES),
    ],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}
DEFINITIONS = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", *NAMES)]
ITEM = {"pk": {"S": "1"}, **{name: {"S": "x" * 1024} for name in NAMES}}


@pytest.fixture
def directory(tmp_path):
    """Of the data, which are sound at the end."""
    yield tmp_path / "data"
    assert verify(tmp_path / "data") == []


@pytest.fixture
def client(directory):
    server = ServerThread(Settings(port=0, data=directory, drain_seconds=1))
    yield client_of(server.endpoint)
    server.close()


def listed(client):
    return client.query(
        TableName="table",
        IndexName="long",
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": "1"}},
    )["Count"]


# An entry that the engine stores and that writes take for too long would be there for ever.
def test_an_entry_of_four_longest_sort_attributes_is_deleted_with_its_item(client):
    request = table_request(TableName="table", GlobalSecondaryIndexes=[INDEX])
    client.create_table(**{**request, "AttributeDefinitions": DEFINITIONS})
    client.put_item(TableName="table", Item=ITEM)
    assert listed(client) == 1
    client.delete_item(TableName="table", Key={"pk": {"S": "1"}})
    assert listed(client) == 0
    (index,) = client.describe_table(TableName="table")["Table"]["GlobalSecondaryIndexes"]
    assert (index["ItemCount"], index["IndexSizeBytes"]) == (0, 0)


# The build of an index has to take such items too.
def test_an_index_built_over_such_an_item_has_its_entry(client):
    client.create_table(**table_request(TableName="table"))
    client.put_item(TableName="table", Item=ITEM)
    client.update_table(
        TableName="table",
        AttributeDefinitions=DEFINITIONS,
        GlobalSecondaryIndexUpdates=[{"Create": INDEX}],
    )
    assert any(status(client) == "ACTIVE" for _ in range(10_000))
    assert listed(client) == 1
    client.put_item(TableName="table", Item={**ITEM, "d": {"S": "y" * 1024}})
    assert listed(client) == 1
    client.delete_item(TableName="table", Key={"pk": {"S": "1"}})
    assert listed(client) == 0


def status(client):
    (index,) = client.describe_table(TableName="table")["Table"]["GlobalSecondaryIndexes"]
    return index["IndexStatus"]
