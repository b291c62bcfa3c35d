"""Servers of regions whose policies deny replication for a while, or for long."""

import asyncio

import pytest

from hashrange.background.replicator import Replicator
from hashrange.regions.peers.messages import Changes
from hashrange.regions.replication.groups import replicas_of
from tests.effort import effort
from tests.model.test_peers import EAST, REGIONS, SOUTH, STEPS, WEST, equal, grown, last_writers
from tests.unit.tables.definitions import HOUR_MS


async def toggle_denial(world):
    server = world.rng.choice([*world.servers.values()])
    await server.deny(denies=world.rng.random() < 0.6)
    await server.replicator.work()


async def rounds(world, count=10):
    """All servers work, without any fault."""
    for _ in range(count):
        world.time_ms += 11_000
        for server in world.servers.values():
            await server.replicator.work()
            for sender in server.senders:
                await sender.work()


async def held(world):
    return {region: set(await world.servers[region].items()) for region in world.regions}


async def with_denial(seed):
    """The second of three regions denies replication; each has an item of its own since then."""
    world = await grown(seed)
    world.loss = 0
    for server in world.servers.values():
        server.restart(brittle=False)
    await world.servers[WEST].deny(denies=True)
    await rounds(world)
    for region in REGIONS:
        await world.servers[region].write(region, deletes=False)
    await rounds(world)
    return world


class PatientReplicator(Replicator):
    DENIED_MS_MAX = 10**15


class HastyReplicator(Replicator):
    DENIED_MS_MAX = HOUR_MS


@pytest.mark.parametrize("seed", range(effort(6, 20)))
def test_replicas_become_equal_when_no_policy_denies_it_any_more(seed):
    async def run():
        world = await grown(seed, replicator=PatientReplicator)
        for _ in range(STEPS):
            await world.step(lambda: toggle_denial(world))
        for server in world.servers.values():
            server.restart(brittle=False)
            await server.deny(denies=False)
        await world.heal()
        assert {*await world.members()} == {*REGIONS}
        assert await equal(world) == last_writers(world.written)
        for table in (await world.members()).values():
            assert table.table.replication.denied == {}

    asyncio.run(run())


# A replica of which the denial was seen for long is alone; the others stay together.
@pytest.mark.parametrize("seed", range(effort(6, 20)))
def test_groups_become_equal_after_denials(seed):
    async def run():
        world = await grown(seed, replicator=HastyReplicator)
        for _ in range(STEPS):
            await world.step(lambda: toggle_denial(world))
        for server in world.servers.values():
            server.restart(brittle=False)
            await server.deny(denies=False)
        await world.heal()
        members = await world.members()
        groups = {region: replicas_of(table.table) for region, table in members.items()}
        for region, others in groups.items():
            for other in others:
                assert region in {each.region for each in groups[other.region]}
                one, two = [await world.servers[each].items() for each in (region, other.region)]
                assert one == two

    asyncio.run(run())


def test_a_denial_stops_changes_to_the_replica_and_from_it():
    async def run():
        world = await with_denial(1)
        both = {EAST, SOUTH}
        assert await held(world) == {EAST: both, WEST: {WEST}, SOUTH: both}
        for table in (await world.members()).values():
            assert {*table.table.replication.denied} == {WEST}
        await world.servers[WEST].deny(denies=False)
        await rounds(world)
        assert await held(world) == {region: {*REGIONS} for region in REGIONS}

    asyncio.run(run())


# Its own server refuses what one sends that does not know of the denial.
def test_a_replica_that_denies_replication_takes_nothing():
    async def run():
        world = await with_denial(2)
        table = (await world.servers[EAST].table()).table
        message = Changes(
            account=table.account, name=table.name, group=table.replication.group,
            complete_ms=world.time_ms,
        )  # fmt: skip
        answer = await world.servers[WEST].receiver.changed(EAST, WEST, message)
        assert (answer.standing, answer.is_written) == ("MEMBER", False)

    asyncio.run(run())


def test_after_twenty_hours_the_others_stay_together():
    async def run():
        world = await with_denial(3)
        world.time_ms += 21 * HOUR_MS
        await rounds(world)
        await world.servers[WEST].deny(denies=False)
        await rounds(world)
        others = {
            region: {each.region for each in replicas_of(table.table)}
            for region, table in (await world.members()).items()
        }
        assert others == {EAST: {SOUTH}, WEST: set(), SOUTH: {EAST}}
        await world.servers[SOUTH].write("later", deletes=False)
        await rounds(world)
        assert await held(world) == {
            EAST: {EAST, SOUTH, "later"}, WEST: {WEST}, SOUTH: {EAST, SOUTH, "later"}
        }  # fmt: skip

    asyncio.run(run())
