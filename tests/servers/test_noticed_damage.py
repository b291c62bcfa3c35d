"""Damage that a running server meets: what it answers, logs, counts and refuses to copy."""

import re
import shutil
import urllib.request
from contextlib import closing

import apsw
import boto3
import botocore
import pytest
from click.testing import CliRunner

from hashrange.cli.commands import commands
from hashrange.testing_pages import ServerClock
from tests.api.tables import keyed
from tests.pace import until
from tests.served import served

PAGE_BYTES = 4096
ITEMS = 120
ONCE = botocore.config.Config(retries={"total_max_attempts": 1})


def client_of(server):
    return boto3.client(
        "dynamodb",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=ONCE,
    )


def item_of(name, number):
    return {"p": {"S": f"{name}-{number:03}"}, "text": {"S": f"{number:03}" * 130}}


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    data = tmp_path_factory.mktemp("noticed") / "data"
    with served(memory=False, data=data) as server:
        client = client_of(server)
        for name in ("carts", "orders"):
            client.create_table(TableName=name, **keyed(p="S"))
            for number in range(ITEMS):
                client.put_item(TableName=name, Item=item_of(name, number))
    return data


def page_of(file, text):
    """The page that has a text, and where in it."""
    at = file.read_bytes().find(text)
    assert at > 0
    return at // PAGE_BYTES, at


@pytest.fixture
def damaged(directory, tmp_path):
    """A copy with a page of orders whose header is zeros, or with a bit of an item flipped."""

    def damage(*, bit=False):
        copy = tmp_path / f"data-{bit}"
        shutil.copytree(directory, copy)
        file = copy / "hashrange.db"
        page, at = page_of(file, b"orders-060")
        with file.open("r+b") as opened:
            if bit:
                opened.seek(at + 100)
                (byte,) = opened.read(1)
                opened.seek(at + 100)
                opened.write(bytes([byte ^ 1]))
            else:
                opened.seek(page * PAGE_BYTES)
                opened.write(bytes(64))
        return copy

    return damage


def read_all(client, name):
    """The items that are answered, and how many requests failed."""
    answered, failures = {}, 0
    for number in range(ITEMS):
        try:
            key = {"p": item_of(name, number)["p"]}
            answered[number] = client.get_item(TableName=name, Key=key).get("Item")
        except client.exceptions.InternalServerError:
            failures += 1
    return answered, failures


def page(server, path):
    with urllib.request.urlopen(f"{server.endpoint}{path}") as answer:
        return answer.read().decode()


def retyped(file, value):
    """Give all values of items another type, which a flipped bit of a row's header does to one."""
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        sql = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'kv'").get
    set_schema(file, sql.replace("STRICT, ", "").replace(", STRICT", ""))
    with closing(apsw.Connection(str(file))) as connection:
        rows = (b"\x00\x00\x00\x01\x01", b"\x00\x00\x00\x01\x02")
        connection.execute(f"UPDATE kv SET v = {value} WHERE k >= ? AND k < ?", rows)
    set_schema(file, sql)


def set_schema(file, sql):
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'kv'", (sql,))


@pytest.mark.parametrize("value", ["CAST(v AS TEXT)", "1.5"])
@pytest.mark.parametrize("operation", ["scan", "get_item"])
def test_a_value_of_another_type_is_damage(directory, tmp_path, value, operation):
    copy = shutil.copytree(directory, tmp_path / "data")
    retyped(copy / "hashrange.db", value)
    with served(memory=False, data=copy) as server:
        client = client_of(server)
        keyed_by = {"Key": {"p": item_of("carts", 1)["p"]}} if operation == "get_item" else {}
        with pytest.raises(client.exceptions.InternalServerError):
            getattr(client, operation)(TableName="carts", **keyed_by)
        assert until(lambda: "carts: items" in page(server, "/readyz"))


NAMED = r'orders: items after \{"p":\{"S":"orders-\d+"\}\} and before \{"p":\{"S":"orders-'


@pytest.mark.parametrize("bit", [False, True], ids=["page", "bit"])
def test_damage_is_answered_logged_and_counted_once(damaged, caplog, bit):
    copy = damaged(bit=bit)
    with served(memory=False, data=copy) as server:
        client = client_of(server)
        assert page(server, "/readyz") == "ok\n"
        answered, failures = read_all(client, "orders")
        assert failures == (1 if bit else failures) > 0
        assert answered == {number: item_of("orders", number) for number in answered}
        assert read_all(client, "carts")[1] == 0
        text = until(lambda: re.search(NAMED, page(server, "/readyz")))
        assert text, page(server, "/readyz")
        metrics = page(server, "/metrics")
        assert "hashrange_damage_found_total 1.0" in metrics
        assert "hashrange_damaged_places 1.0" in metrics
    assert len([each for each in caplog.messages if re.search(NAMED, each)]) == 1
    with served(memory=False, data=copy) as server:  # which has not read the page
        assert re.search(NAMED, page(server, "/readyz"))


# Nobody reads the item: the parts of all hours come with the clock.
def test_scrubbing_notices_a_flipped_bit(damaged):
    with served(memory=False, data=damaged(bit=True), scrub_days=1, testing=True) as server:
        ServerClock(server.endpoint).advance(days=1)
        assert until(lambda: re.search(NAMED, page(server, "/readyz")))
        assert until(lambda: "scrub_progress_ratio 0.0" in page(server, "/metrics"))


def test_a_repaired_item_is_no_longer_named(damaged, caplog):
    copy = damaged(bit=True)
    with served(memory=False, data=copy) as server:
        read_all(client_of(server), "orders")
        assert until(lambda: re.search(NAMED, page(server, "/readyz")))
    with served(memory=False, data=copy) as server:
        client_of(server).put_item(TableName="orders", Item=item_of("orders", 60))
    with served(memory=False, data=copy) as server:
        assert until(lambda: page(server, "/readyz") == "ok\n")
        assert read_all(client_of(server), "orders")[1] == 0
    assert not (copy / "hashrange.damage").exists()


@pytest.mark.parametrize("bit", [False, True], ids=["page", "bit"])
def test_the_backups_of_a_running_server_refuse_damage(damaged, tmp_path, bit):
    copy, target = damaged(bit=bit), tmp_path / "backups"
    target.mkdir()
    with served(memory=False, data=copy):  # which has read nothing of the page
        answer = CliRunner().invoke(commands, ["backup", str(copy), str(target)])
    assert answer.exit_code == 1
    assert "the data are damaged: " in answer.output
    assert list(target.rglob("*.json")) == []


def test_the_backup_of_a_stopped_server_refuses_a_flipped_bit(damaged, tmp_path):
    copy, target = damaged(bit=True), tmp_path / "backups"
    answer = CliRunner().invoke(commands, ["backup", str(copy), str(target)])
    assert answer.exit_code == 1
    assert re.search(f"is damaged: {NAMED}", answer.output), answer.output
    assert list(target.rglob("*.json")) == []


def test_the_backups_of_a_running_server_refuse_noticed_damage(damaged, tmp_path):
    copy, target = damaged(bit=True), tmp_path / "backups"
    target.mkdir()
    with served(memory=False, data=copy) as server:
        read_all(client_of(server), "orders")
        assert until(lambda: re.search(NAMED, page(server, "/readyz")))
        answer = CliRunner().invoke(commands, ["backup", str(copy), str(target)])
    assert answer.exit_code == 1
    assert "the data are damaged: orders: items after" in answer.output


def test_a_backup_of_a_table_copies_no_damaged_value(damaged):
    with served(memory=False, data=damaged(bit=True)) as server:
        client = client_of(server)
        client.create_backup(TableName="orders", BackupName="all")
        assert until(lambda: re.search(NAMED, page(server, "/readyz")))
        kept = client.list_backups()["BackupSummaries"]
        assert [each["BackupStatus"] for each in kept] != ["AVAILABLE"]
