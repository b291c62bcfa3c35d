"""Files as a target: each change once, current items in a view, merged files, both forms."""

import json

import duckdb
import pytest

from tests.scanning.filled import items_in, make, numbered, put

ITEMS = 30
DAY_SECONDS = 86_400


@pytest.fixture(params=["jsonl", "parquet"])
def follow(request, replicate, tmp_path):
    """Brings the directory up to date."""
    return lambda *arguments, **options: replicate(
        f"files:{tmp_path / 'lake'}", "--form", request.param, *arguments, **options
    )


@pytest.fixture
def lake(tmp_path):
    return tmp_path / "lake"


def manifest_of(lake):
    return json.loads((lake / "manifest.json").read_text())


def current(lake):
    """The items of the view."""
    with duckdb.connect() as connection:
        connection.execute((lake / "views.sql").read_text())
        found = connection.execute('SELECT item FROM "orders"').fetchall()
    items = [json.loads(item) for (item,) in found]
    return sorted(items, key=lambda item: repr(sorted(item.items())))


def stored(lake):
    """The versions of all changes in files."""
    with duckdb.connect() as connection:
        statement = (lake / "views.sql").read_text().split("FROM ", 1)[1].split(" WHERE")[0]
        rows = connection.execute(f"SELECT key, version FROM {statement}").fetchall()
    return [(key, int(version)) for key, version in rows]


def test_view_has_each_item_once_as_it_is_now(client, follow, lake):
    make(client)
    put(client, numbered(ITEMS))
    follow()
    assert current(lake) == items_in(client)
    put(client, [{"pk": {"S": "order-0001"}, "new": {"L": [{"N": "1"}]}} for _ in range(2)])
    put(client, [{"pk": {"S": "order-0001"}, "new": {"B": b"x"}}])
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0002"}})
    follow()
    found = [item for item in current(lake) if item["pk"]["S"] != "order-0001"]
    assert found == [item for item in items_in(client) if item["pk"]["S"] != "order-0001"]
    (changed,) = (item for item in current(lake) if item["pk"]["S"] == "order-0001")
    assert changed["new"] == {"B": "eA=="}


def test_manifest_names_the_files_with_their_rows_and_versions(client, follow, lake):
    make(client)
    put(client, numbered(ITEMS))
    follow()
    put(client, numbered(1))
    put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}} for number in range(3)])
    follow()
    snapshot, changes = manifest_of(lake)["files"]
    assert (snapshot["rows"], snapshot["first"], snapshot["last"]) == (ITEMS, "0", "0")
    assert changes["rows"] == 3, "a put that changes nothing is no change"
    assert int(changes["first"]) + 2 == int(changes["last"])
    assert changes["path"].startswith(f"orders/date={changes['date']}/")
    versions = stored(lake)
    assert len(versions) == len(set(versions)) == ITEMS + 3


def test_small_files_are_merged(client, follow, lake):
    make(client)
    follow()
    for number in range(20):
        put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}}])
        follow()
    files = manifest_of(lake)["files"]
    assert sorted(file["level"] for file in files) == [0, 0, 0, 0, 1]
    on_disk = [*lake.glob("*/date=*/*")]
    assert sorted(str(path.relative_to(lake)) for path in on_disk) == sorted(
        file["path"] for file in files
    )
    assert len(stored(lake)) == 20
    assert current(lake) == items_in(client)


# As after a kill between the write of a file and that of the manifest.
def test_file_without_its_manifest_does_not_count(client, follow, lake):
    make(client)
    put(client, numbered(ITEMS))
    follow()
    before = (lake / "manifest.json").read_bytes()
    put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}} for number in range(3)])
    follow()
    (lake / "manifest.json").write_bytes(before)
    follow()
    versions = stored(lake)
    assert len(versions) == len(set(versions)) == ITEMS + 3
    assert len([*lake.glob("*/date=*/*")]) == 2
    assert current(lake) == items_in(client)


def test_items_that_a_new_snapshot_does_not_have_are_not_current(server, client, follow, lake):
    make(client)
    put(client, numbered(ITEMS))
    follow("--keep", "2d")
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0001"}})
    for _ in range(4):
        server.clock.advance(seconds=DAY_SECONDS)
    assert "a new snapshot begins" in follow("--keep", "2d").stderr
    assert current(lake) == items_in(client)
    assert len(current(lake)) == ITEMS - 1


def test_other_form_is_refused(client, replicate, lake):
    make(client)
    replicate(f"files:{lake}")
    ended = replicate(f"files:{lake}", "--form", "parquet", code=1)
    assert ended.stderr.endswith("manifest.json: the files are jsonl\n")


# DuckDB's views do not distinguish upper and lower case: one would replace the other.
def test_tables_whose_views_are_one_are_refused(client, follow, lake):
    make(client)
    make(client, "Orders")
    put(client, numbered(1))
    ended = follow("--table", "Orders", code=1)
    text = "Orders and orders are one name in SQL: use a directory or a prefix for each\n"
    assert ended.stderr.endswith(text)
