"""`hashrange scan` and `count`, through the real command against a real server."""

import csv
import json
from decimal import Decimal

import duckdb
import pytest

from tests.api.indexes import index_of, projected
from tests.copying.tables import VALUES
from tests.rows import rows
from tests.scanning.filled import items_in, make, numbered, put, typed
from tests.scanning.planted import THROTTLE, Planted

EXACT = "12345678901234567890.123456789012345678"


@pytest.fixture
def orders(client):
    make(client)


def lines_of(text):
    return sorted(map(json.loads, text.splitlines()), key=lambda item: item["pk"])


def test_items_are_lines_on_standard_output(client, run):
    make(client)
    put(client, numbered(10))
    ended = run("scan", "orders", "--quiet")
    assert ended.stderr == ""
    assert lines_of(ended.stdout) == [
        {"pk": f"order-{n:04}", "number": n, "status": "DONE" if n % 3 else "OPEN"}
        for n in range(10)
    ]
    ended = run("scan", "--table", "orders", "--typed", "--output", "-")
    shown = sorted(map(json.loads, ended.stdout.splitlines()), key=lambda item: item["pk"]["S"])
    assert shown == numbered(10)
    assert ended.stderr.startswith("orders: 10 items of 10 scanned, ")


def test_totals_are_json(client, figures):
    make(client)
    put(client, numbered(9))
    found = figures("scan", "orders", "--filter", "status = :s", "--values", '{"s": "OPEN"}')
    assert (found["table"], found["items"], found["scanned"]) == ("orders", 3, 9)
    assert found["units"] >= 0.5
    assert found["seconds"] >= 0
    whole = figures("scan", "orders", "--output", "orders.json", "--segments", 3, "--consistent")
    assert (whole["items"], whole["segments"], whole["output"]) == (9, 3, "orders.json")


# A reserved word in a filter or a projection is the first thing that a new user meets.
def test_reserved_words_get_placeholders(client, run):
    make(client)
    put(client, numbered(6))
    for values in ('{":s": "OPEN"}', '{"s": "OPEN"}', '{":s": {"S": "OPEN"}}'):
        words = ("--filter", "size(status) > :zero AND (status = :s)", "--projection", "pk,status")
        both = json.dumps({**json.loads(values), ":zero": 0})
        ended = run("scan", "orders", *words, "--values", both)
        assert lines_of(ended.stdout) == [{"pk": f"order-{n:04}", "status": "OPEN"} for n in (0, 3)]
    names = ("--filter", "#s = :s", "--names", '{"#s": "status"}', "--values", '{":s": "OPEN"}')
    assert len(run("scan", "orders", *names).stdout.splitlines()) == 2


@pytest.mark.parametrize("form", [[], ["--typed"]])
def test_every_type_is_in_every_file(client, run, tmp_path, form):
    make(client)
    items = [{"pk": {"S": f"{n:02}"}, "value": value} for n, value in enumerate(VALUES)]
    put(client, [*items, {"pk": {"S": "99"}, "n": {"N": EXACT}}])
    for name in ("a.json", "a.jsonl", "a.csv", "a.parquet"):
        run("scan", "orders", "--output", name, *form)
    found = json.loads((tmp_path / "a.json").read_text(), parse_float=Decimal)
    same = [
        json.loads(line, parse_float=Decimal)
        for line in (tmp_path / "a.jsonl").read_text().splitlines()
    ]
    assert sorted(map(repr, found)) == sorted(map(repr, same))
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        table = [*csv.DictReader(file)]
    assert [*table[0]] == ["pk", "n", "value"]
    parquet = duckdb.sql(f"SELECT pk, n FROM '{tmp_path}/a.parquet' ORDER BY pk").fetchall()
    assert len(found) == len(table) == len(parquet) == len(items) + 1
    if form:
        assert sorted(found, key=repr) == sorted(map(typed, items_in(client)), key=repr)
        assert {"N": EXACT} in [json.loads(row["n"]) for row in table if row["n"]]
        assert json.loads(parquet[-1][1]) == {"N": EXACT}
        return
    by_key = {item["pk"]: item for item in found}
    assert by_key["99"]["n"] == Decimal(EXACT)
    assert by_key["07"]["value"] == [-1, Decimal("2.5"), 3]
    assert by_key["01"]["value"] == ""
    assert {row["pk"]: row for row in table}["99"]["n"] == EXACT
    assert parquet[-1][1] == Decimal(EXACT)


def test_parquet_has_the_types_of_the_values(client, run, tmp_path):
    make(client)
    put(
        client,
        [
            {
                "pk": {"S": str(n)},
                "whole": {"N": str(n)},
                "price": {"N": f"{n}.25"},
                "huge": {"N": "9" * 38 + "0" * n},
                "flag": {"BOOL": n > 0},
                "raw": {"B": bytes([n])},
                "tags": {"SS": ["a", f"b{n}"]},
                "mixed": [{"S": "1"}, {"N": "1"}, {"NULL": True}][n],
                "Name": {"S": "x"},
                "name": {"S": "y"},
            }
            for n in range(3)
        ],
    )
    ended = run("scan", "orders", "--output", "t.parquet")
    assert "Note: the column of the attribute name is name_2\n" in ended.stderr
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{tmp_path}/t.parquet'").fetchall()
    assert {name: kind for name, kind, *_ in described} == {
        "pk": "VARCHAR",
        "whole": "BIGINT",
        "price": "DECIMAL(3,2)",
        "huge": "VARCHAR",
        "flag": "BOOLEAN",
        "raw": "BLOB",
        "tags": "VARCHAR[]",
        "mixed": "VARCHAR",
        "Name": "VARCHAR",
        "name_2": "VARCHAR",
    }
    row = "SELECT price, huge, raw, mixed, Name, name_2 FROM '{}/t.parquet' ORDER BY pk"
    assert duckdb.sql(row.format(tmp_path)).fetchall()[1] == (
        Decimal("1.25"),
        "9" * 38 + "0",
        b"\x01",
        "1",
        "x",
        "y",
    )


def test_an_empty_table_is_a_file_of_no_items(client, run, tmp_path):
    make(client)
    for name in ("a.json", "a.jsonl", "a.csv", "a.parquet"):
        run("scan", "orders", "--output", name)
    assert json.loads((tmp_path / "a.json").read_text()) == []
    assert (tmp_path / "a.jsonl").read_text() == ""
    assert (tmp_path / "a.csv").read_text() == ""
    assert duckdb.sql(f"SELECT * FROM '{tmp_path}/a.parquet'").fetchall() == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.csv",
        "a.json",
        "a.jsonl",
        "a.parquet",
    ]


def test_limit_is_exact(client, run, figures):
    make(client)
    put(client, numbered(30))
    assert len(run("scan", "orders", "--limit", 7).stdout.splitlines()) == 7
    found = figures("scan", "orders", "--limit", 7, "--segments", 4, "--output", "some.jsonl")
    assert found["items"] == 7
    assert figures("scan", "orders", "--limit", 99)["items"] == 30


def test_an_index_is_read(client, run):
    index = index_of("by-status", "status", **projected("KEYS_ONLY"))
    client.create_table(
        TableName="orders",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "status")
        ],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[index],
    )
    put(client, [*numbered(3), {"pk": {"S": "without"}}])
    found = lines_of(run("scan", "orders", "--index", "by-status").stdout)
    assert found[0] == {"pk": "order-0000", "status": "OPEN"}
    assert run("count", "orders", "--index", "by-status").stdout == "3\n"


def test_count_counts(client, run, figures):
    make(client)
    put(client, numbered(12))
    assert run("count", "orders").stdout == "12\n"
    assert run("count", "orders", "--estimate").stdout == "12\n"
    found = figures(
        "count",
        "orders",
        "--filter",
        "#n >= :n",
        "--names",
        '{"n": "number"}',
        "--values",
        '{"n": 10}',
    )
    assert (found["items"], found["scanned"]) == (2, 12)


BAD = rows(
    "arguments, text",
    [
        (["scan", "missing"], "has no table missing"),
        (["scan", "x"], "Value 'x' at 'tableName' failed to satisfy constraint"),
        (["scan", "orders", "--filter", "a ="], "Invalid FilterExpression: Syntax error;"),
        (["scan", "orders", "--filter", "a = :b"], "attribute value: :b"),
        (
            ["scan", "orders", "--filter", "a = b", "--values", '{"c": 1}'],
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:c}",
        ),
        (["scan", "orders", "--filter", "a = :b", "--values", "{"], "--values: it is not JSON"),
        (["scan", "orders", "--values", "[]"], "--values: it is not a JSON object"),
        (["scan", "orders", "--index", "none"], "the table orders has no index none"),
        (["scan", "orders", "--output", "a.xml"], "the name must end in .json, .jsonl, .csv"),
        (["scan", "orders", "--output", "no/a.json"], "there is no folder no"),
        (["scan", "orders", "--output", "-", "--json"], "--json prints the totals"),
        (["scan", "orders", "--resume"], "--resume needs --output FILE"),
        (["scan"], "the name of the table is missing"),
        (["scan", "orders", "--table", "other"], "two tables: orders, and --table other"),
        (["scan", "orders", "--segments", "0"], "Invalid value for '--segments'"),
        (["scan", "orders", "--rate-limit", "0"], "Invalid value for '--rate-limit'"),
        (["count", "orders", "--estimate", "--filter", "a = b"], "--estimate knows no filter"),
    ],
)


@BAD
def test_bad_input_is_one_line(orders, run, arguments, text):
    ended = run(*arguments, code=2)
    assert ended.stderr.startswith("hashrange: ")
    assert ended.stderr.count("\n") == 1
    assert text in ended.stderr
    assert ended.stdout == ""


def test_a_file_that_is_there_is_kept(client, run, tmp_path):
    make(client)
    put(client, numbered(2))
    path = tmp_path / "a.jsonl"
    path.write_text("mine\n")
    assert (
        "a.jsonl exists; --overwrite replaces it"
        in run("scan", "orders", "--output", "a.jsonl", code=2).stderr
    )
    assert path.read_text() == "mine\n"
    run("scan", "orders", "--output", "a.jsonl", "--overwrite")
    assert len(path.read_text().splitlines()) == 2


def test_no_server_is_a_failure(run):
    ended = run("scan", "orders", "--endpoint", "http://127.0.0.1:1", code=1)
    assert ended.stderr == ("hashrange: http://127.0.0.1:1 does not answer: connection refused\n")


def test_parquet_without_duckdb_says_how_to_install_it(client, run, without):
    make(client)
    without("duckdb")
    ended = run("scan", "orders", "--output", "a.parquet", code=2)
    assert "Parquet files need DuckDB, which is not installed: " in ended.stderr


# Half of the requests at a time are sent after a throttled one, and nothing is lost.
def test_throttled_requests_are_repeated(client, account, run, figures):
    make(client)
    put(client, numbered(40))
    faults = dict.fromkeys((1, 3, 4, 9), THROTTLE)
    planted = Planted(account.endpoint, limit=5, faults=faults)
    try:
        found = figures("scan", "orders", "--endpoint", planted.url, "--output", "a.jsonl")
    finally:
        planted.close()
    assert (found["items"], found["throttled"]) == (40, 4)


# Pages become so small that there are no bursts; tests/unit has the units in the long run.
def test_rate_limit_makes_pages_small(client, account, figures):
    make(client)
    put(client, [{**item, "text": {"S": "x" * 4000}} for item in numbered(14)])
    planted = Planted(account.endpoint)
    try:
        arguments = ("--endpoint", planted.url, "--rate-limit", 10, "--consistent")
        assert figures("scan", "orders", *arguments)["items"] == 14
    finally:
        planted.close()
    assert all(8 <= request["Limit"] <= 12 for _, request in planted.requests)


def test_commands_work_without_a_terminal_and_quietly(client, run):
    make(client)
    put(client, numbered(3))
    assert run("scan", "orders", "--output", "a.csv", "--quiet").stderr == ""
    shown = run("scan", "orders", "--output", "b.csv").stderr
    assert shown.startswith("orders: 3 items of 3 scanned, ")
    assert shown.endswith("written to b.csv\n")


# A corrected command must not meet the checkpoint of the one with the mistake.
def test_a_refused_filter_leaves_no_files(client, run, tmp_path):
    make(client)
    put(client, numbered(3))
    refused = run("scan", "orders", "--filter", "status =", "--output", "o.json", code=2)
    assert "Invalid FilterExpression: Syntax error" in refused.stderr
    run("scan", "orders", "--filter", "attribute_exists(pk)", "--output", "o.json")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("o.json")] == [
        "o.json"
    ]
