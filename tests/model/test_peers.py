"""Servers of several regions that fail, lose calls and have wrong clocks: all become equal."""

import asyncio
import contextlib

import msgspec
import pytest

from hashrange.api.dynamodb.replicas.updates import ReplicaChange, change_replicas
from hashrange.background.peer_replicator import peer_figures
from hashrange.background.replicator import Replicator
from hashrange.errors import DynamoError
from hashrange.model.canonical import canonical_item
from hashrange.model.replication import NO_OVERRIDES
from hashrange.model.wording import Wording
from hashrange.regions.peers.calls import MessageError
from hashrange.regions.peers.messages import Change, Changes
from hashrange.regions.replication.groups import replicas_of
from hashrange.tables.items.images import image_of
from hashrange.tables.keys.keyspace import partition_prefix
from hashrange.tables.keys.log_keys import is_record_key, logs_range
from hashrange.tables.log.tombstones import tombstones_range
from hashrange.tables.verifying.verify import findings
from tests.effort import effort
from tests.model.peers import ACCOUNT, ALL, LOG_MS, NAME, World
from tests.unit.tables.definitions import HOUR_MS, definition

EAST, WEST, SOUTH = REGIONS = ("us-east-1", "eu-west-1", "ap-south-1")
STEPS = 250


async def grown(seed, regions=REGIONS, replicator=Replicator):
    """Servers with a replica in each region, all of them complete."""
    world = World(seed, regions, replicator)
    loss, world.loss = world.loss, 0
    await world.begin()
    await world.heal()
    for region in regions[1:]:
        await world.servers[regions[0]].change("CREATE", region)
        await world.heal()
    world.loss = loss
    return world


async def equal(world):
    items = {region: await world.servers[region].items() for region in await world.members()}
    first = next(iter(items.values()))
    assert items == dict.fromkeys(items, first)
    for server in world.servers.values():
        assert await findings(server.engine) == []
    return first


def last_writers(written):
    """What must be there: of each item the change with the greatest version and region."""
    last = {}
    for key, version, value in written:
        if key not in last or last[key][0] < version:
            last[key] = version, value
    return {key: value for key, (_, value) in last.items() if value is not None}


@pytest.mark.parametrize("seed", range(effort(10, 40)))
def test_replicas_become_equal(seed):
    async def run():
        world = await grown(seed)
        for _ in range(STEPS):
            await world.step()
        await world.heal()
        assert {*await world.members()} == {*REGIONS}
        assert await equal(world) == last_writers(world.written)

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(effort(10, 40)))
def test_groups_become_equal(seed):
    async def run():
        world = World(seed, REGIONS)
        await world.begin()

        async def change():
            members = [*await world.members()]
            if not members:
                return
            at = world.servers[world.rng.choice(members)]
            region = world.rng.choice(REGIONS)
            known = {each.region for each in replicas_of((await at.table()).table)}
            kind = "DELETE" if region in known else "CREATE"
            with contextlib.suppress(DynamoError):
                await at.change(kind, region)

        for _ in range(STEPS):
            await world.step(change)
        await world.heal()
        members = await world.members()
        for region, table in members.items():
            others = {each.region for each in replicas_of(table.table) if each.state == "ACTIVE"}
            assert others <= {*members}, region
            for other in others:
                names = {each.region for each in replicas_of(members[other].table)}
                assert region in names
                one, two = [await world.servers[each].items() for each in (region, other)]
                assert one == two

    asyncio.run(run())


def test_a_server_that_was_away_for_too_long_is_refilled():
    async def run():
        world = await grown(1, (EAST, WEST))
        world.loss = 0
        east, west = world.servers.values()
        for key in "123":
            await east.write(key, deletes=False)
        await world.heal()
        world.cut.add(frozenset((EAST, WEST)))
        await east.write("1", deletes=True)
        await west.write("2", deletes=False)
        await west.write("4", deletes=False)
        for _ in range(4):
            world.time_ms += LOG_MS // 2
            for server in (east, west):
                for sender in server.senders:
                    await sender.work()
                await server.upkeep.drain()
        for server in (east, west):
            table = await server.table()
            rows = await server.engine.scan(*logs_range(table.number), **ALL)
            assert [key for key, _ in rows if is_record_key(key)] == []
            assert replicas_of(table.table)[0].copy == "OWN"
        await world.heal()
        found = await equal(world)
        assert {*found} == {"2", "3", "4"}
        assert found == last_writers(world.written)

    asyncio.run(run())


def test_tombstones_go_when_all_have_the_deletion():
    async def run():
        world = await grown(2)
        world.loss = 0
        east = world.servers[EAST]
        await east.write("1", deletes=False)
        await world.heal()
        await east.write("1", deletes=True)
        await world.heal()
        for _ in range(4):
            world.time_ms += HOUR_MS
            await world.heal()
        for server in world.servers.values():
            table = await server.table()
            assert await server.engine.scan(*tombstones_range(table.number), **ALL) == []

    asyncio.run(run())


def test_tombstones_stay_while_a_server_is_away():
    async def run():
        world = await grown(3)
        world.loss = 0
        east = world.servers[EAST]
        await east.write("1", deletes=False)
        await world.heal()
        world.cut = {frozenset((EAST, SOUTH)), frozenset((WEST, SOUTH))}
        await east.write("1", deletes=True)
        for _ in range(30):
            world.time_ms += HOUR_MS
            for server in world.servers.values():
                for sender in server.senders:
                    await sender.work()
                await server.replicator.drain()
                await server.upkeep.drain()
        await world.heal()
        assert await equal(world) == {}

    asyncio.run(run())


def test_versions_that_are_too_far_ahead_wait():
    async def run():
        world = await grown(4, (EAST, WEST))
        world.loss = 0
        east, west = world.servers.values()
        east.skew_ms, west.skew_ms = HOUR_MS, 0
        await east.write("1", deletes=False)
        for _ in range(5):
            await east.senders[0].work()
        assert await west.items() == {}
        world.time_ms += HOUR_MS
        await world.heal()
        assert {*await equal(world)} == {"1"}

    asyncio.run(run())


def test_a_deletion_that_only_one_side_has_is_told_later():
    async def run():
        world = await grown(5, (EAST, WEST))
        world.loss = 0
        east, west = world.servers.values()
        await east.write("1", deletes=False)
        await world.heal()
        world.one_way.add((EAST, WEST))
        await east.write("1", deletes=True)
        for _ in range(8):
            world.time_ms += LOG_MS // 2
            for server in (east, west):
                await server.senders[0].work()
                await server.replicator.drain()
                await server.upkeep.drain()
        await world.heal()
        assert await equal(world) == {}

    asyncio.run(run())


def test_of_two_changes_in_a_message_the_later_wins():
    async def run():
        world = await grown(6, (EAST, WEST))
        west = world.servers[WEST]
        table = (await west.table()).table
        row = [keyed_change(5), keyed_change(7), keyed_change(6)]
        told = Changes(
            account=ACCOUNT, name=NAME, group=table.replication.group, changes=tuple(row)
        )
        assert (await west.receiver.changed(EAST, WEST, told)).is_written
        assert await west.items() == {"1": "7"}

    asyncio.run(run())


@pytest.mark.parametrize("key", [b"", b"x", b"x" * 5000])
def test_an_item_with_the_key_of_another_one_is_refused(key):
    async def run():
        world = await grown(7, (EAST, WEST))
        west = world.servers[WEST]
        change = msgspec.structs.replace(keyed_change(5), key=key)
        group = (await west.table()).table.replication.group
        told = Changes(account=ACCOUNT, name=NAME, group=group, changes=(change,))
        with pytest.raises(MessageError):
            await west.receiver.changed(EAST, WEST, told)
        assert await west.items() == {}

    asyncio.run(run())


def test_an_item_that_cannot_be_read_is_refused():
    async def run():
        world = await grown(7, (EAST, WEST))
        west = world.servers[WEST]
        change = msgspec.structs.replace(keyed_change(5), json=b'{"pk":{"S":"\xff"}}')
        group = (await west.table()).table.replication.group
        told = Changes(account=ACCOUNT, name=NAME, group=group, changes=(change,))
        with pytest.raises(MessageError):
            await west.receiver.changed(EAST, WEST, told)

    asyncio.run(run())


def keyed_change(version):
    """A change of one item; its attribute n is the version."""
    sized = canonical_item({"pk": {"S": "1"}, "n": {"N": str(version)}}, Wording.CURRENT)
    image = image_of(sized.item, sized.bytes)
    key = partition_prefix(0, {"S": "1"})[5:]
    return Change(key, version, EAST, image.size, image.json)


def test_a_server_that_refuses_does_not_keep_the_log_for_ever():
    async def run():
        world = await grown(8, (EAST, WEST))
        world.loss = 0
        east = world.servers[EAST]
        await east.write("1", deletes=False)
        world.refusing.add(WEST)
        for _ in range(4):
            world.time_ms += LOG_MS // 2
            await east.senders[0].work()
            await east.upkeep.drain()
        table = await east.table()
        rows = await east.engine.scan(*logs_range(table.number), **ALL)
        assert [key for key, _ in rows if is_record_key(key)] == []
        world.refusing.clear()
        await world.heal()
        assert {*await equal(world)} == {"1"}

    asyncio.run(run())


# A table without changes must not hide how long those of another one wait.
@pytest.mark.parametrize("idle", ["A-table-before", "z-table-after"])
def test_the_lag_is_that_of_the_table_that_waits_longest(idle):
    async def run():
        world = await grown(9, (EAST, WEST))
        world.loss = 0
        east = world.servers[EAST]
        settings = {"name": idle, "region": EAST, "billing_mode": "PAY_PER_REQUEST"}
        await east.within.create(lambda number: definition(number=number, **settings), idle)
        change = ReplicaChange("CREATE", {WEST: NO_OVERRIDES})
        await change_replicas(change, idle, east.context)
        await world.heal()
        (sender,) = east.senders
        world.cut.add(frozenset((EAST, WEST)))
        await east.write("1", deletes=False)
        world.time_ms += 30_000
        await sender.work()
        assert peer_figures([sender])[f"peer_lag_seconds@{WEST}"] == 30
        await world.heal()
        await east.senders[0].work()
        assert peer_figures(east.senders)[f"peer_lag_seconds@{WEST}"] == 0

    asyncio.run(run())


# How far a peer is, is noted by the task that sends to it, not by the task that ends the replica.
# A client that writes on would hold it up for ever, if what it writes were waited for.
def test_a_replica_leaves_while_all_regions_are_written():
    async def run():
        world = await grown(11)
        world.loss = 0
        east, west, _ = world.servers.values()
        await east.change("DELETE", WEST)
        for _ in range(30):
            for server in world.servers.values():
                await server.write(deletes=False)
                for sender in server.senders:
                    await server.write(deletes=False)
                    await sender.work()
                await server.write(deletes=False)
                await server.replicator.work()
            world.time_ms += 100
        assert {*await world.members()} == {EAST, SOUTH}
        assert await west.within.open(NAME) is None
        await world.heal()
        assert await equal(world) == last_writers(world.written)

    asyncio.run(run())


def test_a_replica_that_leaves_with_changes_to_send_ends_when_they_are_sent():
    async def run():
        world = await grown(10, (EAST, WEST))
        world.loss = 0
        east, west = world.servers.values()
        west.skew_ms = east.skew_ms
        await west.write("1", deletes=False)
        await east.change("DELETE", WEST)
        await east.senders[0].work()
        await west.replicator.work()
        assert (await west.within.open(NAME)).table.is_leaving
        await west.senders[0].drain()
        await west.replicator.drain()
        assert {*await east.items()} == {"1"}
        assert {*await world.members()} == {EAST}

    asyncio.run(run())
