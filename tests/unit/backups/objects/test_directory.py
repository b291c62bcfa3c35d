"""A directory as a bucket: nothing leads out of it, and what fails leaves nothing."""

import asyncio
import os
import sys

import pytest

from hashrange.backups.objects.bucket import BucketError, Failure, one_chunk
from hashrange.backups.objects.directory import DirectoryBucket
from hashrange.backups.objects.directory_files import UPLOADS
from hashrange.limits.backups import OBJECT_UPLOAD_SECONDS_MAX

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="settings refuse it there")


def bucket_in(root, name="1"):
    return DirectoryBucket("things", root, new_id=lambda: name)


async def read(bucket, key):
    return b"".join([chunk async for chunk in bucket.get(key)])


async def keys(bucket):
    return {entry.key async for entry in bucket.list("")}


def left_in(root):
    return [upload.name for upload in (root / UPLOADS).iterdir()]


def failures_of(bucket, key):
    async def story():
        for work in (read(bucket, key), bucket.put(key, one_chunk(b"new")), bucket.delete(key)):
            try:
                await work
            except BucketError as error:
                yield error.failure
            else:
                yield None

    async def collect():
        return [failure async for failure in story()]

    return asyncio.run(collect())


# An importer's key could otherwise read /etc/passwd through a link that another program made.
def test_links_are_not_followed(tmp_path):
    root, outside = tmp_path / "bucket", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (root / "link").symlink_to(outside)
    (root / "file").symlink_to(outside / "secret")
    bucket = bucket_in(root)
    assert None not in failures_of(bucket, "link/secret")
    read_failure, put_failure, _ = failures_of(bucket, "file")
    assert read_failure is Failure.INVALID_KEY
    assert put_failure is None  # takes the place of the link
    assert (outside / "secret").read_bytes() == b"secret"
    assert asyncio.run(keys(bucket)) == set()


def test_uploads_do_not_follow_a_link(tmp_path):
    root, outside = tmp_path / "bucket", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / UPLOADS).symlink_to(outside)
    with pytest.raises(BucketError):
        asyncio.run(bucket_in(root).put("a", one_chunk(b"x")))
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("key", [f"{UPLOADS}/1", "a\\b", "a" * 256, "é" * 128, "\udcff"])
def test_keys_that_are_no_names_of_files_are_refused(tmp_path, key):
    assert set(failures_of(bucket_in(tmp_path), key)) == {Failure.INVALID_KEY}


def test_special_files_are_no_objects(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    bucket = bucket_in(tmp_path)
    with pytest.raises(BucketError) as refused:
        asyncio.run(read(bucket, "pipe"))
    assert refused.value.failure is Failure.NO_SUCH_KEY
    assert asyncio.run(keys(bucket)) == set()


def test_an_object_below_an_object_is_refused(tmp_path):
    bucket = bucket_in(tmp_path)
    asyncio.run(bucket.put("a", one_chunk(b"x")))
    with pytest.raises(BucketError) as refused:
        asyncio.run(bucket.put("a/b", one_chunk(b"x")))
    assert refused.value.failure is Failure.INVALID_KEY
    assert left_in(tmp_path) == []


def test_uploads_that_a_kill_has_left_are_removed_after_a_day(tmp_path):
    (tmp_path / UPLOADS).mkdir()
    for name, age in (("old", OBJECT_UPLOAD_SECONDS_MAX + 60), ("new", 60)):
        left = tmp_path / UPLOADS / name
        left.write_bytes(b"half")
        at = left.stat().st_mtime - age
        os.utime(left, (at, at))
    bucket = bucket_in(tmp_path)
    asyncio.run(bucket.put("a", one_chunk(b"x")))
    assert left_in(tmp_path) == ["new"]
    assert asyncio.run(keys(bucket)) == {"a"}


def test_a_cancelled_upload_leaves_nothing(tmp_path):
    async def story():
        reached = asyncio.Event()

        async def endless():
            yield b"x"
            reached.set()
            await asyncio.Event().wait()

        putting = asyncio.ensure_future(bucket_in(tmp_path).put("a", endless()))
        await reached.wait()
        putting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await putting

    asyncio.run(story())
    assert left_in(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read_are_denied(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "a").chmod(0)
    with pytest.raises(BucketError) as refused:
        asyncio.run(read(bucket_in(tmp_path), "a"))
    assert refused.value.failure is Failure.ACCESS_DENIED
