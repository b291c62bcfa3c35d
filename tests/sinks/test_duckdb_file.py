"""A file of DuckDB as a target: what others read of it while it is kept up to date."""

import contextlib
import subprocess
import sys
from decimal import Decimal

import duckdb
import pytest

from tests.forks import PIPE, process_of
from tests.pace import until
from tests.scanning.filled import make, numbered, put
from tests.unit.processes import ENVIRONMENT

ITEMS = 30
DAY_SECONDS = 86_400


@pytest.fixture
def path(tmp_path):
    return tmp_path / "shop.duckdb"


@pytest.fixture
def follow(replicate, path):
    return lambda *arguments, **options: replicate(f"duckdb:{path}", *arguments, **options)


def rows_in(path, statement):
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(statement).fetchall()


def numbers_in(path):
    return rows_in(path, "SELECT number, status FROM orders ORDER BY number")


def test_file_follows_items(client, follow, path):
    make(client)
    put(client, numbered(ITEMS))
    follow()
    assert len(numbers_in(path)) == ITEMS
    put(client, [{**numbered(1)[0], "status": {"S": "NEW"}, "more": {"BOOL": True}}])
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0002"}})
    follow()
    found = numbers_in(path)
    assert (len(found), found[0], found[2]) == (ITEMS - 1, (0, "NEW"), (3, "OPEN"))
    assert rows_in(path, "SELECT pk FROM orders WHERE more") == [("order-0000",)]


# Schema evolution: columns have the types of the items that are there now.
def test_columns_are_exact(client, follow, path):
    make(client)
    put(client, [{"pk": {"S": "a"}, "n": {"N": "1"}, "big": {"N": "1"}, "m": {"N": "1"}}])
    follow()
    assert rows_in(path, "SELECT typeof(n) FROM orders") == [("BIGINT",)]
    put(client, [{"pk": {"S": "b"}, "n": {"N": "0.25"}, "big": {"N": "1E+100"}, "m": {"S": "x"}}])
    follow()
    found = rows_in(path, "SELECT n, big FROM orders ORDER BY pk")
    assert found == [(Decimal("1.00"), "1"), (Decimal("0.25"), "1" + "0" * 100)]
    assert [len(row) for row in rows_in(path, "SELECT m FROM orders")] == [1, 1]


# As after a kill between the write of the items and the replacement of the file.
def test_file_is_replaced_at_the_next_start(client, follow, path):
    make(client)
    put(client, numbered(ITEMS))
    follow()
    path.unlink()
    path.with_name("shop.duckdb.new").write_bytes(b"unfinished")
    follow()
    assert len(numbers_in(path)) == ITEMS


def test_new_snapshot_removes_items_that_are_gone(server, client, follow, path):
    make(client)
    put(client, numbered(ITEMS))
    follow("--keep", "2d")
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    for _ in range(4):
        server.clock.advance(seconds=DAY_SECONDS)
    assert "a new snapshot begins" in follow("--keep", "2d").stderr
    assert len(numbers_in(path)) == ITEMS - 1


def test_tables_whose_names_are_one_in_sql_are_refused(client, follow, path):
    make(client)
    make(client, "Orders")
    ended = follow("--table", "Orders", code=1)
    assert ended.stderr.endswith("Orders and orders are one name in SQL: use a file for each\n")


@pytest.mark.usefixtures("in_tmp_path")
def test_other_process_reads_while_the_file_is_kept_up_to_date(server, client, path):
    make(client)
    put(client, numbered(1))
    command = ["replicate-to", f"duckdb:{path}", "--table", "orders", "--publish", "1s"]
    command += ["--endpoint", server.endpoint]
    with process_of(command, environment=ENVIRONMENT, stderr=PIPE) as sink:
        try:
            until(path.exists)
            with reader(path) as old:
                put(client, numbered(ITEMS))
                until(lambda: len(numbers_in(path)) == ITEMS)
                assert count(old) == 1, "an open file stays as it was"
                assert sink.poll() is None
        finally:
            sink.kill()
    assert len(numbers_in(path)) == ITEMS


@contextlib.contextmanager
def reader(path):
    """A process that has the file open, and counts its items for each line."""
    program = (
        "import duckdb, sys\n"
        "c = duckdb.connect(sys.argv[1], read_only=True)\n"
        "for line in sys.stdin:\n"
        "    print(c.execute('SELECT count(*) FROM orders').fetchone()[0], flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert count(process) == 1
        yield process
        process.stdin.close()


def count(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return int(process.stdout.readline())
