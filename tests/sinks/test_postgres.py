"""PostgreSQL as a target: exact rows, each change once, columns that come with attributes."""

import asyncio
import json
from decimal import Decimal

import asyncpg
import pytest

from hashrange.tools.sinks.postgres import Postgres
from tests.scanning.filled import items_in, make, numbered, put, typed
from tests.sinks.databases import database

ITEMS = 30
DAY_SECONDS = 86_400

__all__ = ["database"]


@pytest.fixture
def follow(replicate, database):
    return lambda *arguments, **options: replicate(database, *arguments, **options)


@pytest.fixture
def rows(database):
    """Reads rows of a statement."""

    async def run(statement):
        connection = await asyncpg.connect(database)
        try:
            return [dict(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    return lambda statement: asyncio.run(run(statement))


def items_of(rows):
    items = [json.loads(row["item"]) for row in rows('SELECT item FROM "orders"')]
    return sorted(items, key=lambda item: repr(sorted(item.items())))


def expected(client):
    items = [typed(item) for item in items_in(client)]
    return sorted(items, key=lambda item: repr(sorted(item.items())))


def test_rows_follow_items(client, follow, rows):
    make(client, sk="N")
    items = [{**item, "sk": {"N": "1"}} for item in numbered(ITEMS)]
    put(client, items)
    follow()
    assert items_of(rows) == expected(client)
    put(client, [{**item, "status": {"S": "NEW"}} for item in items[:10]])
    for item in items[10:15]:
        client.delete_item(TableName="orders", Key={"pk": item["pk"], "sk": item["sk"]})
    follow()
    assert items_of(rows) == expected(client)
    assert rows("SELECT count(*) n FROM orders WHERE status = 'NEW'") == [{"n": 10}]


def test_columns_have_the_exact_values(client, follow, rows):
    make(client)
    number = "-1.2345678901234567890123456789012345678E-100"
    put(
        client,
        [
            {
                "pk": {"S": "a"},
                "n": {"N": number},
                "b": {"B": b"\x00\xff"},
                "flag": {"BOOL": False},
                "none": {"NULL": True},
                "tags": {"SS": ["x"]},
            },
            {"pk": {"S": "b"}, "n": {"N": "9" * 38 + "0" * 80}},
        ],
    )
    follow()
    first, second = rows("SELECT * FROM orders ORDER BY pk")
    assert first["n"] == Decimal(number)
    assert second["n"] == Decimal("9" * 38 + "0" * 80)
    assert (first["b"], first["flag"], second["flag"]) == (b"\x00\xff", False, None)
    assert first.keys() == {"_key", "_version", "item", "pk", "n", "b", "flag"}


# Schema evolution: nothing is converted, and nothing that was there is changed.
def test_attributes_of_a_new_type_get_a_column_of_their_own(client, follow, rows):
    make(client)
    put(client, [{"pk": {"S": "a"}, "price": {"N": "1.50"}, "xmin": {"S": "x"}}])
    follow()
    put(client, [{"pk": {"S": "b"}, "price": {"S": "on request"}, "price_s": {"S": "y"}}])
    put(client, [{"pk": {"S": "c"}, "price": {"N": "2"}, "item": {"S": "z"}}])
    follow()
    found = rows("SELECT pk, price, price_s, price_s_s, xmin_s, item_s FROM orders ORDER BY pk")
    assert [tuple(row.values()) for row in found] == [
        ("a", Decimal("1.50"), None, None, "x", None),
        ("b", None, "on request", "y", None, None),
        ("c", Decimal(2), None, None, None, "z"),
    ]


def test_text_that_postgresql_does_not_have_is_kept_as_base64(client, follow, rows):
    make(client)
    put(client, [{"pk": {"S": "a"}, "nul": {"S": "x\0y"}, "not": {"S": r"\u0000"}}])
    put(client, [{"pk": {"S": "b"}, "not": {"S": r"\u0000"}}])
    follow()
    first, second = rows("SELECT * FROM orders ORDER BY pk")
    (kept,) = json.loads(first["item"]).values()
    statement = f"SELECT convert_from(decode('{kept}', 'base64'), 'UTF8') item"
    (read,) = rows(statement)
    assert json.loads(read["item"])["nul"] == {"S": "x\0y"}
    assert (first["nul"], first["not"]) == (None, r"\u0000")
    assert json.loads(second["item"])["not"] == {"S": r"\u0000"}


def test_new_snapshot_removes_items_that_are_gone(server, client, follow, rows):
    make(client)
    put(client, numbered(ITEMS))
    follow("--keep", "2d")
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    for _ in range(4):
        server.clock.advance(seconds=DAY_SECONDS)
    assert "a new snapshot begins" in follow("--keep", "2d").stderr
    assert items_of(rows) == expected(client)
    assert len(items_of(rows)) == ITEMS - 1


def test_table_of_others_is_refused(client, follow, rows):
    make(client)
    rows('CREATE TABLE "orders" (id int)')
    ended = follow(code=1)
    assert ended.stderr.endswith("the database has a table orders that is not of a sink\n")


# As by a second process: each has read the same position.
def test_position_that_another_process_has_changed_is_refused(client, follow, database):
    make(client)
    put(client, numbered(1))
    follow()

    async def both():
        first, second = Postgres(database), Postgres(database)
        async with first.opened(), second.opened():
            for each in (first, second):
                await each.prepare("orders", {})
            before = first.tables["orders"]
            moved = type(before)(stream="other", epoch=1)
            await first.write("orders", moved)
            await first.write("orders", moved)  # as if the answer to the commit were lost
            with pytest.raises(Exception, match="another process writes the table orders"):
                await second.write("orders", type(before)(stream="other", epoch=2))

    asyncio.run(both())


def test_database_that_does_not_answer_ends_the_command(client, replicate):
    make(client)
    ended = replicate("postgresql://127.0.0.1:1/none", code=1)
    assert "PostgreSQL: " in ended.stderr
