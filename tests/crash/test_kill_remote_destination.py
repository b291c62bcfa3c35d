"""kill -9 of a server while it sends changes to a stream of another one: each arrives."""

import json

from tests.api.conftest import client_of
from tests.api.destinations import changes_in, described, enable
from tests.api.kinesis import arn_of
from tests.api.tables import keyed
from tests.crash.server import Server, verify
from tests.effort import effort
from tests.pace import until
from tests.served import served

KILLS = effort(3, 8)
WRITES = 100
KEYS = 5
REMOTE = arn_of("changes", region="eu-west-1", account="123456789012")


def first_numbers(changes):
    """The values of `n` by the keys of items, each where it came first."""
    found = {}
    for each in changes:
        image = each["dynamodb"]["NewImage"]
        found.setdefault(image["pk"]["S"], {})[int(image["n"]["N"])] = None
    return {key: [*numbers] for key, numbers in found.items()}


# What was sent before its position was stored is sent again, so some changes may be there twice.
def test_each_change_arrives_over_kills(tmp_path):
    with served() as target:
        there = client_of(target.endpoint, "kinesis")
        there.create_stream(StreamName="changes", ShardCount=2)
        options = ("--kinesis-endpoint", f"arn:aws:kinesis:*:*:stream/*={target.endpoint}")
        server = Server(tmp_path, *options)
        dynamodb = client_of(server.url)
        dynamodb.create_table(TableName="Orders", **keyed(pk="S"))
        enable(dynamodb, "Orders", REMOTE)
        until(lambda: described(dynamodb, "Orders")[0]["DestinationStatus"] == "ACTIVE")
        for kill in range(KILLS):
            for number in range(kill * WRITES, (kill + 1) * WRITES):
                item = {"pk": {"S": str(number % KEYS)}, "n": {"N": str(number)}}
                dynamodb.put_item(TableName="Orders", Item=item)
            server.kill()
            assert verify(tmp_path) == ""
            server = Server(tmp_path, *options)
            dynamodb = client_of(server.url)
        count = KILLS * WRITES
        until(lambda: len({json.dumps(each) for each in changes_in(there, "changes")}) == count)
        expected = {str(key): [*range(key, count, KEYS)] for key in range(KEYS)}
        assert first_numbers(changes_in(there, "changes")) == expected
        assert server.terminate() == 0
