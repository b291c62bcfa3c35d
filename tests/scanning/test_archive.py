"""The archive of expired items: `serve --archive`, and the commands that read it."""

import contextlib
import json
from datetime import timedelta

import pytest

from tests import s3_server
from tests.copying.tables import client_of
from tests.pace import until
from tests.scanning.conftest import command
from tests.scanning.filled import items_in, make, put
from tests.served import served

__all__ = ["command"]
TABLE = "sessions"
HOUR = 3600


@contextlib.contextmanager
def archiving(folder, *, archive=f"{TABLE}=objects/old", s3=None):
    """A server on `folder`, and a client of it."""
    bucket = folder / "bucket"
    bucket.mkdir(exist_ok=True)
    with served(
        memory=False,
        data=folder / "data",
        testing=True,
        s3=f"objects={s3 or bucket}",
        stream_shard_seconds=HOUR,
        stream_shards=2,
        **({} if archive is None else {"archive": archive}),
    ) as server:
        client = client_of(server.endpoint)
        yield server, client
        client.close()


@pytest.fixture
def archived(tmp_path):
    """A server with an archive, a client of it, and the folder of the archive."""
    with archiving(tmp_path) as (server, client):
        expiring(server, client)
        yield server, client, tmp_path / "bucket"


def expiring(server, client):
    make(client, TABLE, sk="N")
    ttl = {"Enabled": True, "AttributeName": "expires"}
    client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=ttl)
    server.clock.settle()


def session(server, number, **more):
    expires = int(server.clock.now().timestamp()) + 60
    return {
        "pk": {"S": f"c{number % 3}"},
        "sk": {"N": str(number)},
        "expires": {"N": str(expires)},
        "price": {"N": "0.1"},
        **more,
    }


def expire(server):
    """Let items expire, and then the shards end that have their deletions."""
    server.clock.advance(seconds=120)
    server.clock.advance(seconds=HOUR)
    server.clock.settle()


def rows_in(command, bucket, query, *options):
    ended = command("archive", "query", query, "--from", bucket, "--output", "json", *options)
    return [json.loads(line) for line in ended.stdout.splitlines()]


# An item that a caller deletes is not archived: nobody asked for it to be kept.
def test_what_expires_is_in_the_archive_once(archived, command):
    server, client, bucket = archived
    items = [session(server, number) for number in range(9)]
    put(client, items, TABLE)
    client.delete_item(TableName=TABLE, Key={name: items[8][name] for name in ("pk", "sk")})
    gone = server.clock.now()
    expire(server)
    assert items_in(client, TABLE) == []
    rows = rows_in(command, bucket, f"SELECT sk, price, _time, _pk, item FROM {TABLE} ORDER BY sk")
    assert [row["item"] for row in rows] == items[:8]
    assert (rows[0]["sk"], rows[0]["price"]) == (0, 0.1)
    assert json.loads(rows[1]["_pk"]) == {"pk": {"S": "c1"}, "sk": {"N": "1"}}
    assert rows[0]["_time"][:16] >= (gone + timedelta(seconds=59)).strftime("%Y-%m-%dT%H:%M")
    names = [path.relative_to(bucket).parts for path in bucket.rglob("*.parquet")]
    assert names
    assert {name[:2] for name in names} == {("old", TABLE)}
    # Nothing is stored again.
    expire(server)
    assert len(rows_in(command, bucket, f"SELECT sk FROM {TABLE}")) == 8


def test_sql_reads_the_archive_as_a_source(archived, command):
    server, client, bucket = archived
    put(client, [session(server, number) for number in range(9)], TABLE)
    expire(server)
    query = f"SELECT pk, count(*) n, sum(price) total FROM {TABLE} GROUP BY pk ORDER BY pk"
    ended = command("sql", query, "--from", bucket)
    assert ended.stdout == "pk,n,total\nc0,3,0.3\nc1,3,0.3\nc2,3,0.3\n"
    assert " objects of the archive, of 20" in ended.stderr
    # The folder of one table will do, and other moments are in the rows.
    assert command("sql", query, "--from", bucket / "old" / TABLE).stdout == ended.stdout
    refused = command("sql", query, "--from", bucket, "--as-of", "latest", code=2)
    assert "an archive has all moments, in _time" in refused.stderr


def test_a_restore_leaves_newer_items_alone(archived, command):
    server, client, bucket = archived
    put(client, [session(server, number) for number in range(9)], TABLE)
    expire(server)
    newer = {"pk": {"S": "c0"}, "sk": {"N": "3"}, "is": {"S": "newer"}}
    put(client, [newer], TABLE)
    arguments = ("archive", "restore", TABLE, "--from", bucket, "--endpoint", server.endpoint)
    ended = command(*arguments, "--where", "pk = 'c0' AND sk BETWEEN 3 AND 9")
    assert "expires, the time to live of the items, is removed" in ended.stderr
    assert "sessions: 1 items restored, 1 were there and stay as they are" in ended.stderr
    restored = {"pk": {"S": "c0"}, "sk": {"N": "6"}, "price": {"N": "0.1"}}
    assert items_in(client, TABLE) == [newer, restored]
    ended = command(*arguments, "--where", "sk = 3", "--overwrite")
    assert "sessions: 1 items restored, 0 were there" in ended.stderr
    assert items_in(client, TABLE) == [{**restored, "sk": {"N": "3"}}, restored]
    command(*arguments, "--all", "--days", "30")
    assert len(items_in(client, TABLE)) == 9
    expire(server)
    assert len(items_in(client, TABLE)) == 9
    server.clock.advance(days=31)
    assert len(items_in(client, TABLE)) == 2


# Each shard makes objects of its own; those of a date become one, and nothing else changes.
def test_objects_of_a_date_become_one(archived, command):
    server, client, bucket = archived
    for number in range(6):
        put(client, [session(server, number), session(server, number + 3)], TABLE)
        expire(server)
    query = f"SELECT item FROM {TABLE} ORDER BY sk, _time"
    rows = rows_in(command, bucket, query)
    assert len(rows) == 12
    parts = {path: path.read_bytes() for path in bucket.rglob("*.parquet")}
    dates = {path.parent for path in parts}
    assert len(parts) > len(dates)
    kept = command("archive", "report", "--from", bucket, "--json").stdout
    ended = command("archive", "compact", "--from", bucket)
    assert "objects of 20" in ended.stderr
    assert len([*bucket.rglob("*.parquet")]) == len(dates)
    assert rows_in(command, bucket, query) == rows
    (before,), (after,) = (
        json.loads(text)
        for text in (kept, command("archive", "report", "--from", bucket, "--json").stdout)
    )
    assert after["stored_bytes"] < before["stored_bytes"]
    assert (after["items"], after["item_bytes"]) == (12, before["item_bytes"])
    # A kill has left some; or a shard was stored again.
    for path, content in [*parts.items()][::2]:
        path.write_bytes(content)
    assert rows_in(command, bucket, query) == rows
    command("archive", "compact", "--from", bucket / "old" / TABLE)
    assert len([*bucket.rglob("*.parquet")]) == len(dates)
    assert rows_in(command, bucket, query) == rows
    assert "0 objects were compacted" in command("archive", "compact", "--from", bucket).stderr
    assert (
        "holds no archive" in command("archive", "compact", "--from", bucket / "x", code=2).stderr
    )


def test_the_newest_state_of_a_key_is_restored(archived, command):
    server, client, bucket = archived
    for text in ("old", "new"):
        put(client, [session(server, 1, text={"S": text})], TABLE)
        expire(server)
    assert len(rows_in(command, bucket, f"SELECT text FROM {TABLE}")) == 2
    make(client, "copies", sk="N")
    arguments = ("--from", bucket, "--endpoint", server.endpoint, "--to", "copies")
    command("archive", "restore", TABLE, *arguments, "--where", "sk = 1", "--keep-expiry")
    (item,) = items_in(client, "copies")
    assert item["text"] == {"S": "new"}
    assert "expires" in item


def test_a_restore_names_what_it_takes(archived, command):
    server, client, bucket = archived
    put(client, [session(server, 1)], TABLE)
    expire(server)
    for options, text in (
        ((), "give either --where, or --all"),
        (("--all", "--where", "sk = 1"), "give either --where, or --all"),
        (("--all", "--days", "1", "--keep-expiry"), "give either --days, or --keep-expiry"),
        (("--where", "1 = 1); DROP TABLE sessions; --"), "Parser Error"),
        (("--where", "nothing = 1"), "nothing"),
        (("--all", "--to", "absent"), "has no table absent"),
    ):
        arguments = ("--from", bucket, "--endpoint", server.endpoint, *options)
        code = 1 if "absent" in text else 2
        assert text in command("archive", "restore", TABLE, *arguments, code=code).stderr, options


def test_the_report_says_what_is_saved(archived, command):
    server, client, bucket = archived
    sizes = range(1, 10)
    put(client, [session(server, number, text={"S": "x" * 1000}) for number in sizes], TABLE)
    expire(server)
    found = command("archive", "report", "--from", bucket, "--json", "--gb-month", "1024")
    (row,) = json.loads(found.stdout)
    assert (row["table"], row["items"]) == (TABLE, 9)
    # DynamoDB bills 100 bytes beside each item.
    size = 2 + 2 + 2 + 2 + len("expires") + 6 + len("price") + 2 + len("text") + 1000
    assert row["item_bytes"] == 9 * (size + 100)
    stored = sum(path.stat().st_size for path in bucket.rglob("*.parquet"))
    assert row["stored_bytes"] == stored
    assert row["table_usd_month"] == pytest.approx(row["item_bytes"] / 1024**3 * 0.25)
    assert row["archive_usd_month"] == pytest.approx(stored / 1024**2)
    text = command("archive", "report", "--from", bucket).stdout
    assert text.startswith(f"{TABLE}: 9 items of 20")
    assert "  saved         $0.0000 a month" in text


# The log is kept until the objects are stored, for however long the bucket is away.
def test_a_bucket_that_is_away_loses_nothing(archived, command, tmp_path):
    server, client, bucket = archived
    put(client, [session(server, number) for number in range(3)], TABLE)
    bucket.rename(tmp_path / "away")
    expire(server)
    server.clock.advance(days=3)
    assert items_in(client, TABLE) == []
    (tmp_path / "away").rename(bucket)
    server.clock.settle()
    assert len(rows_in(command, bucket, f"SELECT sk FROM {TABLE}")) == 3


# A server that is started without the setting must not drop what is to be archived.
def test_a_start_without_the_setting_keeps_the_log(tmp_path, command, caplog):
    with archiving(tmp_path) as (server, client):
        expiring(server, client)
        put(client, [session(server, number) for number in range(3)], TABLE)
    with archiving(tmp_path, archive=None) as (server, client):
        expire(server)
        server.clock.advance(days=3)
        until(lambda: "the log of sessions is kept for an archive" in caplog.text)
    with archiving(tmp_path) as (server, client):
        server.clock.settle()
    assert len(rows_in(command, tmp_path / "bucket", f"SELECT sk FROM {TABLE}")) == 3


def test_an_archive_can_end(tmp_path):
    with archiving(tmp_path) as (server, client):
        expiring(server, client)
    with archiving(tmp_path, archive=f"{TABLE}=off") as (server, client):
        server.clock.settle()
        put(client, [session(server, 1)], TABLE)
        expire(server)
    with archiving(tmp_path) as (server, client):
        server.clock.settle()
        expire(server)
    assert not [*(tmp_path / "bucket").rglob("*.parquet")]


def test_objects_are_deleted_by_age(tmp_path, command):
    with archiving(tmp_path, archive=f"{TABLE}=objects/old?days=30") as (server, client):
        expiring(server, client)
        put(client, [session(server, 1)], TABLE)
        expire(server)
        server.clock.advance(days=29)
        put(client, [session(server, 2)], TABLE)
        expire(server)
        assert len(rows_in(command, tmp_path / "bucket", f"SELECT sk FROM {TABLE}")) == 2
        server.clock.advance(days=2)
        assert rows_in(command, tmp_path / "bucket", f"SELECT sk FROM {TABLE}") == [{"sk": 2}]


def test_an_archive_in_s3_has_its_class(tmp_path, command, monkeypatch):
    keys = tmp_path / "keys"
    keys.write_text("[default]\naws_access_key_id = a\naws_secret_access_key = b\n")
    with s3_server.running() as endpoint:
        s3 = s3_server.client(endpoint)
        s3.create_bucket(Bucket="objects")
        place = f"{endpoint}/objects?region=us-east-1&credentials={keys}"
        archive = f"{TABLE}=objects/old?class=GLACIER_IR"
        with archiving(tmp_path, archive=archive, s3=place) as (server, client):
            expiring(server, client)
            put(client, [session(server, number) for number in range(3)], TABLE)
            expire(server)
            found = s3.list_objects_v2(Bucket="objects")["Contents"]
            assert {each["StorageClass"] for each in found} == {"GLACIER_IR"}
            query = f"SELECT count(*) n FROM {TABLE}"
            assert rows_in(command, place, query, "--prefix", "old/") == [{"n": 3}]
            put(client, [session(server, 3)], TABLE)
            expire(server)
            command("archive", "compact", "--from", place, "--class", "STANDARD_IA")
            found = s3.list_objects_v2(Bucket="objects")["Contents"]
            assert "STANDARD_IA" in {each["StorageClass"] for each in found}
            assert rows_in(command, place, query) == [{"n": 4}]
            arguments = ("--from", place, "--endpoint", server.endpoint, "--all")
            command("archive", "restore", TABLE, *arguments)
            assert len(items_in(client, TABLE)) == 4
            s3.put_object(Bucket="objects", Key="a/manifest-summary.json", Body=b"{}")
            refused = command("archive", "query", query, "--from", place, code=2)
            assert "the bucket holds exports and an archive" in refused.stderr
