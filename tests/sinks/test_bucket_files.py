"""Files in a bucket as a target: what the manifest names, and only one process that writes it."""

import json

import pytest

from tests import s3_server
from tests.scanning.filled import items_in, make, numbered, put
from tests.sinks.buckets import BUCKET, bucket, content, current, keys_in, target

ITEMS = 30

__all__ = ["bucket"]


@pytest.fixture(params=["jsonl", "parquet"])
def follow(request, replicate, s3_endpoint):
    return lambda *arguments, **options: replicate(
        target(s3_endpoint), "--form", request.param, *arguments, **options, **s3_server.KEYS
    )


def manifest_of(s3):
    return json.loads(content(s3, "some/prefix/manifest.json"))


def test_view_has_each_item_once_as_it_is_now(client, follow, bucket, tmp_path):
    make(client)
    put(client, numbered(ITEMS))
    bucket.put_object(Bucket=BUCKET, Key="some/prefix/other/date=2026-01-01/part-0", Body=b"x")
    follow()
    put(client, [{"pk": {"S": "order-0001"}, "new": {"L": [{"N": "1"}]}}])
    client.delete_item(TableName="orders", Key={"pk": {"S": "order-0002"}})
    follow()
    assert current(bucket, tmp_path) == items_in(client)
    assert "some/prefix/other/date=2026-01-01/part-0" in keys_in(bucket), "files of others stay"


def test_small_files_are_merged(client, follow, bucket, tmp_path):
    make(client)
    follow()
    for number in range(18):
        put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}}])
        follow()
    files = manifest_of(bucket)["files"]
    assert sorted((file["level"], file["rows"]) for file in files) == [(0, 1), (0, 1), (1, 16)]
    stored = [key for key in keys_in(bucket) if "/date=" in key]
    assert sorted(stored) == sorted(f"some/prefix/{file['path']}" for file in files)
    assert current(bucket, tmp_path) == items_in(client)


# As after a kill between the upload of a file and that of the manifest.
def test_file_without_its_manifest_does_not_count(client, follow, bucket, tmp_path):
    make(client)
    put(client, numbered(ITEMS))
    follow()
    before = content(bucket, "some/prefix/manifest.json")
    put(client, [{"pk": {"S": "a"}, "n": {"N": str(number)}} for number in range(3)])
    follow()
    bucket.put_object(Bucket=BUCKET, Key="some/prefix/manifest.json", Body=before)
    follow()
    assert sum(file["rows"] for file in manifest_of(bucket)["files"]) == ITEMS + 3
    assert len([key for key in keys_in(bucket) if "/date=" in key]) == 2
    assert current(bucket, tmp_path) == items_in(client)


def test_bucket_that_does_not_exist_ends_the_command(client, replicate, s3_endpoint):
    make(client)
    missing = f"files:{s3_endpoint}/missing?region=us-east-1"
    ended = replicate(missing, code=1, **s3_server.KEYS)
    assert "the bucket missing does not exist" in ended.stderr
