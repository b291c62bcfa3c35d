"""Copies of a table that is written meanwhile: each is the table as it was at one moment."""

import asyncio
import random

import pytest

from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.engine_trials.dict_engine import DictEngine
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.wording import Wording
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables import consistent_copy as copies
from hashrange.tables import keyspace
from hashrange.tables.catalog import Catalog
from hashrange.tables.consistent_copy import ALIVE_MS, Changed, CopiedAt, CopyLostError
from hashrange.tables.consistent_copy import consistent_copy as copy_of
from hashrange.tables.images import image_from, image_of
from hashrange.tables.keys import key_of_item
from hashrange.tables.shards import rolled, with_stream, without_stream
from hashrange.tables.store import Store
from hashrange.tables.verify import findings
from hashrange.tables.writer import Decision, ItemWrite, write_items
from tests.unit.background.still_turns import unhurried
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition

NAME = "copied"
ITEMS = 25


class Life:
    """A table on an engine, a clock that is told, and random writes."""

    def __init__(self, engine, seed):
        self.time_ms = NOON_MS
        self.rng = random.Random(seed)
        self.engine = engine
        self.catalog = Catalog(engine)
        self.store = Store(engine, self)

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

    def one(self, table, number):
        item = {"pk": {"S": str(number)}, "n": {"N": str(self.rng.randrange(10**6))}}
        sized = canonical_item(item, Wording.CURRENT)
        deletes = self.rng.random() < 0.3
        after = None if deletes else image_of(sized.item, sized.bytes)
        return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))

    async def disturb(self):
        """What may happen between two parts of a copy."""
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


async def copied(life, disturb):
    """What a copy is in the end, and what the table was when it says it was so."""
    found, end = {}, None
    original = life.catalog.change
    at_cut = {}

    async def change(name, changed):
        table = await original(name, changed)
        at_cut.setdefault(table.log.next_shard, await life.items())
        return table

    life.catalog.change = change
    async for part in copy_of(life.store, life.catalog, NAME, reader="copy", shards=3):
        match part:
            case Changed(images):
                found.update(images)
            case CopiedAt():
                end = part
        await disturb()
    life.catalog.change = original
    items = {key: image.item() for key, image in found.items() if image is not None}
    return items, at_cut[end.table.log.next_shard]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_a_copy_is_the_table_at_one_moment(seed, stream, monkeypatch):
    monkeypatch.setattr(copies, "PAGE_ROWS", 3)
    engine = DictEngine() if seed % 4 else SqliteEngine.open(None)

    async def run():
        life = Life(engine, seed)
        await life.begin(stream)
        for _ in range(2):
            found, expected = await copied(life, life.disturb)
            assert found == expected
        table = (await life.catalog.open(NAME)).table
        assert table.log.readers == ()
        assert bool(table.log.open_shards) == (table.stream is not None)
        assert await findings(engine) == []

    asyncio.run(run())


# As an export that takes two days: records are kept for it, though streams show a day of them.
def test_records_stay_as_long_as_a_copy_needs_them(monkeypatch):
    monkeypatch.setattr(copies, "PAGE_ROWS", 3)
    engine = DictEngine()

    async def run():
        life = Life(engine, 1)
        await life.begin(stream=True)
        rules = StreamRules(shard_ms=HOUR_MS, retention_ms=2 * HOUR_MS)
        upkeep = LogMaintenance(life.store, life.catalog, rules, pacer=unhurried())

        async def disturb():
            life.time_ms += ALIVE_MS // 2
            await life.write()
            await upkeep.sweep()
            await upkeep.sweep()

        found, expected = await copied(life, disturb)
        assert found == expected
        life.time_ms += 3 * HOUR_MS
        for _ in range(3):
            await upkeep.sweep()
        table = (await life.catalog.open(NAME)).table
        assert len(table.log.shards) <= 2 * 3, "and no longer"

    asyncio.run(run())


def test_a_copy_that_died_is_no_reader_for_ever(monkeypatch):
    monkeypatch.setattr(copies, "PAGE_ROWS", 3)

    async def run():
        life = Life(DictEngine(), 1)
        await life.begin(stream=False)
        rules = StreamRules(shard_ms=HOUR_MS, retention_ms=2 * HOUR_MS)
        upkeep = LogMaintenance(life.store, life.catalog, rules, pacer=unhurried())
        parts = copy_of(life.store, life.catalog, NAME, reader="copy")
        await anext(parts)
        life.time_ms += ALIVE_MS + 1
        await upkeep.sweep()
        assert (await life.catalog.open(NAME)).table.log.readers == ()
        with pytest.raises(CopyLostError):
            async for _ in parts:
                pass

    asyncio.run(run())


def test_a_table_that_is_deleted_has_no_copy(monkeypatch):
    monkeypatch.setattr(copies, "PAGE_ROWS", 3)

    async def run():
        life = Life(DictEngine(), 1)
        with pytest.raises(DynamoError):
            await anext(copy_of(life.store, life.catalog, NAME, reader="copy"))
        await life.begin(stream=False)
        parts = copy_of(life.store, life.catalog, NAME, reader="copy")
        await anext(parts)
        await life.catalog.drop(NAME, life.time_ms, lambda _: None)
        with pytest.raises(CopyLostError):
            async for _ in parts:
                pass

    asyncio.run(run())
