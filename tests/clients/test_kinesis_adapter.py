"""The Kinesis adapter, with the client library that it comes with, reads a stream.

`kinesis_adapter` has workers as people run them: their leases and checkpoints are a table beside
the one that they watch, or beside a Kinesis stream. Shards close while they read.
"""

import json
import sys
from base64 import b64decode
from collections import defaultdict
from pathlib import Path

import pytest

from tests.api.conftest import client_of
from tests.api.destinations import with_destination
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


@pytest.fixture
def work(endpoint, environment, classpath):
    """Runs a worker until it has seen so many records: key, data, sequence number, time."""

    def run(stream, records, *more):
        command = ["java", "-Daws.java.v1.disableDeprecationAnnouncement=true", "-cp", classpath]
        program = ["streams.Program", endpoint, stream, str(records), *more]
        ended = run_program([*command, *program], environment)
        sys.stderr.write(ended.stderr)
        assert ended.returncode == 0
        return [
            (key, b64decode(data).decode(), number, at_ms)
            for key, data, number, at_ms in json.loads(ended.stdout)
        ]

    return run


# The SDK speaks CBOR, and the library reads a split shard to its end before its children.
def test_worker_reads_a_kinesis_stream(endpoint, work):
    kinesis = client_of(endpoint, "kinesis")
    kinesis.create_stream(StreamName="java", ShardCount=2)
    seen = work("java", 60)
    split = {"ShardToSplit": "shardId-000000000000", "NewStartingHashKey": str(2**126)}
    kinesis.split_shard(StreamName="java", **split)
    seen += work("java", 40)
    expected, found = defaultdict(list), defaultdict(list)
    for records in (60, 40):
        for number in range(records):
            expected[f"key-{number % KEYS}"].append(f"{number} of {records}")
    for key, data, _, _ in seen:
        found[key].append(data)
    assert found == expected
    shards = kinesis.list_shards(StreamName="java")["Shards"]
    arrivals = {}
    for each in shards:
        iterator = kinesis.get_shard_iterator(
            StreamName="java", ShardId=each["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        for record in kinesis.get_records(ShardIterator=iterator)["Records"]:
            at = record["ApproximateArrivalTimestamp"]
            arrivals[record["SequenceNumber"]] = round(at.timestamp() * 1000)
    assert {number: at_ms for _, _, number, at_ms in seen} == arrivals


# The changes of an item have one key, and come in their order, in DynamoDB's envelope.
def test_worker_reads_the_destination_of_a_table(endpoint, work):
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    dynamodb.create_table(**table_request(TableName="producer"))
    name = with_destination(dynamodb, kinesis, "producer", shards=3)
    for number in range(60):
        item = {"pk": {"S": str(number % KEYS)}, "n": {"N": str(number)}}
        dynamodb.put_item(TableName="producer", Item=item)
    keys, found = defaultdict(set), defaultdict(list)
    for key, data, _, _ in work(name, 60, "read"):
        change = json.loads(data)
        assert change["eventSource"] == "aws:dynamodb"
        assert change["tableName"] == "producer"
        image = change["dynamodb"]["NewImage"]
        keys[image["pk"]["S"]].add(key)
        found[image["pk"]["S"]].append(int(image["n"]["N"]))
    assert found == {str(key): [*range(key, 60, KEYS)] for key in range(KEYS)}
    assert all(len(each) == 1 for each in keys.values())
