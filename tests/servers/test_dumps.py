"""A database that was dumped while it was written, and restored, by the programs of PostgreSQL."""

import subprocess
import threading
import uuid

import pytest

from hashrange.assembly.verifying import verify
from hashrange.settings.settings import Settings
from hashrange.storage.postgres.address import DatabaseAddress
from tests.api.conftest import ServerThread, client_of
from tests.api.refusals import table_request
from tests.api.streams import streaming
from tests.engines.postgres_server import binaries, shared, url_of

T = "table"
PAIRS = 40


def run(program, *arguments):
    done = subprocess.run(
        [str(binaries() / program), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def url():
    return url_of(str(uuid.uuid4()))


class Writer:
    """Puts pairs of items in transactions, again and again, until it is stopped."""

    def __init__(self, client):
        self._client, self._over = client, threading.Event()
        self._began = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._began.wait()

    def _run(self):
        turn = 0
        while not self._over.is_set():
            turn += 1
            for pair in range(PAIRS):
                puts = [{"pk": {"S": f"{side}{pair}"}, "n": {"N": str(turn)}} for side in "ab"]
                self._client.transact_write_items(
                    TransactItems=[{"Put": {"TableName": T, "Item": item}} for item in puts]
                )
            self._began.set()

    def stop(self):
        self._over.set()
        self._thread.join()


# A dump is of one moment, so both items of each pair are of one transaction.
def test_a_dump_has_whole_transactions_and_is_sound(url, tmp_path):
    server = ServerThread(Settings(port=0, engine=url, drain_seconds=1))
    client = client_of(server.endpoint)
    client.create_table(**table_request(TableName=T, **streaming("NEW_IMAGE")))
    writer = Writer(client)
    schema, dump = DatabaseAddress.of(url).schema, tmp_path / "dump"
    run("pg_dump", shared().url, f"--schema={schema}", "--format=directory", f"--file={dump}")
    writer.stop()
    server.close()
    database = f"restored_{schema}"
    run("psql", shared().url, "--command", f"CREATE DATABASE {database}")
    restored = shared().url.rpartition("/")[0] + f"/{database}"
    run("pg_restore", f"--dbname={restored}", str(dump))
    assert verify(f"{restored}?schema={schema}") == []
    server = ServerThread(Settings(port=0, engine=f"{restored}?schema={schema}", drain_seconds=1))
    client = client_of(server.endpoint)
    items = {item["pk"]["S"]: item["n"]["N"] for item in client.scan(TableName=T)["Items"]}
    assert len(items) == 2 * PAIRS
    for pair in range(PAIRS):
        assert items[f"a{pair}"] == items[f"b{pair}"]
    # Versions of rows go on behind those that were dumped, or this write would meet itself.
    client.put_item(TableName=T, Item={"pk": {"S": "a0"}, "n": {"N": "0"}})
    assert client.get_item(TableName=T, Key={"pk": {"S": "a0"}})["Item"]["n"] == {"N": "0"}
    server.close()
    assert verify(f"{restored}?schema={schema}") == []
