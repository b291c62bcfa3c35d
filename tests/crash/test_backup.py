"""What docs/operating.md says of backups, with a real server."""

import contextlib
import shutil
import sqlite3

import pytest

from tests.api.tables import keyed
from tests.crash.server import Client, Server, verify

TABLE = {
    "TableName": "Orders",
    **keyed(p="S"),
}
KEYS = [f"order{number}" for number in range(50)]


def filled(directory):
    server = Server(directory)
    client = Client(server.url)
    client.call("CreateTable", **TABLE)
    for key in KEYS:
        client.call("PutItem", TableName="Orders", Item={"p": {"S": key}})
    client.close()
    return server


def found(directory):
    server = Server(directory)
    client = Client(server.url)
    items = client.call("Scan", TableName="Orders")["Items"]
    client.close()
    server.terminate()
    return sorted(item["p"]["S"] for item in items)


def test_the_data_file_of_a_stopped_server_is_a_backup(tmp_path):
    assert filled(tmp_path / "data").terminate() == 0
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "data" / "hashrange.db", tmp_path / "copy")
    assert verify(tmp_path / "copy") == ""
    assert found(tmp_path / "copy") == sorted(KEYS)


# As a snapshot of the file system has it: all files, of one moment.
def test_file_and_log_of_one_moment_are_a_backup(tmp_path):
    filled(tmp_path / "data").kill()
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    assert found(tmp_path / "copy") == sorted(KEYS)


# Whoever tries it must not get half of the data without a word.
def test_another_program_does_not_read_the_data_of_a_running_server(tmp_path):
    server = filled(tmp_path / "data")
    path = tmp_path / "data" / "hashrange.db"
    with (
        contextlib.closing(sqlite3.connect(path, timeout=0)) as database,
        pytest.raises(sqlite3.OperationalError, match="database is locked"),
    ):
        database.execute("SELECT count(*) FROM kv")
    assert server.terminate() == 0
