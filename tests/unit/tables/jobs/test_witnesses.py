"""A witness follows the state of its group, and does not come back with a late call."""

import asyncio

import msgspec

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.replication import StrongGroup, Witness
from hashrange.storage.engine import NO_FENCES
from hashrange.tables.jobs.witnesses import GONE_MS, Witnesses, all_witnesses
from hashrange.tables.keys.system_keys import sequence_key
from hashrange.tables.verifying.verify import findings
from tests.unit.tables.definitions import NOON_MS

GROUP = StrongGroup(
    id="a-group", members=("eu-west-1", "us-east-1", "us-west-2"), witness="us-west-2"
)
TOLD = Witness(number=0, account="0" * 12, name="a-table", region="us-west-2", group=GROUP)


class World:
    def __init__(self):
        self.now_ms, self.changes = NOON_MS, 0
        self.engine = DictEngine(now_ms=lambda: self.now_ms)
        self.witnesses = Witnesses(self.engine, lambda: self.now_ms)
        self.witnesses.on_change = self.changed

    def changed(self):
        self.changes += 1

    async def told(self, state, **more):
        group = msgspec.structs.replace(GROUP, state=state, **more)
        return await self.witnesses.follow(msgspec.structs.replace(TOLD, group=group))

    async def witness(self):
        found = [each async for each in all_witnesses(self.engine) if each.group.id == GROUP.id]
        return found[0] if found else None

    async def remove(self):
        await self.witnesses.remove(await self.witness(), NO_FENCES)


def with_world(steps):
    world = World()
    asyncio.run(steps(world))
    return world


def test_it_goes_forward_only():
    async def steps(world):
        assert [await world.told(state) for state in ("CREATING", "ACTIVE", "CREATING")] == [
            True,
            True,
            True,
        ]
        witness = await world.witness()
        assert (witness.number, witness.group.state) == (1, "ACTIVE")
        assert await findings(world.engine) == []

    # What changes nothing wakes nobody.
    assert with_world(steps).changes == 2


def test_each_has_a_number_that_no_table_has():
    async def steps(world):
        await world.told("CREATING")
        await world.told("CREATING", id="another")
        assert sorted([each.number async for each in all_witnesses(world.engine)]) == [1, 2]
        (sequence,) = await world.engine.read([sequence_key()])
        assert int.from_bytes(sequence, "big") == 3

    with_world(steps)


# Its log would be empty: it could vote twice.
def test_it_is_not_made_for_a_group_that_has_begun():
    async def steps(world):
        assert await world.told("ACTIVE") is False
        assert await world.witness() is None

    with_world(steps)


def test_a_late_call_does_not_bring_it_back():
    async def steps(world):
        await world.told("CREATING")
        assert await world.told("ENDED") is True
        await world.remove()
        for state in ("ENDED", "CREATING", "ACTIVE"):
            assert await world.told(state) is False
        assert await findings(world.engine) == []

    with_world(steps)


def test_a_call_that_overtakes_the_first_does_not_bring_it_back():
    async def steps(world):
        assert await world.told("ENDED") is False
        assert await world.told("CREATING") is False
        assert await findings(world.engine) == []

    with_world(steps)


def test_it_is_forgotten_after_a_while():
    async def steps(world):
        await world.told("CREATING")
        await world.told("ENDED")
        await world.remove()
        world.now_ms += GONE_MS
        await world.remove()
        assert await world.witness() is not None
        world.now_ms += 1
        await world.remove()
        assert await world.witness() is None

    with_world(steps)
