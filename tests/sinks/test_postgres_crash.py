"""PostgreSQL that crashes while a sink writes: the outcome of each commit is found out again."""

import asyncio
import json
import signal

import asyncpg
import pytest

from tests.engines.postgres_server import PostgresServer
from tests.forks import PIPE, process_of
from tests.pace import until
from tests.scanning.filled import items_in, make, put, typed
from tests.unit.processes import ENVIRONMENT

pytestmark = pytest.mark.long

CRASHES = 4
CHANGES = 40
ITEMS = 50


@pytest.fixture
def database():
    database = PostgresServer()
    yield database
    database.remove()


def stored(database):
    async def run():
        connection = await asyncpg.connect(database.url)
        try:
            return await connection.fetch("SELECT item FROM orders")
        except asyncpg.UndefinedTableError:
            return []
        finally:
            await connection.close()

    return in_order(json.loads(row["item"]) for row in asyncio.run(run()))


def in_order(items):
    return sorted(items, key=lambda item: repr(sorted(item.items())))


@pytest.mark.usefixtures("in_tmp_path")
def test_each_item_is_there_once_after_crashes(server, client, database):
    make(client)
    put(client, [{"pk": {"S": str(n)}, "n": {"N": "0"}} for n in range(ITEMS)])
    command = ["replicate-to", database.url, "--table", "orders", "--endpoint", server.endpoint]
    with process_of(command, environment=ENVIRONMENT, stderr=PIPE) as sink:
        try:
            until(lambda: len(stored(database)) == ITEMS)
            for crash in range(CRASHES):
                for number in range(crash * CHANGES, (crash + 1) * CHANGES):
                    put(client, [{"pk": {"S": str(number % ITEMS)}, "n": {"N": str(number)}}])
                    if number == crash * CHANGES + CHANGES // 2:
                        database.stop(signal.SIGQUIT)
                client.delete_item(TableName="orders", Key={"pk": {"S": str(crash)}})
                database.start()
            expected = in_order(map(typed, items_in(client)))
            until(lambda: stored(database) == expected)
            assert sink.poll() is None
        finally:
            sink.kill()
