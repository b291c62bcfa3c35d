"""`hashrange sql`, through the real command: a server, its directory, its exports, its moments."""

import asyncio
import json
from decimal import Decimal

import duckdb
import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from hashrange.cli.prompt.sql_prompt import typed_statements
from tests import s3_server
from tests.api.exports import exported, recoverable
from tests.copying.tables import VALUES, client_of
from tests.rows import rows
from tests.scanning.filled import items_in, make, numbered, put
from tests.served import served

TOTALS = "SELECT count(*), count(n), min(n), max(n), sum(n), min(s), max(s) FROM orders"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A directory whose server has ended, an export of it, and the figures of a Scan."""
    root = tmp_path_factory.mktemp("sql")
    (root / "bucket").mkdir()
    (root / "ion").mkdir()
    buckets = f"exports={root}/bucket;ion={root}/ion"
    with served(memory=False, data=root / "data", s3=buckets) as server:
        client = client_of(server.endpoint)
        make(client)
        arn = recoverable(client, "orders")
        numbers = ("0.1", "-3", "12345678901234567890.5", "7")
        for number in range(60):
            value = VALUES[number % len(VALUES)]
            item = {"pk": {"S": f"é{number}"}, "value": value, "s": {"S": chr(0x20 + number * 97)}}
            more = {"n": {"N": numbers[number % 4]}} if number % 5 else {"n": {"NULL": True}}
            put(client, [{**item, **more}])
        exported(client, arn)
        exported(client, arn, bucket="ion", ExportFormat="ION")
        items = items_in(client)
        client.close()
    found = [Decimal(item["n"]["N"]) for item in items if "N" in item["n"]]
    texts = sorted((item["s"]["S"] for item in items), key=str.encode)
    figures = [len(items), len(found), min(found), max(found), sum(found), texts[0], texts[-1]]
    return root, figures


def rows_of(text):
    return [[*json.loads(line, parse_float=Decimal).values()] for line in text.splitlines()]


# What a report says must not depend on where it was read.
def test_every_source_has_the_figures_of_a_scan(filled, command):
    root, figures = filled
    for folder in (root / "data", root / "bucket", root / "ion"):
        ended = command("sql", TOTALS, "--from", folder, "--output", "json")
        assert rows_of(ended.stdout) == [figures], folder
    assert ended.stderr.startswith("orders: 60 items of the export of 20")
    with served(memory=False, data=root / "data") as server:
        address = ("--endpoint", server.endpoint, "--output", "json")
        ended = command("sql", TOTALS, *address)
        assert rows_of(ended.stdout) == [figures]
        assert "a Scan of orders, by its size" in ended.stderr
        assert "orders: 60 items by Scan, " in ended.stderr
        ended = command("sql", TOTALS, *address, "--as-of", "latest")
        assert rows_of(ended.stdout) == [figures]
        assert "none of the table" in ended.stderr


@pytest.mark.long
def test_an_export_in_a_bucket_of_s3(filled, command, tmp_path):
    root, figures = filled
    keys = tmp_path / "keys"
    keys.write_text("[default]\naws_access_key_id = a\naws_secret_access_key = b\n")
    with s3_server.running() as endpoint:
        s3 = s3_server.client(endpoint)
        s3.create_bucket(Bucket="reports")
        for path in (root / "bucket").rglob("*"):
            if path.is_file():
                key = f"a/{path.relative_to(root / 'bucket').as_posix()}"
                content = path.read_bytes()
                if path.name == "manifest-files.json":
                    content = content.replace(b'"AWSDynamoDB/', b'"a/AWSDynamoDB/')
                s3.put_object(Bucket="reports", Key=key, Body=content)
        place = f"{endpoint}/reports?region=us-east-1&credentials={keys}"
        ended = command("sql", TOTALS, "--from", place, "--output", "json", "--prefix", "a/")
        assert rows_of(ended.stdout) == [figures]
        ended = command("sql", TOTALS, "--from", place, "--prefix", "b", code=2)
        assert "has no export that begins with 'b'" in ended.stderr
        gone = f"{endpoint}/gone?region=us-east-1&credentials={keys}"
        refused = command("sql", TOTALS, "--from", gone, code=1).stderr
        assert "does not exist at its place" in refused


def test_an_export_that_is_damaged_is_refused(filled, command, tmp_path):
    root, _ = filled
    copied = tmp_path / "copied"
    for path in (root / "bucket").rglob("*"):
        if path.is_file():
            target = copied / path.relative_to(root / "bucket")
            target.parent.mkdir(parents=True, exist_ok=True)
            content = path.read_bytes()
            target.write_bytes(content[:-9] if path.suffix == ".gz" else content)
    ended = command("sql", TOTALS, "--from", copied, code=1)
    assert "is damaged: its checksum is not that of the manifest" in ended.stderr


@pytest.fixture
def orders(client):
    make(client, sk="N")
    items = [{**item, "sk": {"N": str(n)}} for n, item in enumerate(numbered(9))]
    put(client, [{**item, "pk": {"S": f"c{n % 2}"}} for n, item in enumerate(items)])
    return client


def test_keys_in_where_are_a_query(orders, run):
    ended = run("sql", "SELECT sum(number) n FROM orders WHERE pk = 'c1' AND sk > 3")
    assert ended.stdout == "n\n12\n"
    assert ended.stderr.startswith("orders: 2 items by 1 Query, 0.5 read units")
    ended = run("sql", "SELECT sum(number) n FROM orders WHERE pk = 'nobody'")
    assert ended.stdout == 'n\n""\n'
    ended = run(
        "sql", "SELECT max(number) n FROM orders WHERE pk = 'c1'; SELECT count(*) FROM orders"
    )
    assert ended.stdout == "n\n7\ncount_star()\n9\n"


def test_a_moment_is_read_in_a_copy_that_is_removed(orders, run):
    recoverable(orders, "orders")
    ended = run("sql", "SELECT count(*) n FROM orders AS OF 'latest' WHERE pk = 'c1'")
    assert ended.stdout == "n\n4\n"
    assert "orders: 4 items by 1 Query, 0.5 read units of a copy as of latest" in ended.stderr
    assert orders.list_tables()["TableNames"] == ["orders"]
    early = run("sql", "SELECT 1 FROM orders AS OF '2001-01-01'", code=2)
    assert "restor" in early.stderr.lower()


def test_an_expensive_read_is_confirmed(client, run):
    make(client)
    put(client, [{"pk": {"S": str(n)}, "text": {"S": "x" * 400_000}} for n in range(21)])
    sql = "SELECT count(*) n FROM orders"
    refused = run("sql", sql, code=2).stderr
    assert ": 1,025.4 read units, $0.0001 on demand: give --yes, or --as-of latest" in refused
    assert run("sql", sql, "--yes").stdout == "n\n21\n"
    assert run("sql", f"{sql} WHERE pk = '1'").stdout == "n\n1\n"


def test_rows_are_written_in_every_form(orders, run, tmp_path):
    sql = "SELECT pk, sk, CAST(sk AS DECIMAL(38, 20)) d, [sk] l FROM orders ORDER BY sk LIMIT 1"
    assert run("sql", sql).stdout == "pk,sk,d,l\nc0,0,0.00000000000000000000,[0]\n"
    exact = '{"pk":"c0","sk":0,"d":0.00000000000000000000,"l":[0]}\n'
    assert run("sql", sql, "--output", "json").stdout == exact
    assert "│ c0" in run("sql", sql, "--output", "table").stdout
    for name in ("a.csv", "a.json", "a.parquet"):
        run("sql", sql, "--file", name)
    assert (tmp_path / "a.json").read_text() == exact
    assert duckdb.sql(f"FROM '{tmp_path}/a.parquet'").fetchall() == [("c0", 0, Decimal(0), [0])]
    assert run("sql", sql, "--file", "a.csv", code=2).stderr.endswith("--overwrite replaces it\n")
    (tmp_path / "a.sql").write_text(sql)
    assert run("sql", "a.sql").stdout == (tmp_path / "a.csv").read_text()
    assert not [*tmp_path.glob("*.part")]


def test_nested_fields_are_columns_on_request(client, run):
    make(client)
    put(client, [{"pk": {"S": "a"}, "m": {"M": {"x": {"M": {"y": {"N": "1"}}}}}, "n": {"N": "2"}}])
    ended = run("sql", "SELECT * EXCLUDE (_time, item, _pk) FROM orders", "--unnest", "full")
    assert ended.stdout == "pk,m.x.y,n\na,1,2\n"
    ended = run("sql", "DESCRIBE orders", "--unnest", "NO_UNNEST")
    assert [line.split(",")[0] for line in ended.stdout.splitlines()[1:]] == [
        *("pk", "value", "_pk", "_time", "item")
    ]


@rows(
    "arguments, text",
    [
        (["SELECT * FROM none"], "has no table none"),
        (["SELECT nothing FROM orders"], 'column "nothing" not found'),
        (["DELETE FROM orders"], "Only SELECT statements"),
        (["SELECT * FROM read_csv('/etc/passwd')"], "disabled by configuration"),
        (["SELECT 1", "--output", "parquet"], "--output parquet needs --file FILE"),
        (["SELECT 1", "--file", "a.txt"], "the name must end in .csv, .json, .jsonl, .parquet"),
        (["SELECT 1; SELECT 2", "--file", "a.csv"], "takes the rows of one statement"),
        (["SELECT 1", "--schema", "price"], "give NAME=TYPE"),
        (["SELECT 1", "--schema", "price=FLOAT"], "FLOAT: a type is VARCHAR, "),
        (["SELECT 1", "--memory", "much"], "Memory must have a number"),
        (
            ["SELECT 1", "--from", "nowhere"],
            "nowhere holds neither data of hashrange nor an export",
        ),
        ([" ; "], "there is no statement"),
        (["none.sql"], "none.sql: No such file"),
    ],
)
def test_what_cannot_be_done_is_refused(orders, run, arguments, text):
    assert text in run("sql", *arguments, code=2).stderr


async def _typed(keys):
    with create_pipe_input() as terminal:
        terminal.send_text(keys)
        return [each async for each in typed_statements(terminal, DummyOutput())]


def test_statements_are_typed_at_the_prompt():
    typed = asyncio.run(_typed("SELECT 1;\rSELECT\r 2; SELECT ';';\r\\q\rSELECT 3;\r"))
    assert typed == ["SELECT 1", "SELECT\n 2", "SELECT ';'"]
