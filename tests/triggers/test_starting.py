"""Where a trigger begins, and goes on: the first start, later ones, names and namespaces."""

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from hashrange.settings.settings import Settings
from tests.api.conftest import client_of
from tests.crash.server import verify
from tests.served import ServerThread
from tests.triggers.receivers import Receiver, names_of, write_file
from tests.triggers.test_delivery import OFF, ON, TABLE, create, put


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def serve(tmp_path, receiver):
    """A client of a server on one directory, for a while; with a trigger if it has a name."""

    @contextmanager
    def serving(name=None, *, settings=None, client=None, **more):
        trigger = {
            "name": name,
            "table": TABLE,
            "destination": receiver.url,
            "starting_position": "LATEST",
            **more,
        }
        path = write_file(tmp_path / "triggers.toml", trigger) if name else None
        chosen = Settings(
            port=0, data=tmp_path / "data", drain_seconds=0, triggers=path, **(settings or {})
        )
        server = ServerThread(chosen)
        try:
            yield client_of(server.endpoint, **(client or {}))
        finally:
            server.close()

    yield serving
    assert verify(tmp_path / "data") == ""


def test_latest_begins_with_what_is_written_then(serve, receiver):
    with serve() as client:
        create(client)
        put(client, "old")
    with serve("late") as client:
        put(client, "new")
        assert names_of(receiver.next()) == ["new"]


def test_trim_horizon_begins_with_what_is_kept_of_this_table(serve, receiver):
    with serve() as client:
        create(client)
        put(client, "of a table that is gone")
        client.delete_table(TableName=TABLE)
        create(client)
        put(client, "first")
        client.update_table(TableName=TABLE, StreamSpecification=OFF)
        client.update_table(TableName=TABLE, StreamSpecification=ON)
        put(client, "second")
    with serve("early", starting_position="TRIM_HORIZON"):
        found = receiver.until(lambda records: len(records) == 2)
    assert names_of(found) == ["first", "second"]


# A trigger that is out of the file for a while misses nothing, whatever its starting position.
def test_trigger_goes_on_where_it_was(serve, receiver):
    with serve("mail") as client:
        create(client)
        put(client, "1")
        assert names_of(receiver.next()) == ["1"]
    with serve() as client:
        put(client, "2")
        client.delete_table(TableName=TABLE)
        create(client)
        put(client, "3")
    with serve("mail") as client:
        put(client, "4")
        found = receiver.until(lambda records: "4" in names_of(records))
    # At least once: the first server may have ended before it had written that 1 was delivered.
    assert [pk for pk in names_of(found) if pk != "1"] == ["2", "3", "4"]
    # Another name is another trigger.
    with serve("other", starting_position="TRIM_HORIZON"):
        found = receiver.until(lambda records: len(records) == 2)
    assert names_of(found) == ["3", "4"]


def test_table_of_a_namespace_is_found(serve, receiver):
    separate = {"settings": {"namespaces": "separate"}}
    with serve(
        "mail",
        table=f"123456789012:us-east-1:{TABLE}",
        client={"aws_access_key_id": "123456789012"},
        **separate,
    ) as client:
        create(client)
        put(client, "mine")
        other = client_of(client.meta.endpoint_url, aws_access_key_id="210987654321")
        create(other)
        put(other, "theirs")
        put(client, "mine too")
        found = receiver.until(lambda records: len(records) == 2)
    assert names_of(found) == ["mine", "mine too"]


# Tests have an account each, whose number nobody knows beforehand.
def test_name_alone_stands_for_the_tables_of_all_namespaces(serve, receiver):
    def as_account(client, number):
        return client_of(client.meta.endpoint_url, aws_access_key_id=number)

    separate = {"settings": {"namespaces": "separate"}}
    with serve(**separate) as client:
        there = as_account(client, "111111111111")
        create(there)
        put(there, "old")
    with serve("mail", **separate) as client:
        there = as_account(client, "111111111111")
        put(there, "new")
        one, other = (as_account(client, f"{number:012}") for number in (1, 2))
        for account in (one, other):
            create(account)
            put(account, "first")
        receiver.until(lambda records: len(records) == 3)
        # Tables that come and go, as in a test suite: each is read to its end.
        for number in range(3, 9):
            account = as_account(client, f"{number:012}")
            create(account)
            put(account, f"{number}")
            account.delete_table(TableName=TABLE)
        found = receiver.until(lambda records: len(records) == 6)
        assert sorted(names_of(found)) == [str(number) for number in range(3, 9)]
        create(account)
        put(account, "again")
        assert names_of(receiver.next()) == ["again"]
    calls = [record for batch in receiver.batches for record in batch]
    assert "old" not in names_of(calls)
    with serve("mail", **separate) as client:
        put(as_account(client, "000000000001"), "after a restart")
        records = receiver.until(lambda records: "after a restart" in names_of(records))
    assert len(records) <= 3, "at least once: what was on its way may come again"


# Whoever starts the server reads one line, and no traceback.
def test_file_that_cannot_be_is_refused_at_the_start(tmp_path):
    trigger = {"name": "mail", "table": TABLE, "destination": "nowhere:handle"}
    path = write_file(tmp_path / "triggers.toml", {**trigger, "starting_position": "LATEST"})
    command = [sys.executable, "-m", "hashrange", "serve", "--memory", "--port", "0"]
    ended = subprocess.run(
        [*command, "--triggers", path], capture_output=True, text=True, check=False
    )
    (line,) = ended.stderr.splitlines()
    assert ended.returncode == 2
    assert line == (
        f"hashrange: --triggers {path}: trigger mail: destination: "
        "nowhere:handle cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"
    )


# An operator who has removed what a trigger did must find it in what was given up.
def test_given_up_records_can_be_read_again(serve, receiver, tmp_path):
    broken = {"destination": receiver.url.replace("http", "https"), "retries": 1}
    with serve("mail", on_failure="failed.jsonl", batch_size=1, **broken) as client:
        create(client)
        put(client, "lost")
        put(client, "lost too")
        path = tmp_path / "failed.jsonl"
        while len(lines := path.read_text("utf-8").splitlines()) < 2:
            client.list_tables()
    payloads = [json.loads(json.loads(line)["payload"])["Records"] for line in lines]
    assert [names_of(records) for records in payloads] == [["lost"], ["lost too"]]
