"""One of several servers does the work in the background, whatever becomes of it."""

import time
import uuid

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import table_request
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.fleet import Fleet, leads

TABLE = "table"
KEY = {"pk": {"S": "1"}}


@pytest.fixture
def fleet():
    made = Fleet(url_of(str(uuid.uuid4())), 3)
    yield made
    made.end()


def put_expired(client):
    until = {"N": str(time.time_ns() // 10**9 - 60)}
    client.put_item(TableName=TABLE, Item={**KEY, "until": until})


def is_gone(client):
    return "Item" not in client.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True)


# Asked to stop, the leader lets another one lead; stopped as a machine is that is suspended, it is
# followed, and finds that out when it wakes. Items expire all the time, set on whichever server.
def test_leadership_passes_on(fleet):
    first = fleet.await_leader()
    one = client_of(next(server.url for server in fleet.servers if server is not first))
    one.create_table(**table_request(TableName=TABLE))
    one.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}
    )
    put_expired(one)
    until(lambda: is_gone(one))
    fleet.servers.remove(first)
    first.terminate()
    second = fleet.await_leader()
    put_expired(one)
    until(lambda: is_gone(one))
    fleet.servers.remove(second)
    second.pause()
    (last,) = fleet.servers
    client = client_of(last.url)
    try:
        assert fleet.await_leader() is last
        put_expired(client)
        until(lambda: is_gone(client))
    finally:
        second.resume()
        fleet.servers.append(second)
    # On a busy machine it may come back to the one that woke; but it is one.
    until(lambda: leads(last) != leads(second))
