"""Tables of another endpoint as a target: equal items, whatever was repeated."""

import pytest

from tests.copying.tables import client_of
from tests.scanning.filled import items_in, make, numbered, put
from tests.served import served

VERSION = "_version"
ITEMS = 30
DAY_SECONDS = 86_400


@pytest.fixture(scope="module")
def other():
    """The server with the copies."""
    with served() as server:
        yield server


@pytest.fixture
def copies(other):
    client = client_of(other.endpoint)
    yield client
    for name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)
    client.close()


@pytest.fixture
def mirror(replicate, other):
    return lambda *arguments: replicate(f"tables:{other.endpoint}", *arguments)


def seen(copies):
    """The items of the copy without their versions."""
    items = items_in(copies)
    for item in items:
        del item[VERSION]
    return sorted(items, key=lambda item: repr(sorted(item.items())))


def test_copy_follows_its_table(client, copies, mirror):
    make(client, sk="N")
    items = [{**item, "sk": {"N": "1"}} for item in numbered(ITEMS)]
    put(client, items)
    mirror()
    assert seen(copies) == items_in(client)
    put(client, [{**item, "status": {"S": "NEW"}} for item in items[:10]])
    for item in items[10:15]:
        client.delete_item(TableName="orders", Key={"pk": item["pk"], "sk": item["sk"]})
    mirror()
    assert seen(copies) == items_in(client)
    assert len(seen(copies)) == ITEMS - 5


# As after a kill between a delivery and the write of its position.
def test_repeated_changes_do_no_harm(client, copies, mirror, tmp_path):
    make(client)
    mirror()
    state = tmp_path / "hashrange-sink.json"
    before = state.read_bytes()
    put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}} for number in range(5)])
    mirror()
    versions = items_in(copies)
    state.write_bytes(before)
    mirror()
    assert items_in(copies) == versions
    assert seen(copies) == items_in(client)


def test_new_snapshot_removes_items_that_are_gone(server, client, copies, mirror):
    make(client)
    put(client, numbered(ITEMS))
    mirror("--keep", "2d")
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    put(client, [{"pk": {"S": "order-0002"}, "changed": {"BOOL": True}}])
    for _ in range(4):
        server.clock.advance(seconds=DAY_SECONDS)
    assert "a new snapshot begins" in mirror("--keep", "2d").stderr
    assert seen(copies) == items_in(client)
    assert len(seen(copies)) == ITEMS - 1


def test_table_with_another_key_is_refused(client, copies, replicate, other):
    make(client)
    make(copies, sk="S")
    ended = replicate(f"tables:{other.endpoint}", code=1)
    assert ended.stderr.endswith(": table orders has another key\n")


# Each put would be a change to put again.
def test_tables_are_no_copy_of_themselves(client, replicate, server):
    make(client)
    ended = replicate(f"tables:{server.endpoint}", code=2)
    assert ended.stderr.endswith(": these are the tables themselves\n")


def test_state_of_another_sink_is_refused(client, copies, replicate, mirror, receiver):
    make(client)
    mirror()
    ended = replicate(receiver.url, code=1)
    assert "hashrange-sink.json is the file of another sink: tables:" in ended.stderr
