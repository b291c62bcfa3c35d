"""Transactions and single writes that meet between servers: each once, in DynamoDB's words."""

import threading
import uuid
from collections import Counter
from functools import partial

import pytest

from hashrange.assembly.verifying import verify
from hashrange.settings.settings import Settings
from tests.api.refusals import table_request
from tests.api.transactions import put, update
from tests.crash.server import Client
from tests.engines.postgres_server import url_of
from tests.served import ServerThread

T = "table"
KEYS = [{"pk": {"S": f"key-{number}"}} for number in range(2)]
ONE = {":one": {"N": "1"}}
ROUNDS = 20
CLIENTS = 4
COUNTS = 40
MET = {
    "TransactionCanceledException",
    "TransactionConflictException",
    "TransactionInProgressException",
    "ThrottlingException",
}
"""What a client may be told that meets others; after each of them nothing has happened."""


@pytest.fixture
def clients():
    """Clients of two servers in turn, which try nothing again by themselves."""
    url = url_of(str(uuid.uuid4()))
    servers = [ServerThread(Settings(port=0, engine=url, drain_seconds=1)) for _ in range(2)]
    made = [Client(servers[number % 2].endpoint) for number in range(CLIENTS)]
    made[0].call("CreateTable", **table_request(TableName=T))
    yield made
    for client in made:
        client.close()
    for server in servers:
        server.close()
    assert verify(url) == []


def add(token, *keys):
    actions = [update(T, key, "ADD n :one", ExpressionAttributeValues=ONE) for key in keys]
    return {
        "TransactItems": actions,
        "ClientRequestToken": token,
        "ReturnConsumedCapacity": "TOTAL",
    }


def counted(client, key=KEYS[0]):
    item = client.call("GetItem", TableName=T, Key=key, ConsistentRead=True).get("Item")
    return 0 if item is None else int(item["n"]["N"])


def code_of(client, operation, **request):
    """The name of the error, or OK."""
    try:
        client.call(operation, **request)
    except RuntimeError as error:
        return error.args[0]["__type"].rpartition("#")[2]
    return "OK"


def together(*calls):
    """Let all be called at the same moment, each in a thread."""
    start = threading.Barrier(len(calls))

    def run(call):
        start.wait()
        call()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# A client that heard nothing from one server asks another one.
def test_a_token_of_one_server_is_known_to_another(clients):
    one, other = clients[:2]
    one.call("TransactWriteItems", **add("token", *KEYS))
    again = other.call("TransactWriteItems", **add("token", *KEYS))
    assert "ReadCapacityUnits" in again["ConsumedCapacity"][0]
    assert counted(one) == counted(other) == 1
    request = {"TransactItems": [put(T, KEYS[0])], "ClientRequestToken": "token"}
    code = code_of(other, "TransactWriteItems", **request)
    assert code == "IdempotentParameterMismatchException"


# Sent to both servers at once, again and again, each is done once; who is refused may ask again.
def test_a_token_sent_to_two_servers_at_once_is_done_once(clients):
    codes = Counter()

    def send(client, request):
        codes[code_of(client, "TransactWriteItems", **request)] += 1

    for number in range(ROUNDS):
        request = add(f"token-{number}", *KEYS)
        together(*(partial(send, client, request) for client in clients))
    assert counted(clients[0]) == counted(clients[1], KEYS[1]) == ROUNDS
    assert codes["OK"] >= ROUNDS
    assert set(codes) <= {"OK", *MET}


# Single writes and transactions on two items, from both servers: what was answered was done, once.
def test_what_meets_on_an_item_is_counted_exactly(clients):
    done, codes = Counter(), Counter()

    def single(client):
        for number in range(COUNTS):
            request = {
                "TableName": T,
                "Key": KEYS[number % 2],
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": ONE,
            }
            code = code_of(client, "UpdateItem", **request)
            codes[code] += 1
            done[number % 2] += code == "OK"

    def both(client, name):
        for number in range(COUNTS):
            code = code_of(client, "TransactWriteItems", **add(f"{name}-{number}", *KEYS))
            codes[code] += 1
            done.update({0: code == "OK", 1: code == "OK"})

    together(
        lambda: single(clients[0]),
        lambda: single(clients[1]),
        lambda: both(clients[2], "a"),
        lambda: both(clients[3], "b"),
    )
    assert [counted(clients[0], key) for key in KEYS] == [done[0], done[1]]
    assert set(codes) <= {"OK", *MET}
