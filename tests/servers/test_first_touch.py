"""A flipped bit of an item, or of its entry in an index, is noticed by the first request."""

import random
import shutil

import apsw
import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands
from tests.api.tables import keyed
from tests.effort import effort
from tests.pace import until
from tests.served import served
from tests.servers.test_noticed_damage import client_of, page

ITEMS = 8
INDEX = {
    "IndexName": "by-text",
    "KeySchema": [{"AttributeName": "text", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
ROWS = "SELECT k, v FROM kv WHERE k >= ? AND k < ? ORDER BY k"
ITEM, ENTRY = (b"\x00\x00\x00\x01\x01", b"\x00\x00\x00\x01\x02", b"\x00\x00\x00\x01\x03")[:2]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    data = tmp_path_factory.mktemp("touched") / "data"
    with served(memory=False, data=data) as server:
        client = client_of(server)
        definition = keyed(p="S")
        definition["AttributeDefinitions"].append({"AttributeName": "text", "AttributeType": "S"})
        client.create_table(TableName="orders", GlobalSecondaryIndexes=[INDEX], **definition)
        for number in range(ITEMS):
            client.put_item(TableName="orders", Item=item_of(number))
    return data


def item_of(number):
    return {"p": {"S": f"order-{number}"}, "text": {"S": f"text-{number}" * 9}}


def flip(file, space, number, at):
    """Flip the bit that lies this far in the stored value of an item, from 0 to 1."""
    with apsw.Connection(str(file)) as connection:
        ((key, value),) = [
            (key, value)
            for key, value in connection.execute(ROWS, (space, space + b"\xff"))
            if f"order-{number}\x03".encode() in value or f'order-{number}"'.encode() in value
        ]
        damaged, bit = bytearray(value), int(at * 8 * len(value))
        damaged[bit // 8] ^= 1 << bit % 8
        connection.execute("UPDATE kv SET v = ? WHERE k = ?", (bytes(damaged), key))
    connection.close()


def touches(client, space, number):
    """Requests that read the row, each of which is the first one in a server."""
    item = item_of(number)
    if space == ENTRY:
        found = {
            "IndexName": "by-text",
            "KeyConditionExpression": "#t = :t",
            "ExpressionAttributeNames": {"#t": "text"},
            "ExpressionAttributeValues": {":t": item["text"]},
        }
        return [
            lambda: client.query(TableName="orders", **found),
            lambda: client.scan(TableName="orders", IndexName="by-text"),
        ]
    key = {"p": item["p"]}
    values = {":p": item["p"]}
    action = {"TableName": "orders", "Key": key}
    return [
        lambda: client.get_item(**action),
        lambda: client.batch_get_item(RequestItems={"orders": {"Keys": [key]}}),
        lambda: client.transact_get_items(TransactItems=[{"Get": action}]),
        lambda: client.query(
            TableName="orders", KeyConditionExpression="p = :p", ExpressionAttributeValues=values
        ),
        lambda: client.scan(TableName="orders"),
        lambda: client.put_item(TableName="orders", Item=item),
        lambda: client.update_item(
            **action, ConditionExpression="p = :p", UpdateExpression="SET n = :p",
            ExpressionAttributeValues=values,
        ),
        lambda: client.transact_write_items(
            TransactItems=[{"ConditionCheck": {
                **action, "ConditionExpression": "attribute_exists(p)"
            }}]
        ),
        lambda: client.execute_statement(
            Statement='SELECT * FROM "orders" WHERE p = ?', Parameters=[item["p"]]
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("workers", [None, 2], ids=["one process", "workers"])
def test_any_flipped_bit_is_noticed_at_the_first_touch(directory, tmp_path, workers):
    draws = random.Random(39)
    more = {} if workers is None else {"workers": workers}
    # With workers, the process that names the place looks once a minute.
    for attempt in range(effort(6, 40) if workers is None else 1):
        space, number, at = (
            draws.choice([ITEM, ITEM, ENTRY]),
            draws.randrange(ITEMS),
            draws.random(),
        )
        copy = tmp_path / f"{attempt}"
        shutil.copytree(directory, copy)
        flip(copy / "hashrange.db", space, number, at)
        with served(memory=False, data=copy, **more) as server:
            client = client_of(server)
            touched = draws.choice(touches(client, space, number))
            for _ in range(2):
                with pytest.raises(
                    (client.exceptions.InternalServerError, client.exceptions.ClientError)
                ) as refused:
                    touched()
                assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
            kind = "entries of by-text" if space == ENTRY else "items"
            assert until(lambda named=kind: f"orders: {named}" in page(server, "/readyz"))
            told = CliRunner().invoke(commands, ["verify", str(copy)])
            assert told.exit_code == 1
            assert "orders" in told.output
            assert "checksum" in told.output or "an item of an unknown format" in told.output
        shutil.rmtree(copy)
