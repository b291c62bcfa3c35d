"""`hashrange backfill` and `delete-where`, and what is changed meanwhile."""

import pytest

from tests.rows import rows
from tests.scanning.filled import items_in, make, numbered, put
from tests.scanning.planted import LOSE_ANSWER, THROTTLE, Planted

SET = ("--update", "SET version = :v", "--values", '{":v": 2}')
COUNT = ("--update", "ADD visits :one", "--values", '{":one": 1}')


@pytest.fixture
def orders(client):
    make(client)
    put(client, numbered(30))
    return client


def test_backfill_updates_all_items(orders, run, figures):
    assert run("backfill", "orders", *SET, "--dry-run").stdout == (
        "orders: 30 items would be updated\n"
    )
    assert all("version" not in item for item in items_in(orders))
    found = figures("backfill", "orders", *SET)
    assert (found["items"], found["skipped"], found["write_units"]) == (30, 0, 30)
    assert all(item["version"] == {"N": "2"} for item in items_in(orders))
    assert run("backfill", "orders", *SET).stdout == "orders: 30 items were updated\n"


def test_filter_and_condition_select(orders, run, tmp_path):
    arguments = ("--update", "SET seen = :t", "--filter", "status = :s", "--condition", "#n > :n")
    values = ("--names", '{"n": "number"}', "--values", '{"t": true, "s": "OPEN", "n": 20}')
    dry = run("backfill", "orders", *arguments, *values, "--dry-run")
    assert dry.stdout == "orders: 3 items would be updated\n"
    ended = run("backfill", "orders", *arguments, *values)
    assert ended.stdout == "orders: 3 items were updated, 7 skipped\n"
    seen = [item["number"]["N"] for item in items_in(orders) if "seen" in item]
    assert sorted(seen) == ["21", "24", "27"]
    assert [*tmp_path.iterdir()] == []


# Items vanish and change between the page that has them and their update.
def test_no_item_is_created_or_updated_against_the_filter(orders, account, run):
    def before(operation):
        if operation == "UpdateItem":
            orders.delete_item(TableName="orders", Key={"pk": {"S": "order-0003"}})
            orders.put_item(
                TableName="orders", Item={"pk": {"S": "order-0006"}, "status": {"S": "DONE"}}
            )

    planted = Planted(account.endpoint, before=before)
    try:
        arguments = (
            "--filter",
            "status = :s",
            "--update",
            "SET a = :s",
            "--values",
            '{"s":"OPEN"}',
        )
        # In one segment all items are read before the first is updated.
        one = ("--segments", "1")
        ended = run("backfill", "orders", *arguments, *one, "--endpoint", planted.url)
    finally:
        planted.close()
    found = {item["pk"]["S"]: item for item in items_in(orders)}
    assert len(found) == 29
    assert "a" not in found["order-0006"]
    assert ended.stdout == "orders: 8 items were updated, 2 skipped\n"


def visits(client):
    return {item["visits"]["N"] for item in items_in(client) if "visits" in item}


# The answer is lost, but not the update: a second one would count twice.
def test_an_update_that_counts_is_never_sent_twice(orders, account, run):
    planted = Planted(account.endpoint, faults={20: LOSE_ANSWER})
    try:
        ended = run("backfill", "orders", *COUNT, "--endpoint", planted.url, code=1)
        assert " may or may not be changed: " in ended.stderr
        again = run("backfill", "orders", *COUNT, "--resume", "--endpoint", planted.url, code=2)
    finally:
        planted.close()
    assert "--once ATTRIBUTE marks the items" in again.stderr
    assert visits(orders) == {"1"}


def test_marked_items_are_updated_once(orders, account, run):
    faults = {9: LOSE_ANSWER, 12: THROTTLE, 20: LOSE_ANSWER}
    planted = Planted(account.endpoint, limit=4, faults=faults)
    try:
        once = ("--once", "counted", "--endpoint", planted.url)
        run("backfill", "orders", *COUNT, *once)
    finally:
        planted.close()
    assert visits(orders) == {"1"}
    assert len({item["counted"]["S"] for item in items_in(orders)}) == 1


def test_a_stopped_backfill_continues(orders, account, run, tmp_path):
    saved = ("--checkpoint", "progress.json", "--endpoint", account.endpoint)
    # An item in the middle cannot be updated: visits is a text.
    bad = {"pk": {"S": "order-0011"}, "visits": {"S": "many"}}
    orders.put_item(TableName="orders", Item=bad)
    count = (*COUNT, "--once", "m", *saved)
    failed = run("backfill", "orders", *count, code=1)
    assert '{"pk":{"S":"order-0011"}}: ' in failed.stderr
    assert (tmp_path / "progress.json").exists()
    assert "--resume continues it" in run("backfill", "orders", *count, code=2).stderr
    put(orders, [numbered(30)[11]])
    run("backfill", "orders", *count, "--resume")
    assert visits(orders) == {"1"}
    assert len(items_in(orders)) == 30
    assert [*tmp_path.iterdir()] == []


def test_delete_where_deletes_what_fulfils_the_filter(orders, run, figures):
    where = ("delete-where", "orders", "--filter", "status = :s", "--values", '{"s": "OPEN"}')
    assert run(*where, "--dry-run").stdout == "orders: 10 items would be deleted\n"
    refused = run(*where, code=2)
    assert "nobody can be asked: --yes deletes" in refused.stderr
    assert len(items_in(orders)) == 30
    assert figures(*where, "--yes")["items"] == 10
    assert {item["status"]["S"] for item in items_in(orders)} == {"DONE"}


@rows(
    "arguments, text",
    [
        (["backfill", "orders"], "Missing option '--update'"),
        (["backfill", "orders", "--update", "SET"], "Invalid UpdateExpression: Syntax error"),
        (["backfill", "orders", "--update", "SET a = :b"], "attribute value: :b"),
        (
            ["backfill", "orders", "--update", "REMOVE a", "--values", '{"b": 1}'],
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}",
        ),
        (["backfill", "none", "--update", "REMOVE a"], "has no table none"),
        (["delete-where", "orders", "--yes"], "--filter is missing"),
        (["delete-where", "orders", "--filter", "a ==", "--yes"], "Syntax error; token: "),
    ],
)
def test_bad_input_is_one_line(orders, run, arguments, text):
    ended = run(*arguments, code=2)
    assert ended.stderr.startswith("hashrange: ")
    assert ended.stderr.count("\n") == 1
    assert text in ended.stderr
