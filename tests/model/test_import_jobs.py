"""Imports and bulk operations that are killed anywhere go on, and end as if nothing had been."""

import asyncio
import contextlib
import json
import random

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.bulk_jobs import bulk_jobs
from hashrange.background.import_jobs import ImportDirectories, import_jobs
from hashrange.backups.objects.buckets import Buckets
from hashrange.model.import_job import BulkJob, ImportJob, JobSource
from hashrange.model.log import LogReader
from hashrange.model.table import Index, KeyAttribute
from hashrange.settings.buckets import BucketLocation
from hashrange.storage.engine import NO_FENCES, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.items.images import image_from
from hashrange.tables.jobs.transfers import BULK_JOBS, IMPORTS
from hashrange.tables.keys import keyspace
from hashrange.tables.log.shards import with_reader
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from tests.unit.background.still_turns import job_context
from tests.unit.tables.definitions import NOON_MS, definition

NAME = "target"
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/target/import/1"
BULK = "arn:aws:dynamodb:us-east-1:000000000000:table/target/bulk-operation/1"


class KilledError(BaseException):
    """The process is gone: nothing is handled."""


class Mortal:
    """An engine whose process is killed after some writes."""

    def __init__(self, engine, writes):
        self._engine = engine
        self._writes = writes
        self.read, self.scan, self.key_bytes_max = engine.read, engine.scan, engine.key_bytes_max

    async def write(self, keys, decide, *, fences=NO_FENCES):
        self._writes -= 1
        if self._writes < 0:
            raise KilledError
        return await self._engine.write(keys, decide, fences=fences)


class Full:
    """An engine on a full disk: it takes only small writes, and those that delete."""

    def __init__(self, engine, puts_max):
        self._engine = engine
        self._puts_max = puts_max
        self.read, self.scan, self.key_bytes_max = engine.read, engine.scan, engine.key_bytes_max

    async def write(self, keys, decide, *, fences=NO_FENCES):
        def decided(stored):
            changes = decide(stored)
            if len(changes.puts) > self._puts_max and not changes.deletes:
                raise StorageError("full")
            return changes

        return await self._engine.write(keys, decided, fences=fences)


class Life:
    """A bucket, and an engine that outlives its processes."""

    def __init__(self, root, seed):
        self.rng = random.Random(seed)
        self.engine = DictEngine(now_ms=self.now_ms)
        self.catalog = Catalog(self.engine)
        location = BucketLocation(name="bucket", location=root)
        self.buckets = Buckets((location,), new_id=lambda: f"u{self.rng.randrange(10**9)}")
        self.root = root
        self.expected = {}

    def now_ms(self):
        return NOON_MS

    def new_uuid(self):
        return "0"

    def put_objects(self, refused):
        """Items of which some have one key, in several objects; the last of a key counts."""
        (self.root / "in").mkdir()
        for number in range(3):
            lines = []
            for _ in range(12):
                key = str(self.rng.randrange(20))
                item = {"pk": {"S": key}, "n": {"N": str(self.rng.randrange(5))}}
                self.expected[key] = item
                lines.append(json.dumps({"Item": item}))
                if self.rng.random() < refused:
                    lines.append(json.dumps({"Item": {"n": {"N": "1"}}}))
            (self.root / "in" / f"{number}.json").write_text("\n".join(lines))

    def draft(self, arn):
        by_n = Index(name="by-n", number=1, partition=(KeyAttribute("n", "N"),), projection="ALL")

        def draft(number):
            return definition(
                number=number, name=NAME, indexes=(by_n,), next_index=2, import_arn=arn
            )

        return draft

    def jobs(self, kind, engine, pacer=None):
        context = job_context(
            Store(engine, self), Catalog(engine), pacer, import_rows=3, bulk_puts=4
        )
        if kind is BULK_JOBS:
            return bulk_jobs(context, self.buckets, None)
        return import_jobs(context, self.buckets, ImportDirectories())

    async def lived(self, kind, arn):
        """Processes that are killed after a few writes each, until the job is done."""
        while True:
            job = await kind.find(self.engine, arn)
            if job.ended_ms is not None:
                return job
            engine = Mortal(self.engine, self.rng.randrange(5))
            try:
                await self.jobs(kind, engine).work()
            except KilledError:
                assert await findings(self.engine) == []

    async def items(self, keys):
        pairs = await self.engine.scan(*keys, limit=10_000, bytes_max=10**9)
        return [image_from(value).item() for _, value in pairs]


def as_set(items):
    return {json.dumps(item, sort_keys=True) for item in items}


async def begun(life):
    """The table of a new import."""
    source = JobSource(bucket="bucket", prefix="in/", format="DYNAMODB_JSON")

    def row(_values, table):
        job = ImportJob(
            arn=ARN,
            table=NAME,
            table_number=table.number,
            table_arn=table.arn,
            table_id=table.id,
            source=source,
            creation={},
            started_ms=NOON_MS,
        )
        return IMPORTS.row(job)

    return await life.catalog.create(life.draft(ARN), NAME, ExtraRows((), row))


async def begun_bulk(life):
    """The table of a new bulk operation, which has a history."""
    draft = life.draft(None)
    history = LogReader(name="recovery", kind="RECOVERY", first_shard=0)
    table = await life.catalog.create(
        lambda number: with_reader(draft(number), history, 1, NOON_MS), NAME
    )
    job = BulkJob(
        arn=BULK,
        table=NAME,
        table_name=NAME,
        table_number=table.number,
        table_id=table.id,
        source=JobSource(bucket="bucket", prefix="in/", format="DYNAMODB_JSON"),
        input={},
        output={"S3Bucket": "bucket", "S3KeyPrefix": "out", "OutputType": ["ERROR"]},
        started_ms=NOON_MS,
    )
    await BULK_JOBS.create(life.engine, job)
    return table


# Nothing half imported stays, and what waits for the storage does not wait for ever.
@pytest.mark.parametrize("puts_max", [2, 3])
def test_a_full_disk_ends_an_import(puts_max, tmp_path):
    async def run():
        life = Life(tmp_path, 0)
        life.put_objects(refused=0)
        await begun(life)
        for _ in range(10):
            with contextlib.suppress(StorageError):
                await life.jobs(IMPORTS, Full(life.engine, puts_max)).work()
        job = await IMPORTS.find(life.engine, ARN)
        assert (job.status, job.failure_code) == ("FAILED", "InternalServerError")
        assert "disk is full" in job.failure
        assert await life.catalog.open(NAME) is None
        assert await findings(life.engine) == []

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(10))
def test_an_import_that_is_killed_goes_on(seed, tmp_path):
    async def run():
        life = Life(tmp_path, seed)
        life.put_objects(refused=0.2 if seed % 2 else 0)
        table = await begun(life)
        job = await life.lived(IMPORTS, ARN)
        assert job.counts.refused == job.counts.records - 36
        assert job.status == ("FAILED" if job.counts.refused else "COMPLETED")
        assert (await life.catalog.open(NAME)).table.import_arn is None
        for keys in (keyspace.items_range(table.number), keyspace.index_range(table.number, 1)):
            assert as_set(await life.items(keys)) == as_set(life.expected.values())
        assert await findings(life.engine) == []

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(10))
def test_a_bulk_operation_that_is_killed_puts_each_record_once(seed, tmp_path):
    async def run():
        life = Life(tmp_path, seed)
        life.put_objects(refused=0.2)
        table = await begun_bulk(life)
        job = await life.lived(BULK_JOBS, BULK)
        assert job.counts.items == 36
        assert job.counts.refused == job.counts.records - 36
        for keys in (keyspace.items_range(table.number), keyspace.index_range(table.number, 1)):
            assert as_set(await life.items(keys)) == as_set(life.expected.values())
        (report,) = (tmp_path / "out" / "AWSDynamoDB" / "1").glob("errors.json")
        assert len(report.read_text().splitlines()) == job.counts.refused
        assert await findings(life.engine) == []

    asyncio.run(run())
