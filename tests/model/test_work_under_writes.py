"""The work of the background ends although clients write all the time: it needs no quiet moment.

Before each page that the background reads, a client writes rows behind all others, in the order in
which the background goes through them.
"""

import asyncio
import itertools
from functools import partial
from types import SimpleNamespace

import msgspec
import pytest

from hashrange.api.dynamodb.replicas.requests import ReplicaChange
from hashrange.api.dynamodb.replicas.updates import change_replicas
from hashrange.api.steps.operation import TableChoices
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.expirer import Expirer
from hashrange.background.export_jobs import export_jobs
from hashrange.background.index_jobs import index_jobs
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.background.replicator import Replicator
from hashrange.backups.exports.data_files import export_arn, with_export
from hashrange.backups.objects.directory import DirectoryBucket
from hashrange.backups.tables.making import NewBackup, begun, described
from hashrange.model.backup import NEW_AND_OLD_IMAGES, ExportJob, Target, Window
from hashrange.model.canonical import canonical_item
from hashrange.model.log import LogReader
from hashrange.model.replication import NO_OVERRIDES
from hashrange.model.table import Index, KeyAttribute
from hashrange.model.table_features import Restore
from hashrange.model.wording import Wording
from hashrange.regions.peers.sending import copy_page
from hashrange.regions.replication.groups import replicas_of
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.items.images import image_from, image_of
from hashrange.tables.jobs.backups import BACKUPS, new_number
from hashrange.tables.jobs.transfers import EXPORTS
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.log.shards import with_reader
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.engines.passing import PassingEngine
from tests.model.test_export_jobs import OneBucket
from tests.unit.background.still_turns import job_context, unhurried
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, PK, SK, definition

ACCOUNT, EAST, WEST = "000000000000", "us-east-1", "us-west-2"
TABLE, NAME = "a-table", f"{ACCOUNT}:{EAST}:a-table"
ITEMS = 300
WRITES = 30
"""Before each page: more than the pages of some tasks have."""
PAGES_MAX = 400
HISTORY = LogReader(name="recovery", kind="RECOVERY", first_shard=0)
BY_N = Index(
    name="by-n", number=1, partition=(KeyAttribute("n", "N"),), projection="ALL", state="BUILDING"
)
EXPIRY = Index(
    name="ttl", number=1, partition=(), sort=(KeyAttribute("n", "N"),), projection="KEYS_ONLY"
)


class WrittenEngine(PassingEngine):
    """An engine that a client writes before each page that is read."""

    def __init__(self, inner, write):
        super().__init__(inner)
        self.write_as_client, self.pages = write, 0

    async def scan(self, start, end, **options):
        self.pages += 1
        assert self.pages < PAGES_MAX, "the work does not end while clients write"
        await self.write_as_client()
        return await self.inner.scan(start, end, **options)


class Life:
    """A table whose items are of one partition, in the order in which they are written."""

    def __init__(self, directory):
        self.directory, self.time_ms = directory, NOON_MS
        self.engine = DictEngine(now_ms=self.now_ms)
        self.catalog = Catalog(self.engine)
        self.store = Store(self.engine, self)
        self.numbers, self.deletes = itertools.count(), False
        self.busy = WrittenEngine(self.engine, self.write)
        self.working = Store(self.busy, self), Catalog(self.busy)
        self.around = {"pacer": unhurried(), "fences": lambda: NO_FENCES}

    def now_ms(self):
        return self.time_ms

    async def begin(self, **members):
        def draft(number):
            table = definition(number=number, name=TABLE, attributes=(PK, SK), sort=SK, **members)
            return with_reader(table, HISTORY, 2, NOON_MS)

        await self.catalog.create(draft, NAME)
        await self.write(ITEMS)

    async def write(self, count=WRITES):
        self.time_ms += 1
        numbers = [next(self.numbers) for _ in range(count)]
        await write_items(self.store, [await self.one(each) for each in numbers])
        if self.deletes:
            await write_items(self.store, [await self.one(each, deletes=True) for each in numbers])

    async def one(self, number, *, deletes=False):
        table = await self.catalog.open(NAME)
        item = {"pk": {"S": "p"}, "sk": {"N": str(number)}, "n": {"N": str(NOON_MS // 1000)}}
        sized = canonical_item(item, Wording.CURRENT)
        after = None if deletes else image_of(sized.item, sized.bytes)
        return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))

    async def change(self, change, *extra):
        return await self.catalog.change(NAME, change, *extra)

    async def table(self, name=NAME):
        return (await self.catalog.open(name)).table

    async def numbers_of(self, number):
        found = pairs(self.engine, keyspace.items_range(number))
        return [int(image_from(value).item()["sk"]["N"]) async for _, value in found]

    async def add_replica(self):
        context = SimpleNamespace(
            store=self.store,
            catalog=self.catalog.within(ACCOUNT, EAST),
            now_ms=self.time_ms,
            new_id="5be1c7f0-0000-4000-8000-000000000002",
            choices=TableChoices(regions=(EAST, WEST), stream_shards=2),
        )
        await change_replicas(ReplicaChange("CREATE", {WEST: NO_OVERRIDES}), TABLE, context)


async def building_an_index(life):
    await life.begin()
    await life.change(lambda table: msgspec.structs.replace(table, indexes=(BY_N,), next_index=2))
    await index_jobs(life.busy, life.working[1], unhurried()).work()
    assert (await life.table()).indexes[0].state == "ACTIVE"


async def removing_an_index(life):
    deleted = msgspec.structs.replace(BY_N, state="DELETING")
    await life.begin(indexes=(msgspec.structs.replace(BY_N, state="ACTIVE"),), next_index=2)
    await life.change(lambda table: table.with_index(table.indexes[0], deleted))
    await index_jobs(life.busy, life.working[1], unhurried()).work()
    assert (await life.table()).indexes == ()


async def making_a_backup(life):
    await life.begin()
    new = NewBackup(
        name="one",
        unique="0123abcd",
        source=NAME,
        number=await new_number(life.engine),
        size=await life.catalog.size(await life.table()),
        now_ms=life.time_ms,
    )
    table = await life.change(partial(begun, new), described(new))
    await backup_jobs(job_context(*life.working)).work()
    assert (await BACKUPS.find(life.engine, new.of(table).arn)).source is None
    assert await life.numbers_of(new.number) == [*range(ITEMS)]


async def restoring_a_table(life):
    await life.begin()
    source = await life.table()
    restore = Restore(
        source_arn=source.arn, time_ms=life.time_ms, source=NAME, source_number=source.number
    )

    def draft(number):
        keys = {"attributes": (PK, SK), "sort": SK}
        return definition(number=number, name="target", restore=restore, **keys)

    target = await life.catalog.create(draft, "target")
    await backup_jobs(job_context(*life.working)).work()
    assert (await life.table("target")).restore is None
    assert await life.numbers_of(target.number) == [*range(ITEMS)]


async def exporting(life, **more):
    table = await life.table()
    job = ExportJob(
        arn=export_arn(table, NOON_MS, "0123abcd"),
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
    await life.change(lambda table: with_export(job, table), extra)
    bucket = DirectoryBucket("exports", life.directory, new_id=map(str, itertools.count()).__next__)
    buckets = OneBucket(bucket, life.directory)
    await export_jobs(job_context(*life.working), buckets).work()
    done = await EXPORTS.find(life.engine, job.arn)
    assert (done.status, done.items) == ("COMPLETED", ITEMS)


async def exporting_all(life):
    await life.begin()
    await exporting(life, time_ms=life.time_ms)


async def exporting_changes(life):
    await life.begin()
    window = Window(from_ms=NOON_MS, to_ms=life.time_ms + 1, view_type=NEW_AND_OLD_IMAGES)
    await exporting(life, window=window)


async def trimming_logs(life):
    await life.begin()
    rules = StreamRules(shard_ms=HOUR_MS, retention_ms=HOUR_MS)
    await LogMaintenance(*life.working, rules, pacer=unhurried()).drain()


async def expiring_items(life):
    await life.begin(expiry=EXPIRY, next_index=2)
    life.time_ms += HOUR_MS
    expirer = Expirer(*life.working, 0, pacer=unhurried())

    async def write():
        """Items of the next second expire while those of this one are deleted."""
        life.time_ms += 1000

    life.busy.write_as_client = write
    await expirer.drain()
    assert await life.numbers_of((await life.table()).number) == []


async def adding_a_replica(life):
    life.deletes = True
    await life.begin(billing_mode="PAY_PER_REQUEST")
    await life.add_replica()
    await backup_jobs(job_context(*life.working)).work()
    assert [each.state for each in replicas_of(await life.table())] == ["ACTIVE"]


async def replicating(life):
    life.deletes = True
    await life.begin(billing_mode="PAY_PER_REQUEST")
    await life.add_replica()
    await backup_jobs(job_context(life.store, life.catalog)).work()
    replicator = Replicator(*life.working, fences=lambda: NO_FENCES, delay_ms=0)
    for _ in range(3):  # the last one removes tombstones
        life.time_ms += 2 * HOUR_MS
        life.busy.pages = 0
        await replicator.drain()


async def copying_to_another_server(life):
    await life.begin(billing_mode="PAY_PER_REQUEST")
    await life.add_replica()
    opened, start, found = await life.catalog.open(NAME), b"", 0
    while True:  # bound: the engine counts the pages
        page = await copy_page(life.busy, opened, start, is_all=True, from_us=0)
        start, found = page.start, found + len(page.changes)
        if not start:
            break
    assert found >= ITEMS


WORK = (
    building_an_index,
    removing_an_index,
    making_a_backup,
    restoring_a_table,
    exporting_all,
    exporting_changes,
    trimming_logs,
    expiring_items,
    adding_a_replica,
    replicating,
    copying_to_another_server,
)


@pytest.mark.parametrize("work", WORK, ids=lambda each: each.__name__)
def test_work_ends_while_clients_write(work, tmp_path):
    async def run():
        life = Life(tmp_path)
        await work(life)
        assert life.busy.pages > 1
        assert await findings(life.engine) == []

    asyncio.run(run())
