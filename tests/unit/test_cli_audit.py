"""hashrange audit verify: its exit codes, and what it says of a log that has moved or is gone."""

import json
import os

import pytest
from click.testing import CliRunner

from hashrange.api.audit.chain import Head, hash_of, linked
from hashrange.api.audit.files import files_in
from hashrange.cli.commands import commands
from hashrange.storage.sqlite.engine import SqliteEngine
from tests.copying.tables import client_of
from tests.scanning.filled import make
from tests.served import served
from tests.unit.api.audit.logs import NOW_MS, written


@pytest.fixture
def place(tmp_path):
    """A log of two chains with three and four records, and the data that have their heads."""
    engine = SqliteEngine.open(tmp_path / "data")
    written(tmp_path / "log", 3, engine=engine)
    written(tmp_path / "log", 4, engine=engine, seed=2)
    engine.close()
    return tmp_path


def verified(place, *directories, data=True):
    more = ["--data", str(place / "data")] if data else []
    answer = CliRunner().invoke(commands, ["audit", "verify", *map(str, directories), *more])
    return answer.exit_code, answer.output


def test_a_sound_log(place):
    log = place / "log"
    assert verified(place, log) == (0, f"{log}: 7 records in 2 of 2 chains, sound\n")
    assert verified(place, log, data=False) == (
        0,
        f"{log}: 7 records in 2 of 2 chains, sound; its heads were not checked: no --data\n",
    )


def test_a_log_that_was_moved_and_linked_is_sound(place):
    (place / "log").rename(place / "moved")
    (place / "log").symlink_to(place / "moved")
    assert verified(place, place / "log")[0] == verified(place, place / "moved")[0] == 0


def test_chains_that_are_gone_are_told_behind_a_link(place):
    (place / "log").rename(place / "moved")
    (place / "log").symlink_to(place / "moved")
    for path in (place / "moved").iterdir():
        path.unlink()
    code, text = verified(place, place / "log")
    assert code == 1
    assert text.count("its files are gone") == 2
    assert text.endswith(f"{place / 'log'}: 0 records in 0 of 2 chains, not sound\n")
    assert verified(place, place / "log", data=False)[0] == 1


def test_some_directory_is_no_log(place):
    (place / "empty").mkdir()
    assert verified(place, place / "empty")[0] == 1
    assert verified(place, place / "none")[0] == 2
    assert verified(place, place / "empty", place / "log")[0] == 0


def test_records_after_the_last_head_have_an_exit_code(place):
    file = files_in(place / "log")[0]
    path = place / "log" / file.name
    last = path.read_bytes().splitlines()[-1]
    added, _ = linked(b'{"a":1}', file.chain, NOW_MS, Head(3, hash_of(last)))
    with path.open("ab") as opened:
        opened.write(added + b"\n")
    code, text = verified(place, place / "log")
    assert code == 3
    assert text.endswith(
        "8 records in 2 of 2 chains, sound but for 1 records after the last head\n"
    )
    path.write_bytes(path.read_bytes().replace(last, last.replace(b"dropped", b"removed")))
    assert verified(place, place / "log")[0] == 1


# Whoever opens a FIFO waits until somebody else opens it, too.
def test_a_file_that_became_something_else_is_gone(place):
    log = place / "log"
    first, second = (log / file.name for file in files_in(log))
    first.unlink()
    os.mkfifo(first)
    second.unlink()
    second.mkdir()
    code, text = verified(place, log)
    assert code == 1
    assert text.count("its files are gone") == 2


def test_anomalies_of_a_log_are_objects_of_json(tmp_path):
    log = tmp_path / "log"
    with served(testing=True, audit=log, audit_data_events="*") as server:
        client = client_of(server.endpoint)
        make(client)
        keys = [{"pk": {"S": f"customer-{number}"}} for number in range(100)]
        for some in (keys[:25], keys[25:50], keys[50:75], keys[75:]):
            client.batch_write_item(
                RequestItems={"orders": [{"PutRequest": {"Item": key}} for key in some]}
            )
        server.clock.advance(seconds=2 * 86_400)
        client.scan(TableName="orders")
        for _ in range(100):
            client.get_item(TableName="orders", Key=keys[7])
        client.close()
    answer = CliRunner().invoke(commands, ["audit", "anomalies", str(log), "--json"])
    found = [json.loads(line) for line in answer.output.splitlines()]
    assert [(each["rule"], each["table"]) for each in found] == [
        ("first-scan", "orders"),
        ("key-share", "orders"),
    ]
    assert "'customer-7' had 100% of 100 accesses" in found[1]["text"]
    assert (bool(found[0]["principal"]), found[1]["principal"]) == (True, "")
    shown = CliRunner().invoke(commands, ["audit", "anomalies", str(log)]).output
    assert f"{found[1]['time']} - orders: {found[1]['text']}\n" in shown
