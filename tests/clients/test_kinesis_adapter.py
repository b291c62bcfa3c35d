"""The Kinesis adapter, with the client library that it comes with, reads a stream.

`kinesis_adapter` is a worker as people run it: its leases and checkpoints are a table beside the
one that it watches. Shards close while it reads.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.api.conftest import client_of
from tests.api.refusals import table_request
from tests.api.streams import arn_of, changes_of, streaming
from tests.clients.java_programs import compiled
from tests.clients.programs import run_program

PROGRAM = Path(__file__).parent / "kinesis_adapter"
KEYS = 7

pytestmark = [pytest.mark.toolchain("java", "javac", "mvn"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def classpath(environment, tmp_path_factory):
    """The program, compiled in a folder of its own, and what it needs."""
    return compiled(PROGRAM, tmp_path_factory.mktemp("adapter"), environment)


# Each record once, those of an item in their order, and after the end of the worker from where it
# was: that is what leases, checkpoints and parents are for.
def test_worker_reads_each_record_once(start_server, environment, classpath):
    endpoint = start_server(stream_shards=2, stream_shard_seconds=5)
    dynamodb, streams = client_of(endpoint), client_of(endpoint, "dynamodbstreams")
    dynamodb.create_table(**table_request(TableName="watched", **streaming()))
    arn = arn_of(dynamodb, "watched")

    def work(records):
        command = ["java", "-Daws.java.v1.disableDeprecationAnnouncement=true", "-cp", classpath]
        ended = run_program([*command, "adapter.Program", endpoint, arn, str(records)], environment)
        sys.stderr.write(ended.stderr)
        assert ended.returncode == 0
        return json.loads(ended.stdout)

    def write(records):
        for number in range(records):
            item = {"pk": {"S": str(number % KEYS)}, "n": {"S": f"{number} of {records}"}}
            dynamodb.put_item(TableName="watched", Item=item)

    told = []
    for records in (60, 40):
        write(records)
        told += work(records)
    changes = changes_of(streams, arn)
    assert len(told) == len(changes) == 100
    seen, expected = defaultdict(list), defaultdict(list)
    for key, number, kind in told:
        seen[key].append((number, kind))
    for record in changes:
        change = record["dynamodb"]
        expected[change["Keys"]["pk"]["S"]].append((change["SequenceNumber"], record["eventName"]))
    assert seen == expected
    assert len(seen) == KEYS
