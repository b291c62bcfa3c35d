"""Items that were damaged on the disk are not answered, and not computed with."""

from pathlib import Path

import apsw
import pytest

from hashrange.settings.settings import Settings
from hashrange.storage.engine import Changes, StorageError
from hashrange.tables.writing.checked_values import CheckedEngine
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.served import ServerThread
from tests.unit.api.dynamodb.still_server import StillServer

KEY, OTHER = {"pk": {"S": "a"}}, {"pk": {"S": "b"}}
VALUE = "a value that is long enough to be found"
INDEX = {
    "IndexName": "by-v",
    "KeySchema": [{"AttributeName": "v", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
OF_A_INDEX = {
    "IndexName": "by-v",
    "KeyConditionExpression": "v = :v",
    "ExpressionAttributeValues": {":v": {"S": VALUE}},
}
UPDATE = {"Key": KEY, "UpdateExpression": "SET w = :w"}
ACTION = {"Get": {"TableName": "a-table", "Key": KEY}}
REQUESTS = {
    "GetItem": {"Key": KEY},
    "Query": {
        "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": KEY["pk"]}
    },
    "Scan": {},
    "UpdateItem": {**UPDATE, "ExpressionAttributeValues": {":w": {"S": "w"}}},
    "PutItem": {"Item": KEY, "ConditionExpression": "attribute_exists(v)"},
    "TransactGetItems": {"TransactItems": [ACTION]},
}  # fmt: skip


class DamagedServer(StillServer):
    """One item, and its entry in an index, have a bit that was flipped."""

    def __init__(self, wrap):
        super().__init__(transient_ms=0, wrap=wrap)
        self.create(
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "v")
            ],
            GlobalSecondaryIndexes=[INDEX],
        )
        for key in (KEY, OTHER):
            self.call("PutItem", Item={**key, "v": {"S": VALUE}})
        self.run(self.damage())

    async def damage(self):
        pairs = await self.engine.scan(b"", b"\xff" * 5, limit=1000, bytes_max=10**6)
        packed = b"pk\x01a\x03"
        damaged = {key: value.replace(b"long", b"lonf") for key, value in pairs if packed in value}
        assert len(damaged) == 2
        await self.engine.write([*damaged], lambda _: Changes(answer=None, puts=damaged))


@pytest.fixture(params=[CheckedEngine, None], ids=["checked", "unchecked"])
def server(request):
    made = DamagedServer(request.param)
    yield made
    made.end()


@pytest.mark.parametrize("operation", REQUESTS)
def test_a_damaged_item_is_not_answered(server, operation):
    if server.wrapped is server.engine:
        server.run(server.performed(operation, **REQUESTS[operation]))
        return
    with pytest.raises(StorageError, match="of the table with number 1 is damaged"):
        server.run(server.performed(operation, **REQUESTS[operation]))


def test_an_index_entry_is_checked_too(server):
    if server.wrapped is not server.engine:
        with pytest.raises(StorageError, match="is damaged"):
            server.call("Query", **OF_A_INDEX)


def test_other_items_are_answered(server):
    assert server.call("GetItem", Key=OTHER)["Item"] == {**OTHER, "v": {"S": VALUE}}
    server.call("PutItem", Item=OTHER)
    assert server.call("GetItem", Key=OTHER)["Item"] == OTHER


def flip(data_file: Path):
    with apsw.Connection(str(data_file)) as connection:
        (row,) = [
            (key, value)
            for key, value in connection.execute("SELECT k, v FROM kv")
            if isinstance(value, bytes) and b"long enough" in value
        ]
        damaged = row[1].replace(b"long", b"lonf")
        connection.execute("UPDATE kv SET v = ? WHERE k = ?", (damaged, row[0]))
    connection.close()


@pytest.mark.parametrize("verify_reads", [False, True])
def test_the_setting_decides(tmp_path, verify_reads):
    directory = tmp_path / "data"
    for is_damaged in (False, True):
        server = ServerThread(
            Settings(port=0, data=directory, verify_reads=verify_reads, drain_seconds=1)
        )
        try:
            client = client_of(server.endpoint)
            if not is_damaged:
                client.create_table(TableName="a-table", **keyed(pk="S"))
                client.put_item(TableName="a-table", Item={**KEY, "v": {"S": VALUE}})
            elif verify_reads:
                with pytest.raises(client.exceptions.InternalServerError):
                    client.get_item(TableName="a-table", Key=KEY)
            else:
                assert client.get_item(TableName="a-table", Key=KEY)["Item"]["v"]["S"] != VALUE
        finally:
            server.close()
        if not is_damaged:
            flip(directory / "hashrange.db")
