"""Snapshots of a table that is written meanwhile: each is the table as it was at one moment."""

import asyncio
import random

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.model.canonical import canonical_item
from hashrange.model.log import LogReader
from hashrange.model.wording import Wording
from hashrange.storage.engine import NO_FENCES, Changes
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_from, image_of
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.backup_keys import before_range
from hashrange.tables.log.shards import (
    rolled,
    with_reader,
    with_stream,
    without_reader,
    without_stream,
)
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.snapshots.snapshots import (
    SnapshotAt,
    SnapshotLostError,
    SnapshotReader,
    with_snapshot,
)
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.effort import effort
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition

NAME = "copied"
ITEMS = 25
NUMBER = 77
"""Under which images are stored; no table has it."""


class Restless:
    """An engine on which others write right after each page that a snapshot reads."""

    def __init__(self, engine, write):
        self._engine = engine
        self._write = write
        self.read, self.write = engine.read, engine.write

    async def scan(self, start, end, **options):
        page = await self._engine.scan(start, end, **options)
        await self._write()
        return page


class Life:
    """A table on an engine, a clock that is told, and random writes, with the past as a model."""

    def __init__(self, seed):
        self.time_ms = NOON_MS
        self.rng = random.Random(seed)
        if seed % 4:
            self.engine = engine = DictEngine(now_ms=self.now_ms)
        else:
            self.engine = engine = SqliteEngine.open(None, now_ms=self.now_ms)
        self.catalog = Catalog(engine)
        self.store = Store(engine, self)
        self.past = []
        """The time after each write, and the items then."""

    def now_ms(self):
        return self.time_ms

    async def begin(self, stream):
        def draft(number):
            table = definition(number=number, name=NAME)
            return with_stream(table, "KEYS_ONLY", 2, NOON_MS) if stream else table

        await self.catalog.create(draft, NAME)
        for _ in range(30):
            await self.write()

    async def items(self):
        keys = keyspace.items_range(1)
        pairs = await self.engine.scan(*keys, limit=10_000, bytes_max=10**9)
        return {key: image_from(value).item() for key, value in pairs}

    async def write(self):
        """Some items at once, as a transaction writes them."""
        table = await self.catalog.open(NAME)
        numbers = self.rng.sample(range(ITEMS), self.rng.randint(1, 4))
        writes = [self.one(table, number) for number in numbers]
        await write_items(self.store, writes)
        self.past.append((self.time_ms, await self.items()))

    def one(self, table, number):
        item = {"pk": {"S": str(number)}, "n": {"N": str(self.rng.randrange(10**6))}}
        sized = canonical_item(item, Wording.CURRENT)
        deletes = self.rng.random() < 0.3
        after = None if deletes else image_of(sized.item, sized.bytes)
        return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))

    def at(self, time_ms):
        """The items after all writes up to a time."""
        return [items for written_ms, items in self.past if written_ms <= time_ms][-1]

    async def disturb(self):
        """What may happen between two pages."""
        self.time_ms += self.rng.randint(0, 5)
        for _ in range(self.rng.randint(0, 4)):
            await self.write()
        if self.rng.random() < 0.1:
            now_ms = self.time_ms
            await self.catalog.change(NAME, lambda table: rolled(table, now_ms, 0))
        if self.rng.random() < 0.1:
            await self.toggle()

    async def toggle(self):
        now_ms = self.time_ms

        def change(table):
            if table.stream is None:
                return with_stream(table, "NEW_IMAGE", 2, now_ms)
            return without_stream(table, now_ms)

        await self.catalog.change(NAME, change)

    async def snapshot(self, time_ms=None):
        """A new snapshot of now, or of a time."""
        await self.catalog.change(
            NAME,
            lambda table: with_snapshot(table, "copy", time_ms=time_ms, now_ms=self.time_ms),
        )
        return SnapshotAt(name=NAME, table=1, reader="copy", time_ms=time_ms, number=NUMBER)

    def reader(self, snapshot):
        async def write():
            if self.rng.random() < 0.2:
                await self.write()

        engine = Restless(self.engine, write)
        return SnapshotReader(
            engine,
            self.catalog,
            snapshot,
            now_ms=self.now_ms,
            fences=lambda: NO_FENCES,
            page_rows=3,
        )

    async def forget_images(self):
        rows = await self.engine.scan(*before_range(NUMBER), limit=10_000, bytes_max=10**9)
        deletes = [key for key, _ in rows]
        await self.engine.write([], lambda _: Changes(answer=None, deletes=deletes))


async def read(life, snapshot, disturb, *, interrupted=0.0):
    """What a snapshot shows, read while the table changes; sometimes by another reader."""
    reader, start, found = life.reader(snapshot), None, {}
    while True:
        page = await reader.page(start)
        keys = [key for key, _ in page.rows]
        assert keys == sorted(keys)
        assert not found.keys() & set(keys), "no item comes twice"
        found.update({key: image_from(value).item() for key, value in page.rows})
        if page.start is None:
            break
        start = page.start
        await disturb()
        if life.rng.random() < interrupted:
            reader = life.reader(snapshot)
    await reader.end()
    return found


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("seed", range(effort(6, 20)))
def test_a_snapshot_is_the_table_at_one_moment(seed, stream):
    async def run():
        life = Life(seed)
        await life.begin(stream)
        for _ in range(2):
            snapshot = await life.snapshot()
            expected = await life.items()
            await life.disturb()
            assert await read(life, snapshot, life.disturb, interrupted=0.2) == expected
            await life.forget_images()
        table = (await life.catalog.open(NAME)).table
        assert table.log.readers == ()
        assert bool(table.log.open_shards) == (table.stream is not None)

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(effort(6, 20)))
def test_a_snapshot_of_the_past_is_the_table_at_that_time(seed):
    async def run():
        life = Life(seed)
        await life.begin(stream=seed % 3 == 0)
        history = LogReader(name="history", kind="COPY", first_shard=0)
        await life.catalog.change(NAME, lambda table: with_reader(table, history, 2, NOON_MS))
        for _ in range(10):
            await life.disturb()
        for _ in range(3):
            time_ms = life.rng.randint(NOON_MS, life.time_ms)
            snapshot = await life.snapshot(time_ms)
            expected = life.at(time_ms)
            await life.disturb()
            assert await read(life, snapshot, life.disturb, interrupted=0.2) == expected
            await life.forget_images()

    asyncio.run(run())


# As an export that takes two days: records are kept for it, though streams show a day of them.
def test_records_stay_as_long_as_a_snapshot_needs_them():
    async def run():
        life = Life(1)
        await life.begin(stream=True)
        rules = StreamRules(shard_ms=HOUR_MS, retention_ms=2 * HOUR_MS)
        upkeep = LogMaintenance(life.store, life.catalog, rules, pacer=unhurried())

        async def disturb():
            life.time_ms += HOUR_MS // 2
            await life.write()
            await upkeep.sweep()
            await upkeep.sweep()

        snapshot = await life.snapshot()
        expected = await life.items()
        assert await read(life, snapshot, disturb, interrupted=1.0) == expected
        life.time_ms += 3 * HOUR_MS
        for _ in range(3):
            await upkeep.sweep()
        table = (await life.catalog.open(NAME)).table
        assert len(table.log.shards) <= 2 * 3, "and no longer"

    asyncio.run(run())


# The history ends while a restore reads it, since point-in-time recovery is disabled then.
def test_history_stays_as_long_as_a_snapshot_of_the_past_needs_it():
    async def run():
        life = Life(2)
        await life.begin(stream=False)
        history = LogReader(name="history", kind="COPY", first_shard=0, retention_ms=HOUR_MS)
        await life.catalog.change(NAME, lambda table: with_reader(table, history, 2, NOON_MS))
        rules = StreamRules(shard_ms=HOUR_MS, retention_ms=HOUR_MS)
        upkeep = LogMaintenance(life.store, life.catalog, rules, pacer=unhurried())
        time_ms, expected = life.time_ms, await life.items()
        for _ in range(5):
            life.time_ms += 1
            await life.write()
        snapshot = await life.snapshot(time_ms)
        await life.catalog.change(NAME, lambda table: without_reader(table, "history", NOON_MS))
        life.time_ms += HOUR_MS // 2
        await upkeep.drain()

        async def disturb():
            await life.write()

        assert await read(life, snapshot, disturb, interrupted=1.0) == expected

    asyncio.run(run())


def test_a_table_that_is_deleted_has_no_snapshot():
    async def run():
        life = Life(1)
        await life.begin(stream=False)
        reader = life.reader(await life.snapshot())
        await life.catalog.drop(NAME, life.time_ms, lambda _: None)
        with pytest.raises(SnapshotLostError):
            await reader.page(None)
        await life.begin(stream=False)
        with pytest.raises(SnapshotLostError):
            await reader.page(None)
        await reader.end()

    asyncio.run(run())
