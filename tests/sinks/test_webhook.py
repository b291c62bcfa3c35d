"""A webhook as a target: the snapshot, the changes, the order, the filter, what is lost."""

import contextlib
import json
from urllib.request import urlopen

import pytest

from hashrange.tools.sinks.posting import BATCH_CHANGES_MAX
from tests.forks import PIPE, process_of
from tests.pace import seconds
from tests.scanning.filled import make, numbered, put
from tests.triggers.receivers import OK, Receiver, names_of
from tests.unit.processes import ENVIRONMENT

ITEMS = 30
DAY_SECONDS = 86_400


def records_of(receiver):
    """The changes that were taken, without the ends of snapshots."""
    records = [record for batch in receiver.batches for record in batch]
    return [record for record in records if record["eventName"] != "SNAPSHOT_END"]


def numbers_of(receiver, key):
    """The numbers of one item in the order in which they came; None for its removal."""
    return [
        int(record["dynamodb"]["NewImage"]["n"]["N"]) if "NewImage" in record["dynamodb"] else None
        for record in records_of(receiver)
        if names_of([record]) == [key]
    ]


def change(client, key, *numbers):
    for number in numbers:
        client.put_item(TableName="orders", Item={"pk": {"S": key}, "n": {"N": str(number)}})


def test_items_come_first_and_then_their_changes(client, receiver, replicate):
    make(client)
    put(client, numbered(ITEMS))
    told = replicate(receiver.url).stderr
    assert told == (
        "orders: a snapshot begins\norders: the snapshot is complete; its changes follow\n"
    )
    found = records_of(receiver)
    assert sorted(names_of(found)) == [f"order-{number:04}" for number in range(ITEMS)]
    assert {record["eventName"] for record in found} == {"INSERT"}
    end = receiver.batches[-1][0]
    assert end == {"eventName": "SNAPSHOT_END", "tableName": "orders", "version": "0"}
    receiver.batches.clear()
    change(client, "order-0001", 1, 2)
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    assert replicate(receiver.url).stderr == ""
    found = records_of(receiver)
    assert [record["eventName"] for record in found] == ["MODIFY", "MODIFY", "REMOVE"]
    assert found[0]["dynamodb"]["OldImage"]["status"] == {"S": "DONE"}
    versions = [int(record["version"]) for record in found]
    assert versions == sorted(versions)
    assert versions[0] > 0
    receiver.batches.clear()
    replicate(receiver.url)
    assert receiver.batches == []


# What is not repeated on AWS is not found by looking at the target: each version comes once.
def test_changes_across_shards_come_in_order_and_once(server, client, receiver, replicate):
    make(client)
    change(client, "a", 0)
    replicate(receiver.url)
    for number in range(1, 8):
        change(client, "a", number)
        server.clock.advance(seconds=90)
        if number % 3 == 0:
            replicate(receiver.url)
    replicate(receiver.url)
    assert numbers_of(receiver, "a") == [*range(8)]


def test_only_matching_changes_are_delivered(client, receiver, replicate):
    make(client)
    put(client, numbered(ITEMS))
    pattern = json.dumps({"dynamodb": {"NewImage": {"status": {"S": ["OPEN"]}}}})
    replicate(receiver.url, "--filter", pattern)
    assert len(records_of(receiver)) == ITEMS // 3
    receiver.batches.clear()
    put(client, [{"pk": {"S": "new"}, "status": {"S": kind}} for kind in ("DONE", "OPEN")])
    replicate(receiver.url, "--filter", pattern)
    assert [each["dynamodb"]["NewImage"]["status"] for each in records_of(receiver)] == [
        {"S": "OPEN"}
    ]


def test_batches_are_limited(client, receiver, replicate):
    make(client)
    put(client, numbered(BATCH_CHANGES_MAX + 1))
    replicate(receiver.url)
    assert [len(batch) for batch in receiver.batches] == [BATCH_CHANGES_MAX, 1, 1]


# The stream would keep a day; the sink asked for eight.
def test_changes_are_kept_for_an_absence_within_the_retention(server, client, receiver, replicate):
    make(client)
    replicate(receiver.url, "--keep", "8d")
    change(client, "a", 1, 2)
    for _ in range(7):
        server.clock.advance(seconds=DAY_SECONDS)
    assert replicate(receiver.url).stderr == ""
    assert numbers_of(receiver, "a") == [1, 2]


def test_longer_absence_is_said_and_begins_a_new_snapshot(server, client, receiver, replicate):
    make(client)
    replicate(receiver.url, "--keep", "2d")
    change(client, "a", 1, 2)
    for _ in range(4):
        server.clock.advance(seconds=DAY_SECONDS)
    change(client, "b", 3)
    told = replicate(receiver.url).stderr
    assert told.startswith("orders: ")
    assert "expired" in told
    assert "; a new snapshot begins\n" in told
    assert numbers_of(receiver, "a") == [2]
    assert numbers_of(receiver, "b") == [3]
    versions = {int(record["version"]) for record in records_of(receiver)}
    assert versions == {10**30}
    change(client, "a", 4)
    replicate(receiver.url)
    assert numbers_of(receiver, "a") == [2, 4]


def test_new_table_of_the_name_begins_a_new_snapshot(client, receiver, replicate):
    make(client)
    change(client, "a", 1)
    replicate(receiver.url)
    client.delete_table(TableName="orders")
    make(client, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    change(client, "b", 2)
    told = replicate(receiver.url).stderr
    assert "the table has a new stream; a new snapshot begins" in told
    assert numbers_of(receiver, "b") == [2]


def test_refused_batch_is_sent_again(client, command, server, replicate):
    failures = iter([503, 500])
    with contextlib.closing(Receiver(lambda _: (next(failures, 200), None, {}))) as receiver:
        make(client)
        change(client, "a", 1)
        told = replicate(receiver.url).stderr
        assert f"orders: {receiver.url} answers 503; will retry\n" in told
        assert numbers_of(receiver, "a") == [1]


@pytest.mark.usefixtures("in_tmp_path")
def test_reader_that_is_killed_goes_on(server, client):
    kills = 4
    make(client)
    put(client, numbered(ITEMS))
    with contextlib.closing(Receiver(lambda _: OK)) as receiver:
        for kill in range(kills):
            arguments = ["replicate-to", receiver.url, "--table", "orders"]
            process = process_of(
                [*arguments, "--endpoint", server.endpoint], environment=ENVIRONMENT, stderr=PIPE
            )
            with process:
                try:
                    for number in range(10 * kill, 10 * kill + 10):
                        change(client, "a", number)
                    receiver.until(lambda records: "a" in names_of_changes(records))
                finally:
                    process.kill()
        numbers = until_number(receiver, server, 10 * kills - 1)
    # A kill repeats what was sent since the last position, in order, and leaves out nothing.
    assert [*dict.fromkeys(numbers)] == sorted(set(numbers))
    last = numbers[-1]
    assert last == 10 * kills - 1


def names_of_changes(records):
    return names_of([record for record in records if "dynamodb" in record])


def until_number(receiver, server, number):
    arguments = ["replicate-to", receiver.url, "--table", "orders", "--once"]
    process = process_of(
        [*arguments, "--endpoint", server.endpoint], environment=ENVIRONMENT, stderr=PIPE
    )
    with process:
        assert process.wait(seconds(30)) == 0, process.stderr.read()
    return numbers_of(receiver, "a")


@pytest.mark.usefixtures("in_tmp_path")
def test_metrics_have_the_lag_and_the_failures(server, client):
    make(client)

    def refusing(records):
        return (200 if records[0]["eventName"] == "SNAPSHOT_END" else 500), None, {}

    with contextlib.closing(Receiver(refusing)) as receiver:
        arguments = ["replicate-to", receiver.url, "--table", "orders"]
        options = ["--metrics", "127.0.0.1:0", "--endpoint", server.endpoint]
        process = process_of([*arguments, *options], environment=ENVIRONMENT, stderr=PIPE)
        with process:
            try:
                url = process.stderr.readline().split()[-1]
                receiver.next()  # the end of the empty snapshot
                change(client, "a", 1)
                receiver.next()
                receiver.next()  # the second call follows the first failure
                text = urlopen(url).read().decode()
            finally:
                process.kill()
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert float(figures['hashrange_sink_failures_total{table="orders"}']) >= 1
    assert float(figures['hashrange_sink_lag_seconds{table="orders"}']) >= 0
