"""Imports, bulk operations, backups and restores on a full disk: they end, the server goes on.

The engine is that of a data directory, on a disk of limited size.
"""

import asyncio
import contextlib
import itertools
import json
from functools import partial

import pytest

from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.dropper import Dropper
from hashrange.backups.tables import making
from hashrange.backups.tables.making import NewBackup
from hashrange.model.canonical import canonical_item
from hashrange.model.import_job import BulkJob, JobSource
from hashrange.model.log import LogReader
from hashrange.model.table_features import Restore
from hashrange.model.wording import Wording
from hashrange.storage.engine import StorageError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.recovery import FULL_NS
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_of
from hashrange.tables.jobs.backups import BACKUPS, new_number
from hashrange.tables.jobs.transfers import BULK_JOBS, IMPORTS
from hashrange.tables.keys import keyspace
from hashrange.tables.log.shards import with_reader
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.model.test_import_jobs import ARN, BULK, NAME, Life, begun
from tests.power.faulty import FaultyVfs
from tests.unit.background.still_turns import job_context, unhurried
from tests.unit.tables.definitions import NOON_MS, definition

ITEMS = 300
ROOM_BYTES = 512 * 1024
RESERVE_BYTES = 2 * 1024 * 1024
"""Enough for the largest group, as in service: twice a page of an import or backup."""
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
                reserve_bytes=RESERVE_BYTES,
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

    async def goes_on(self):
        """Others can write once the operator has found room."""
        self.vfs.quota_bytes += 4 * RESERVE_BYTES
        self.now_ns += FULL_NS
        await self.catalog.create(lambda number: definition(number=number, name="other"), "other")
        assert await findings(self.engine) == []

    async def cleared(self, number):
        """The rows of a table or backup are gone, so that the disk has room for others."""
        dropper = Dropper(self.engine, self.catalog, self, 0, pacer=unhurried())
        assert not await dropper.clear()
        rows = await self.engine.scan(*keyspace.table_range(number), limit=1, bytes_max=1)
        assert rows == []

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
        table = await begun(disk)
        disk.limit()
        await disk.worked(IMPORTS)
        job = await IMPORTS.find(disk.engine, ARN)
        assert (job.status, job.failure_code) == ("FAILED", "InternalServerError")
        assert "disk is full" in job.failure
        assert await disk.catalog.open(NAME) is None
        await disk.cleared(table.number)
        await disk.goes_on()

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
        await disk.goes_on()

    asyncio.run(run())


async def filled(disk):
    """A table with point-in-time recovery, whose items do not fit on the disk a second time."""
    history = LogReader(name="recovery", kind="RECOVERY", first_shard=0)
    await disk.catalog.create(
        lambda number: with_reader(definition(number=number, name=NAME), history, 1, NOON_MS), NAME
    )
    table = await disk.catalog.open(NAME)
    store = Store(disk.engine, disk)
    for number in range(ITEMS):
        item = {"pk": {"S": f"k{number}"}, "v": {"S": "v" * 10_000}}
        sized = canonical_item(item, Wording.CURRENT)
        image = image_of(sized.item, sized.bytes)
        decide = partial(lambda image, _: Decision(image, None), image)
        await write_items(store, [ItemWrite(table, key_of_item(table, item), decide)])
    disk.limit()
    return table.table


async def worked_on_backups(disk):
    jobs = backup_jobs(job_context(Store(disk.engine, disk), disk.catalog))
    for _ in range(10):
        with contextlib.suppress(StorageError):
            await jobs.work()
        disk.now_ns += FULL_NS


async def is_released(disk):
    """Nothing is kept in the log for the job."""
    readers = [reader.kind for reader in (await disk.catalog.open(NAME)).table.log.readers]
    assert readers == ["RECOVERY"]


def test_a_restore_ends_and_gives_its_room_back(disk):
    async def run():
        source = await filled(disk)
        restore = Restore(
            source_arn=source.arn, time_ms=NOON_MS, source=NAME, source_number=source.number
        )
        target = await disk.catalog.create(
            lambda number: definition(number=number, name="copy", restore=restore), "copy"
        )
        await worked_on_backups(disk)
        assert await disk.catalog.open("copy") is None
        await disk.cleared(target.number)
        await is_released(disk)
        await disk.goes_on()

    asyncio.run(run())


def test_a_backup_ends_and_gives_its_room_back(disk):
    async def run():
        source = await filled(disk)
        new = NewBackup(
            name="one",
            unique="0123abcd",
            source=NAME,
            number=await new_number(disk.engine),
            size=await disk.catalog.size(source),
            now_ms=NOON_MS,
        )
        table = await disk.catalog.change(NAME, partial(making.begun, new), making.described(new))
        await worked_on_backups(disk)
        assert await BACKUPS.find(disk.engine, new.of(table).arn) is None
        await disk.cleared(new.number)
        await is_released(disk)
        await disk.goes_on()

    asyncio.run(run())
