"""Version 3 of the Kinesis Client Library reads the changes of a table from its destination.

`kinesis_client` is a worker of version 2 of the Java SDK, which polls. Its leases are a table with
an index, its state and metrics two others, and its counts go to CloudWatch: all of one server.
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
from tests.clients.java_programs import compiled
from tests.clients.programs import run_program
from tests.pace import seconds

PROGRAM = Path(__file__).parent / "kinesis_client"
KEYS = 7

pytestmark = [
    pytest.mark.long,  # workers take half a minute to share leases and to stop
    pytest.mark.toolchain("java", "javac", "mvn"),
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def classpath(environment, tmp_path_factory):
    """The program, compiled in a folder of its own, and what it needs."""
    return compiled(PROGRAM, tmp_path_factory.mktemp("kcl"), environment)


@pytest.fixture
def work(endpoint, environment, classpath):
    """Runs a worker until it has seen so many records: key, data, sequence number, time."""

    def run(stream, records):
        limit = seconds(60)
        words = [endpoint, stream, str(records), str(int(limit))]
        command = ["java", "-cp", classpath, "kcl.Program", *words]
        ended = run_program(command, environment, seconds_max=2 * limit)
        sys.stderr.write(ended.stderr)
        assert ended.returncode == 0
        return [
            (key, json.loads(b64decode(data)), number, at_ms)
            for key, data, number, at_ms in json.loads(ended.stdout)
        ]

    return run


# A second worker goes on behind the checkpoint of the first, in the children of a split shard too.
def test_worker_reads_the_destination_of_a_table(endpoint, work):
    dynamodb, kinesis = client_of(endpoint), client_of(endpoint, "kinesis")
    dynamodb.create_table(**table_request(TableName="polled"))
    name = with_destination(dynamodb, kinesis, "polled", shards=2)

    def write(first, count):
        for number in range(first, first + count):
            item = {"pk": {"S": str(number % KEYS)}, "n": {"N": str(number)}}
            dynamodb.put_item(TableName="polled", Item=item)

    write(0, 60)
    seen = work(name, 60)
    split = {"ShardToSplit": "shardId-000000000000", "NewStartingHashKey": str(2**126)}
    kinesis.split_shard(StreamName=name, **split)
    write(60, 40)
    seen += work(name, 40)
    found = defaultdict(list)
    for _, change, _, at_ms in seen:
        assert (change["eventSource"], change["tableName"]) == ("aws:dynamodb", "polled")
        assert abs(at_ms - change["dynamodb"]["ApproximateCreationDateTime"]) < 600_000
        image = change["dynamodb"]["NewImage"]
        found[image["pk"]["S"]].append(int(image["n"]["N"]))
    assert found == {str(key): [*range(key, 100, KEYS)] for key in range(KEYS)}
    assert len({number for _, _, number, _ in seen}) == 100
    application = f"reader-{name}"
    tables = {each for each in dynamodb.list_tables()["TableNames"] if application in each}
    assert tables == {
        application,
        f"{application}-CoordinatorState",
        f"{application}-WorkerMetricStats",
    }
    metrics = client_of(endpoint, "cloudwatch").list_metrics(Namespace=application)["Metrics"]
    assert "RecordsProcessed" in {each["MetricName"] for each in metrics}
