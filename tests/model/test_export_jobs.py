"""Exports that are interrupted anywhere, while the table is written, go on and are complete."""

import asyncio
import gzip
import json
import random

import pytest

from hashrange.background.export_jobs import export_jobs
from hashrange.backups.exports.data_files import export_arn, with_export
from hashrange.backups.objects.bucket import BucketError, Failure
from hashrange.backups.objects.directory import DirectoryBucket
from hashrange.model.backup import NEW_AND_OLD_IMAGES, ExportJob, Target, Window
from hashrange.settings.buckets import BucketLocation
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.jobs.backups import new_number
from hashrange.tables.jobs.transfers import EXPORTS
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from tests.model.test_backup_jobs import NAME, Brittle, Life
from tests.unit.background.still_turns import job_context

ARN_MS = 1_700_000_000_000


class KilledError(Exception):
    """The process ends here, as far as the bucket can tell."""


class BrittleBucket(DirectoryBucket):
    """A directory in which a write ends the process at random, before or after it took effect."""

    def __init__(self, root, rng):
        ids = (str(number) for number in range(rng.randrange(10**9), 10**10))
        super().__init__("exports", root, new_id=lambda: next(ids))
        self.rng = rng

    async def put(self, key, chunks):
        async def cut():
            async for chunk in chunks:
                if self.rng.random() < 0.05:
                    raise KilledError
                yield chunk

        stored = await super().put(key, cut())
        if self.rng.random() < 0.1:
            raise KilledError
        return stored


class OneBucket:
    """Buckets of which there is one."""

    def __init__(self, bucket, root):
        self.location = lambda name: BucketLocation(name=name, location=root)
        self.opened = lambda name, encryption: bucket


class FullBucket(DirectoryBucket):
    """A directory on a disk that is full after some objects."""

    def __init__(self, root, left):
        ids = (str(number) for number in range(10**6))
        super().__init__("exports", root, new_id=lambda: next(ids))
        self.left = left

    async def put(self, key, chunks):
        self.left -= 1
        if self.left < 0:
            raise BucketError(Failure.UNAVAILABLE, "no space left on device")
        return await super().put(key, chunks)


async def begun(life, **more):
    table = (await life.catalog.open(NAME)).table
    job = ExportJob(
        arn=export_arn(table, ARN_MS, "0123abcd"),
        table_arn=table.arn,
        table_id=table.id,
        table=NAME,
        table_number=table.number,
        started_ms=life.time_ms,
        number=await new_number(life.engine),
        target=Target(bucket="exports"),
        **more,
    )
    extra = ExtraRows((), lambda _values, _table: EXPORTS.row(job))
    await life.catalog.change(NAME, lambda table: with_export(job, table), extra)
    return job


async def finished(life, job, bucket, root):
    """Work with interruptions, and writes between them, until the export has ended."""
    while (found := await EXPORTS.find(life.engine, job.arn)).ended_ms is None:
        engine = Brittle(life.engine, life.rng)
        jobs = export_jobs(
            job_context(
                Store(engine, life),
                Catalog(engine),
                page_rows=3,
                export_file_bytes=200,
                export_chunk_bytes=60,
            ),
            OneBucket(bucket, root),
        )
        try:
            await jobs.work()
        except (StorageError, KilledError):
            await life.write()
    readers = [reader.kind for reader in (await life.catalog.open(NAME)).table.log.readers]
    assert readers == ["RECOVERY"]
    assert await findings(life.engine) == []
    return found


def lines_of(root, job):
    """The lines of all data files, each of which the manifest has."""
    folder = root / "AWSDynamoDB" / job.id
    manifest = [
        json.loads(line) for line in (folder / "manifest-files.json").read_text().splitlines()
    ]
    files = {root / each["dataFileS3Key"] for each in manifest}
    assert files == set(root.rglob("data/*.gz"))
    assert len(files) == len(manifest) == len(job.files)
    texts = [gzip.decompress(path.read_bytes()) for path in files]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def by_key(items):
    return {item["pk"]["S"]: item for item in items}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("is_past", [False, True])
def test_a_full_export_has_the_items_of_its_moment(seed, is_past, tmp_path):
    async def run():
        life = Life(seed)
        await life.begin()
        table = (await life.catalog.open(NAME)).table
        expected, time_ms = await life.items(table.number), None
        if is_past:
            time_ms = life.time_ms
            for _ in range(20):
                await life.write()
        job = await begun(life, time_ms=time_ms)
        done = await finished(life, job, BrittleBucket(tmp_path, life.rng), tmp_path)
        assert done.status == "COMPLETED"
        items = [line["Item"] for line in lines_of(tmp_path, done)]
        assert len(items) == done.items == len(expected)
        assert by_key(items) == by_key(expected)
        assert len(done.files) > 1

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(5))
def test_an_incremental_export_has_the_net_changes_of_its_window(seed, tmp_path):
    async def run():
        life = Life(seed)
        await life.begin()
        number = (await life.catalog.open(NAME)).table.number
        old = by_key(await life.items(number))
        life.time_ms += 1
        from_ms = life.time_ms + 1
        for _ in range(6):
            await life.write()
        new = by_key(await life.items(number))
        window = Window(from_ms=from_ms, to_ms=life.time_ms + 1, view_type=NEW_AND_OLD_IMAGES)
        for _ in range(10):
            await life.write()
        job = await begun(life, window=window)
        done = await finished(life, job, BrittleBucket(tmp_path, life.rng), tmp_path)
        found = {line["Keys"]["pk"]["S"]: line for line in lines_of(tmp_path, done)}
        assert len(found) == done.items
        # What changed and changed back may be there too, with equal images.
        differing = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        assert differing <= found.keys()
        for key, line in found.items():
            assert line.get("OldImage") == old.get(key)
            assert line.get("NewImage") == new.get(key)

    asyncio.run(run())


# The server goes on, and the table is free; the service's description says why.
@pytest.mark.parametrize("left", range(5))
def test_a_full_disk_ends_the_export(left, tmp_path):
    async def run():
        life = Life(left)
        await life.begin()
        job = await begun(life)
        done = await finished(life, job, FullBucket(tmp_path, left), tmp_path)
        assert done.status == "FAILED"
        assert done.failure == ("S3ServiceUnavailable", "no space left on device")
        assert not list(tmp_path.rglob("manifest-summary.json"))

    asyncio.run(run())


def test_an_export_of_a_table_that_is_gone_fails(tmp_path):
    async def run():
        life = Life(0)
        await life.begin()
        job = await begun(life)
        await life.catalog.drop(NAME, life.time_ms, lambda _: None)
        bucket = BrittleBucket(tmp_path, random.Random(0))
        jobs = export_jobs(job_context(life.store, life.catalog), OneBucket(bucket, tmp_path))
        await jobs.work()
        found = await EXPORTS.find(life.engine, job.arn)
        assert found.failure[0] == "TableNotFoundException"

    asyncio.run(run())
