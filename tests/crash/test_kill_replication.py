"""kill -9 of the real server while two replicas of a global table are written."""

import itertools
import threading

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tests.api.tables import keyed
from tests.crash.server import Server, verify
from tests.effort import effort
from tests.pace import until

NAME = "a-table"
REGIONS = ("us-east-1", "eu-west-1")
ACCOUNT = "123456789012"
ROUNDS = effort(2, 4)
ITEMS = 20
WRITES = effort(150, 600)
"""In each region, before each kill."""


def client_in(server, region):
    return boto3.client(
        "dynamodb", region_name=region, endpoint_url=server.url, aws_access_key_id=ACCOUNT,
        aws_secret_access_key="none", config=Config(retries={"total_max_attempts": 1}),
    )  # fmt: skip


def started(place):
    return Server(place, "--namespaces", "separate", "--regions", ",".join(REGIONS))


def items(client):
    pages = client.get_paginator("scan").paginate(TableName=NAME, ConsistentRead=True)
    return {each["pk"]["S"]: each["n"]["N"] for page in pages for each in page["Items"]}


class Writer(threading.Thread):
    """Writes items of its own and items of all in one region until the server is killed."""

    def __init__(self, client, region, start):
        super().__init__()
        self._client, self._region, self._start = client, region, start
        self.acknowledged, self.uncertain = {}, None
        self.has_written = threading.Event()

    def run(self):
        try:
            for number in itertools.count(self._start):  # bound: the server is killed
                self._write(number)
                if number - self._start == WRITES:
                    self.has_written.set()
        except (BotoCoreError, ClientError):
            self.has_written.set()

    def _write(self, number):
        shared = {"pk": {"S": f"all-{number % ITEMS}"}, "n": {"N": str(number)}}
        self._client.put_item(TableName=NAME, Item=shared)
        own = f"{self._region}-{number % ITEMS}"
        key = {"pk": {"S": own}}
        self.uncertain = own
        if number % 3:
            self._client.put_item(TableName=NAME, Item={**key, "n": {"N": str(number)}})
            self.acknowledged[own] = str(number)
        else:
            self._client.delete_item(TableName=NAME, Key=key)
            self.acknowledged[own] = None
        self.uncertain = None


# Positions in the log and the items that were replicated are separate writes: what is in the log of
# one replica reaches the other after any kill.
def test_replicas_are_equal_after_kills_and_nothing_acknowledged_is_lost(tmp_path):
    server = started(tmp_path)
    clients = [client_in(server, region) for region in REGIONS]
    clients[0].create_table(TableName=NAME, **keyed(pk="S"))
    updates = [{"Create": {"RegionName": REGIONS[1]}}]
    clients[0].update_table(TableName=NAME, ReplicaUpdates=updates)
    until(lambda: clients[0].describe_table(TableName=NAME)["Table"]["TableStatus"] == "ACTIVE")
    expected, uncertain = {}, set()
    for each_round in range(ROUNDS):
        writers = [
            Writer(client, region, 1_000_000 * (each_round + 1))
            for client, region in zip(clients, REGIONS, strict=True)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.has_written.wait()
        server.kill()
        for writer in writers:
            writer.join()
            uncertain -= {*writer.acknowledged}
            expected |= writer.acknowledged
            uncertain |= {writer.uncertain} - {None}
        assert verify(tmp_path) == ""
        server = started(tmp_path)
        clients = [client_in(server, region) for region in REGIONS]
        until(lambda: items(clients[0]) == items(clients[1]))  # noqa: B023
        found = items(clients[1])
        lost = {
            key: number
            for key, number in expected.items()
            if key not in uncertain and found.get(key) != number
        }
        assert lost == {}
    assert server.terminate() == 0
    assert verify(tmp_path) == ""
