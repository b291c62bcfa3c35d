"""kill -9 of a sink that keeps its position with the changes: nothing is lost, nothing comes twice.

Absence is a kill, too: what was written meanwhile is in the stream.
"""

import asyncio
import json

import asyncpg
import duckdb
import pytest

from tests import s3_server
from tests.forks import PIPE, process_of
from tests.scanning.filled import items_in, make, put, typed
from tests.sinks.buckets import bucket, current, target
from tests.sinks.databases import database
from tests.unit.processes import ENVIRONMENT

KILLS = 3
ITEMS = 100
CHANGES = 30

__all__ = ["bucket", "database"]


class InPostgres:
    def __init__(self, url):
        self.target = url

    def items(self):
        async def run():
            connection = await asyncpg.connect(self.target)
            try:
                return [row["item"] for row in await connection.fetch("SELECT item FROM orders")]
            finally:
                await connection.close()

        return asyncio.run(run())


class InDuckDb:
    def __init__(self, folder):
        self._path = folder / "shop.duckdb"
        self.target = f"duckdb:{self._path}"

    def items(self):
        with duckdb.connect(str(self._path), read_only=True) as connection:
            return [item for (item,) in connection.execute("SELECT item FROM orders").fetchall()]


class InFiles:
    def __init__(self, folder):
        self._folder = folder / "lake"
        self.target = f"files:{self._folder}"

    def items(self):
        with duckdb.connect() as connection:
            connection.execute((self._folder / "views.sql").read_text())
            return [item for (item,) in connection.execute("SELECT item FROM orders").fetchall()]


class InBucket:
    def __init__(self, s3, s3_endpoint, folder):
        self._s3, self._folder = s3, folder
        self.target = target(s3_endpoint)

    def items(self):
        return [json.dumps(item) for item in current(self._s3, self._folder)]


LONG = (pytest.param(name, marks=pytest.mark.long) for name in ("postgres", "duckdb", "bucket"))


@pytest.fixture(params=["files", *LONG])
def place(request, tmp_path):
    match request.param:
        case "postgres":
            return InPostgres(request.getfixturevalue("database"))
        case "duckdb":
            return InDuckDb(tmp_path)
        case "bucket":
            endpoint = request.getfixturevalue("s3_endpoint")
            return InBucket(request.getfixturevalue("bucket"), endpoint, tmp_path)
        case _:
            return InFiles(tmp_path)


def in_order(items):
    return sorted(items, key=lambda item: repr(sorted(item.items())))


@pytest.mark.usefixtures("in_tmp_path")
def test_target_has_each_item_once_across_kills(server, client, replicate, place):
    make(client)
    put(client, [{"pk": {"S": str(n)}, "n": {"N": "0"}} for n in range(ITEMS)])
    command = ["replicate-to", place.target, "--table", "orders", "--endpoint", server.endpoint]
    environment = ENVIRONMENT | s3_server.KEYS
    for kill in range(KILLS):
        with process_of(command, environment=environment, stderr=PIPE) as sink:
            try:
                if not kill:
                    assert "a snapshot begins" in sink.stderr.readline()
                for number in range(kill * CHANGES, (kill + 1) * CHANGES):
                    key = {"pk": {"S": str(number * 7 % ITEMS)}}
                    put(client, [{**key, "n": {"N": str(number)}}])
                    client.delete_item(TableName="orders", Key={"pk": {"S": str(number)}})
            finally:
                sink.kill()
    replicate(place.target, **s3_server.KEYS)
    found = [json.loads(item) for item in place.items()]
    assert in_order(found) == in_order(map(typed, items_in(client)))
