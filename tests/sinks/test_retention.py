"""What streams keep for a sink that is away: a time, and bytes."""

import pytest

from tests.scanning.filled import items_in, make, put

MB = 1024**2
DAY_SECONDS = 86_400
TEXT = "x" * 300_000


@pytest.fixture
def follow(replicate, tmp_path):
    return lambda *arguments, **options: replicate(f"files:{tmp_path}/lake", *arguments, **options)


def changed(client, count):
    for number in range(count):
        put(client, [{"pk": {"S": str(number)}, "text": {"S": TEXT}}])


def days_go_by(server, count):
    for _ in range(count):
        server.clock.advance(seconds=DAY_SECONDS)


def test_changes_beyond_the_bytes_are_gone_and_a_snapshot_begins(server, client, follow):
    make(client)
    follow("--keep", "30d", "--keep-bytes", "1MB")
    changed(client, 8)
    days_go_by(server, 4)
    client.delete_item(TableName="orders", Key={"pk": {"S": "0"}})
    printed = follow("--keep", "30d", "--keep-bytes", "1MB").stderr
    assert "has expired; a new snapshot begins" in printed
    assert len(items_in(client)) == 7


@pytest.mark.parametrize(
    ("days", "keep_bytes"), [(4, "100MB"), (0, "1MB")], ids=["they fit", "a day is kept as on AWS"]
)
def test_changes_within_the_bytes_are_kept(server, client, follow, days, keep_bytes):
    make(client)
    follow("--keep", "30d", "--keep-bytes", keep_bytes)
    changed(client, 8)
    days_go_by(server, days)
    server.clock.advance(seconds=3600)
    assert "snapshot" not in follow("--keep", "30d", "--keep-bytes", keep_bytes).stderr


def test_tags_of_readers_that_ask_for_more_stay(client, follow):
    make(client)
    follow("--keep", "10d", "--keep-bytes", "2GB")
    follow("--keep", "9d", "--keep-bytes", "3GB")
    arn = client.describe_table(TableName="orders")["Table"]["TableArn"]
    tags = {
        each["Key"]: each["Value"] for each in client.list_tags_of_resource(ResourceArn=arn)["Tags"]
    }
    assert tags == {
        "hashrange:stream-retention-seconds": str(10 * DAY_SECONDS),
        "hashrange:stream-retention-bytes": str(3 * 1024 * MB),
    }


@pytest.mark.parametrize("size", ["0MB", "10", "1kB", "1.5GB"])
def test_sizes_have_units(follow, size):
    assert "is not a size like 500MB, 10GB or 1TB" in follow("--keep-bytes", size, code=2).stderr
