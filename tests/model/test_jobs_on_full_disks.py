"""Imports and bulk operations on a disk that is full: they end, and the server goes on.

The engine is that of a data directory, on a disk of limited size.
"""

import asyncio
import contextlib
import itertools
import json

import pytest

from hashrange.background.dropper import Dropper
from hashrange.model.import_job import BulkJob, JobSource
from hashrange.storage.engine import StorageError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.recovery import FULL_NS
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.tables.catalog import Catalog
from hashrange.tables.import_jobs import BULK_JOBS, IMPORTS
from hashrange.tables.verify import findings
from tests.model.test_import_jobs import ARN, BULK, NAME, Life, begun
from tests.power.faulty import FaultyVfs
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import NOON_MS, definition

ITEMS = 300
ROOM_BYTES = 512 * 1024
names = (f"full-{number}" for number in itertools.count())


class FullDisk(Life):
    """A server whose disk has not enough room for the items of a bucket."""

    def __init__(self, root, vfs):
        super().__init__(root, 0)
        self.vfs, self.now_ns = vfs, 0
        self.data = root / "data"
        self.engine = SqliteEngine.open(
            self.data,
            monotonic_ns=lambda: self.now_ns,
            now_ms=self.now_ms,
            tuning=Tuning(
                vfs=vfs.name,
                checkpoint_pages=16,
                reserve_bytes=128 * 1024,
                free_bytes=vfs.free_bytes,
            ),
        )
        self.catalog = Catalog(self.engine)

    def put_objects(self, refused=0):
        del refused
        (self.root / "in").mkdir()
        items = ({"pk": {"S": f"k{n}"}, "v": {"S": "v" * 10_000}} for n in range(ITEMS))
        lines = [json.dumps({"Item": item}) for item in items]
        (self.root / "in" / "1.json").write_text("\n".join(lines))

    def limit(self):
        """Let the disk have little room from now on."""
        used = sum(path.stat().st_size for path in self.data.iterdir())
        self.vfs.quota_bytes = used + ROOM_BYTES

    async def create_another(self):
        """What somebody else writes."""
        await self.catalog.create(lambda number: definition(number=number, name="other"), "other")

    async def worked(self, kind):
        """Attempts of the background, some time apart, as many as it may take."""
        for _ in range(10):
            with contextlib.suppress(StorageError):
                await self.jobs(kind, self.engine).work()
            self.now_ns += FULL_NS


@pytest.fixture
def disk(tmp_path):
    vfs = FaultyVfs(next(names))
    made = FullDisk(tmp_path, vfs)
    yield made
    vfs.quota_bytes = None
    made.engine.close()
    vfs.unregister()


def test_an_import_ends_and_gives_its_room_back(disk):
    async def run():
        disk.put_objects()
        await begun(disk)
        disk.limit()
        await disk.worked(IMPORTS)
        job = await IMPORTS.find(disk.engine, ARN)
        assert (job.status, job.failure_code) == ("FAILED", "InternalServerError")
        assert "disk is full" in job.failure
        assert await disk.catalog.open(NAME) is None
        dropper = Dropper(disk.engine, disk.catalog, disk, 0, pacer=unhurried())
        assert not await dropper.clear()
        disk.now_ns += FULL_NS
        await disk.create_another()
        assert await findings(disk.engine) == []

    asyncio.run(run())


# What was put stays, as that of other clients; it is the operator who finds room.
def test_a_bulk_operation_ends_and_reads_go_on(disk):
    async def run():
        disk.put_objects()
        table = await disk.catalog.create(lambda number: definition(number=number, name=NAME), NAME)
        job = BulkJob(
            arn=BULK,
            table=NAME,
            table_name=NAME,
            table_number=table.number,
            table_id=table.id,
            source=JobSource(bucket="bucket", prefix="in/", format="DYNAMODB_JSON"),
            input={},
            output={"S3Bucket": "bucket", "OutputType": []},
            started_ms=NOON_MS,
        )
        await BULK_JOBS.create(disk.engine, job)
        disk.limit()
        await disk.worked(BULK_JOBS)
        job = await BULK_JOBS.find(disk.engine, BULK)
        assert (job.status, job.failure_code) == ("FAILED", "InternalServerError")
        assert 0 < job.counts.items < ITEMS
        disk.vfs.quota_bytes += 10 * ROOM_BYTES
        disk.now_ns += FULL_NS
        await disk.create_another()
        assert await findings(disk.engine) == []

    asyncio.run(run())
