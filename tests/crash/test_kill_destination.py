"""kill -9 of the real server while it puts changes into a destination: each is there once."""

import json
from collections import Counter

from tests.api.conftest import client_of
from tests.api.destinations import changes_in, enable
from tests.api.kinesis import arn_of
from tests.api.tables import keyed
from tests.crash.server import Server, verify
from tests.effort import effort
from tests.pace import until

KILLS = effort(3, 8)
WRITES = 200


# The position in the log is written with the records, so no kill repeats or passes over a change.
def test_each_change_is_put_once_over_kills(tmp_path):
    server = Server(tmp_path)
    kinesis, dynamodb = client_of(server.url, "kinesis"), client_of(server.url)
    kinesis.create_stream(StreamName="changes", ShardCount=2)
    dynamodb.create_table(TableName="Orders", **keyed(pk="S"))
    enable(dynamodb, "Orders", arn_of("changes"))
    for kill in range(KILLS):
        for start in range(0, WRITES, 25):
            puts = [
                {"PutRequest": {"Item": {"pk": {"S": f"{kill}-{number}"}}}}
                for number in range(start, start + 25)
            ]
            dynamodb.batch_write_item(RequestItems={"Orders": puts})
        server.kill()
        assert verify(tmp_path) == ""
        server = Server(tmp_path)
        kinesis, dynamodb = client_of(server.url, "kinesis"), client_of(server.url)
    until(lambda: len(changes_in(kinesis, "changes")) >= KILLS * WRITES)
    counts = Counter(
        json.dumps(each["dynamodb"]["Keys"]) for each in changes_in(kinesis, "changes")
    )
    assert len(counts) == KILLS * WRITES
    assert set(counts.values()) == {1}
    assert server.terminate() == 0
    assert verify(tmp_path) == ""
