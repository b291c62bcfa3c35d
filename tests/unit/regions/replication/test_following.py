"""The log of a replica is followed in pages of several shards; positions are stored sometimes."""

import asyncio

import msgspec
import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.log import Actor, Log, Shard
from hashrange.model.replication import Replica, Replication
from hashrange.regions.replication import positions
from hashrange.regions.replication.following import (
    PAGE_RECORDS,
    PAGES_MAX,
    Until,
    follow,
    written_so_far,
)
from hashrange.regions.replication.positions import Link, Positions
from hashrange.storage.engine import NO_FENCES, Changes
from hashrange.tables.items.images import Image
from hashrange.tables.keys.keyspace import log_key
from hashrange.tables.log import change_log
from hashrange.tables.log.change_log import ChangeRecord
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from tests.unit.tables.definitions import NOON_MS, definition

TARGET = 9
SHARDS = 3


class World:
    """A replica with a log of some shards, and one that takes what it is sent, or some of it."""

    number = TARGET

    def __init__(self):
        self.time_ms = NOON_MS
        self.engine = DictEngine(now_ms=self.now_ms)
        self.store = Store(self.engine, self)
        self.positions = Positions(self.engine, lambda: NO_FENCES)
        shards = tuple(
            Shard(number=number, start=bytes([(number - 1) * 80]) + bytes(15), opened_ms=NOON_MS)
            for number in range(1, SHARDS + 1)
        )
        replica = Replica(region="eu-west-1")
        table = msgspec.structs.replace(
            definition(number=1),
            log=Log(shards=shards, next_shard=SHARDS + 1),
            replication=Replication(regions=("us-east-1", "eu-west-1"), replicas=(replica,)),
        )
        self.replica, self.source = replica, OpenTable(table, {})
        self.taken, self.room = [], None

    def now_ms(self):
        return self.time_ms

    async def take(self, changes):
        count = len(changes) if self.room is None else min(self.room, len(changes))
        self.taken += [change.version for change in changes[:count]]
        return count

    async def append(self, shard, *versions, region=0):
        for version in versions:
            image = Image(1, b'{"pk":{"S":"x"}}')
            record = ChangeRecord(Actor.CALLER, None, image, version, region)
            appends = [(log_key(1, shard), change_log.stored(record))]
            await self.engine.write([], lambda _, a=appends: Changes(answer=None, appends=a))

    async def follow(self, until=None):
        return await follow(
            self.store, self.positions, self.source, self,
            replica=self.replica, until=until or Until(),
        )  # fmt: skip

    async def stored(self):
        """The positions that a process finds that begins now."""
        found = Positions(self.engine, lambda: NO_FENCES)
        return [await found.read(Link(1, TARGET), shard) for shard in range(1, SHARDS + 1)]


def run(test):
    asyncio.run(test(World()))


def test_a_page_has_the_changes_of_all_shards():
    async def test(world):
        await world.append(1, 1, 2)
        await world.append(3, 3)
        progress = await world.follow()
        assert world.taken == [1, 2, 3]
        assert (progress.records, progress.writes, progress.is_complete) == (3, 3, True)

    run(test)


def test_a_shard_with_many_records_does_not_hold_up_the_others():
    many = (PAGES_MAX + 1) * PAGE_RECORDS

    async def test(world):
        await world.append(1, *range(many))
        await world.append(2, many)
        progress = await world.follow()
        assert world.taken.index(many) == PAGE_RECORDS // SHARDS
        assert not progress.is_complete
        while (await world.follow()).records:
            pass
        assert sorted(world.taken) == [*range(many + 1)]

    run(test)


def test_what_is_not_taken_is_sent_again():
    async def test(world):
        await world.append(1, 1, 2)
        await world.append(2, 3)
        await world.append(2, 4, region=1)
        await world.append(3, 5)
        world.room = 1
        progress = await world.follow()
        assert (progress.records, progress.is_complete) == (1, False)
        world.room = None
        await world.follow()
        assert world.taken == [1, 2, 3, 5]

    run(test)


def test_a_cut_of_the_log_ends_it_whatever_the_clock_says():
    async def test(world):
        await world.append(1, 1)
        until = Until(ends=await written_so_far(world.engine, world.source))
        world.time_ms -= 1000
        await world.append(1, 2)
        await world.append(2, 3)
        assert (await world.follow(until)).is_complete
        assert world.taken == [1]
        await world.follow()
        assert world.taken == [1, 2, 3]

    run(test)


def test_the_latency_is_the_age_of_the_oldest_change_when_it_was_stored():
    async def test(world):
        await world.append(2, 1)
        world.time_ms += 70
        await world.append(1, 2)
        take = world.take

        async def slowly(changes):
            world.time_ms += 30
            return await take(changes)

        world.take = slowly
        assert (await world.follow()).latency_ms == 100

    run(test)


@pytest.mark.parametrize(
    ("later_ms", "stored"), [(0, 0), (positions.NOTED_MS_MAX - 1, 0), (positions.NOTED_MS_MAX, 3)]
)
def test_positions_are_stored_now_and_then(later_ms, stored):
    async def test(world):
        await world.append(1, 1)
        await world.follow()
        world.time_ms += later_ms
        await world.append(1, 2)
        await world.follow()
        assert await world.stored() == [stored, 0, 0]
        assert world.taken == [1, 2]

    run(test)


def test_positions_are_stored_when_nothing_is_left():
    async def test(world):
        await world.append(2, 1, 2)
        await world.follow()
        await world.follow()
        assert await world.stored() == [0, 3, 0]

    run(test)


# Changes that are replicated again must not be older than the tombstones that are removed then.
def test_positions_are_stored_before_it_is_said_that_all_was_sent():
    async def test(world):
        await world.append(2, 1)
        await world.follow()
        await world.positions.set_complete(Link(1, TARGET), world.time_ms)
        assert await world.stored() == [0, 2, 0]

    run(test)


def test_a_process_that_leads_again_looks_where_the_last_one_was():
    async def test(world):
        await world.append(1, 1, 2)
        await world.follow()
        other = Positions(world.engine, lambda: NO_FENCES)
        other.note(Link(1, TARGET), 1, 2, world.time_ms)
        await other.store()
        world.positions.forget()
        await world.follow()
        assert world.taken == [1, 2, 2]

    run(test)
