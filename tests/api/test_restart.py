"""What was acknowledged is there when the server starts again on the same directory."""

import pytest

from hashrange.assembly.verifying import verify
from hashrange.settings.settings import Settings
from tests.api.conftest import client_of
from tests.api.refusals import NOT_FOUND, VALIDATION, refusal, table_request
from tests.api.streams import (
    arn_of,
    changes_of,
    iterator_of,
    records_from,
    replayed,
    shards_of,
    streaming,
)
from tests.served import ServerThread


@pytest.fixture
def served(tmp_path):
    """Serves a directory to a function, from the start of a server to its end."""

    def serve(use):
        server = ServerThread(Settings(port=0, data=tmp_path / "data", drain_seconds=1))
        try:
            return use(client_of(server.endpoint))
        finally:
            server.close()

    yield serve
    assert verify(tmp_path / "data") == []


# Definitions, tags, sizes and items; nothing is told apart from a server that never stopped.
def test_tables_survive(served):
    def make(client):
        units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        request = table_request(
            TableName="kept",
            BillingMode="PROVISIONED",
            ProvisionedThroughput=units,
            DeletionProtectionEnabled=True,
            Tags=[{"Key": "a", "Value": "b"}],
        )
        client.create_table(**request)
        units["ReadCapacityUnits"] = 9
        client.update_table(TableName="kept", ProvisionedThroughput=units)
        client.update_table(TableName="kept", TableClass="STANDARD_INFREQUENT_ACCESS")
        client.update_table(TableName="kept", WarmThroughput={"ReadUnitsPerSecond": 99})
        client.put_item(TableName="kept", Item={"pk": {"S": "k"}})
        return look(client)

    def look(client):
        table = client.describe_table(TableName="kept")["Table"]
        listed = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
        return table, listed, client.scan(TableName="kept")["Items"]

    made = served(make)
    assert made[0]["ItemCount"] == 1
    assert served(look) == made


# A table that is gone stays gone, whether or not its rows were cleared before the server stopped.
def test_deleted_tables_stay_deleted(served):
    def make(client):
        for name in ("gone", "kept"):
            client.create_table(**table_request(TableName=name))
            for number in range(30):
                client.put_item(TableName=name, Item={"pk": {"S": str(number)}})
        client.delete_table(TableName="gone")

    def look(client):
        assert client.list_tables()["TableNames"] == ["kept"]
        assert refusal(client.describe_table, TableName="gone")[0] == NOT_FOUND
        client.create_table(**table_request(TableName="gone"))
        return client.scan(TableName="gone")["Count"], client.scan(TableName="kept")["Count"]

    served(make)
    assert served(look) == (0, 30)


# Tokens are authenticated with a secret, which is kept; that of another directory is another.
def test_tokens_of_statements_survive(served, tmp_path):
    statement = {"Statement": "SELECT * FROM \"kept\" WHERE pk IN ['1', '2']", "Limit": 1}

    def make(client):
        client.create_table(**table_request(TableName="kept"))
        for key in "12":
            client.put_item(TableName="kept", Item={"pk": {"S": key}})
        return client.execute_statement(**statement)["NextToken"]

    def go_on(client):
        return client.execute_statement(**statement, NextToken=token)["Items"]

    def refuse(client):
        return refusal(client.execute_statement, **statement, NextToken=token)

    token = served(make)
    assert served(go_on) == [{"pk": {"S": "2"}}]
    other = ServerThread(Settings(port=0, data=tmp_path / "other", drain_seconds=1))
    try:
        make(client_of(other.endpoint))
        assert refuse(client_of(other.endpoint)) == (VALIDATION, "Invalid NextToken")
    finally:
        other.close()


# A reader that was under way goes on: its iterator, its stream, and the numbers of the records.
def test_streams_survive(tmp_path):
    def served(use):
        server = ServerThread(Settings(port=0, data=tmp_path / "data", drain_seconds=1))
        try:
            return use(client_of(server.endpoint), client_of(server.endpoint, "dynamodbstreams"))
        finally:
            server.close()

    def make(client, streams):
        client.create_table(**table_request(TableName="kept", **streaming()))
        client.put_item(TableName="kept", Item={"pk": {"S": "1"}})
        client.put_item(TableName="kept", Item={"pk": {"S": "2"}})
        arn = arn_of(client, "kept")
        (shard,) = shards_of(streams, arn)
        iterator = iterator_of(streams, arn, shard["ShardId"])
        answer = streams.get_records(ShardIterator=iterator, Limit=1)
        return arn, shard, answer["NextShardIterator"], changes_of(streams, arn)

    def go_on(client, streams):
        assert arn_of(client, "kept") == arn
        assert shards_of(streams, arn) == [shard]
        client.put_item(TableName="kept", Item={"pk": {"S": "3"}})
        records = records_from(streams, iterator)
        assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["2", "3"]
        assert changes_of(streams, arn)[:2] == before
        replayed(changes_of(streams, arn))

    arn, shard, iterator, before = served(make)
    served(go_on)
    assert verify(tmp_path / "data") == []
