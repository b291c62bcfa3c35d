"""Backups and restores that are interrupted anywhere, while the table is written, go on and end."""

import asyncio
import random
from functools import partial

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.backup_jobs import backup_jobs
from hashrange.backups.tables.making import NewBackup, begun, described
from hashrange.model.canonical import canonical_item
from hashrange.model.log import LogReader
from hashrange.model.table import Index, KeyAttribute
from hashrange.model.table_features import Restore
from hashrange.model.wording import Wording
from hashrange.storage.engine import NO_FENCES, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_from, image_of
from hashrange.tables.jobs.backups import BACKUPS, new_number
from hashrange.tables.keys import keyspace
from hashrange.tables.log.shards import with_reader
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.effort import effort
from tests.unit.background.still_turns import job_context
from tests.unit.tables.definitions import NOON_MS, definition

NAME = "source"
ITEMS = 30


class Brittle:
    """An engine whose writes fail at random, before or after they took effect."""

    def __init__(self, engine, rng):
        self._engine = engine
        self._rng = rng
        self.read, self.scan, self.key_bytes_max = engine.read, engine.scan, engine.key_bytes_max

    async def write(self, keys, decide, *, fences=NO_FENCES):
        if self._rng.random() < 0.1:
            raise StorageError("before")
        answer = await self._engine.write(keys, decide, fences=fences)
        if self._rng.random() < 0.1:
            raise StorageError("after")
        return answer


class Life:
    """A table with an index and history, random writes, and jobs on an engine that fails."""

    def __init__(self, seed):
        self.time_ms = NOON_MS
        self.rng = random.Random(seed)
        self.engine = DictEngine(now_ms=self.now_ms)
        self.catalog = Catalog(self.engine)
        self.store = Store(self.engine, self)

    def now_ms(self):
        return self.time_ms

    async def begin(self):
        by_n = Index(name="by-n", number=1, partition=(KeyAttribute("n", "N"),), projection="ALL")
        history = LogReader(name="recovery", kind="RECOVERY", first_shard=0)

        def draft(number):
            table = definition(number=number, name=NAME, indexes=(by_n,), next_index=2)
            return with_reader(table, history, 2, NOON_MS)

        await self.catalog.create(draft, NAME)
        for _ in range(40):
            await self.write()

    async def items(self, number):
        keys = keyspace.items_range(number)
        pairs = await self.engine.scan(*keys, limit=10_000, bytes_max=10**9)
        return [image_from(value).item() for _, value in pairs]

    async def write(self):
        self.time_ms += 1
        table = await self.catalog.open(NAME)
        numbers = self.rng.sample(range(ITEMS), 3)
        await write_items(self.store, [self.one(table, number) for number in numbers])

    def one(self, table, number):
        item = {"pk": {"S": str(number)}, "n": {"N": str(self.rng.randrange(10))}}
        sized = canonical_item(item, Wording.CURRENT)
        after = None if self.rng.random() < 0.3 else image_of(sized.item, sized.bytes)
        return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))

    async def finished(self, is_done):
        """Work with interruptions and writes between them until it is done."""
        while not await is_done():
            engine = Brittle(self.engine, self.rng)
            jobs = backup_jobs(job_context(Store(engine, self), Catalog(engine), page_rows=3))
            try:
                await jobs.work()
            except StorageError:
                await self.write()


@pytest.mark.parametrize("seed", range(effort(6, 15)))
def test_a_backup_has_the_items_of_its_moment(seed):

    async def run():
        life = Life(seed)
        await life.begin()
        new = NewBackup(
            name="one",
            unique="0123abcd",
            source=NAME,
            number=await new_number(life.engine),
            size=await life.catalog.size((await life.catalog.open(NAME)).table),
            now_ms=life.time_ms,
        )
        table = await life.catalog.change(NAME, partial(begun, new), described(new))
        expected = await life.items(table.number)
        arn = new.of(table).arn

        async def is_done():
            backup = await BACKUPS.find(life.engine, arn)
            log = (await life.catalog.open(NAME)).table.log
            readers = [reader.kind for reader in log.readers]
            return backup.source is None and readers == ["RECOVERY"]

        await life.finished(is_done)
        assert await life.items(new.number) == expected
        await life.catalog.change(NAME, lambda table: table)
        assert await findings(life.engine) == []

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(effort(6, 15)))
def test_a_restored_table_has_the_state_of_its_time(seed):

    async def run():
        life = Life(seed)
        await life.begin()
        source = (await life.catalog.open(NAME)).table
        expected = await life.items(source.number)
        restore = Restore(
            source_arn=source.arn,
            time_ms=life.time_ms,
            source=NAME,
            source_number=source.number,
        )
        for _ in range(20):
            await life.write()

        def draft(number):
            indexes = tuple(source.indexes)
            return definition(
                number=number, name="target", indexes=indexes, next_index=2, restore=restore
            )

        target = await life.catalog.create(draft, "target")

        async def is_done():
            opened = await life.catalog.open("target")
            log = (await life.catalog.open(NAME)).table.log
            readers = [reader.kind for reader in log.readers]
            return opened.table.restore is None and readers == ["RECOVERY"]

        await life.finished(is_done)
        assert await life.items(target.number) == expected
        assert await findings(life.engine) == []

    asyncio.run(run())
