"""kill -9 of the real server while items expire into an archive: each is there once."""

import itertools
import time
from collections import Counter

import duckdb
import pytest

from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify
from tests.effort import effort
from tests.pace import until

TABLE = "Sessions"
ITEMS = effort(200, 600)
KILLS = effort(4, 12)


def rows_in(bucket):
    """The keys in all objects, how often each is there."""
    paths = [str(path) for path in bucket.rglob("*.parquet")]
    if not paths:
        return Counter()
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT item->>'/pk/S' FROM read_parquet({paths})").fetchall()
    return Counter(name for (name,) in found)


def fill(client, names):
    for start in range(0, ITEMS, 25):
        over = {"N": str(int(time.time()) - 1)}
        puts = [
            {"PutRequest": {"Item": {"pk": {"S": name}, "expires": over}}}
            for name in itertools.islice(names, 25)
        ]
        assert start % 25 == 0
        client.call("BatchWriteItem", RequestItems={TABLE: puts})


@pytest.mark.long
def test_each_deletion_is_archived_once_across_kills(tmp_path):
    bucket, data = tmp_path / "bucket", tmp_path / "data"
    bucket.mkdir()
    options = ("--s3", f"old={bucket}", "--archive", f"{TABLE}=old", "--log-level", "error")
    options += ("--stream-shard-seconds", "1", "--stream-shards", "3")
    names = (f"s{number}" for number in itertools.count())
    server = Server(data, *options)
    client = Client(server.url)
    client.call("CreateTable", TableName=TABLE, **keyed(pk="S"))
    specification = {"Enabled": True, "AttributeName": "expires"}
    # The first item is not asked for: it may expire before the log begins.
    client.call("UpdateTimeToLive", TableName=TABLE, TimeToLiveSpecification=specification)
    first = itertools.count()

    def has_begun():
        item = {"pk": {"S": f"first{next(first)}"}, "expires": {"N": str(int(time.time()) - 1)}}
        client.call("PutItem", TableName=TABLE, Item=item)
        return bool(rows_in(bucket))

    until(has_begun)
    for kill in range(KILLS):
        fill(client, names)
        before = rows_in(bucket).total()
        if kill % 2:
            until(lambda before=before: rows_in(bucket).total() > before)
        server.kill()
        client.close()
        assert verify(data) == ""
        server = Server(data, *options)
        client = Client(server.url)
    expected = {f"s{number}" for number in range(KILLS * ITEMS)}
    until(lambda: expected <= rows_in(bucket).keys())
    assert max(rows_in(bucket).values()) == 1
    assert client.call("Scan", TableName=TABLE, Select="COUNT")["Count"] == 0
    client.close()
    assert server.terminate() == 0
    assert verify(data) == ""
