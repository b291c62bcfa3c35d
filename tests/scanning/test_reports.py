"""`hashrange sample`, `sizes` and `diff`."""

import json

import pytest

from tests.rows import rows
from tests.scanning.filled import make, numbered, put


def test_sample_has_random_items(client, run, figures):
    make(client)
    put(client, numbered(60))
    lines = run("sample", "orders", 5).stdout.splitlines()
    assert len({json.loads(line)["pk"] for line in lines}) == 5
    found = figures("sample", "orders", 4, "--typed")
    assert all(item in numbered(60) for item in found["items"])
    assert found["method"] in {"random segments", "whole table"}
    whole = figures("sample", "orders", 99)
    assert (len(whole["items"]), whole["method"]) == (60, "whole table")
    exact = figures(
        "sample", "orders", 7, "--exact", "--filter", "status = :s", "--values", '{"s": "OPEN"}'
    )
    assert len(exact["items"]) == 7
    assert {item["status"] for item in exact["items"]} == {"OPEN"}
    assert (exact["scanned"], exact["method"]) == (60, "whole table")


# Sizes are those of the Developer Guide: names and UTF-8, numbers by their digits.
def test_sizes_are_exact(client, run, figures):
    make(client, sk="N")
    items = [
        {"pk": {"S": "é"}, "sk": {"N": "1"}, "t": {"S": "x" * 1000}},  # 4 + 4 + 1001
        {"pk": {"S": "é"}, "sk": {"N": "12"}},  # 4 + 4
        {"pk": {"S": "b"}, "sk": {"N": "1"}, "m": {"M": {"a": {"L": [{"NULL": True}]}}}},
    ]
    put(client, items)
    found = figures("sizes", "orders")
    third = 3 + 4 + 1 + 3 + (1 + 1) + 3 + (1 + 1)
    assert found["items"]["count"] == found["scanned"] == 3
    assert found["items"]["total"] == 1009 + 8 + third
    assert (found["items"]["p50"], found["items"]["max"]) == (third, 1009)
    assert found["largest_items"][0] == {"key": {"pk": "é", "sk": 1}, "bytes": 1009}
    assert found["largest_partition_keys"] == [
        {"key": "é", "items": 2, "bytes": 1017},
        {"key": "b", "items": 1, "bytes": third},
    ]
    assert found["fullest_partition_keys"][0]["key"] == "é"
    assert found["partition_key_items"]["bins"] == [
        {"from": 1, "to": 1, "count": 1, "total": 1},
        {"from": 2, "to": 3, "count": 1, "total": 2},
    ]
    text = run("sizes", "orders").stdout
    assert text.startswith("3 items, 1,035 bytes, 2 keys\n")
    assert '1,009 B  {"pk":"é","sk":1}' in text


@pytest.fixture
def two(client):
    make(client)
    make(client, "copies")
    put(client, numbered(40))
    put(client, numbered(40), "copies")
    return client


def test_equal_tables_have_no_differences(two, run):
    ended = run("diff", "orders", "copies")
    assert (ended.stdout, ended.stderr) == ("", "no item differs\n")


def test_differences_are_named(two, account, run):
    two.delete_item(TableName="copies", Key={"pk": {"S": "order-0001"}})
    put(two, [{"pk": {"S": "new"}}, {**numbered(3)[2], "status": {"S": "HELD"}}], "copies")
    ended = run("diff", "orders", "copies", code=1)
    assert sorted(ended.stdout.splitlines()) == [
        '+ {"pk":"new"}',
        '- {"pk":"order-0001"}',
        '~ {"pk":"order-0002"} status: {"S":"DONE"} -> {"S":"HELD"}',
    ]
    assert ended.stderr == "3 items differ\n"
    there = f"{account.endpoint}/copies"
    lines = run("diff", "orders", there, "--json", "--quiet", code=1).stdout.splitlines()
    found = {each["difference"]: each for each in map(json.loads, lines)}
    assert found.keys() == {"only_in_a", "only_in_b", "changed"}
    assert found["only_in_a"]["a"] == numbered(2)[1]
    assert found["changed"]["attributes"] == ["status"]
    two.delete_item(TableName="copies", Key={"pk": {"S": "new"}})
    put(two, numbered(2)[1:], "copies")
    assert run("diff", "orders", "copies", "--ignore", "status").stdout == ""


def test_an_earlier_moment_is_restored_and_removed(two, run):
    two.update_continuous_backups(
        TableName="orders", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    ended = run("diff", "orders", "orders@latest")
    assert ended.stderr.endswith("which is deleted at the end\nno item differs\n")
    assert two.list_tables()["TableNames"] == ["copies", "orders"]
    early = run("diff", "orders", "orders@2001-01-01T00:00:00Z", code=2)
    assert "RestoreDateTime" in early.stderr or "restor" in early.stderr.lower()


@rows(
    "arguments, text",
    [
        (["diff", "orders", "other"], "the tables have different keys: pk, and pk, sk"),
        (["diff", "orders", "none"], "has no table none"),
        (["diff", "orders", "orders@soon"], "@soon: the moment is not a time like 2026"),
        (["diff", "orders", "orders@latest"], "point in time recovery is not enabled"),
        (["diff", "orders", "copies", "--ignore", "pk"], "--ignore pk: it is a key attribute"),
        (["diff", "orders", "a/b"], "a/b: give TABLE, or http://HOST:PORT/TABLE"),
        (["sample", "orders", "0"], "Invalid value for 'N'"),
        (["sizes", "none"], "has no table none"),
    ],
)
def test_bad_input_is_one_line(different, run, arguments, text):
    ended = run(*arguments, "--quiet", code=2)
    assert ended.stderr.count("\n") == 1
    assert text.lower() in ended.stderr.lower()


@pytest.fixture
def different(two):
    make(two, "other", sk="S")
