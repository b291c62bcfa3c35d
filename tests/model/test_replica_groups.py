"""Replicas are added, removed and written while the work is interrupted: all become equal."""

import asyncio
import contextlib
import random
import uuid
from types import SimpleNamespace

import pytest

from hashrange.api.dynamodb.replicas.requests import ReplicaChange
from hashrange.api.dynamodb.replicas.updates import change_replicas
from hashrange.api.steps.operation import TableChoices
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.background.backup_jobs import backup_jobs
from hashrange.background.dropper import Dropper
from hashrange.background.log_maintenance import LogMaintenance, StreamRules
from hashrange.background.replicator import Replicator
from hashrange.errors import DynamoError, Fault
from hashrange.model.canonical import canonical_item
from hashrange.model.log import LogReader
from hashrange.model.replication import NO_OVERRIDES
from hashrange.model.table import Index, KeyAttribute
from hashrange.model.wording import Wording
from hashrange.regions.replication.groups import replicas_of
from hashrange.storage.engine import NO_FENCES, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.items.images import image_from, image_of
from hashrange.tables.keys import keyspace
from hashrange.tables.keys.log_keys import is_record_key, logs_range
from hashrange.tables.log.shards import with_reader
from hashrange.tables.log.tombstones import tombstones_range
from hashrange.tables.opened.access_paths import key_of_item
from hashrange.tables.verifying.verify import findings
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from hashrange.tables.writing.writer import write_items
from tests.effort import effort
from tests.model.test_backup_jobs import Brittle
from tests.unit.background.still_turns import job_context, unhurried
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition

ACCOUNT = "000000000000"
NAME = "a-table"
REGIONS = ("us-east-1", "eu-west-1", "ap-south-1", "sa-east-1")
ITEMS = 12
RULES = StreamRules(shard_ms=4 * HOUR_MS, retention_ms=24 * HOUR_MS)
STEPS = 120
ALL = {"limit": 100_000, "bytes_max": 10**9}


class Group:
    """A table with replicas in regions of one engine."""

    def __init__(self, seed):
        self.rng, self.time_ms = random.Random(seed), NOON_MS
        self.pace = self.rng.choice([1, 2, 6])
        self.engine = DictEngine(now_ms=self.now_ms)
        self.catalog = Catalog(self.engine)
        self.store = Store(self.engine, self)
        self.restart()

    def now_ms(self):
        return self.time_ms

    def restart(self):
        """Begin anew with all that processes remember, on an engine that may fail."""
        self.working = self.rng.choice([self.engine, Brittle(self.engine, self.rng)])
        catalog, store = Catalog(self.working), Store(self.working, self)
        fences = lambda: NO_FENCES  # noqa: E731
        self.replicator = Replicator(store, catalog, fences=fences, delay_ms=0)
        self.jobs = backup_jobs(job_context(store, catalog, page_rows=3))
        self.upkeep = LogMaintenance(store, catalog, RULES, pacer=unhurried())
        self.dropper = Dropper(self.working, catalog, self, 0, pacer=unhurried())

    async def begin(self, *, has_history):
        by_n = Index(name="by-n", number=1, partition=(KeyAttribute("n", "N"),), projection="ALL")
        history = LogReader(name="recovery", kind="RECOVERY", first_shard=0)

        def draft(number):
            table = definition(
                number=number,
                name=NAME,
                region=REGIONS[0],
                billing_mode="PAY_PER_REQUEST",
                indexes=(by_n,),
                next_index=2,
            )
            return with_reader(table, history, 2, NOON_MS) if has_history else table

        await self.within(REGIONS[0]).create(draft, NAME)

    def within(self, region):
        return self.catalog.within(ACCOUNT, region)

    async def members(self):
        found = {region: await self.within(region).open(NAME) for region in REGIONS}
        return {region: opened for region, opened in found.items() if opened is not None}

    async def one_ready(self):
        """A replica that can be used."""
        members = await self.members()
        return self.rng.choice([each for each in members.values() if each.table.restore is None])

    async def write(self):
        self.time_ms += self.rng.randint(0, 2)
        table = await self.one_ready()
        numbers = self.rng.sample(range(ITEMS), self.rng.randint(1, 3))
        await write_items(self.store, [self.one(table, number) for number in numbers])

    def one(self, table, number):
        item = {"pk": {"S": str(number)}, "n": {"N": str(self.rng.randrange(10))}}
        sized = canonical_item(item, Wording.CURRENT)
        after = None if self.rng.random() < 0.4 else image_of(sized.item, sized.bytes)
        return ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))

    async def change_at(self, at, kind, region):
        """Let UpdateTable add or remove a replica, called in the region `at`."""
        context = SimpleNamespace(
            store=self.store,
            catalog=self.within(at),
            now_ms=self.time_ms,
            new_id=str(uuid.UUID(int=self.rng.getrandbits(128))),
            choices=TableChoices(regions=REGIONS, stream_shards=2),
        )
        await change_replicas(ReplicaChange(kind, {region: NO_OVERRIDES}), NAME, context)

    async def change_group(self):
        members = [*await self.members()]
        region = self.rng.choice(REGIONS)
        kind = "DELETE" if region in members else "CREATE"
        ready = await self.one_ready()
        with contextlib.suppress(DynamoError):
            await self.change_at(ready.table.region, kind, region)

    async def step(self):
        work = [
            *[self.write] * 8,
            *[self.replicator.work] * self.pace,
            *[self.jobs.work] * 2,
            *[self.upkeep.sweep, self.dropper.clear, self.change_group, self.later],
        ]
        try:
            await self.rng.choice(work)()
        except StorageError:
            self.restart()
        if self.rng.random() < 0.02:
            self.restart()

    async def later(self):
        self.time_ms += self.rng.choice([1, 1000, 61_000, HOUR_MS, 7 * HOUR_MS, 30 * HOUR_MS])

    async def settled(self):
        """All work is done, without failures."""
        while True:
            self.restart()
            if self.working is self.engine:
                break
        for _ in range(20):
            await self.jobs.work()
            await self.replicator.drain()
            members = await self.members()
            if all(
                replica.state == "ACTIVE"
                for each in members.values()
                for replica in replicas_of(each.table)
            ):
                return members
        raise AssertionError("the group is never complete")

    async def items(self, number):
        pairs = await self.engine.scan(*keyspace.items_range(number), **ALL)
        items = [image_from(value).item() for _, value in pairs]
        return {item["pk"]["S"]: item["n"]["N"] for item in items}


@pytest.mark.parametrize("seed", range(effort(10, 40)))
def test_replicas_become_equal(seed):
    async def run():
        group = Group(seed)
        await group.begin(has_history=group.rng.random() < 0.5)
        for _ in range(STEPS):
            await group.step()
        members = await group.settled()
        items = {region: await group.items(each.number) for region, each in members.items()}
        first = next(iter(items.values()))
        assert items == dict.fromkeys(items, first)
        for region, each in members.items():
            others = {replica.region for replica in replicas_of(each.table)}
            assert others == {*members} - {region}
        assert await findings(group.engine) == []

    asyncio.run(run())


FIRST, SECOND, THIRD, _ = REGIONS


async def changed(group, region, *, deleted=False):
    """One item, put or deleted in a region."""
    table = await group.within(region).open(NAME)
    item = {"pk": {"S": "x"}, "n": {"N": "1"}}
    sized = canonical_item(item, Wording.CURRENT)
    after = None if deleted else image_of(sized.item, sized.bytes)
    group.time_ms += 1
    write = ItemWrite(table, key_of_item(table, item), lambda _: Decision(after, None))
    await write_items(group.store, [write])


async def added(group, *regions):
    for region in regions:
        await group.change_at(FIRST, "CREATE", region)
        await group.settled()


async def everywhere(group):
    return [await group.items(each.number) for each in (await group.settled()).values()]


def run_with_group(test):
    async def run():
        group = Group(0)
        await group.begin(has_history=False)
        await test(group)

    asyncio.run(run())


def test_a_change_that_was_deleted_elsewhere_does_not_come_back_in_a_new_replica():
    async def test(group):
        await added(group, SECOND)
        await changed(group, SECOND)
        await group.settled()
        await changed(group, FIRST, deleted=True)
        for _ in range(5):
            await group.settled()
            group.time_ms += HOUR_MS
        numbers = [each.number for each in (await group.members()).values()]
        for number in numbers:
            assert await group.engine.scan(*tombstones_range(number), **ALL) == []
        await added(group, THIRD)
        assert await everywhere(group) == [{}, {}, {}]

    run_with_group(test)


def test_changes_are_kept_until_all_replicas_have_them():
    async def test(group):
        await added(group, SECOND)
        await changed(group, FIRST)
        group.time_ms += 30 * HOUR_MS
        await group.upkeep.drain()
        assert await everywhere(group) == [{"x": "1"}] * 2
        for _ in range(3):
            await group.upkeep.drain()
        source = await group.within(FIRST).open(NAME)
        rows = await group.engine.scan(*logs_range(source.number), **ALL)
        assert [key for key, _ in rows if is_record_key(key)] == []

    run_with_group(test)


def test_the_changes_of_a_removed_replica_reach_the_others():
    async def test(group):
        await added(group, SECOND, THIRD)
        await changed(group, SECOND)
        await group.change_at(FIRST, "DELETE", SECOND)
        assert await everywhere(group) == [{"x": "1"}] * 2

    run_with_group(test)


# The times of records are later than the clock that was set back; their places in the log are not.
def test_the_changes_of_a_removed_replica_reach_the_others_after_the_clock_was_set_back():
    async def test(group):
        await added(group, SECOND, THIRD)
        group.time_ms += HOUR_MS
        await changed(group, SECOND)
        group.time_ms -= HOUR_MS
        await group.change_at(FIRST, "DELETE", SECOND)
        assert await everywhere(group) == [{"x": "1"}] * 2

    run_with_group(test)


# Records keep the later times until the clock has caught up.
def test_changes_are_sent_after_the_clock_was_set_back():
    async def test(group):
        await added(group, SECOND)
        group.time_ms += HOUR_MS
        await changed(group, FIRST)
        group.time_ms -= HOUR_MS
        while await group.replicator.work():
            pass
        found = [await group.items(each.number) for each in (await group.members()).values()]
        assert found == [found[0]] * 2
        assert found[0]

    run_with_group(test)


class LateEngine:
    """Holds back what the next read of an engine has found, until it is let go."""

    def __init__(self, engine):
        self.engine = engine
        self.reads, self.goes_on = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name):
        return getattr(self.engine, name)

    async def read(self, keys):
        found = await self.engine.read(keys)
        self.reads.set()
        await self.goes_on.wait()
        return found


# A sweep would find it only a minute later.
def test_a_table_that_gets_a_replica_while_its_entry_is_read_is_not_forgotten():
    async def test(group):
        late = LateEngine(group.engine)
        catalog, store = Catalog(late), Store(late, group)
        replicator = Replicator(store, catalog, fences=lambda: NO_FENCES, delay_ms=0)
        late.goes_on.set()
        await replicator.drain()
        late.goes_on.clear()
        late.reads.clear()
        name = f"{group.within(FIRST).prefix}{NAME}"
        replicator.wake(name)
        working = asyncio.create_task(replicator.work())
        await late.reads.wait()
        await added(group, SECOND)
        replicator.wake(name)
        late.goes_on.set()
        await working
        await catalog.open(name)
        await changed(group, FIRST)
        while await replicator.work():
            pass
        found = [await group.items(each.number) for each in (await group.members()).values()]
        assert found == [found[0]] * 2
        assert found[0]

    run_with_group(test)


def test_items_of_a_region_that_left_are_copied():
    async def test(group):
        await added(group, SECOND)
        await changed(group, SECOND)
        await group.change_at(FIRST, "DELETE", SECOND)
        await group.settled()
        await added(group, THIRD)
        assert await everywhere(group) == [{"x": "1"}] * 2

    run_with_group(test)


def test_a_replica_is_not_added_again_before_all_know_that_it_was_deleted():
    async def test(group):
        await added(group, SECOND)
        await group.within(SECOND).drop(NAME, group.time_ms, lambda _: None)
        with pytest.raises(DynamoError) as error:
            await group.change_at(FIRST, "CREATE", SECOND)
        assert error.value.fault is Fault.RESOURCE_IN_USE
        await group.settled()
        await added(group, SECOND)
        assert {*await group.members()} == {FIRST, SECOND}

    run_with_group(test)
