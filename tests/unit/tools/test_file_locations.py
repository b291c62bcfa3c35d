"""Places of files of changes: one process at a time writes a bucket."""

import asyncio

import pytest

from hashrange.tools.copying.place import CopyError
from hashrange.tools.sinks.file_locations import BucketLocation


class Bucket:
    """A bucket whose objects are replaced by their ETags."""

    def __init__(self):
        self.objects = {}
        self.loses_answers = False

    async def small(self, key):
        content = self.objects.get(key)
        return None if content is None else (content, f"of {content.decode()}")

    async def swap(self, key, content, etag):
        found = await self.small(key)
        if etag != (None if found is None else found[1]):
            return None
        self.objects[key] = content
        return None if self.loses_answers else f"of {content.decode()}"

    async def put(self, key, chunks):
        self.objects[key] = b"".join([chunk async for chunk in chunks])


def test_second_process_takes_a_bucket_over():
    async def both():
        bucket = Bucket()
        first, second = (BucketLocation(bucket, "lake", "p/", mark) for mark in "12")
        assert await first.manifest() is None
        await first.replace(b"a", b"")
        assert await second.manifest() == b"a"
        await second.replace(b"b", b"")
        with pytest.raises(CopyError, match="s3://lake/p/: another process writes it"):
            await first.replace(b"c", b"")
        await second.replace(b"d", b"")
        assert bucket.objects["p/manifest.json"] == b"d"

    asyncio.run(both())


# An SDK sends a request again if the answer is lost; the second one finds the first one's object.
def test_answer_that_was_lost_is_no_other_process():
    async def one():
        bucket = Bucket()
        location = BucketLocation(bucket, "lake", "", "1")
        await location.manifest()
        bucket.loses_answers = True
        await location.replace(b"a", b"")
        await location.replace(b"b", b"")

    asyncio.run(one())
