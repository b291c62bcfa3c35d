"""A server on PostgreSQL: what differs from one on its own directory."""

import asyncio
import http.client
import json
import signal
import threading
import uuid

import asyncpg
import pytest
from botocore.exceptions import ClientError

from hashrange.assembly.verifying import verify
from hashrange.settings.settings import Settings
from tests.api.conftest import client_of
from tests.api.refusals import table_request
from tests.crash.server import AUTHORIZATION
from tests.engines.postgres_server import PostgresServer, shared, url_of
from tests.pace import seconds, until
from tests.served import ServerThread


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


@pytest.fixture
def start():
    """Starts servers on a URL."""
    servers = []

    def on(url):
        servers.append(ServerThread(Settings(port=0, engine=url, drain_seconds=1)))
        return servers[-1]

    yield on
    for server in servers:
        if server.is_running:
            server.close()


def put(client, number):
    client.put_item(TableName="table", Item={"pk": {"S": f"{number}"}, "n": {"N": f"{number}"}})


def numbers(client):
    pages = client.get_paginator("scan").paginate(TableName="table", ConsistentRead=True)
    return {int(item["n"]["N"]) for page in pages for item in page["Items"]}


# Servers keep nothing: another one, at the same time or later, finds all of it.
def test_servers_share_their_tables_and_nothing_ends_with_one(url, start):
    first, second = start(url), start(url)
    one, two = client_of(first.endpoint), client_of(second.endpoint)
    one.create_table(**table_request(TableName="table"))
    put(one, 1)
    put(two, 2)
    assert numbers(one) == numbers(two) == {1, 2}
    two.update_item(
        TableName="table",
        Key={"pk": {"S": "1"}},
        UpdateExpression="ADD n :one",
        ExpressionAttributeValues={":one": {"N": "10"}},
        ConditionExpression="attribute_exists(pk)",
    )
    first.close()
    assert numbers(two) == {11, 2}
    second.close()
    assert verify(url) == []


# A table that one server deletes and makes anew is another table for all.
def test_a_table_made_anew_by_another_server_is_the_new_one(url, start):
    one, two = client_of(start(url).endpoint), client_of(start(url).endpoint)
    one.create_table(**table_request(TableName="table"))
    put(two, 1)
    one.delete_table(TableName="table")
    with pytest.raises(two.exceptions.ResourceNotFoundException):
        put(two, 2)
    one.create_table(**table_request(TableName="table"))
    put(two, 3)
    assert numbers(one) == {3}


# Clients meet 500 while the database is away, which SDKs repeat, and lose nothing acknowledged.
@pytest.mark.long
def test_a_database_that_crashes_under_load_loses_nothing(start):
    database = PostgresServer()
    try:
        server = start(database.url)
        client_of(server.endpoint).create_table(**table_request(TableName="table"))
        done, codes = set(), set()
        enough, over = threading.Semaphore(0), threading.Event()

        def load(lane):
            client, number = client_of(server.endpoint), lane
            while not over.is_set():
                number += 4
                try:
                    put(client, number)
                    done.add(number)
                    enough.release()
                except ClientError as error:
                    codes.add(error.response["Error"]["Code"])

        threads = [threading.Thread(target=load, args=(lane,)) for lane in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(50):
                assert enough.acquire(timeout=seconds(20))
            database.stop(signal.SIGQUIT)
            database.start()
            before = len(done)
            for _ in range(before + 50):
                assert enough.acquire(timeout=seconds(20))
        finally:
            over.set()
            for thread in threads:
                thread.join(seconds(20))
        assert done <= numbers(client_of(server.endpoint))
        assert codes <= {"InternalServerError"}
        server.close()
        assert verify(database.url) == []
    finally:
        database.remove()


# Whoever hangs up in the middle of a request holds no lock afterwards, here while others write the
# same item all the time.
@pytest.mark.long
def test_clients_that_disconnect_under_load_leave_no_transaction(url, start):
    server = start(url)
    client = client_of(server.endpoint)
    client.create_table(**table_request(TableName="table"))
    body = json.dumps({"TableName": "table", "Item": {"pk": {"S": "1"}, "n": {"N": "1"}}})
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.PutItem",
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": AUTHORIZATION,
    }
    over, written, failed = threading.Event(), threading.Semaphore(0), []

    def load():
        mine = client_of(server.endpoint)
        while not over.is_set():
            try:
                put(mine, 1)
                written.release()
            except ClientError as error:
                failed.append(error)

    async def left_behind():
        """Transactions that are open and wait for a client, again and again."""
        connection = await asyncpg.connect(shared().url)
        try:
            text = "SELECT pid FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
            return [await connection.fetch(text) for _ in range(20)]
        finally:
            await connection.close()

    threads = [threading.Thread(target=load) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for number in range(150):
            connection = http.client.HTTPConnection(server.endpoint.removeprefix("http://"))
            connection.request("POST", "/", body, headers)
            if number % 3:  # the others go before the server has looked
                assert written.acquire(timeout=seconds(20))
            connection.close()
        seen = asyncio.run(left_behind())
    finally:
        over.set()
        for thread in threads:
            thread.join(seconds(20))
    assert seen == [[]] * 20
    assert failed == []
    put(client, 1)  # the row is free
    assert asyncio.run(left_behind()) == [[]] * 20


NAMES = ["a", "b", "c", "d"]
LONG = {
    "IndexName": "long",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        *({"AttributeName": name, "KeyType": "RANGE"} for name in NAMES),
    ],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}
DEFINITIONS = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", *NAMES)]


def item_of(pk, **shorter):
    return {"pk": {"S": pk}} | {name: {"S": shorter.get(name, "x" * 1000)} for name in NAMES}


# An index row of PostgreSQL has a bound that DynamoDB's keys of several attributes may pass.
def test_a_key_of_several_attributes_that_is_too_long_is_refused(url, start):
    client = client_of(start(url).endpoint)
    request = table_request(TableName="table", GlobalSecondaryIndexes=[LONG])
    client.create_table(**{**request, "AttributeDefinitions": DEFINITIONS})
    with pytest.raises(ClientError, match="a key of more than 2600 bytes"):
        client.put_item(TableName="table", Item=item_of("1"))
    assert client.scan(TableName="table")["Count"] == 0
    client.put_item(TableName="table", Item=item_of("1", a="y", b="y"))
    assert client.scan(TableName="table", IndexName="long")["Count"] == 1


# What was there before the index is left out of it, as an item whose attribute has another type.
def test_an_index_over_items_with_too_long_keys_is_finished_without_them(url, start):
    server = start(url)
    client = client_of(server.endpoint)
    client.create_table(**table_request(TableName="table"))
    for pk in ("1", "2", "3"):
        client.put_item(TableName="table", Item=item_of(pk))
    client.put_item(TableName="table", Item=item_of("4", a="y", b="y"))
    client.update_table(
        TableName="table",
        AttributeDefinitions=DEFINITIONS,
        GlobalSecondaryIndexUpdates=[{"Create": LONG}],
    )

    def state():
        (index,) = client.describe_table(TableName="table")["Table"]["GlobalSecondaryIndexes"]
        return index["IndexStatus"]

    def is_built():
        client.delete_item(TableName="table", Key={"pk": {"S": "3"}})  # also meanwhile
        return state() == "ACTIVE"

    until(is_built)
    listed = client.scan(TableName="table", IndexName="long")["Items"]
    assert [item["pk"]["S"] for item in listed] == ["4"]
    with pytest.raises(ClientError, match="a key of more than 2600 bytes"):
        client.put_item(TableName="table", Item=item_of("1", a="z" * 1000))
    client.delete_item(TableName="table", Key={"pk": {"S": "1"}})
    client.put_item(TableName="table", Item=item_of("2", c="y", d="y"))
    assert client.scan(TableName="table", IndexName="long")["Count"] == 2
    server.close()
    assert verify(url) == []
