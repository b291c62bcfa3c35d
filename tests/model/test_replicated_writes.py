"""Changes of three regions that arrive in any order, also twice: all replicas become equal."""

import asyncio
import random

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.canonical import canonical_item
from hashrange.model.replication import Replica, Replication
from hashrange.model.wording import Wording
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import OWN_REGION, image_from, image_of, version_and_region_of
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import is_record_key, logs_range
from hashrange.tables.log.change_log import record_from
from hashrange.tables.log.shards import with_stream
from hashrange.tables.log.tombstones import (
    GlobalVersion,
    tombstone_key,
    tombstones_range,
    version_and_region,
)
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite, replicated_write
from hashrange.tables.writing.writer import write_items
from tests.effort import effort
from tests.unit.tables.definitions import NOON_MS, definition

REGIONS = ("us-east-1", "eu-west-1", "ap-south-1")
ITEMS = 6
ALL = {"limit": 100_000, "bytes_max": 10**9}


class Region:
    """A replica whose clock is wrong by up to a few milliseconds."""

    def __init__(self, engine, name, rng):
        self.name, self.engine, self.rng = name, engine, rng
        self.catalog = Catalog(engine).within("000000000000", name)
        self.store = Store(engine, self)
        self.time_ms = NOON_MS
        self.skew_ms = rng.randint(-5, 5)

    def now_ms(self):
        return self.time_ms + self.skew_ms

    async def begin(self):
        others = [name for name in REGIONS if name != self.name]
        replication = Replication(
            regions=(self.name, *others), replicas=tuple(Replica(region=name) for name in others)
        )

        def draft(number):
            table = definition(
                number=number, id=str(number), region=self.name, replication=replication
            )
            return with_stream(table, "NEW_AND_OLD_IMAGES", 2, NOON_MS)

        await self.catalog.create(draft, "a-table")

    async def table(self):
        return await self.catalog.open("a-table")

    async def write(self):
        self.time_ms += self.rng.randint(0, 2)
        table = await self.table()
        numbers = self.rng.sample(range(ITEMS), self.rng.randint(1, 3))
        await write_items(self.store, [self.one(table, number) for number in numbers])

    def one(self, table, number):
        item = {"pk": {"S": str(number)}, "n": {"N": str(self.rng.randrange(10))}}
        sized = canonical_item(item, Wording.CURRENT)
        after = None if self.rng.random() < 0.4 else image_of(sized.item, sized.bytes)
        return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))

    async def changes(self):
        """What was changed here, as other regions receive it: item, image after, version."""
        table = await self.table()
        rows = await self.engine.scan(*logs_range(table.number), **ALL)
        records = [record_from(value) for key, value in rows if is_record_key(key)]
        return [
            ((each.after or each.before).item(), each.after, GlobalVersion(each.version, self.name))
            for each in records
            if each.region == OWN_REGION
        ]

    async def receive(self, changes):
        for item, after, version in changes:
            table = await self.table()
            key = key_of_item(table, item)
            await write_items(self.store, [replicated_write(table, key, after, version)])

    async def state(self):
        """By partition key: the item, None for a tombstone, with the version."""
        table = await self.table()
        state = {}
        for number in range(ITEMS):
            key = key_of_item(table, {"pk": {"S": str(number)}})
            item, mark = await self.engine.read([key, tombstone_key(key)])
            assert item is None or mark is None, "an item, or the tombstone of one"
            if item or mark:
                image = None if item is None else image_from(item).item()
                version, region = version_and_region(mark) if mark else version_and_region_of(item)
                regions = table.table.replication.regions
                state[number] = (image, GlobalVersion(version, regions[region]))
        return state


async def life(seed):
    rng = random.Random(seed)
    engine = DictEngine(now_ms=lambda: NOON_MS)
    regions = [Region(engine, name, rng) for name in REGIONS]
    for region in regions:
        await region.begin()
    delivered = {(source, target): 0 for source in REGIONS for target in REGIONS}
    for _ in range(40):
        region = rng.choice(regions)
        if rng.random() < 0.5:
            await region.write()
            continue
        source = rng.choice([each for each in regions if each is not region])
        changes = await source.changes()
        place = delivered[source.name, region.name]
        arriving = changes[place : place + rng.randint(1, 4)]
        delivered[source.name, region.name] += len(arriving)
        rng.shuffle(arriving)
        await region.receive(arriving)
    everything = [change for region in regions for change in await region.changes()]
    for region in regions:
        rng.shuffle(everything)
        await region.receive([each for each in everything if each[2].region != region.name])
    return engine, regions, everything


@pytest.mark.parametrize("seed", range(effort(15, 60)))
def test_the_last_writer_wins_everywhere(seed):
    async def run():
        engine, regions, everything = await life(seed)
        last = {}
        for item, after, version in everything:
            number = int(item["pk"]["S"])
            if number not in last or last[number][1] < version:
                last[number] = (None if after is None else after.item(), version)
        states = [await region.state() for region in regions]
        assert states == [last] * len(regions)
        assert await findings(engine) == []

    asyncio.run(run())


def test_changes_of_other_regions_are_logged_as_theirs():
    async def run():
        engine, regions, everything = await life(1)
        table = await regions[0].table()
        rows = await engine.scan(*logs_range(table.number), **ALL)
        records = [record_from(value) for key, value in rows if is_record_key(key)]
        numbers = {each.region for each in records}
        assert numbers == {0, 1, 2}
        versions = {
            GlobalVersion(each.version, table.table.replication.regions[each.region])
            for each in records
        }
        assert versions <= {version for _, _, version in everything}

    asyncio.run(run())


def test_a_table_without_replicas_has_no_tombstones():
    async def run():
        engine = DictEngine(now_ms=lambda: NOON_MS)
        region = Region(engine, "us-east-1", random.Random(1))
        await region.catalog.create(lambda number: definition(number=number), "a-table")
        for _ in range(20):
            await region.write()
        assert await engine.scan(*tombstones_range(1), **ALL) == []
        assert await engine.scan(*keyspace.items_range(1), **ALL) != []

    asyncio.run(run())
