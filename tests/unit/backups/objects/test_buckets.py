"""What every bucket does, in a directory and behind an API of S3."""

import asyncio
import hashlib
import itertools
from base64 import b64encode

import pytest

from hashrange.backups.objects.bucket import BucketError, Failure, ObjectEntry, one_chunk, whole
from hashrange.backups.objects.buckets import Buckets
from hashrange.limits.backups import OBJECT_PART_BYTES
from hashrange.optional_packages import MissingPackageError
from hashrange.settings.buckets import bucket_locations
from tests import s3_server

SMALL = b"an object"
LARGE = [bytes([each]) * 1_000_003 for each in range(18)]
"""Two parts and a bit."""


async def chunks(parts):
    for part in parts:
        yield part


async def listed(bucket, prefix=""):
    return sorted([entry async for entry in bucket.list(prefix)], key=lambda entry: entry.key)


async def read(bucket, key, *bounds):
    return b"".join([chunk async for chunk in bucket.get(key, *bounds)])


# Exports, imports and backups rest on these; both kinds must agree.
def test_an_object_is_stored_read_listed_and_deleted(bucket):
    async def story():
        stored = await bucket.put("a/b/c.json", one_chunk(SMALL))
        assert stored.size_bytes == len(SMALL)
        assert stored.md5 == b64encode(hashlib.md5(SMALL).digest()).decode()
        assert await whole(bucket, "a/b/c.json", 100) == SMALL
        assert await bucket.size("a/b/c.json") == len(SMALL)
        assert await bucket.size("a/b/absent") is None
        await bucket.put("a/b/c.json", one_chunk(b"replaced"))
        assert await read(bucket, "a/b/c.json") == b"replaced"
        await bucket.put("a/empty", chunks([]))
        assert await read(bucket, "a/empty") == b""
        assert await listed(bucket) == [ObjectEntry("a/b/c.json", 8), ObjectEntry("a/empty", 0)]
        await bucket.delete("a/b/c.json")
        await bucket.delete("a/b/c.json")
        assert await listed(bucket) == [ObjectEntry("a/empty", 0)]

    asyncio.run(story())


def test_a_prefix_may_end_within_a_name(bucket):
    async def story():
        for key in ("x/one", "x/only/two", "x/two", "y/one", "only"):
            await bucket.put(key, one_chunk(b"1"))
        assert [entry.key for entry in await listed(bucket, "x/on")] == ["x/one", "x/only/two"]
        assert [entry.key for entry in await listed(bucket, "o")] == ["only"]
        assert await listed(bucket, "x/one/") == []
        assert await listed(bucket, "absent/") == []

    asyncio.run(story())


# The ETag is that of a multipart upload: readers of exports compare it with S3's.
def test_large_objects_are_stored_in_parts_and_read_in_ranges(bucket):
    content = b"".join(LARGE)

    async def story():
        stored = await bucket.put("large", chunks(LARGE))
        assert stored.size_bytes == len(content)
        assert stored.md5 == b64encode(hashlib.md5(content).digest()).decode()
        parts = [
            hashlib.md5(content[at : at + OBJECT_PART_BYTES]).digest()
            for at in range(0, len(content), OBJECT_PART_BYTES)
        ]
        assert stored.etag == f"{hashlib.md5(b''.join(parts)).hexdigest()}-{len(parts)}"
        assert await read(bucket, "large") == content
        assert await read(bucket, "large", 5_000_000, 9_000_000) == content[5_000_000:9_000_000]
        assert await read(bucket, "large", 17_999_000) == content[17_999_000:]
        assert await read(bucket, "large", len(content) - 3, 10**9) == content[-3:]
        assert await read(bucket, "large", 10**9) == b""

    asyncio.run(story())


# A job that fails must not leave half an object under the name of a whole one.
@pytest.mark.parametrize("pieces", [1, 12])
def test_an_object_whose_source_fails_is_not_there(bucket, pieces):
    async def failing():
        for _ in range(pieces):
            yield b"x" * 1_000_000
        raise LookupError("the source is gone")

    async def story():
        await bucket.put("whole", one_chunk(b"before"))
        with pytest.raises(LookupError, match="the source is gone"):
            await bucket.put("whole", failing())
        assert await read(bucket, "whole") == b"before"
        assert await listed(bucket) == [ObjectEntry("whole", 6)]

    asyncio.run(story())


def test_an_object_is_not_there_before_its_end(bucket):
    async def story():
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def slow():
            yield b"x" * 9_000_000
            reached.set()
            await go_on.wait()
            yield b"y"

        putting = asyncio.ensure_future(bucket.put("slow", slow()))
        await reached.wait()
        assert await bucket.size("slow") is None
        assert await listed(bucket) == []
        go_on.set()
        await putting
        assert await bucket.size("slow") == 9_000_001

    asyncio.run(story())


@pytest.mark.parametrize(
    "key", ["", "/a", "a//b", "a/", "..", "../a", "a/../b", "./a", "a\0b", "a" * 1025]
)
def test_keys_that_lead_elsewhere_are_refused(bucket, key):
    async def story():
        for work in (
            bucket.put(key, one_chunk(b"x")),
            bucket.size(key),
            bucket.delete(key),
            read(bucket, key),
        ):
            with pytest.raises(BucketError) as refused:
                await work
            assert refused.value.failure in {Failure.INVALID_KEY, Failure.KEY_TOO_LONG}

    asyncio.run(story())


def test_an_absent_object_is_told_from_an_absent_bucket(bucket, tmp_path, s3_endpoint):
    text = f"dir={tmp_path}/absent;api={s3_endpoint}/absent?region=us-east-1&anonymous=true"
    absent = Buckets(bucket_locations(text), new_id=lambda: "1")

    async def failure(work):
        with pytest.raises(BucketError) as refused:
            await work
        return refused.value.failure

    async def story():
        assert await failure(read(bucket, "absent")) is Failure.NO_SUCH_KEY
        for name in ("dir", "api"):
            gone = absent.opened(name)
            assert await failure(read(gone, "a")) is Failure.NO_SUCH_BUCKET
            assert await failure(listed(gone)) is Failure.NO_SUCH_BUCKET
            assert await failure(gone.put("a", one_chunk(b"x"))) is Failure.NO_SUCH_BUCKET
            assert await failure(gone.size("a")) is Failure.NO_SUCH_BUCKET
        with pytest.raises(BucketError, match="--s3 none=DIRECTORY"):
            absent.opened("none")

    asyncio.run(story())


def test_small_objects_have_a_bound(bucket):
    async def story():
        await bucket.put("a", one_chunk(b"12345"))
        with pytest.raises(BucketError, match="more than 4 bytes"):
            await whole(bucket, "a", 4)

    asyncio.run(story())


# An operator is told at the start, and how to install what is missing.
def test_a_missing_package_is_named_with_its_command(without):
    without("obstore")
    found = Buckets(bucket_locations("aa=s3://aa"), new_id=lambda: "1")
    with pytest.raises(MissingPackageError, match="pip install"):
        found.check()


def test_keys_are_read_from_a_file(tmp_path, s3_endpoint, process_environment):
    process_environment(**dict.fromkeys(s3_server.KEYS))
    file = tmp_path / "keys"
    file.write_text("[other]\naws_access_key_id = AKIAX\naws_secret_access_key = y\n", "utf-8")
    s3_server.client(s3_endpoint).create_bucket(Bucket="with-file")
    url = f"with-file={s3_endpoint}?region=us-east-1&credentials={file}"
    ids = map(str, itertools.count())

    async def story():
        found = Buckets(bucket_locations(f"{url}&profile=other"), new_id=lambda: next(ids))
        bucket = found.opened("with-file")
        await bucket.put("a", one_chunk(b"x"))
        assert await read(bucket, "a") == b"x"

    asyncio.run(story())
    for text in (url, f"{url}x", f"{url}&profile=none"):
        found = Buckets(bucket_locations(text), new_id=lambda: "1")
        with pytest.raises(BucketError) as refused:
            found.opened("with-file")
        assert refused.value.failure is Failure.ACCESS_DENIED
        assert "AKIAX" not in str(refused.value)
