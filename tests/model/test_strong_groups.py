"""Groups of strong tables begin and end while servers fail and calls are lost, late or doubled."""

import asyncio

import pytest

from hashrange.tables.jobs.witnesses import all_witnesses
from hashrange.tables.verifying.verify import findings
from tests.effort import effort
from tests.model.strong_worlds import StrongWorld

REGIONS = ("us-east-1", "eu-west-1", "ap-south-1")
STEPS = 300


async def outcome(world):
    """By region, the group that its table or witness is of; checks that all agree."""
    found = {}
    for region, server in world.servers.items():
        table = await server.any_table()
        if table is not None and table.strong is not None:
            found[region] = table.strong
        async for witness in all_witnesses(server.engine):
            if witness.gone_ms is None:
                assert witness.group.witness == region
                assert region not in found, "one member in a region"
                found[region] = witness.group
        assert await findings(server.engine) == []
    groups = {group.id for group in found.values()}
    for group in groups:
        assert await world.members_of(group) == {*REGIONS}, "all members or none"
    assert len({(each.members, each.witness) for each in found.values()}) == len(groups)
    return found


@pytest.mark.parametrize("seed", range(effort(15, 60)))
def test_all_members_or_none(seed):
    async def run():
        world = StrongWorld(seed, REGIONS)
        await world.begin()
        for _ in range(STEPS):
            await world.strong_step()
        await world.strong_heal()
        await outcome(world)
        return world.began

    asyncio.run(run())


# The histories would prove little if groups did not begin and end in them.
def test_groups_begin_and_end_in_these_histories():
    async def run():
        began = []
        for seed in range(20):
            world = StrongWorld(seed, REGIONS)
            await world.begin()
            for _ in range(STEPS):
                await world.strong_step()
            began.append(len(world.began))
        return began

    began = asyncio.run(run())
    assert began.count(0) < len(began) / 2
    assert max(began) > 1, "groups one after the other"
