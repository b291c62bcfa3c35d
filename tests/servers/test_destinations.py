"""The destination of a table of several servers: one delivers, another one goes on, each once."""

import uuid
from collections import Counter

import pytest

from tests.api.conftest import client_of
from tests.api.destinations import changes_in, disable, enable
from tests.api.kinesis import arn_of
from tests.api.refusals import table_request
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.fleet import Fleet

TABLE = "table"
WRITES = 60


@pytest.fixture
def fleet():
    made = Fleet(url_of(str(uuid.uuid4())), 2, "--stream-shards", "2")
    yield made
    made.end()


def write(server, round_):
    client = client_of(server.url)
    for number in range(WRITES):
        item = {"pk": {"S": f"{number % 5}"}, "n": {"N": str(round_ * WRITES + number)}}
        client.put_item(TableName=TABLE, Item=item)


def numbers(server):
    """The numbers that came, by the keys of their items."""
    found = {}
    for each in changes_in(client_of(server.url, "kinesis"), "changes"):
        image = each["dynamodb"]["NewImage"]
        found.setdefault(image["pk"]["S"], []).append(int(image["n"]["N"]))
    return found


# Enabled and disabled through one server, written through all, with the one that delivers killed.
def test_another_server_goes_on(fleet):
    first = fleet.servers[0]
    dynamodb, kinesis = client_of(first.url), client_of(first.url, "kinesis")
    dynamodb.create_table(**table_request(TableName=TABLE))
    kinesis.create_stream(StreamName="changes", ShardCount=2)
    enable(dynamodb, TABLE, arn_of("changes"))
    write(fleet.servers[0], 0)
    write(fleet.servers[1], 1)
    fleet.kill(fleet.await_leader())
    write(fleet.servers[0], 2)
    last = fleet.start()
    write(last, 3)
    until(lambda: sum(map(len, numbers(last).values())) >= 4 * WRITES)
    found = numbers(last)
    assert Counter(number for each in found.values() for number in each) == Counter(
        range(4 * WRITES)
    )
    assert all(each == sorted(each) for each in found.values())
    disable(client_of(last.url), TABLE, arn_of("changes"))
