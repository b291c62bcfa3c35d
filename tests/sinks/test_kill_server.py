"""kill -9 of the server while a sink follows it: what was answered still comes, in order."""

import contextlib

import pytest

from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.forks import PIPE, process_of
from tests.ports import free_port
from tests.triggers.receivers import Receiver
from tests.unit.processes import ENVIRONMENT

KILLS = 3
CHANGES = 40
ITEMS = ("a", "b")


def put(url, numbers):
    client = Client(url)
    for number in numbers:
        for key in ITEMS:
            item = {"pk": {"S": key}, "n": {"N": str(number)}}
            client.call("PutItem", TableName="orders", Item=item)
    client.close()


def records_of(receiver):
    return [record for batch in receiver.batches for record in batch]


def numbers_of(records, key):
    """The numbers of an item in the order in which they first came."""
    images = [record["dynamodb"]["NewImage"] for record in records if "dynamodb" in record]
    found = [int(image["n"]["N"]) for image in images if image["pk"]["S"] == key]
    return [*dict.fromkeys(found)]


@pytest.mark.usefixtures("in_tmp_path")
def test_each_change_comes_across_kills_of_the_server(tmp_path):
    directory, port = tmp_path / "data", free_port()
    options = ("--port", str(port), "--stream-shards", "2", "--stream-shard-seconds", "1")
    server = Server(directory, *options)
    client = Client(server.url)
    client.call("CreateTable", TableName="orders", **keyed(pk="S"))
    client.close()
    command = ["replicate-to", "--table", "orders", "--endpoint", server.url]
    with contextlib.closing(Receiver()) as receiver:
        with process_of([*command, receiver.url], environment=ENVIRONMENT, stderr=PIPE) as process:
            try:
                receiver.next()  # the end of the empty snapshot
                for kill in range(KILLS):
                    put(server.url, range(CHANGES * kill, CHANGES * (kill + 1)))
                    server.kill()
                    server = Server(directory, *options)
                last = CHANGES * KILLS
                put(server.url, [last])
                receiver.until(
                    lambda _: all(
                        numbers_of(records_of(receiver), key)[-1:] == [last] for key in ITEMS
                    )
                )
            finally:
                process.kill()
        server.kill()
        records = records_of(receiver)
    assert verify(directory) == ""
    for key in ITEMS:
        assert numbers_of(records, key) == [*range(last + 1)]
